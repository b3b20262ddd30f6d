// Polhode: where a model rests, and how it swings about that.
#ifndef POLHODE_STATICS_H
#define POLHODE_STATICS_H

#include "polhode/state.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Static equilibrium ---------------------------------------------------------------------------------------------

typedef struct ph_statics_def {
    uint32_t cookie;
    double tolerance;     // of the acceleration that is left, relative to what single forces would cause
    int max_iterations;   // of all steps
    int max_modes;        // models with more freedoms are not asked whether they are stable
    uint64_t reserved[4]; // room for later versions
} ph_statics_def;

PH_API ph_statics_def ph_default_statics(void);

typedef struct ph_statics_report {
    int iterations;
    double residual;                           // acceleration that is left, relative to what single forces would cause
    double potential_start, potential;         // J
    bool stability_known;                      // there were not too many freedoms to find out
    bool stable;                               // no direction in which it falls away; neutral ones may be left
    int worst_body;                            // what accelerates most where there is no equilibrium; else PH_NONE
    double acceleration, angular_acceleration; // of it
    uint64_t reserved[4];                      // room for later versions
} ph_statics_report;

// Moves `state` to an equilibrium and sets its velocities to zero: Q = B^T lambda, Phi = 0, with forces, motors and inputs
// as they are at the time of the state. Goes downhill from the state, so that what it finds is stable but for
// non-conservative forces; from an unstable equilibrium it falls. Where there is none, or it is not found, the state is
// unchanged and the answer PH_NO_CONVERGENCE. `report` may be NULL.
PH_API ph_status ph_statics(const ph_model *model, ph_state *state, const ph_statics_def *def,
                            ph_statics_report *report, ph_error *error);

// ---- Linear modes ---------------------------------------------------------------------------------------------------

typedef struct ph_mode {
    double eigenvalue; // omega^2, (rad/s)^2; negative: falls away
    double frequency;  // Hz; 0 where the eigenvalue is not positive
    double damping;    // ratio of the damping to the critical one, c/(2 omega); NaN where the frequency is 0
    double decay;      // c/2, 1/s: half the modal damping
    ph_twist
        *shape; // one twist for each body (rotation, body axes | shift of the centre of mass, world), of modal mass 1
} ph_mode;

typedef struct ph_mode_set {
    int count;      // degrees of freedom at the state
    ph_mode *modes; // by rising eigenvalue
    double
        asymmetry; // of the stiffness relative to its size: it has modes only where this is small. Forces without potential
                   // have it, and states that are no equilibrium.
    double coupling; // largest damping between two modes, relative to the largest of one: what modal damping leaves out
} ph_mode_set;

// Small undamped oscillations about the state at rest: K phi = omega^2 M phi on the motions that the joints allow, and the
// damping of each alone. All velocities of the state are taken as zero. Dense: memory grows with the square, time with the
// cube of the freedoms.
PH_API ph_status ph_modes(const ph_model *model, const ph_state *state, ph_mode_set **modes, ph_error *error);
PH_API void ph_modes_destroy(ph_mode_set *modes);

#ifdef __cplusplus
}
#endif
#endif
