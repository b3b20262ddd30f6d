// The kernels of kernels.h in single precision for processors with AVX2, which the build compiles this file for.
#define BITS 32
#define LANES 8
#include "heap/passes.h"

const heap_kernels heap_single_avx2 = {extrapolate, sweep, check, polish, push};
