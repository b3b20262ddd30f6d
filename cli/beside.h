// What lies near the program: beside it where it was built, below lib/ where it is installed.
#ifndef CLI_BESIDE_H
#define CLI_BESIDE_H

#include <stdbool.h>

enum { BESIDE_ROOM = 4096 };

// The first of `places`, paths from the program's folder on, where something is; NULL is behind the last.
bool find_beside(const char *const *places, char path[BESIDE_ROOM]);

#endif
