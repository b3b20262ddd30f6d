// The kernels of kernels.h in double precision for processors with AVX-512, which the build compiles this file for.
#ifdef __AVX512F__
#define BITS 64
#define LANES 8
#include "heap/passes.h"

const heap_kernels heap_double_avx512 = {extrapolate, sweep, check, polish, push};
#else
#include "heap/kernels.h"

const heap_kernels heap_double_avx512 = {0}; // a build for other processors, or one that names none
#endif
