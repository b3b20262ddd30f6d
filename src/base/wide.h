// UTF-8 and the UTF-16 of Windows.
#ifndef PH_BASE_WIDE_H
#define PH_BASE_WIDE_H

#include <errno.h>
#include <stdlib.h>
#include <windows.h>

// For free(); NULL and errno for text that is not UTF-8, or too little memory.
static inline wchar_t *wide_of(const char *text)
{
    const int room = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = room > 0 ? malloc((size_t)room * sizeof *wide) : NULL;
    if (wide) MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, room);
    if (!wide) errno = room > 0 ? ENOMEM : ENOENT; // nothing is called by what is no text
    return wide;
}

static inline char *narrow_of(const wchar_t *wide)
{
    const int room = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = room > 0 ? malloc((size_t)room) : NULL;
    if (text) WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, room, NULL, NULL);
    return text;
}

#endif
