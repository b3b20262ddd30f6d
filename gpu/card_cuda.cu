// The kernels' text on a card.
#include <cmath>
using std::fabs;
using std::floor;
using std::fmax;
using std::fmin;
using std::isfinite;
using std::sqrt;
#include "card_text.h"
