#ifndef PH_BASE_SORT_H
#define PH_BASE_SORT_H

#include <stdint.h>

void sort_keys(uint64_t *keys, int count); // rising, in place
void sort_few(uint64_t *keys, int count);  // by insertion: for a handful, or what is nearly sorted

#endif
