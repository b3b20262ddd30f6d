// Files and folders as the operating system has them: system_posix.c and system_windows.c. Nothing else in the library or the
// program calls it for these. Paths are UTF-8 on every system; what goes wrong is told by errno.
#ifndef PH_BASE_SYSTEM_H
#define PH_BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ---- Looking --------------------------------------------------------------------------------------------------------

typedef enum system_kind { SYSTEM_FILE, SYSTEM_FOLDER, SYSTEM_OTHER } system_kind; // other: pipes, devices

typedef struct system_facts {
    system_kind kind;
    long long bytes;
    long long stored;        // bytes that have a place on the disk; 0: not known
    long long names;         // 0: it was removed, and is open still
    uint64_t device, number; // the same in both for the same file only
} system_facts;

bool system_look(const char *path, system_facts *facts);
bool system_look_at(int descriptor, system_facts *facts);
bool system_is_folder(const char *path);
bool system_same_file(const char *a, const char *b); // false where one is missing

enum { SYSTEM_EXISTS = 0, SYSTEM_READ = 1, SYSTEM_WRITE = 2, SYSTEM_RUN = 4 };
bool system_may(const char *path, int rights);

// The path from the root on with links followed, its folders parted by '/', for free(); NULL: there is nothing there.
char *system_real_path(const char *path);

// The same for links alone; other paths stay as they are, also those of files that are not there. NULL: out of memory.
char *system_follow(const char *path);

// each(user, name) for everything in a folder, until it says false. False: the folder cannot be read.
typedef bool system_entry(void *user, const char *name);
bool system_list(const char *folder, system_entry *each, void *user);

// ---- Files by descriptor --------------------------------------------------------------------------------------------

// `how`: SYSTEM_READ, SYSTEM_WRITE or both, with what follows. Programs that are started meanwhile do not get the descriptor.
enum { SYSTEM_NEW = 8, SYSTEM_MAKE = 16, SYSTEM_EMPTY = 32 }; // must not be there; may be missing; loses what it holds
int system_open(const char *path, int how);
bool system_close(int descriptor);

// As pread, pwrite and write: fewer bytes than asked for may go at once.
long long system_read_at(int descriptor, void *to, size_t bytes, long long offset);
long long system_write_at(int descriptor, const void *from, size_t bytes, long long offset);
long long system_write(int descriptor, const void *from, size_t bytes);

bool system_cut(int descriptor, long long bytes); // system_write goes on there

// 0, or the errno of what went wrong. Where nothing can be synchronised or promised, that is not wrong.
int system_sync(int descriptor);
int system_sync_folder(const char *folder);
int system_reserve(int descriptor, long long bytes);
double system_room(int descriptor); // bytes left on its disk; negative: nobody tells

// ---- Names ----------------------------------------------------------------------------------------------------------

bool system_remove(const char *path);
bool system_rename(const char *from, const char *to); // takes the place of what is there
bool system_make_folder(const char *path);

FILE *system_stream(const char *path, const char *mode); // fopen

// ---- Processes ------------------------------------------------------------------------------------------------------

long system_process(void);                        // the number of this one
bool system_process_runs(long number);            // true also where it cannot be told
const char *system_environment(const char *name); // getenv

// The file of the running program, for free(); NULL: not known.
char *system_program(void);

// The first call of a program: its arguments become UTF-8, and what it prints goes out as it is.
void system_begin_program(int *count, char ***arguments);
bool system_is_terminal(FILE *file);
int system_terminal_width(FILE *file); // columns; 0: not known

bool system_random(void *to, size_t bytes); // for secrets

#endif
