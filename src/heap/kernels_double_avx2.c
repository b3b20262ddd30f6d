// The kernels of kernels.h in double precision for processors with AVX2, which the build compiles this file for.
#ifdef __AVX2__
#define BITS 64
#define LANES 4
#include "heap/passes.h"

const heap_kernels heap_double_avx2 = {extrapolate, sweep, check, polish, push};
#else
#include "heap/kernels.h"

const heap_kernels heap_double_avx2 = {0}; // a build for other processors, or one that names none
#endif
