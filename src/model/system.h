// Sums over all bodies of a model: poses, forces, energies.
#ifndef PH_MODEL_SYSTEM_H
#define PH_MODEL_SYSTEM_H

#include "model/state.h"

// frames and twists [body_count + 1] of a state; the last is the world.
void system_frames(const ph_model *model, const ph_state *state, frame *frames);
void system_twists(const ph_model *model, const ph_state *state, ph_twist *twists);

// Q[body_count + 1] = what acts on each body: gravity and force elements, (torque about the centre of mass, body axes |
// force, world axes). Constraint and gyroscopic forces are not part of it.
void system_forces(const ph_model *model, const motion *at, ph_wrench *Q);
// The same without the pulls between points (force_type.pull).
void system_forces_beside_pulls(const ph_model *model, const motion *at, ph_wrench *Q);

double system_potential(const ph_model *model, const motion *at);     // gravity and elements
double system_power(const ph_model *model, const motion *at);         // of forces without potential
double system_kinetic(const ph_model *model, const ph_twist *twists); // 1/2 v^T M v

#endif
