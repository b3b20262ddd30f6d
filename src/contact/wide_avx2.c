// The kernels of wide.h for processors with AVX2, which the build compiles this file for.
#define LANES 4
#include "contact/wide_lanes.h"

const wide_kernels wide_avx2 = {extrapolate, sweep, polish};
