// The kernels of wide_kernels.h in single precision for any processor.
#define BITS 32
#define LANES 4
#include "contact/wide_passes.h"

const wide_kernels wide_single_base = {extrapolate, sweep, look, polish, push};
