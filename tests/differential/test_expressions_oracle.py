#!/usr/bin/python3
"""The oracle of expressions beside what is known by hand, and beside Python's re: its pairs are those
where re matches just the bytes between them, its leftmost-first matches those of finditer. What the
oracle says twice, by two ways of its own, must agree too.

Usage: test_expressions_oracle.py"""
import sys

from expressions import NOCASE, SEED, WHOLE_LINES, WORDS, ask, cases, drawn, for_re, in_time

# Expression, report, text, matches; a start that is not known is ?.
KNOWN = [
    ("a(b|c)d", "ends", "abd acd aed", "0-3 4-7"),
    ("a(b|cc)d", "ends", "abd accd", "?-3 ?-8"),
    ("(ab)+", "ends", "ababab", "?-2 ?-4 ?-6"),
    ("(ab)+", "pairs", "ababab", "0-2 0-4 2-4 0-6 2-6 4-6"),
    ("(ab){2}", "ends", "ababab", "0-4 2-6"),
    ("(ab){2,3}", "longest", "abababab", "0-6 2-8 4-8"),
    ("(ab){2,3}", "shortest", "abababab", "0-4 2-6 4-8"),
    ("(ab){2,3}", "leftmost-longest", "abababab", "0-6"),
    ("(ab){2,3}", "leftmost-first", "abababab", "0-6"),
    ("(ab){2,3}?", "leftmost-first", "abababab", "0-4 4-8"),
    ("a|ab", "leftmost-first", "abab", "0-1 2-3"),
    ("ab|a", "leftmost-first", "abab", "0-2 2-4"),
    ("a|ab", "leftmost-longest", "abab", "0-2 2-4"),
    ("(a|ab)(c|bcd)", "leftmost-first", "abcd", "0-4"),
    ("(a|ab)(c|bcd|)d*", "leftmost-first", "abcd", "0-4"),
    ("(a|ab)(|bcd)", "leftmost-first", "abcd", "0-1"),
    ("(a+|b+)+c", "leftmost-first", "aabbc", "0-5"),
    ("x*?a", "leftmost-first", "xxa", "0-3"),
    ("a.*?b", "leftmost-first", "aabab", "0-3 3-5"),
    ("a.*b", "leftmost-first", "aabab", "0-5"),
    ("a??b", "leftmost-first", "ab", "0-2"),
    ("ab??", "leftmost-first", "ab", "0-1"),
    ("a{2,}?", "leftmost-first", "aaaaa", "0-2 2-4"),
    ("(?:a|b|cd){2,3}", "pairs", "acdb", "0-3 0-4 1-4"),
    ("x(|a)*b", "leftmost-first", "xaab", "0-4"),
    ("x(|a)*", "leftmost-first", "xaab", "0-1"),
    ("x(a|)*", "leftmost-first", "xaab", "0-3"),
    ("x(a*)*", "leftmost-first", "xaab", "0-3"),
    ("x(a*?)*", "leftmost-first", "xaab", "0-1"),
    ("x(a*){2,3}b", "ends", "xaab", "?-4"),
    ("(a*)+b", "pairs", "aab", "0-3 1-3 2-3"),
    ("(^|,)a", "ends", "a,a\na", "?-1 ?-3 ?-5"),
    ("(?-m:^)a|b(?-m:$)", "ends", "a\nab\n", "0-1 3-4"),
    ("a$", "ends", "a\na", "0-1 2-3"),
    ("a\\z", "ends", "a\na\n", ""),
    ("a\\Z", "ends", "a\na\n", "2-3"),
    ("a(\\z|$)\\n?a?", "pairs", "a\na", "0-1 0-2 0-3 2-3"),
    ("\\Aa|\\Ab", "ends", "ab", "0-1"),
    ("(\\Aa)?b", "pairs", "abb", "0-2 1-2 2-3"),
    ("\\b(a|-)+\\b", "longest", "a-a a--", "0-3 1-3 2-3 4-5"),
    ("a\\Ba|a\\b-", "ends", "aa-", "0-2 1-3"),
    ("\\<a+\\>", "leftmost-first", "aa ba a", "0-2 6-7"),
    ("(?i)ab", "ends", "aBAb", "0-2 2-4"),
    ("a(?i)b|c", "ends", "aBACbC", "?-2 ?-4 ?-6"),
    ("a(?i:b)c", "ends", "aBc aBC", "0-3"),
    ("(a(?i)b)c", "ends", "aBc aBC", "0-3"),
    ("(?s-i:.)(?-s:.)", "ends", "a\n\nb", "2-4"),
    ("(?x) a b # two\n c", "ends", "abc", "0-3"),
    ("a(?#nothing)b", "ends", "ab", "0-2"),
    ("(?<one>a)(?P<two>b)", "ends", "ab", "0-2"),
    ("[^a\\n](?:\\x61|\\142|\\x{63})", "ends", "za\nbxc", "0-2 4-6"),
    ("[]a](\\]|-)", "ends", "]]a-", "0-2 2-4"),
    ("(a|b|c|d)", "each", "abcd", "0-1 1-2 2-3 3-4"),
    ("a|bb|(c|dd)+", "each", "abbcddc", "0-1 1-3 3-7"),
    ("(a{0,2}b){2}", "pairs", "aabab", "0-5 1-5 2-5"),
    ("\\w+(\\d|_)", "longest", "ab1c_", "0-5 1-5 2-5 3-5"),
]
KNOWN_FLAGS = [
    (NOCASE, "a(?-i)b", "ends", "AbAB", "0-2"),
    (WORDS, "a|ab", "ends", "ab a abc", "?-2 ?-4"),
    (WORDS, "a(b|-)", "pairs", "ab a-b xab", "0-2"),
    (WHOLE_LINES, "a|ab", "pairs", "ab\na\naa", "0-2 3-4"),
]
REFUSED = ["a(b", "a)b", "a**", "(?=a)b", "(?<=a)b", "a++", "*a", "(?z)a", "a{3,2}", "[b-a]", "(a*)*", "a|",
           "^*a", "\\ya", "a(?i)*b", "(a)\\1", "[[:^alpha:]]"]


def shown(answer) -> str:
    return answer if isinstance(answer, str) else " ".join(
        f"{'?' if start is None else start}-{end}" for start, end in answer)


def pairs_by_re(flags: int, pattern: bytes, text: bytes) -> list:
    """All [start, end) by end: to end there is to have just so many bytes behind."""
    found = []
    for end in range(1, len(text) + 1):
        tried = for_re(flags, pattern, rb"(?=[\s\S]{%d}\Z)" % (len(text) - end))
        found += [(start, end) for start in range(end) if tried.match(text, start)]
    return found


def check(wrong: list, flags: int, pattern: bytes, text: bytes, report: str, found, wanted) -> bool:
    """False: Python took too long."""
    if wanted is not None and wanted != found:
        wrong.append(f"{report} of flags {flags}, {pattern!r} in {text!r}: {shown(found)[:200]}, not "
                     f"{shown(wanted)[:200]}")
    return wanted is not None


def main() -> int:
    wrong, passed_over = [], 0
    table = [(0, *row) for row in KNOWN] + KNOWN_FLAGS
    answers = ask([(flags, pattern.encode(), report, text.encode())
                   for flags, pattern, report, text, _ in table], oracle=True)
    for (flags, pattern, report, text, wanted), found in zip(table, answers):
        if shown(found) != wanted:
            wrong.append(f"{report} of flags {flags}, {pattern!r} in {text!r}: {shown(found)}, not {wanted}")
    for pattern, found in zip(REFUSED, ask([(0, p.encode(), "ends", b"a") for p in REFUSED], oracle=True)):
        if not isinstance(found, str):
            wrong.append(f"{pattern!r} is taken")

    print(f"TRAWL_TEST_SEED={SEED}")
    rows = drawn(SEED, cases(3000))
    rows += [(flags, pattern, text[:20]) for flags, pattern, text in rows[:len(rows) // 4]]
    for report in ("leftmost-first", "pairs"):
        of_report = rows if report == "leftmost-first" else rows[-(len(rows) // 5):]
        found = ask([(flags, pattern, report, text) for flags, pattern, text in of_report], oracle=True)
        for (flags, pattern, text), matches in zip(of_report, found):
            if report == "pairs":
                wanted = in_time(lambda: pairs_by_re(flags, pattern, text))
            else:
                wanted = in_time(lambda: [match.span() for match in for_re(flags, pattern).finditer(text)])
            passed_over += not check(wrong, flags, pattern, text, report, matches, wanted)
        print(f"{report}: {len(of_report)} expressions, {sum(map(len, found))} matches")
    if passed_over > len(rows) // 10:
        wrong.append(f"Python took too long for {passed_over} of {len(rows)}")
    print(f"{len(table)} known, {len(REFUSED)} refused, Python took too long for {passed_over}")
    print("\n".join(wrong[:20]) or "all agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
