// Commands that list what there is: a table for people, an array for programs, no arguments.
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include "json.h"

typedef struct listing {
    const char *usage, *about, *examples;
    const char *key; // of the array in the JSON object
    int (*count)(void);
    void (*print_table)(void);
    void (*print_entry)(json *j, int index); // the keys of one object
} listing;

int run_listing(const listing *list, int count, char **arguments);

#endif
