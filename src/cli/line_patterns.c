/* line_patterns.c: see cli/line_patterns.h. */
#include "cli/line_patterns.h"

#include "formats/patterns/style.h"

const option_row line_pattern_rows[] = {
    { .about = "Patterns:\n" },
    { 'e', "regexp", "PATTERN", .about = "a pattern; may be given many times" },
    { 'f', "file", "LIST", .about = "the lines of LIST are patterns" },
    { 'F', "fixed-strings", .about = "patterns are plain bytes" },
    { 'i', "ignore-case", .about = "the letters A to Z match both cases" },
    { 0 },
};

const option_row line_rows[] = {
    { 'E', "extended-regexp", .about = "no plain bytes, as -F has them: the default" },
    { 'w', "word-regexp", .about = "no letter, digit or _ stands beside a match" },
    { 'x', "line-regexp", .about = "a match is a whole line" },
    { 0 },
};

const option_row null_rows[] = {
    { OPT_NULL_DATA, "null-data", .about = "lines end with a NUL byte, in output too" },
    { 0 },
};

bool is_line_pattern_option(int option)
{
    return option_row_of(line_pattern_rows, option) || option_row_of(line_rows, option) ||
           option_row_of(null_rows, option);
}

bool line_pattern_option(line_patterns *p, int option, const char *value)
{
    p->set.takes_empty = true;
    p->styled |= option != 'e' && option != 'f' && option != OPT_NULL_DATA;
    switch (option) {
    case 'e':
        return pattern_set_add_lines(&p->set, value);
    case 'f':
        return pattern_set_add_file(&p->set, value);
    case 'F':
    case 'E':
        p->fixed = option == 'F';
        p->set.extended = !p->fixed;
        return single_option(p->command, "", &p->matcher_given, p->fixed ? "-F" : "-E");
    case 'i':
        return p->nocase = true;
    case 'w':
        return p->words = true;
    case 'x':
        return p->whole = true;
    case OPT_NULL_DATA:
        return p->nulls = true;
    default:
        return true;
    }
}

/* All patterns have the same. */
static uint32_t pattern_flags(const line_patterns *p)
{
    uint32_t flags = TRAWL_LINES;
    flags |= p->nocase ? TRAWL_NOCASE : 0u;
    flags |= p->words ? TRAWL_WORDS : 0u;
    flags |= p->whole ? TRAWL_WHOLE_LINES : 0u;
    flags |= p->nulls ? TRAWL_NULS : 0u;
    return flags;
}

bool line_patterns_finish(line_patterns *p)
{
    return pattern_set_style(&p->set, p->fixed ? TRAWL_SYNTAX_LITERAL : TRAWL_SYNTAX_EXTENDED,
                             pattern_flags(p));
}
