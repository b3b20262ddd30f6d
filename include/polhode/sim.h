// Polhode: ph_sim, one scheme with its settings and all its scratch memory. One per thread.
#ifndef POLHODE_SIM_H
#define POLHODE_SIM_H

#include "polhode/state.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_sim ph_sim;

typedef struct ph_sim_def {
    uint32_t cookie;
    const char *scheme;  // name, alias, or name:option=value,...; NULL: what the model's run settings say
    const char *options; // "name=value,..." or NULL
    double tolerance;    // relative size of the last Newton update that counts as converged
    int max_iterations;  // of Newton's method in one step
    int threads;
    const char *device;   // "cpu", or "gpu" where it was built in; NULL: what the model's contact settings say
    uint64_t reserved[3]; // room for later versions
} ph_sim_def;

PH_API ph_sim_def ph_default_sim(void);

PH_API ph_status ph_sim_create(const ph_model *model, const ph_sim_def *def, ph_sim **sim, ph_error *error);
PH_API void ph_sim_destroy(ph_sim *sim);

// Solvers of contact problems, as reports, results and ph_summary name them: "none" is 0, then "heap", "apgd" and so on; NULL
// beyond the last. What `contact: {solver: auto}` chooses is among them.
enum { PH_CONTACT_SOLVERS = 8 };
PH_API const char *ph_contact_solver_name(int index);

// Outcome of a call. On failure the state is where the last good step has led to, and the report says when, where, how large
// and what to try.
typedef struct ph_step_report {
    ph_status status;
    double time, step;    // at the start of the last step, or of the one that failed; its length
    long long steps;      // that were made
    long long iterations; // of Newton's method, in all of them
    long long inner_steps, rejections, evaluations; // of schemes that choose their own steps
    double residual;                                // size of the last update relative to the velocities
    int worst_joint;                                // joint with the largest constraint residual, or PH_NONE
    double worst_row;                               // that residual
    const char *advice;                             // what to try; NULL when the step succeeded
    // Of schemes with contact, in all steps of the call:
    int contacts;               // the most
    int contact_iterations;     // all of them
    double contact_residual;    // m/s: the largest
    long long contact_missed;   // steps whose contact problem was not solved to its tolerance
    double penetration;         // m: deepest overlap met
    const char *contact_solver; // that solved the contacts and stops of the last step; NULL: there were none
    long long
        solver_steps[PH_CONTACT_SOLVERS]; // steps that each solver has solved, by the index of ph_contact_solver_name
    int growths; // blocks of memory taken: for more contacts than ever before, or by the first step of many-step schemes
    uint64_t reserved[4]; // room for later versions
} ph_step_report;

// One step of length h, which may change from call to call or be negative. Allocates nothing, but for contacts when there
// are more of them than ever before, and in the first step of a state under a multistep scheme (report->growths). `report` may be NULL.
PH_API ph_status ph_sim_step(ph_sim *sim, ph_state *state, double h, ph_step_report *report);
// `count` steps of length h. What matters only where a state is looked at is left out in between: the velocity stage of the
// variational schemes, a third of a step. The end is that of single steps, to round-off.
PH_API ph_status ph_sim_advance(ph_sim *sim, ph_state *state, double h, long long count, ph_step_report *report);
// The symmetric multiplier of R^T R = I of every body (body frame; zero for those that cannot move) where a scheme has one
// (matrix-rattle), else PH_NOT_SUPPORTED. It is the mean of the stages that arrive at the state and leave it with step h,
// accurate to O(h^2), and -Lambda is the volume integral of the stress. The state is not changed; costs about a step.
PH_API bool ph_sim_has_multipliers(const ph_sim *sim);
PH_API ph_status ph_sim_multipliers(ph_sim *sim, const ph_state *state, double h, ph_mat3 *Lambda);

// The contact problem u = N g + q of a step of length h from the state, in m/s and N s, where a scheme has one (moreau): all contacts
// in rows, with joints held exactly. PH_NOT_SUPPORTED also where there is more in it than contacts with friction: limits, dry friction
// of joints, rolling or spinning friction, compliance. The state is not changed; destroy with ph_fc_destroy.
struct ph_fc_problem;
PH_API ph_status ph_sim_contact_problem(ph_sim *sim, const ph_state *state, double h, struct ph_fc_problem **problem,
                                        ph_error *error);

// Momentum and multiplier of the unit quaternion q of a body, where a scheme has them (quat-fem), else PH_NOT_SUPPORTED: p
// belongs to q at a fixed reference point of the body, kg m^2/s, p.q = 0; lambda, J, to |q|^2 = 1. As for
// ph_sim_multipliers, lambda is the mean of the stages that arrive at the state and leave it with step h. It is the trace of
// the integral of the stress over the body. Zero for bodies that cannot move. Costs about two steps.
typedef struct ph_quaternion {
    ph_quat p;
    double lambda;
} ph_quaternion;
PH_API bool ph_sim_has_quaternions(const ph_sim *sim);
PH_API ph_status ph_sim_quaternions(ph_sim *sim, const ph_state *state, double h, ph_quaternion *out);

// The report as one sentence for a person.
PH_API int ph_step_report_format(const ph_step_report *report, const ph_model *model, char *text, size_t size);

// ---- What schemes there are -----------------------------------------------------------------------------------------

enum {
    PH_SYMPLECTIC = 1 << 0,
    PH_TIME_REVERSIBLE = 1 << 1,
    PH_KEEPS_POSITION_CONSTRAINT = 1 << 2,
    PH_KEEPS_VELOCITY_CONSTRAINT = 1 << 3,
    PH_KEEPS_MOMENTUM = 1 << 4,
    PH_HAS_CONTACT = 1 << 5,
    PH_NUMERICAL_DAMPING = 1 << 6,
    PH_OWN_STEPS = 1 << 7, // chooses its steps by tolerances; the step that is asked for is the interval of output
    PH_ROLLS_REVERSIBLY = 1 << 8, // with rows of velocities it is reversible, and meets them at every state
};

typedef struct ph_scheme_info {
    const char *name, *title, *reference, *aliases; // aliases separated by spaces, or NULL
    int order;                                      // 0: the exact motion
    uint32_t traits;
} ph_scheme_info;

PH_API int ph_scheme_count(void);
PH_API ph_scheme_info ph_scheme_get(int index);
// What can be chosen, written lie-alpha:rho=0.8 or in the model's run settings.
typedef struct ph_scheme_option {
    const char *name, *title;
    double value, low, high; // default and allowed range
} ph_scheme_option;
PH_API int ph_scheme_options(int scheme); // how many it has
PH_API ph_scheme_option ph_scheme_option_get(int scheme, int option);

PH_API int ph_scheme_find(const char *name); // by name or alias, index or PH_NONE

#ifdef __cplusplus
}
#endif
#endif
