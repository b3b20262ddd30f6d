// The kernels of kernels.h in double precision for processors with AVX2, which the build compiles this file for.
#define BITS 64
#define LANES 4
#include "heap/passes.h"

const heap_kernels heap_double_avx2 = {extrapolate, sweep, check, polish, push};
