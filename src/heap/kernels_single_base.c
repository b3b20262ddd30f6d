// The kernels of kernels.h in single precision for any processor.
#define BITS 32
#define LANES 4
#include "heap/passes.h"

const heap_kernels heap_single_base = {extrapolate, sweep, check, polish, push};
