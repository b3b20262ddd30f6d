// When Newton's method may stop.
//
// Near the solution the updates shrink quadratically, |d_{k+1}| = C |d_k|^2, and C is known from the last two. So it
// stops as soon as the next update would be lost in rounding, without computing it; or when an update is below the
// tolerance; or when updates that are already small no longer shrink (round-off).
#ifndef PH_SCHEMES_NEWTON_H
#define PH_SCHEMES_NEWTON_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

typedef struct newton {
    double tolerance;
    int max_iterations;
    bool linear; // the matrix is not the exact derivative: updates shrink by a factor, d_{k+1} = C d_k
    int iterations;
    double last; // size of the last update
    double size; // relative size of the last update, for reports
} newton;

typedef enum newton_verdict { NEWTON_GO_ON, NEWTON_DONE, NEWTON_FAILED } newton_verdict;

// `update`: size of this update; `scale`: size of the unknowns; `noise`: what rounding of the residual does to an update.
static inline newton_verdict newton_judge(newton *n, double update, double scale, double noise)
{
    const double previous = n->last;
    n->iterations++;
    n->last = update;
    n->size = scale > 0.0 ? update / scale : update;
    if (!isfinite(update)) return NEWTON_FAILED;
    if (update <= n->tolerance * scale || (update <= noise && !n->linear)) return NEWTON_DONE;
    if (n->iterations > 1) {
        const double ratio = update / previous;
        const double next = (n->linear ? ratio : ratio * ratio) * update; // C d^2 with C = update / previous^2
        if (ratio < 0.1 && next <= 0.1 * DBL_EPSILON * scale) return NEWTON_DONE;
        if (ratio > 0.5 && (update <= 1e4 * n->tolerance * scale || update <= 100.0 * noise)) return NEWTON_DONE;
    }
    return n->iterations < n->max_iterations ? NEWTON_GO_ON : NEWTON_FAILED;
}

#endif
