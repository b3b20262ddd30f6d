// What lies near the program. See beside.h.

#include "beside.h"

#include "base/path.h"
#include "base/system.h"

#include <stdio.h>
#include <stdlib.h>

bool find_beside(const char *const *places, char path[BESIDE_ROOM])
{
    char *program = system_program();
    char *slash = program ? path_last_slash(program) : NULL;
    bool found = false;
    if (slash) *slash = '\0';
    for (; slash && *places && !found; places++) {
        const int length = snprintf(path, BESIDE_ROOM, "%s/%s", program, *places);
        found = length < BESIDE_ROOM && system_may(path, SYSTEM_READ);
    }
    free(program);
    return found;
}
