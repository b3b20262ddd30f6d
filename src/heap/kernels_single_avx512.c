// The kernels of kernels.h in single precision for processors with AVX-512, which the build compiles this file for.
#ifdef __AVX512F__
#define BITS 32
#define LANES 16
#include "heap/passes.h"

const heap_kernels heap_single_avx512 = {extrapolate, sweep, check, polish, push};
#else
#include "heap/kernels.h"

const heap_kernels heap_single_avx512 = {0}; // a build for other processors, or one that names none
#endif
