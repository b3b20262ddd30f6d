// Filling a ph_error in one line: return error_set(error, PH_IO, "cannot open %s: %s", path, reason);
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "polhode/base.h"

// Writes status and text (cut to fit) unless `error` is NULL. Returns `status`.
__attribute__((format(printf, 3, 4))) ph_status error_set(ph_error *error, ph_status status, const char *format, ...);

#ifdef __clang_analyzer__ // it looks at one file at a time, and must know that an error is one
#define error_set(error, status, ...) ((void)error_set(error, status, __VA_ARGS__), (ph_status)(status))
#endif

#endif
