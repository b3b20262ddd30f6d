// The kernels of wide.h for processors with AVX-512, which the build compiles this file for.
#define LANES 8
#include "contact/wide_lanes.h"

const wide_kernels wide_avx512 = {extrapolate, sweep, polish};
