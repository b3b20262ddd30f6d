// The kernels of wide_kernels.h in double precision for processors with AVX-512, which the build compiles this file for.
#define BITS 64
#define LANES 8
#include "contact/wide_passes.h"

const wide_kernels wide_double_avx512 = {extrapolate, sweep, look, polish, push};
