// What `polhode bench` times of contact: heaps that settle or stand, every step of a run of 2 s.
#ifndef CLI_BENCH_CONTACT_H
#define CLI_BENCH_CONTACT_H

#include "bench_heaps.h"
#include "json.h"
#include "progress.h"

#include <stdbool.h>

// What steps a heap: so many threads, or a device (ph_sim_def).
typedef struct heap_machine {
    int threads;
    const char *device;
} heap_machine;

// Times all heaps but the large ones, or the one called `only`, and writes one row for each to `j` or, where that is
// NULL, to stdout. False when one fails.
bool time_heaps(const char *only, const heap_machine *on, tally *done, json *j);

#endif
