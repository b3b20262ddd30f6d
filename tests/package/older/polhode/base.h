// Polhode: status codes, error text and problem lists that every other header uses.
//
// No call of this library exits, asserts on user data or prints. A call that can fail returns a ph_status and,
// where it takes a ph_error, one sentence of text; one that gets NULL where it needs something does nothing and gives an
// error, 0, "" or NULL. Reading and compiling a model collects all mistakes in a ph_problems.
#ifndef POLHODE_BASE_H
#define POLHODE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Version of these headers; ph_version() tells that of the library. The build takes its number from here.
#define PH_VERSION_MAJOR 0
#define PH_VERSION_MINOR 1
#define PH_VERSION_PATCH 0
#define PH_VERSION_NUMBER (PH_VERSION_MAJOR * 10000 + PH_VERSION_MINOR * 100 + PH_VERSION_PATCH)
#define PH_VERSION_AT_LEAST(major, minor, patch) (PH_VERSION_NUMBER >= (major)*10000 + (minor)*100 + (patch))

// Definitions that a caller fills in and reports that the library fills in end with `reserved`: members of later versions take
// its place, so that sizes stay and a program that was compiled with older headers works with a newer library. Definitions come
// from their ph_default_...(), which sets also what the caller's headers do not know; leave it as it is.

#if defined(PH_API) // where the core lies inside something else that exports nothing of it
#elif defined(_WIN32)
#define PH_API
#else
#define PH_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// name, text
#define PH_STATUS_LIST(X)                                                                                              \
    X(OK, "done")                                                                                                      \
    X(OUT_OF_MEMORY, "out of memory")                                                                                  \
    X(BAD_ARGUMENT, "bad argument")                                                                                    \
    X(BAD_MODEL, "the model has errors")                                                                               \
    X(NOT_FOUND, "not found")                                                                                          \
    X(NOT_SUPPORTED, "not supported")                                                                                  \
    X(NO_CONVERGENCE, "the solver did not converge")                                                                   \
    X(SINGULAR, "the constraint equations are singular")                                                               \
    X(NOT_FINITE, "a number is not finite")                                                                            \
    X(IO, "input or output failed")                                                                                    \
    X(INTERRUPTED, "interrupted")                                                                                      \
    X(BAD_STATE, "the state does not meet the joints")

typedef enum ph_status {
#define PH_STATUS_ENUM(name, text) PH_##name,
    PH_STATUS_LIST(PH_STATUS_ENUM)
#undef PH_STATUS_ENUM
        PH_STATUS_COUNT
} ph_status;

PH_API const char *ph_status_name(ph_status status);
PH_API const char *ph_status_text(ph_status status);

PH_API const char *ph_version(void); // "0.1.0"
PH_API int ph_version_number(void);  // PH_VERSION_NUMBER of the library; a program needs one not less than its headers'

// "Did you mean ...?": the candidate nearest to `word`, or NULL when none is near. Letter case and '-' or '_' make no
// difference.
PH_API const char *ph_suggest(const char *word, const char *const *candidates, int count);

// One sentence about one failed call. Pass NULL where it is of no interest.
typedef struct ph_error {
    ph_status status;
    char text[1024];
} ph_error;

// Memory comes from here. NULL means malloc and free.
typedef struct ph_allocator {
    void *(*allocate)(size_t bytes, void *user); // aligned for any type; NULL when there is none
    void (*release)(void *block, void *user);
    void *user;
} ph_allocator;

// ---- All mistakes of one model --------------------------------------------------------------------------------------

typedef enum ph_severity { PH_NOTE, PH_WARNING, PH_ERROR } ph_severity;

typedef struct ph_problem {
    ph_severity severity;
    const char *file;   // NULL when the model was built by calls
    int line, column;   // from 1; 0 when unknown
    const char *path;   // "bodies[1].inertia"
    const char *text;   // what is wrong
    const char *hint;   // what was expected; NULL when there is nothing to add
    const char *source; // the line of the file, for a caret below it; NULL when unknown
} ph_problem;

typedef struct ph_problems ph_problems;

PH_API ph_problems *ph_problems_create(void);
PH_API void ph_problems_destroy(ph_problems *problems);
PH_API int ph_problems_count(const ph_problems *problems);
PH_API int ph_problems_errors(const ph_problems *problems); // how many have severity PH_ERROR
PH_API const ph_problem *ph_problems_get(const ph_problems *problems, int index);
// Writes problem `index` as people expect it: file:line:column: error: text, source line, caret, hint.
// Returns the length the full text needs, like snprintf.
PH_API int ph_problem_format(const ph_problem *problem, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
