/* main.c: a program as a user of the installed library writes it. Exits 0 when the
 * library that it is linked to finds what is there. */
#include <stdio.h>
#include <string.h>
#include <trawl.h>

int main(void)
{
    const char text[] = "she sells sea shells";
    const trawl_pattern patterns[] = {
        { .text = "she", .length = 3, .id = 1 },
        { .text = "ells", .length = 4, .id = 2 },
    };
    trawl_error error = { 0 };
    trawl_plan *plan = NULL;
    trawl_context *context = NULL;
    uint64_t count = 0;

    int status = trawl_compile(patterns, 2, NULL, &plan, &error);
    if (status == TRAWL_OK)
        status = trawl_context_open(NULL, &context, &error);
    if (status == TRAWL_OK)
        status = trawl_count(context, plan, text, strlen(text), NULL, &count, &error);
    if (status != TRAWL_OK)
        fprintf(stderr, "consumer: %s\n", error.message);
    trawl_context_close(context);
    trawl_plan_free(plan);
    printf("Trawl %s found %d of 4\n", trawl_version(), (int)count);
    return status == TRAWL_OK && count == 4 ? 0 : 1;
}
