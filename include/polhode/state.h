// Polhode: ph_state, everything that changes in a run. Saving and loading it continues a run bit for bit.
#ifndef POLHODE_STATE_H
#define POLHODE_STATE_H

#include "polhode/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_state ph_state;

// A state at the start of the model. NULL when out of memory. The model must outlive it.
PH_API ph_state *ph_state_create(const ph_model *model);
PH_API void ph_state_destroy(ph_state *state);
PH_API ph_status ph_state_copy(ph_state *to, const ph_state *from); // both of the same model
PH_API void ph_state_reset(ph_state *state);                        // back to the start

PH_API double ph_state_time(const ph_state *state);
PH_API void ph_state_set_time(ph_state *state, double time);

// Arrays with one entry for each body, fixed ones included. They live as long as the state. After writing to them call
// ph_state_touch, so that the scheme forgets what it remembered of earlier steps.
PH_API ph_vec3 *ph_state_positions(ph_state *state);          // centre of mass, world
PH_API ph_quat *ph_state_orientations(ph_state *state);       // unit, body -> world
PH_API ph_vec3 *ph_state_velocities(ph_state *state);         // of the centre of mass, world
PH_API ph_vec3 *ph_state_angular_velocities(ph_state *state); // body frame
PH_API double *ph_state_inputs(ph_state *state);              // ph_model_inputs values
PH_API void ph_state_touch(ph_state *state);

// Work done so far by motors, dampers, applied wrenches, friction and impacts: energy error is that of T + U - work.
PH_API double ph_state_work(const ph_state *state);

// ---- Contact ----------------------------------------------------------------------------------------------------------

// One contact point of the last step.
typedef struct ph_contact {
    int body_a, body_b;   // bodies, or PH_WORLD
    int shape_a, shape_b; // which of the shapes of each
    uint64_t feature;     // the same place of the same shapes has the same number from step to step
    ph_vec3 point;        // world, where the force acts: on the surfaces, half way between them if both bodies move
    ph_vec3 normal;       // unit, from a to b
    ph_vec3 force;        // on b, world: impulse of the step by its length
    ph_vec3 torque;       // on b, world: of rolling and spinning friction
    double gap;           // distance of the surfaces along the normal, negative when they overlap
} ph_contact;

// What the last step found, at its start, and the mean forces in it; none for schemes without contact and after
// ph_state_touch. The list is the state's and lasts until the state changes; it may take memory when it is first asked for.
// NULL: out of memory.
PH_API const ph_contact *ph_state_contacts(const ph_state *state, int *count);

#ifdef __cplusplus
}
#endif
#endif
