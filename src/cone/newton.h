// The two engines of the solver "newton". Both need blocks and order.
#ifndef PH_CONE_NEWTON_H
#define PH_CONE_NEWTON_H

#include "cone/cone.h"

enum { SEMISMOOTH_VECTORS = 16, INTERIOR_VECTORS = 8 };

// Semismooth Newton from z = x - w, for at most `steps`, until the tolerance is met or |F| <= target. Offers every iterate;
// gives up where steps become short or |F| hardly falls. z: the last iterate. Whether it got there.
bool cone_semismooth(cone_run *run, double *z, int steps, double target);

// Primal-dual interior point. Memory for its atoms is taken by cone_interior_reserve.
bool cone_interior_reserve(ph_cone_workspace *w);
void cone_interior_destroy(ph_cone_workspace *w);

// start: size of impulses and velocities to start from, in units of the largest entry of q.
cone_interior *cone_interior_start(cone_run *run, double start);
// One step; offers the projected iterate. false when it leads nowhere any more.
bool cone_interior_step(cone_run *run, cone_interior *ip);
double cone_interior_error(const cone_interior *ip); // of the projected iterate

#endif
