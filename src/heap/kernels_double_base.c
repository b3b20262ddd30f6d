// The kernels of kernels.h in double precision for any processor.
#define BITS 64
#define LANES 2
#include "heap/passes.h"

const heap_kernels heap_double_base = {extrapolate, sweep, check, polish, push};
