# count_words.awk: how often the words of one file occur in another, overlaps included, by
# looking every substring up. The slow and plain answer that ./demo compares Trawl's with.
#     awk -f count_words.awk WORDS TEXT        (LC_ALL=C: bytes)
NR == FNR { word[$0]; size[length($0)]; next }
{
    for (n in size)
        for (i = 1; i + n - 1 <= length($0); i++)
            if (substr($0, i, n) in word)
                total++
}
END { print total + 0 }
