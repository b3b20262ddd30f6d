// The kernels of wide_kernels.h in double precision for processors with AVX2, which the build compiles this file for.
#define BITS 64
#define LANES 4
#include "contact/wide_passes.h"

const wide_kernels wide_double_avx2 = {extrapolate, sweep, look, polish, push};
