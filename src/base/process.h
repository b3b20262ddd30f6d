// Another program, run once: a request goes in, an answer comes out. What the operating system calls a process is known here
// and nowhere else in the library.
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "polhode/base.h"

// Starts the program at `path` with `arguments` (the first is its name, NULL behind the last), its standard input and output one
// socket, its standard error closed. Sends `request`, then takes all that it answers, for mem_free(NULL, ...). Never forks this
// process: other threads may hold locks.
// PH_IO: it cannot be started. PH_BAD_ARGUMENT: it answered more than `most` bytes.
ph_status process_ask(const char *path, const char *const *arguments, const void *request, size_t bytes, size_t most,
                      char **answer, size_t *length);

// This process's number, as an argument of programs that are to end with it.
long process_number(void);

// The path `relative` to the folder of the file that this code was loaded from: a shared library, or the program itself. False:
// not known, or longer than `room`.
bool process_path_near_code(const char *relative, char *path, size_t room);

// Whether `path` may be started as a part of this library: a program that belongs to the user or to the system.
bool process_is_trusted(const char *path);

// The value of an environment variable; NULL also where the caller has more rights than the user who set it.
const char *process_setting(const char *name);

#endif
