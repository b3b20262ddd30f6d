// Parts of paths. Windows has two slashes, and paths that begin at a drive.
#ifndef PH_BASE_PATH_H
#define PH_BASE_PATH_H

#include <stdbool.h>
#include <string.h>

static inline bool path_is_slash(char c)
{
#ifdef _WIN32
    return c == '/' || c == '\\';
#else
    return c == '/';
#endif
}

// The last slash of a path; NULL: there is none.
static inline char *path_last_slash(const char *path)
{
    const char *last = NULL;
    for (const char *s = path; *s; s++) last = path_is_slash(*s) ? s : last;
    return (char *)last;
}

// Whether a path says where it begins, and so is not one below another folder.
static inline bool path_is_absolute(const char *path)
{
#ifdef _WIN32
    if (path[0] && path[1] == ':') return true;
#endif
    return path_is_slash(path[0]);
}

#endif
