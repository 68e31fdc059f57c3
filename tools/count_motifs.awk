# count_motifs.awk: overlapping occurrences of the regular expressions in the first file in the
# sequences of the second, which is FASTA. Each expression has one length, so that places count.
#   awk -f count_motifs.awk motifs.txt proteins.fasta
NR == FNR { motif[NR] = $0; next }
/^>/ { count(); sequence = ""; next }
{ sequence = sequence $0 }
END { count(); print total + 0 }

function count(   i, rest) {
    for (i in motif)
        for (rest = sequence; match(rest, motif[i]); rest = substr(rest, RSTART + 1))
            total++
}
