/* text.h: numbers and strings as TSV, JSON and terminals want them.
 *
 * What is written is made whole first: unless it says otherwise, a function gives malloc'ed text,
 * NULL without memory.
 */
#ifndef TRAWL_WRITERS_TEXT_H
#define TRAWL_WRITERS_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As printf. */
char *format_text(const char *format, ...)
#if defined(__GNUC__) || defined(__clang__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;
/* As vprintf. */
char *format_list(const char *format, va_list arguments);
/* What ends a word after that number of what it says: "1 match" has none, "2 files" an s. */
static inline const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}
/* Bytes of the character at `text`, of which `length` bytes are there, at least one; 0: that is no
 * UTF-8, or a control character (C0, DEL, C1), which a terminal would obey. */
size_t printable_length(const char *text, size_t length);
/* A copy for a terminal: \xHH in place of bytes that are not plain, but \t \n \r. With `tabs` those
 * stay. */
char *shown_text(const char *text, bool tabs);
/* The text itself, or, where standard output is a terminal, its shown_text with tabs, and the text
 * is freed. NULL if it is, or without memory. */
char *terminal_text(bool terminal, char *text);
/* A TSV field: tab, newline, CR and backslash are escaped as \t \n \r \\. */
char *tsv_quote(const char *text);
/* A string as JSON, with quotes. Bytes that are not UTF-8 become U+FFFD. */
char *json_quote(const char *text);
/* "name":"text", and when that is not UTF-8 "name_base64":"..." after it, with the exact bytes. */
char *json_member(const char *name, const char *text, size_t length);
/* Bytes in base64. */
char *base64(const char *text, size_t length);
bool is_utf8(const char *text, size_t length);
/* Bytes of the UTF-8 character at `text`, of which `length` bytes are there, at least one; 0: there
 * is none. */
size_t utf8_length(const char *text, size_t length);
/* What stands for a byte in a string of JSON, where it cannot stand itself, at `at`, where there is
 * room for 7 bytes. Returns its end. */
char *put_json_escape(char *at, uint8_t byte);
/* Write `number` in decimal at `at`, without a NUL: at most 20 bytes. Returns its end. */
char *put_decimal(char *at, uint64_t number);
/* As snprintf: "1.2 GB", three digits at least of what there is; "1:02:03", of seconds. */
int put_bytes(char *text, size_t room, double bytes);
int put_time(char *text, size_t room, double seconds);

#endif
