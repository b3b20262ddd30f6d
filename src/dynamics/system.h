// Sums over all bodies of a model: poses, forces, energies.
#ifndef PH_DYNAMICS_SYSTEM_H
#define PH_DYNAMICS_SYSTEM_H

#include "model/state.h"

// frames and twists [model_places] of a state.
void system_frames(const ph_model *model, const ph_state *state, frame *frames);
void system_twists(const ph_model *model, const ph_state *state, ph_twist *twists);

// Q[model_places] = what acts on each body: gravity and force elements, (torque about the centre of mass, body axes |
// force, world axes). Constraint and gyroscopic forces are not part of it.
// W: the part of it that has no potential; NULL: not wanted.
void system_forces(const ph_model *model, const motion *at, ph_wrench *Q, ph_wrench *W);
// The same without some of it.
enum {
    WITHOUT_PULLS = 1 << 0,  // between points (force_type.pull)
    WITHOUT_MOVING = 1 << 1, // elements that depend on velocities
};
void system_forces_part(const ph_model *model, const motion *at, unsigned without, ph_wrench *Q, ph_wrench *W);
// One element of it, and adding it to the sums.
void system_act(const force *f, const motion *at, unsigned without, exertion *out);
void system_add(const force *f, const exertion *e, ph_wrench *Q, ph_wrench *W);

double system_potential(const ph_model *model, const motion *at); // gravity and elements
double system_power(const ph_model *model, const motion *at);     // of forces without potential
// The same from W, without evaluating elements again; for twists other than those W was made with where no element needs
// velocity.
double system_power_of(const ph_model *model, const ph_wrench *W, const ph_twist *twists);

// Does any element depend on velocities; does any do work?
bool system_calls_back(const ph_model *model); // some force is the caller's own
bool system_needs_velocity(const ph_model *model);
bool system_does_work(const ph_model *model);
// Is any element not linear in the velocities?
bool system_has_bends(const ph_model *model);

double system_kinetic(const ph_model *model, const ph_twist *twists); // 1/2 v^T M v

#endif
