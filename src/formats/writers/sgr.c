/* sgr.c: see sgr.h. */
#include "formats/writers/sgr.h"

#include <stddef.h>
#include <string.h>

typedef struct capability {
    const char *name;
    size_t first, second; /* offsets of what it sets; equal: one */
} capability;

#define COLOUR(name, field)                                                                        \
    {                                                                                              \
        name, offsetof(sgr_colours, field), offsetof(sgr_colours, field)                           \
    }

static const capability capabilities[] = {
    { "mt", offsetof(sgr_colours, selected_match), offsetof(sgr_colours, context_match) },
    COLOUR("ms", selected_match),
    COLOUR("mc", context_match),
    COLOUR("sl", selected_line),
    COLOUR("cx", context_line),
    COLOUR("fn", name),
    COLOUR("ln", number),
    COLOUR("bn", offset),
    COLOUR("se", separator),
};

enum {
    CAPABILITIES = sizeof capabilities / sizeof capabilities[0],
    ROOM = sizeof((sgr_colours *)0)->name
};

static void set_colour(sgr_colours *colours, size_t field, const char *value, size_t length)
{
    char *to = (char *)colours + field;
    if (length < ROOM) {
        memcpy(to, value, length);
        to[length] = '\0';
    }
}

/* They have two letters; those that are not known are passed over. */
static void set_capability(sgr_colours *colours, const char *name, const char *value, size_t length)
{
    for (size_t i = 0; i < CAPABILITIES; i++) {
        const capability *c = &capabilities[i];
        if (strncmp(name, c->name, 2) != 0)
            continue;
        set_colour(colours, c->first, value, length);
        set_colour(colours, c->second, value, length);
    }
}

void sgr_read(sgr_colours *colours, const char *text)
{
    *colours = (sgr_colours){ .selected_match = "01;31",
                              .context_match = "01;31",
                              .name = "35",
                              .number = "32",
                              .offset = "32",
                              .separator = "36" };
    while (text && *text) {
        const size_t name = strcspn(text, "=:");
        const char *value = text + name + (text[name] == '=');
        const size_t length = text[name] == '=' ? strspn(value, "0123456789;") : 0;
        if (value[length] && value[length] != ':')
            return;
        colours->reverse |= name == 2 && strncmp(text, "rv", 2) == 0;
        colours->plain |= name == 2 && strncmp(text, "ne", 2) == 0;
        if (text[name] == '=' && name == 2)
            set_capability(colours, text, value, length);
        text = value + length + (value[length] == ':');
    }
}
