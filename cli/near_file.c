// A file that is not there. See near_file.h.

#include "near_file.h"

#include "polhode/base.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_MAX = 4096 }; // in a folder; further ones are not looked at

static void print_near(const char *path, const char *name, DIR *folder)
{
    char **names = calloc(NAMES_MAX, sizeof *names);
    int count = 0;
    for (struct dirent *entry; names && count < NAMES_MAX && (entry = readdir(folder));) {
        names[count] = entry->d_name[0] != '.' ? malloc(strlen(entry->d_name) + 1) : NULL;
        if (names[count]) strcpy(names[count++], entry->d_name);
    }
    const char *near = names ? ph_suggest(name, (const char *const *)names, count) : NULL;
    if (near) fprintf(stderr, "    did you mean '%.*s%s'?\n", (int)(name - path), path, near);
    for (int i = 0; i < count; i++) free(names[i]);
    free(names);
}

void hint_near_file(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *folder_path = malloc(strlen(path) + 2);
    if (folder_path && access(path, F_OK) != 0) {
        sprintf(folder_path, "%.*s", (int)(name - path), path);
        DIR *folder = opendir(*folder_path ? folder_path : ".");
        if (folder) {
            print_near(path, name, folder);
            closedir(folder);
        }
    }
    free(folder_path);
}
