// A file that is not there. See near_file.h.

#include "near_file.h"

#include "base/path.h"
#include "base/system.h"
#include "polhode/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 4096 }; // in a folder; further ones are not looked at

typedef struct listing {
    char *names[NAMES_MAX];
    int count;
} listing;

static bool add_name(void *user, const char *name)
{
    listing *l = user;
    char *copy = name[0] != '.' ? malloc(strlen(name) + 1) : NULL;
    if (copy) l->names[l->count++] = strcpy(copy, name);
    return l->count < NAMES_MAX;
}

static void print_near(const char *path, const char *name, const char *folder)
{
    listing *l = calloc(1, sizeof *l);
    if (!l) return;
    system_list(folder, add_name, l);
    const char *near = ph_suggest(name, (const char *const *)l->names, l->count);
    if (near) fprintf(stderr, "    did you mean '%.*s%s'?\n", (int)(name - path), path, near);
    for (int i = 0; i < l->count; i++) free(l->names[i]);
    free(l);
}

void hint_near_file(const char *path)
{
    const char *slash = path_last_slash(path), *name = slash ? slash + 1 : path;
    char *folder = malloc(strlen(path) + 2);
    if (folder && !system_may(path, SYSTEM_EXISTS)) {
        sprintf(folder, "%.*s", (int)(name - path), path);
        print_near(path, name, *folder ? folder : ".");
    }
    free(folder);
}
