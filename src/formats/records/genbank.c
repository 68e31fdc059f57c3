/* genbank.c: the sequences of GenBank's and EMBL's files, which UniProt's are of, too. A record is
 * an entry's sequence, without the numbers and blanks of its lines; its name is accession and
 * version where the entry has them, as in the databases' FASTA, else what stands after LOCUS or
 * ID.
 *
 * The first bytes of the lines before a sequence are looked at, so a line may have any length.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/records/input.h"

enum { WIDTH = 250 }; /* bytes of a line that are looked at */

typedef enum state {
    WORDS,  /* within a line that is no sequence */
    BEGIN,  /* the record is to be begun */
    LETTERS /* within the lines of a sequence */
} state;

typedef struct entries {
    state state;
    bool within;      /* an entry has begun, and */
    bool sequence;    /* its sequence */
    bool fresh;       /* in a sequence: a line begins */
    uint64_t line;    /* from 1 */
    uint64_t begin;   /* of the present entry */
    uint64_t number;  /* of the record, from 1 */
    uint64_t without; /* entries without a sequence */
    uint64_t first;   /* line of the first of them */
    size_t kept;      /* bytes of the present line that are in `text` */
    char text[WIDTH + 1];
    char name[WIDTH + 1];
    char message[300];
    input in;
} entries;

static void *open_entries(source *text, const char **why)
{
    entries *e = malloc(sizeof *e);
    if (!e) {
        *why = "out of memory";
        return NULL;
    }
    memset(e, 0, offsetof(entries, in));
    e->line = 1;
    e->in.text = text;
    e->in.ended = false;
    e->in.at = e->in.used = 0;
    return e;
}

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* The first word at `text`, up to a blank or one of `ends`, is the name. */
static void take_name(entries *e, const char *text, const char *ends)
{
    text += strspn(text, " \t");
    const size_t length = strcspn(text, ends);
    if (length == 0)
        return;
    memcpy(e->name, text, length);
    e->name[length] = '\0';
}

/* "X56734; SV 1; linear; ...": the version stands after the accession. */
static void take_identity(entries *e)
{
    take_name(e, e->text + 5, " ;\t\r");
    const char *version = strstr(e->text, "; SV ");
    const size_t used = strlen(e->name);
    if (version && used + 12 < sizeof e->name) {
        const size_t digits = strspn(version + 5, "0123456789");
        snprintf(e->name + used, sizeof e->name - used, ".%.*s", (int)(digits < 9 ? digits : 9),
                 version + 5);
    }
}

static void end_entry(entries *e)
{
    if (e->within && !e->sequence && e->without++ == 0)
        e->first = e->begin;
    e->within = e->sequence = false;
    e->name[0] = '\0';
}

static void begin_entry(entries *e)
{
    if (!e->within)
        e->begin = e->line;
    e->within = true;
}

/* The line in `text` has ended. */
static void take_line(entries *e)
{
    const bool locus = begins(e->text, "LOCUS "), identity = begins(e->text, "ID   ");
    if (locus || identity) {
        end_entry(e);
        begin_entry(e);
    }
    if (locus)
        take_name(e, e->text + 6, " \t\r");
    else if (identity)
        take_identity(e);
    else if (begins(e->text, "VERSION "))
        take_name(e, e->text + 8, " \t\r");
    else if (begins(e->text, "//"))
        end_entry(e);
    else if (begins(e->text, "ORIGIN") || begins(e->text, "SQ   ")) {
        begin_entry(e); /* which may lack its first line */
        e->state = BEGIN;
    }
    e->kept = 0;
    e->line++;
}

static input_state pass_words(entries *e)
{
    const uint8_t *from = e->in.bytes + e->in.at;
    const size_t left = e->in.used - e->in.at;
    const uint8_t *newline = memchr(from, '\n', left);
    const size_t length = newline ? (size_t)(newline - from) : left, room = WIDTH - e->kept;
    const size_t some = length < room ? length : room;
    memcpy(e->text + e->kept, from, some);
    e->kept += some;
    e->text[e->kept] = '\0';
    e->in.at += length + (newline != NULL);
    if (newline)
        take_line(e);
    return INPUT_THERE;
}

static bool is_letter(uint8_t c)
{
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '*' || c == '-' || c == '.';
}

/* What is there of a line; of one with a byte that is no letter, what stands before it. */
static input_state pass_letters(entries *e, batch *b, const char **why)
{
    const uint8_t *from = e->in.bytes + e->in.at;
    const size_t left = e->in.used - e->in.at, most = left < 4096 ? left : 4096;
    uint8_t *to = batch_room(b, most, why);
    size_t i = 0, kept = 0;
    if (!to)
        return *why ? INPUT_FAILED : INPUT_LATER;
    while (i < most && !(from[i] == '/' && e->fresh)) {
        const uint8_t c = from[i];
        if (is_letter(c))
            to[kept++] = c;
        else if (c != ' ' && c != '\t' && c != '\r' && c != '\n' && !(c >= '0' && c <= '9'))
            break;
        e->fresh = c == '\n';
        e->line += e->fresh;
        i++;
    }
    b->used += kept;
    b->records[b->count - 1].length += kept;
    e->in.at += i;
    if (i == most)
        return INPUT_THERE;
    if (from[i] == '/' && e->fresh) {
        batch_end(b);
        e->state = WORDS;
        return INPUT_THERE;
    }
    snprintf(e->message, sizeof e->message,
             "a byte (0x%02x) that is no letter of a sequence, which ends with a line \"//\"",
             from[i]);
    b->line = e->line;
    *why = e->message;
    return INPUT_FAILED;
}

static input_state begin_sequence(entries *e, batch *b, const char **why)
{
    if (!batch_begin(b, e->number + 1, e->name, strlen(e->name), why))
        return *why ? INPUT_FAILED : INPUT_LATER;
    e->number++;
    e->sequence = e->fresh = true;
    e->state = LETTERS;
    return INPUT_THERE;
}

/* The text has ended. */
static input_state finish(entries *e, const char **why)
{
    if (e->kept)
        take_line(e);
    if (e->within)
        snprintf(e->message, sizeof e->message,
                 "is cut off: the entry of line %" PRIu64 " lacks its end, a line \"//\"",
                 e->begin);
    else if (e->without)
        snprintf(e->message, sizeof e->message,
                 "entries without a sequence: %" PRIu64 ", of which the first begins on line "
                 "%" PRIu64 "; databases give them with their sequences too (\"GenBank (full)\")",
                 e->without, e->first);
    else
        return INPUT_ENDED;
    *why = e->message;
    return INPUT_FAILED;
}

static int fill(void *user, batch *b, const char **why)
{
    entries *e = user;
    input_state there = INPUT_THERE;
    *why = NULL;
    while (there == INPUT_THERE) {
        there = e->state == BEGIN ? INPUT_THERE : input_need(&e->in, 1, b, why);
        if (there == INPUT_ENDED)
            there = finish(e, why);
        else if (there == INPUT_THERE)
            there = e->state == BEGIN   ? begin_sequence(e, b, why)
                    : e->state == WORDS ? pass_words(e)
                                        : pass_letters(e, b, why);
    }
    if (there == INPUT_FAILED)
        batch_cut(b);
    return there == INPUT_LATER ? 1 : (int)there;
}

const reader_kind reader_entries = {
    .named = true, .open = open_entries, .fill = fill, .close = free
};
