/* contract.h: what the tests of trawl.h's contract share: a text with its matches, a recorder of
 * matches, and a way to say what is wrong where no assertion can.
 */
#ifndef TRAWL_CONTRACT_H
#define TRAWL_CONTRACT_H

#include <stdbool.h>

#include "trawl.h"
#include "trawl/grid.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
/* Bytes of zeros that no scan comes to the end of in time; as many as there are addresses for. */
#define ENDLESS ((size_t)1 << (SIZE_MAX > UINT32_MAX ? 35 : 30))

enum { LENGTH = 6 << 20 };

extern trawl_plan *plan;       /* "abc", "c", "[ab]+c" */
extern trawl_plan *grid_plan;  /* `cells` */
extern trawl_context *threads; /* two */
extern trawl_context *both[2]; /* serial, and `threads` */
extern uint8_t text[LENGTH];   /* with a match every few bytes */
extern trawl_match *expected;  /* of the text */
extern size_t expected_count;
extern const uint8_t *zeros;   /* ENDLESS of them, of no memory */
extern const uint8_t cells[4]; /* 2 x 2 */

/* For cmocka_run_group_tests. */
int open_all(void **state);
int close_all(void **state);

trawl_context *open_threads(uint32_t count);

void pause_for(double seconds); /* less than one */

/* What is wrong where no assertion may leave by longjmp: in callbacks, threads and children. The
 * first that is wrong is kept; nothing_wrong fails the test then. */
void expect(bool holds, const char *what);
bool anything_wrong(void); /* and says what */
void nothing_wrong(void);

/* Keeps the matches that it is handed, and does something before the first of them. */
typedef struct recorder {
    trawl_match *matches;
    size_t count, room;
    void (*first)(void *with);
    void *with;
} recorder;

int record(const trawl_match *matches, size_t count, void *user);
int record_grid(const trawl_grid_match *matches, size_t count, void *user); /* counts only */

/* Are these the first matches of the text, or all? Empties the recorder. */
void expect_prefix(recorder *r, bool all);

/* The context finds what there is. */
void scan_all_of_it(void *context);          /* says what is wrong to `expect` */
void expect_working(trawl_context *context); /* fails the test */

#endif
