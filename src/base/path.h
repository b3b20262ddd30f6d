// Paths with links followed.
#ifndef PH_BASE_PATH_H
#define PH_BASE_PATH_H

#include <stdlib.h>
#include <string.h>

// For free(); NULL: there is nothing there. WASI has no such call, and whoever runs a program there says what it may see: the
// path stays as it is.
static inline char *path_real(const char *path)
{
#ifdef __wasm__
    return strdup(path);
#else
    return realpath(path, NULL);
#endif
}

#endif
