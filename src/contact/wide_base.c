// The kernels of wide.h for any processor.
#define LANES 4
#include "contact/wide_lanes.h"

const wide_kernels wide_base = {extrapolate, sweep, polish};
