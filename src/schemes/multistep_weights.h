// Weights of what a multistep scheme keeps of its nodes: for velocities, integrals and guesses. Times are in steps, 0 is the newest
// node; slots are those of the nodes before it, the oldest first.
#ifndef PH_SCHEMES_MULTISTEP_WEIGHTS_H
#define PH_SCHEMES_MULTISTEP_WEIGHTS_H

enum { MULTISTEP_SLOTS_MAX = 7 };

// Of D_j = (q_{j+1} - q_j)/h, then A_j = h q''_j, for the velocity at time `at`; exact on 1, t, ... t^(slots + 2).
void multistep_weigh_velocity(int slots, double at, double *w);

// Of values at the nodes 0, -1, ... for their integral from 0 to 1
void multistep_weigh_integral(int count, double *w);

// Of the last values for the next: the polynomial through them all
void multistep_weigh_next(int count, double *w);

#endif
