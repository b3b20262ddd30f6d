// What travels between the library and its helper (helper.h): numbers as they lie in memory, texts with their length before them.
#ifndef PH_IO_RESULT_PARCEL_H
#define PH_IO_RESULT_PARCEL_H

#include "base/memory.h"

// ---- Packing --------------------------------------------------------------------------------------------------------

typedef struct parcel {
    char *data;
    size_t length;
    int room;
    bool failed; // out of memory: nothing is added any more
} parcel;

void parcel_put(parcel *parcel, const void *data, size_t bytes);
void parcel_put_int(parcel *parcel, int value);
void parcel_put_number(parcel *parcel, long long value);
void parcel_put_text(parcel *parcel, const char *text);
void parcel_put_texts(parcel *parcel, const char *const *texts, int count);
void parcel_empty(parcel *parcel); // frees what it holds

// ---- Unpacking ------------------------------------------------------------------------------------------------------

// Taking more than there is gives zeros and sets `failed`, which is to be asked once at the end; so does running out of memory.
typedef struct opener {
    const char *at, *end;
    arena *memory; // for blocks and texts
    bool failed;
} opener;

void take(opener *opener, void *to, size_t bytes);
int take_int(opener *opener);
long long take_number(opener *opener);
void *take_block(opener *opener, size_t bytes); // a copy of the next `bytes` bytes with a zero behind them, or NULL
char *take_text(opener *opener);                // "" after a failure
const char **take_texts(opener *opener, int *count);

#endif
