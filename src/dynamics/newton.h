// When Newton's method may stop.
//
// Near the solution the updates shrink quadratically, |d_{k+1}| = C |d_k|^2, and C is known from the last two. So it
// stops as soon as the next update would be lost in rounding, without computing it; or when an update is below the
// tolerance; or when updates that are already small no longer shrink (round-off).
//
// From solve to solve C changes little. A solve that is told C of the one before may stop after its first update; C then
// grows a little, so that it is measured again after a while.
//
// Near the solution the matrix of the last iteration is nearly right, and an update with it ("chord") costs a residual and
// a solve. From an update d_1 = O(e) the next is d_2 = C d_1^2, and the old matrix leaves 2 C d_1 d_2 = 2 (d_2/d_1) d_2.
#ifndef PH_DYNAMICS_NEWTON_H
#define PH_DYNAMICS_NEWTON_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define CHORD_BELOW 0.01 // relative update after which the matrix is worth a second use

typedef struct newton {
    double tolerance;
    int max_iterations;
    bool linear; // the matrix is not the exact derivative: updates shrink by a factor, d_{k+1} = C d_k
    bool plain;  // nothing makes rounding larger than `noise` says, as nearly dependent rows would: it may hide updates
    bool chords; // an update may be taken with the matrix of the one before
    bool chord;  // the next one should be
    double accept;    // relative error that may be left; 0: round-off
    double curvature; // C of earlier solves, and of this one; 0: not known
    bool stalled;     // updates are small and do not shrink: it is for the residual to say whether that is rounding
    int iterations;
    double last, before; // sizes of the last two updates
    double size;         // relative size of the last update, for reports
} newton;

typedef enum newton_verdict { NEWTON_GO_ON, NEWTON_DONE, NEWTON_FAILED } newton_verdict;

// C from two updates. Below 1e4 roundings, or the noise, the second one says nothing of C but that it is small.
static inline double newton_curvature(double known, double first, double second, double scale, double noise)
{
    const double faded = 0.8 * known, heard = fmax(1e4 * DBL_EPSILON * scale, noise);
    return second > heard ? fmax(second / (first * first), faded) : fmax(1e-3 / scale, faded);
}

// `update`: size of this update; `scale`: size of the unknowns; `noise`: what rounding of the residual does to an update, at most.
static inline newton_verdict newton_judge(newton *n, double update, double scale, double noise)
{
    const double previous = n->last, hidden = n->plain ? noise : 0.0;
    const double lost = fmax(fmax(0.1 * DBL_EPSILON, n->accept) * scale, 1e-3 * hidden);
    const bool chord = n->chord;
    n->iterations++;
    n->chord = n->chords && update <= CHORD_BELOW * scale;
    const bool over = n->linear && n->iterations == n->max_iterations;
    n->stalled = n->iterations > 3 && (over || update > (n->linear ? 1.0 : 0.5) * n->before) && update <= 1e-3 * scale;
    n->before = n->last;
    n->last = update;
    n->size = scale > 0.0 ? update / scale : update;
    if (!isfinite(update)) return NEWTON_FAILED;
    if (n->iterations == 2 && !n->linear)
        n->curvature = newton_curvature(n->curvature, previous, update, scale, hidden);
    if (update <= n->tolerance * scale || (update <= noise && !n->linear)) return NEWTON_DONE;
    if (n->iterations == 1 && n->curvature > 0.0 && 4.0 * n->curvature * update * update <= lost) {
        n->curvature *= 1.01;
        return NEWTON_DONE;
    }
    if (n->iterations > 1) {
        const double ratio = update / previous;
        const double rate = chord ? 4.0 * ratio : n->linear ? ratio : ratio * ratio; // C d with C = update / previous^2
        const double next = rate * update;
        if (ratio < 0.1 && next <= lost) return NEWTON_DONE;
        n->chord = n->chord && rate * next <= lost; // one more is enough
        if (ratio > 0.5 && (update <= 1e4 * n->tolerance * scale || update <= 100.0 * noise)) {
            n->stalled = true;
            return NEWTON_DONE;
        }
    }
    return n->iterations < n->max_iterations ? NEWTON_GO_ON : NEWTON_FAILED;
}

#endif
