// The kernels of wide_kernels.h in double precision for any processor.
#define BITS 64
#define LANES 4
#include "contact/wide_passes.h"

const wide_kernels wide_double_base = {extrapolate, sweep, look, polish, push};
