/* pattern_options.c: see cli/pattern_options.h. */
#include "cli/pattern_options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/plan_options.h"
#include "formats/patterns/rules.h"
#include "formats/patterns/style.h"

const char pattern_language[] =
    "Pattern language:\n"
    "  abc  \\.  \\xHH  \\n \\t \\0     bytes; \\ before . [ ( ) | * + ? { ^ $ \\ meant as such\n"
    "  \\Q.*\\E                      what stands between, byte for byte\n"
    "  .                           any byte (trawl grep: but a newline)\n"
    "  [abf] [a-f] [^,;]           a byte of these, none of these; [[:alpha:]] and its kin\n"
    "  \\d \\w \\s  \\D \\W \\S          a digit; a letter, digit or _; a blank; all but these\n"
    "  x? x* x+ x{3} x{2,} x{2,5}  repeats of the element or group before\n"
    "  x*? x+? x?? x{2,5}?         as few of them as will do (--report leftmost-first)\n"
    "  (ab|cd)+  (?:ab|c)  ab|cd   groups and alternatives; (?<name>ab) is a group, too\n"
    "  ^ $  \\A \\z                  where a line begins or ends, or the text does\n"
    "  \\b \\B  \\< \\>               where a word begins or ends, or none does; begins; ends\n"
    "  (?i)ab  (?i:ab)c            in either case (-i: all patterns); s, m and x are flags, too\n"
    "  Not there: back-references, lookaround, \\p; x*+ and (?>x) where they hide matches.\n"
    "Under --fixed-strings, bytes:\n"
    "  abc  \\xHH \\0 \\n \\t \\\\       all but \\ are meant as such\n"
    "Under --iupac, codes of bases with classes and repeats:\n"
    "  GTYRAC  GGCCN{5}GGCC  [AG]T R is A or G, Y is C or T, N any; [^A] all but A\n"
    "Under --prosite, amino acids:\n"
    "  C-x(2,4)-[ST]-{P}-[G>].     x any, {P} all but P, (2,4) repeats; < the begin, > the end\n"
    "Under --hex, bytes:\n"
    "  4D ?? 4? ~4D [4-6] (50|4?)  ? any digit, ~ all but, 4 to 6 of any, one of these\n";

/* By their number in trawl_syntax. */
static const char *const syntax_names[] = { "literal", "escaped", "extended", "prosite",
                                            "iupac",   "hex",     NULL };

enum { STRAND_PLUS, STRAND_MINUS, STRAND_BOTH };
static const char *const strand_names[] = { "plus", "minus", "both", NULL };

const option_row pattern_rows[] = {
    { .about = "Patterns:\n" },
    { 'e', "regexp", "PATTERN", .about = "a pattern; may be given many times" },
    { 'f', "file", "LIST", .about = "the lines of LIST are patterns; of FASTA its sequences" },
    { OPT_NAMED, "named",
      .about = "a line of LIST is a name, a tab and a pattern (--iupac: REBASE's\n"
               "cuts, as in G^AATTC, may be marked)" },
    { 'F', "fixed-strings", .about = "literals with C escapes: \\xHH \\0 \\n \\t \\\\ ..." },
    { OPT_RULES, "rules", "FILE",
      .about = "the contents of Snort's or Suricata's rules, numbered by sid" },
    { OPT_YARA, "yara", "FILE",
      .about = "the strings of YARA's rules, named RULE:$STRING; conditions are\n"
               "not evaluated" },
    { OPT_STRICT, "strict",
      .about = "refuse a file of which a rule, string or signature would be left\n"
               "out with a warning" },
    { OPT_SYNTAX, "syntax", "NAME", .values = syntax_names,
      .about = "extended (default: regular expressions; `trawl help patterns`),\n"
               "escaped (as -F), or literal (as it is, a backslash too)" },
    { OPT_IUPAC, "iupac", .about = "nucleotides, as GTYRAC or GGCCN{5}GGCC, in either case" },
    { OPT_AMBIGUOUS, "ambiguous",
      .about = "... in a text, N, R and the like stand for any of their bases" },
    { OPT_STRAND, "strand", "WHICH", .values = strand_names,
      .about = "... plus (default), minus (the reverse complement), both; the\n"
               "offsets are those of the plus strand" },
    { OPT_PROSITE, "prosite",
      .about = "motifs of amino acids, as C-x(2,4)-C-[LIVM]>, in either case;\n"
               "LIST may be a PROSITE file (.dat)" },
    { OPT_HEX, "hex",
      .about = "bytes as in YARA's and ClamAV's signatures, 4D5A??[4-6](50|4?);\n"
               "LIST may be a ClamAV file (.ndb, .ldb; offsets 0, EOF-9 hold)" },
    { 'i', "ignore-case",
      .about = "the letters A to Z match both cases (in one pattern that is no\n"
               "literal: (?i) before it)" },
    { 0 },
};

void pattern_options_init(pattern_options *o)
{
    o->syntax = TRAWL_SYNTAX_EXTENDED;
    o->set.takes_fasta = true;
    pattern_set_complains(&o->set, o->run);
}

void pattern_options_free(pattern_options *o)
{
    pattern_set_free(&o->set);
    free(o->inputs);
}

static bool note_input(pattern_options *o, const char *path)
{
    const char **grown = realloc(o->inputs, (o->input_count + 1) * sizeof *grown);
    if (!grown) {
        complain(o->run->command, "out of memory for the names of files");
        return false;
    }
    o->inputs = grown;
    o->inputs[o->input_count++] = path;
    return true;
}

bool pattern_options_leave(const pattern_options *o, const char *output)
{
    bool fine = true;
    for (size_t i = 0; i < o->input_count && fine; i++)
        fine = output_leaves(o->run->command, output, o->inputs[i]);
    return fine;
}

static bool take_syntax(pattern_options *o, uint32_t syntax)
{
    static const char *const options[] = { "--syntax literal", "-F",      "--syntax extended",
                                           "--prosite",        "--iupac", "--hex" };
    o->syntax = syntax;
    return single_option(o->run->command, "", &o->syntax_given, options[syntax]);
}

bool pattern_option(pattern_options *o, int option, const char *value)
{
    const char *command = o->run->command;
    uint32_t syntax;
    if ((option == 'f' || option == OPT_RULES || option == OPT_YARA || option == OPT_PLAN) &&
        !note_input(o, value))
        return false;
    o->styled |= option == 'F' || option == 'i' || (option >= OPT_SYNTAX && option < OPT_PLAN);
    switch (option) {
    case 'e':
        return pattern_set_add(&o->set, value, strlen(value));
    case 'f':
        o->listed = true;
        return pattern_set_add_file(&o->set, value);
    case OPT_NAMED:
        return o->set.with_names = true;
    case 'F':
        return take_syntax(o, TRAWL_SYNTAX_ESCAPED);
    case 'i':
        o->flags |= TRAWL_NOCASE;
        return true;
    case OPT_SYNTAX:
        return choice_option(command, "--syntax", syntax_names, value, &syntax) &&
               take_syntax(o, syntax);
    case OPT_RULES:
        return pattern_set_add_rules(&o->set, value);
    case OPT_YARA:
        return pattern_set_add_yara(&o->set, value);
    case OPT_STRICT:
        return o->strict = true;
    case OPT_IUPAC:
        return take_syntax(o, TRAWL_SYNTAX_IUPAC);
    case OPT_AMBIGUOUS:
        o->flags |= TRAWL_AMBIGUOUS;
        return true;
    case OPT_STRAND:
        o->stranded = true;
        return single_option(command, "--strand", &o->strand_given, value) &&
               choice_option(command, "--strand", strand_names, value, &o->strand);
    case OPT_PROSITE:
        return take_syntax(o, TRAWL_SYNTAX_PROSITE);
    case OPT_HEX:
        return take_syntax(o, TRAWL_SYNTAX_HEX);
    case OPT_PLAN:
        return single_option(command, "--plan", &o->plan, value);
    default:
        return run_option(o->run, option, value);
    }
}

/* The set is that of a plan. */
static int take_plan(pattern_options *o)
{
    if (!pattern_set_load(&o->set, o->run, o->plan, PLAN_FOR_FIND, o->set.given || o->styled))
        return EXIT_ERROR;
    o->stranded = o->set.tag & PLAN_STRANDED;
    o->set.every_start = o->set.tag & PLAN_EVERY_START;
    return -1;
}

/* Say how much was left out. False where nothing may be. */
static bool settle_left_out(const pattern_options *o)
{
    static const char *const names[][2] = { { "rule is", "rules are" },
                                            { "string is", "strings are" },
                                            { "signature is", "signatures are" },
                                            { "entry is", "entries are" } };
    bool fine = true;
    for (size_t i = 0; i < LEFT_KINDS; i++) {
        const size_t count = o->set.left_out[i];
        if (!count)
            continue;
        fine = !o->strict;
        complain(o->run->command, "%s%zu %s left out, for the reasons above%s",
                 fine ? "warning: " : "", count, names[i][count > 1],
                 fine ? "" : ": mend them, or search without --strict");
    }
    return fine;
}

int pattern_options_finish(pattern_options *o, int argc, char **argv)
{
    const char *command = o->run->command;
    if (o->plan)
        return take_plan(o);
    if (!o->set.given && optind == argc) {
        complain(command, "give a pattern");
        return usage_hint(command);
    }
    if (o->set.with_names && !o->listed) {
        complain(command,
                 "--named is for lists, whose lines are a name, a tab and a pattern: add -f "
                 "LIST, or leave it out");
        return EXIT_ERROR;
    }
    if (!o->set.given && !pattern_option(o, 'e', argv[optind++]))
        return EXIT_ERROR;
    if (!o->verdicts)
        rules_for_listing(&o->set);
    if (o->set.count == 0) {
        complain(command, "the list of patterns is empty");
        return EXIT_ERROR;
    }
    if ((o->flags & TRAWL_AMBIGUOUS || o->stranded) && o->syntax != TRAWL_SYNTAX_IUPAC) {
        complain(command, "%s is for patterns of nucleotides: add --iupac",
                 o->stranded ? "--strand" : "--ambiguous");
        return EXIT_ERROR;
    }
    if (!pattern_set_style(&o->set, o->syntax, o->flags))
        return EXIT_ERROR;
    if (o->set.count == 0) {
        complain(command, "no pattern is left of the list");
        return EXIT_ERROR;
    }
    if (!o->verdicts)
        rules_warn_of_parts(&o->set);
    if ((o->strand != STRAND_PLUS &&
         !pattern_set_other_strand(&o->set, o->strand == STRAND_BOTH)) ||
        (o->verdicts && !(rules_are_alone(&o->set) && rules_for_verdicts(&o->set))) ||
        !settle_left_out(o))
        return EXIT_ERROR;
    return -1;
}
