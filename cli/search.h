// What commands that search share: states they can go on from.
#ifndef CLI_SEARCH_H
#define CLI_SEARCH_H

#include "data_file.h"

// The numbers that are looked for, each with a name, as lines "NAME VALUE" of a file in a folder.
typedef struct search_state {
    const char *folder, *file; // folder NULL: none
    const char *what;          // "fit", "search"
    int count;
    void (*name)(const void *user, int k, char name[DATA_NAME]);
    const void *user;
} search_state;

void search_save(const search_state *s, const double *values);
// Of one that was stopped; false after saying what is wrong.
bool search_resume(const search_state *s, double *values);

#endif
