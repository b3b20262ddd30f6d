// How far to go along an update of Newton's method where laws have bends: dry friction, a motor at its limit.
//
// What dissipates falls with the velocity, so the equations of motion are the gradient of a convex function, or nearly so,
// and along an update d the work d.r of what is left of them falls. Where it ends far below zero the update went too far,
// and the place where it vanishes is searched; that costs evaluations and no factor.
#ifndef PH_DYNAMICS_SEARCH_H
#define PH_DYNAMICS_SEARCH_H

#include <math.h>
#include <stdbool.h>

// Updates below this part of the unknowns are taken as they are: rounding would mislead a search.
static const double SEARCH_ABOVE = 1e-7;

// d.r after a part of the update.
typedef double (*search_work)(void *user, double part);

// The part of the update to take. `all`: d.r at its beginning.
static inline double search_along(double all, search_work work_at, void *user)
{
    enum { LOOKS = 40 };
    double low = 0.0, high = 1.0, at_low = all, at_high = work_at(user, 1.0);
    if (!(all > 0.0) || !(at_high < -0.5 * all)) return 1.0;
    for (int k = 0; k < LOOKS; k++) {
        const double between = low + (high - low) * at_low / (at_low - at_high);
        const double part = k % 3 == 2 ? 0.5 * (low + high) : between, left = work_at(user, part);
        if (fabs(left) <= 0.1 * all || !isfinite(left)) return part;
        if (left < 0.0)
            high = part, at_high = left, at_low *= 0.5; // regula falsi, so that both ends move
        else
            low = part, at_low = left, at_high *= 0.5;
    }
    return low;
}

#endif
