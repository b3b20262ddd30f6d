// Polhode: what a state keeps and what acts in it, measured in the same way for every scheme.
#ifndef POLHODE_ANALYSIS_H
#define POLHODE_ANALYSIS_H

#include "polhode/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_measures {
    double kinetic, potential, work, total; // total = kinetic + potential - work
    ph_vec3 linear, angular;                // momentum; angular about the world origin
    double position_violation;              // largest |row| of Phi (m, or dimensionless for direction rows)
    double velocity_violation;              // largest |row| of B v + dPhi/dt
    double orthogonality;                   // largest ||R^T R - I|| (Frobenius)
    double friction_work, impact_work;      // of `work`: by friction, in contacts and joints, and by impacts
    uint64_t reserved[4];                   // room for later versions
} ph_measures;

// Holds the scratch memory of the calls below. One per thread.
typedef struct ph_observer ph_observer;
PH_API ph_status ph_observer_create(const ph_model *model, ph_observer **observer);
PH_API void ph_observer_destroy(ph_observer *observer);

PH_API void ph_observer_measure(ph_observer *observer, const ph_state *state, ph_measures *measures);

// Accelerations (omega' body | x'' world, one twist for each body) and joint reactions (on body b at its anchor, world
// frame; the minimum-norm ones where rows are redundant), both from the equations of motion at the state. Either array
// may be NULL. Second-order accurate along a second-order trajectory.
PH_API ph_status ph_observer_dynamics(ph_observer *observer, const ph_state *state, ph_twist *accelerations,
                                      ph_wrench *reactions);

// Volume integral of the stress inside every body (J = Pa m^3, body frame; zero for bodies that cannot move), from the
// loads, reactions and accelerations at the state. Reactions act at their joints; couples have no symmetric part and add
// nothing. Exact for an exact state.
PH_API ph_status ph_observer_stress(ph_observer *observer, const ph_state *state, ph_mat3 *integrals);

// The volume mean of the Cauchy stress. It tells what the body carries on the whole, not where it is largest: bending, whose
// tension and compression cancel in the mean, and notches need a finer model.
typedef struct ph_stress {
    ph_mat3 integral;    // of the stress over the volume, body frame (J)
    double volume;       // m^3
    ph_mat3 body, world; // mean stress in body and world axes (Pa)
    double principal[3]; // its principal values, largest first
    double von_mises;    // equivalent stress of the mean
} ph_stress;
// False without a volume: then only `integral` is set.
PH_API bool ph_stress_mean(ph_mat3 integral, double volume, ph_quat orientation, ph_stress *stress);

// Joint coordinates and rates of one joint (ph_joint_info.coordinates each; either may be NULL).
PH_API void ph_observer_joint(ph_observer *observer, const ph_state *state, int joint, double *coordinates,
                              double *rates);

// The momentum components that the model's symmetry conserves.
typedef struct ph_symmetry {
    bool linear[3];   // component of linear momentum along x, y, z
    bool angular;     // angular momentum about the line below ...
    bool angular_all; // ... or every component, about `point`
    ph_vec3 point, axis;
} ph_symmetry;
PH_API ph_symmetry ph_model_symmetry(const ph_model *model);

// ---- Overlap --------------------------------------------------------------------------------------------------------

typedef struct ph_overlap {
    int body_a, body_b;
    double depth; // m
} ph_overlap;

// Pairs of bodies that are deep in each other, by more than a hundredth of the smaller one, deepest first. Fills at most
// `room` of them and returns in `count` how many there are.
PH_API ph_status ph_find_overlaps(const ph_model *model, const ph_state *state, ph_overlap *overlaps, int room,
                                  int *count, ph_error *error);

// PH_BAD_MODEL and a sentence that names the deepest of them, when there are any. ph_run asks this first.
PH_API ph_status ph_check_overlaps(const ph_model *model, const ph_state *state, ph_error *error);

// ---- A whole run ----------------------------------------------------------------------------------------------------

typedef struct ph_summary {
    const char *scheme;
    double step, time, wall_s;
    double last_step; // length of the last step, where it is shorter so that the run ends in time; else 0
    bool event;       // stop_when has ended it, at `time`
    long long steps;
    long long resumed; // of them made by earlier parts of a run that was continued
    double energy_initial, energy_final, energy_scale, energy_max_abs_error;
    bool energy_wrong; // its error exceeds the largest kinetic energy: the motion is not that of the model
    bool has_linear, has_angular;
    double linear_max_error, angular_max_error;
    double orthogonality_max, position_violation_max, velocity_violation_max;
    double iterations_mean;
    int iterations_max;
    long long inner_steps, rejections, evaluations; // of schemes that choose their own steps
    int contacts_max;
    double contact_iterations_mean, contact_residual_max, penetration_max;
    long long contact_missed;
    // Contacts and stops may only take energy out: their work since the start, and the largest rise of T + U less the work of
    // all else in a step with contacts, which is measured without it.
    double friction_work, impact_work, contact_gain_max;
    double stored_initial, stored_final; // T + U, without what was done on the system since
    double work; // that all else than friction and impacts has done: motors, dampers, applied forces
    long long contact_solver_steps
        [PH_CONTACT_SOLVERS]; // steps that each solver has solved, by the index of ph_contact_solver_name
    bool without_contact;     // the scheme has contact and the model none: bodies have passed through each other
    uint64_t reserved[3];     // room for later versions
} ph_summary;

typedef struct ph_progress {
    long long step, steps;
    double time, until, wall_s, energy_error;
} ph_progress;

// A run at its start or after a step. Errors are against the start; those of momentum in the conserved components.
typedef struct ph_moment {
    long long step;
    const ph_state *state;
    const ph_measures *measures;
    const ph_step_report *report; // of the step that led here; NULL at the start
    double energy_error, linear_error, angular_error;
} ph_moment;

typedef struct ph_recording ph_recording; // recording.h

typedef struct ph_run_def {
    uint32_t cookie;
    ph_sim_def sim;
    double step, until;      // 0: what the model's run settings say
    const char *stop_when;   // the run stops where this crosses zero (event.h); NULL: as the model says
    const char *out;         // result file (.h5 .csv) or NULL
    ph_recording *recording; // gets the result in place of a file, or NULL
    int every;               // record every N-th step; the first and last are always recorded
    int measure_every;  // measure every N-th step and what is recorded; those in between are made by ph_sim_advance
    bool allow_overlap; // go on also when bodies begin deep in each other
    int missed; // contact problems that may miss their tolerance before the run stops; negative: as the model says
    // Where the run is saved at its start, at its end and when it is stopped, and every so many seconds of real time in
    // between; or NULL. A run that was killed is lost from its last checkpoint on, not further back.
    const char *checkpoint;
    double checkpoint_every;
    // Continues the run that wrote the checkpoint, result file included, to the same bits as one that was never stopped. The
    // rest of the definition must be as it was; only `until` may differ where there is no result file. Without a checkpoint
    // the run starts from `state`.
    bool resume;
    // Called now and then (about ten times a second); return false to stop. May be NULL.
    bool (*progress)(const ph_progress *progress, void *user);
    // Called at the start and after every step that is measured. May be NULL.
    void (*visit)(const ph_moment *moment, void *user);
    void *user;
    uint64_t reserved[4]; // room for later versions
} ph_run_def;

PH_API ph_run_def ph_default_run(void);

// Simulates from `state` to the end time, which a shorter last step meets where it is no multiple of the step, and
// measures. `summary` covers what was done also when the run failed, and of a run that was continued the parts before.
PH_API ph_status ph_run(const ph_model *model, ph_state *state, const ph_run_def *def, ph_summary *summary,
                        ph_error *error);

#ifdef __cplusplus
}
#endif
#endif
