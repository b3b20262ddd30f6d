// A heap of bench_heaps.h as a model.
#ifndef CLI_BENCH_HEAP_MODEL_H
#define CLI_BENCH_HEAP_MODEL_H

#include "bench_heaps.h"

#include "polhode/polhode.h"

// NULL: out of memory, or what `problems` says.
ph_model *heap_model(const heap *h, const ph_allocator *allocator, ph_problems *problems);

#endif
