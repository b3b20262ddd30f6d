// How far a command is: one line on the standard error, over the last, where that is a terminal.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

typedef struct progress {
    bool shown;         // the standard error is a terminal, and the user wants to see it
    bool plain;         // which cannot go back to the beginning of a line: lines of its own, now and then
    bool at_most;       // the share is that of the longest it can take: a search that may settle before
    bool standing;      // a line stands there
    double began, told; // s
} progress;

progress progress_begin(bool wanted);

// What is done, in words, and how long the rest takes when `share` (0 to 1; NaN: nobody knows) is done. The line is cut
// where the terminal ends. Says nothing when it has just said something, or after Ctrl-C.
__attribute__((format(printf, 3, 4))) void progress_tell(progress *p, double share, const char *format, ...);

void progress_wipe(progress *p); // before something else is printed
double progress_seconds(const progress *p);

// Things that are done one after the other, each taking about as long.
typedef struct tally {
    progress progress;
    int done, count;
} tally;

void tally_begin(tally *t, const char *name); // the next of them
void tally_end(tally *t);                     // it is done, and what is found may be printed

#endif
