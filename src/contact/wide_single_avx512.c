// The kernels of wide_kernels.h in single precision for processors with AVX-512, which the build compiles this file for.
#define BITS 32
#define LANES 16
#include "contact/wide_passes.h"

const wide_kernels wide_single_avx512 = {extrapolate, sweep, look, polish, push};
