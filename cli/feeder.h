// Another program that is fed bytes: feeder_posix.c, feeder_windows.c.
#ifndef CLI_FEEDER_H
#define CLI_FEEDER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct feeder {
    long long process;
    int input; // -1: none
} feeder;

// Starts the program that `arguments` name, found as a shell finds it. NULL is behind the last.
bool feeder_start(feeder *f, const char *const *arguments);
bool feeder_write(feeder *f, const void *bytes, size_t count); // false: it has ended
bool feeder_end(feeder *f);                                    // waits for it; whether it ended well

#endif
