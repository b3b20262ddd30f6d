// An allocator that counts what the library holds.
#ifndef CLI_BENCH_MEMORY_H
#define CLI_BENCH_MEMORY_H

#include "polhode/base.h"

ph_allocator counting_allocator(double *held);

#endif
