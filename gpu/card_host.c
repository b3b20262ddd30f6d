// The kernels' text on the processor: what is tested where there is no card.
#include "card_text.h"
