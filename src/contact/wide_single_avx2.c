// The kernels of wide_kernels.h in single precision for processors with AVX2, which the build compiles this file for.
#define BITS 32
#define LANES 8
#include "contact/wide_passes.h"

const wide_kernels wide_single_avx2 = {extrapolate, sweep, look, polish, push};
