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

// ---- Joints -----------------------------------------------------------------------------------------------------------
//
// A state whose positions or velocities were written to must meet its joints: the next step refuses one that does not
// (PH_BAD_STATE), and says by how much and where. Joints are moved by these calls:
//
//     ph_state_set_joint(state, crank, 0, NAN, -6.0);          // at -6 rad/s, where it is
//     ph_state_project(state, NULL, &error);                   // all else follows

// Asks that coordinate `coordinate` of a joint gets a value and a rate; NAN leaves either as it is. Nothing moves before
// ph_state_project, which sees all that was asked for. What a motor prescribes cannot be set.
PH_API ph_status ph_state_set_joint(ph_state *state, int joint, int coordinate, double value, double rate);

// What ph_state_project did.
typedef struct ph_project_report {
    double moved, turned, changed; // largest move of a centre of mass (m), turn (rad), change of velocity (m/s) ...
    int moved_body, turned_body, changed_body; // ... and of which body; PH_NONE: none
    double kinetic_before, kinetic_after;      // J
    int worst_joint;                           // where it failed: the joint that stays open; else PH_NONE
    double worst_row;                          // by how much
    int assemblies;                            // in how many ways loops close, as far as was looked for; 0: it was not
    uint64_t reserved[4];                      // room for later versions
} ph_project_report;

// Moves the state onto its joints: joint coordinates and rates that were asked for become exactly so, what hangs on them
// comes along, loops are closed by the smallest mass-weighted motion on the branch where they are; velocities become the
// nearest that the joints allow. Where that is not possible the state is unchanged, what was asked for is forgotten, and
// the error says what stays open. `report` and `error` may be NULL. Takes memory while it works.
PH_API ph_status ph_state_project(ph_state *state, ph_project_report *report, ph_error *error);

// ----------------------------------------------------------------------------------------------------------------------

// Work done so far by motors, dampers, applied wrenches, friction and impacts: energy error is that of T + U - work.
PH_API double ph_state_work(const ph_state *state);
// Of that, the work of friction, in contacts and joints, and that of impacts. Either may be NULL.
PH_API void ph_state_contact_work(const ph_state *state, double *friction, double *impact);

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
// What solved the contacts of the last step: a name of ph_contact_solver_name.
PH_API const char *ph_state_contact_solver(const ph_state *state);

#ifdef __cplusplus
}
#endif
#endif
