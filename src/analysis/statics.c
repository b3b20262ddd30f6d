// Static equilibrium: a(q) = 0, with a the accelerations that the forces cause at rest.
//
// Each step solves
//
//     [ K + sigma M   B^T ] [ d      ]   [ M a ]
//     [ B             0   ] [ dlambda] = [ 0   ]
//
// and moves on to q exp(d), brought back onto the constraints. sigma = 0 is Newton's method, a large sigma goes along a,
// the way that things fall. A step is good when it is downhill, d.Ma > 0, and the slope at its end shows that it has not
// climbed by as much on the other side: the forces need no potential for that, and it can be told to the last digit. Then
// sigma falls, else it rises.
//
// K alone may be singular body by body (a pendulum's shift has no stiffness), so rho B^T B is added to it: it changes
// nothing for B d = 0, and makes the blocks definite where the constrained stiffness is.

#include "polhode/statics.h"
#include "analysis/rest.h"
#include "base/error.h"
#include "dynamics/system.h"
#include "math/mat3.h"
#include "math/so3.h"
#include "model/scales.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const uint32_t STATICS_COOKIE = 0x53544154u;
static const double LARGEST_TURN = 0.5; // rad, in one step
static const double FAR = 1e8;          // lengths of the model: what is further away is not held by anything
enum { KICKS = 10, PATIENCE = 3 };

typedef struct solver {
    const ph_model *model;
    const ph_statics_def *def;
    arena *memory;
    rest rest;
    kkt kkt;         // KKT_COUPLED
    ph_state *state; // where it stands ...
    ph_state *trial; // ... and may go
    double *d, *Ma;  // velocity_count
    double length;   // of the model
    double scale;    // accelerations by single forces alone, the largest met, rad/s^2
    double residual; // and with the joints
    double *stiff;   // by moving body: accelerations by a turn of 1 rad or a shift by the length of the model, rad/s^2
    double excess;   // largest residual of a body over what rounding of the positions does to its forces
    double sigma;
    int iterations;
} solver;

ph_statics_def ph_default_statics(void)
{
    return (ph_statics_def){.cookie = STATICS_COOKIE, .tolerance = 1e-13, .max_iterations = 1000, .max_modes = 600};
}

// ---- Measures -------------------------------------------------------------------------------------------------------

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// Radius of gyration of the largest body, or how far centres of mass are from each other.
static double model_length(const ph_model *model)
{
    double length = 0.0;
    for (int k = 0; k < model->moving_count; k++) {
        const body *b = &model->bodies[model->moving[k]], *first = &model->bodies[model->moving[0]];
        if (body_is_rotor(b)) continue;
        length = fmax(length, sqrt(0.5 * ph_trace(b->kind->J) / b->kind->mass));
        length = fmax(length, ph_norm(ph_sub(b->position, first->position)));
    }
    return length > 0.0 ? length : 1.0;
}

static double size_of(const solver *s, ph_vec3 angular, ph_vec3 linear)
{
    return fmax(ph_norm(angular), ph_norm(linear) / s->length);
}

// Raises the scale to what the weights and each force element alone would cause: their sum vanishes where they balance.
static void raise_scale(solver *s)
{
    const ph_model *model = s->model;
    s->scale = fmax(s->scale, ph_norm(model->gravity) / s->length);
    for (int k = 0; k < model->force_count; k++) {
        const force *f = &model->forces[k];
        exertion e = {0};
        f->type->act(f, &s->rest.at.motion, &e);
        for (int side = 0; side < 2; side++) {
            const body *body = &model->bodies[side ? f->b : f->a];
            const ph_wrench *Q = side ? &e.b : &e.a;
            if (body->moving < 0) continue;
            s->scale = fmax(s->scale, size_of(s, ph_mul(body->kind->J_inverse, Q->torque),
                                              ph_scale(1.0 / body->kind->mass, Q->force)));
        }
    }
}

static void note_stiffness(void *user, int row, int column, const double *K, const double *C)
{
    solver *s = user;
    const body_kind *kind = s->model->bodies[s->model->moving[row]].kind;
    double most[2] = {0.0, 0.0}; // torque, force
    (void)column, (void)C;
    for (int r = 0; r < 6; r++) {
        double sum = 0.0;
        for (int c = 0; c < 6; c++) sum += fabs(K[6 * r + c]) * (c < 3 ? 1.0 : s->length);
        most[r / 3] = fmax(most[r / 3], sum);
    }
    s->stiff[row] += fmax(most[0] * ph_trace(kind->J_inverse), most[1] / (kind->mass * s->length));
}

// What rounding of the positions makes of the forces on each body.
static void measure_rounding(solver *s)
{
    double reach = s->length;
    memset(s->stiff, 0, sizeof(double) * (size_t)s->model->moving_count);
    rest_linearise(&s->rest, note_stiffness, s);
    for (int k = 0; k < s->model->moving_count; k++)
        reach = fmax(reach, ph_max_abs(s->rest.at.frames[s->model->moving[k]].x));
    for (int k = 0; k < s->model->moving_count; k++) s->stiff[k] *= reach / s->length;
}

// Residual, scale and M a where the solver stands.
static void measure(solver *s)
{
    s->residual = s->excess = 0.0;
    raise_scale(s);
    measure_rounding(s);
    for (int k = 0; k < s->model->moving_count; k++) {
        const body *body = &s->model->bodies[s->model->moving[k]];
        const double *a = s->rest.a + body->velocity;
        const ph_vec3 angular = ph_vec(a[0], a[1], a[2]), linear = ph_vec(a[3], a[4], a[5]);
        const double residual = size_of(s, angular, linear);
        node_put_vectors(s->Ma + body->velocity, ph_mul(body->kind->J, angular), ph_scale(body->kind->mass, linear));
        if (body_is_rotor(body)) continue; // goes as its coordinate does, in units of its own
        s->residual = residual > s->residual || isnan(residual) ? residual : s->residual;
        s->excess = fmax(s->excess, residual - 16.0 * DBL_EPSILON * s->stiff[k]);
    }
}

static int worst_body(const solver *s, ph_statics_report *report)
{
    int worst = PH_NONE;
    double largest = -1.0;
    for (int k = 0; k < s->model->moving_count - s->model->rotor_count; k++) {
        const double *a = s->rest.a + s->model->bodies[s->model->moving[k]].velocity;
        const ph_vec3 angular = ph_vec(a[0], a[1], a[2]), linear = ph_vec(a[3], a[4], a[5]);
        if (size_of(s, angular, linear) > largest) {
            largest = size_of(s, angular, linear);
            worst = s->model->moving[k];
            report->angular_acceleration = ph_norm(angular);
            report->acceleration = ph_norm(linear);
        }
    }
    return worst;
}

// ---- The matrix -----------------------------------------------------------------------------------------------------

// Blocks come by rows, those of the matrix are by columns.
static void add_stiffness(void *user, int row, int column, const double *K, const double *C)
{
    solver *s = user;
    (void)C;
    double *block = row == column ? kkt_body(&s->kkt, row) : kkt_body_pair(&s->kkt, row, column);
    for (int r = 0; block && r < 6; r++)
        for (int c = 0; c < 6; c++) block[6 * c + r] += K[6 * r + c];
}

// The size of the body blocks, as a stiffness against shifts.
static double penalty(solver *s)
{
    double size = 0.0;
    for (int k = 0; k < s->model->moving_count - s->model->rotor_count; k++)
        for (int c = 0; c < 6; c++)
            size = fmax(size, fabs(kkt_body(&s->kkt, k)[7 * c]) / (c < 3 ? s->length * s->length : 1.0));
    return size > 0.0 ? size : 1.0;
}

static void add_penalty(solver *s, int j, double rho)
{
    const joint *joint = &s->model->joints[j];
    const int rows = joint->row_count;
    const double *B = s->rest.at.B + s->rest.mass.joints[j].B;
    for (int a = 0; a < joint->body_count; a++)
        for (int b = 0; b < joint->body_count; b++) {
            double X[36] = {0};
            for (int r = 0; r < rows - joint->rotor_rows; r++) { // a rotor's block is definite by its mass alone
                const bool length = joint_row_is_length(joint, r);
                const double weight = length ? rho : rho * s->length * s->length;
                for (int e = 0; e < 36; e++)
                    X[e] += weight * B[6 * (a * rows + r) + e / 6] * B[6 * (b * rows + r) + e % 6];
            }
            add_stiffness(s, s->model->bodies[joint->bodies[a]].moving, s->model->bodies[joint->bodies[b]].moving, X,
                          NULL);
        }
}

static void assemble(solver *s)
{
    const ph_model *model = s->model;
    kkt_clear_pairs(&s->kkt);
    for (int k = 0; k < model->moving_count; k++) {
        const body *body = &model->bodies[model->moving[k]];
        const ph_mat3 J = ph_mat_scale(s->sigma, body->kind->J);
        node_put_body(kkt_body(&s->kkt, k), &J, s->sigma * body->kind->mass);
        for (int d = 0; body_is_rotor(body) && d < 6; d++) // nothing else holds what a rotor does not use
            if (d < 3 || d - 3 >= body->kind->slides) kkt_body(&s->kkt, k)[7 * d] = 1.0;
    }
    rest_linearise(&s->rest, add_stiffness, s);
    const double rho = penalty(s);
    for (int j = 0; j < model->joint_count; j++) {
        const double *B = s->rest.at.B + s->rest.mass.joints[j].B;
        add_penalty(s, j, rho);
        kkt_set_joint(&s->kkt, j, B, 1.0, B);
    }
}

// d, of at most LARGEST_TURN. false when singular.
static bool find_step(solver *s)
{
    const ph_model *model = s->model;
    double turn = 0.0;
    kkt_take_rows(&s->kkt, &s->rest.mass);
    assemble(s);
    memset(s->kkt.x, 0, sizeof(double) * (size_t)s->kkt.lu.x_count);
    for (int k = 0; k < model->moving_count; k++)
        memcpy(kkt_body_x(&s->kkt, k), s->Ma + model->bodies[model->moving[k]].velocity, 6 * sizeof(double));
    if (!kkt_factor(&s->kkt)) return false;
    kkt_solve(&s->kkt);
    for (int k = 0; k < model->moving_count; k++) {
        const double *x = kkt_body_x(&s->kkt, k);
        memcpy(s->d + model->bodies[model->moving[k]].velocity, x, 6 * sizeof(double));
        turn = fmax(turn, ph_norm(ph_vec(x[0], x[1], x[2])));
    }
    for (int i = 0; turn > LARGEST_TURN && i < model->velocity_count; i++) s->d[i] *= LARGEST_TURN / turn;
    return true;
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

static void displace(const solver *s, ph_state *state, const double *d)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const double *x = d + s->model->bodies[b].velocity;
        state->orientation[b] = ph_quat_unit(ph_quat_mul(state->orientation[b], ph_quat_exp(ph_vec(x[0], x[1], x[2]))));
        state->position[b] = ph_add(state->position[b], ph_vec(x[3], x[4], x[5]));
    }
}

// Goes to the trial if that is good; else `rest` is brought back.
static bool try_step(solver *s)
{
    const int n = s->model->velocity_count;
    const double slope = dot(s->d, s->Ma, n);
    ph_state_copy(s->trial, s->state);
    displace(s, s->trial, s->d);
    bool good = slope > 0.0 && rest_move(&s->rest, s->trial);
    if (good) {
        measure(s);
        good = dot(s->d, s->Ma, n) >= -0.9 * slope && isfinite(s->residual);
    }
    if (good) return ph_state_copy(s->state, s->trial) == PH_OK;
    rest_move(&s->rest, s->state);
    measure(s);
    return false;
}

static bool is_far(const solver *s)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        if (!(ph_norm(ph_sub(s->state->position[b], s->model->bodies[b].position)) < FAR * s->length)) return true;
    }
    return false;
}

// Goes downhill until the residual is as small as it gets. false: there is no equilibrium near.
static bool descend(solver *s)
{
    double best = (double)INFINITY;
    int stuck = 0;
    s->sigma = s->residual;
    while (s->excess > s->def->tolerance * s->scale || isnan(s->residual)) {
        if (s->iterations++ >= s->def->max_iterations || is_far(s)) return false;
        s->sigma = fmax(s->sigma, 1e-9 * s->scale); // for freedoms without stiffness
        if (find_step(s) && try_step(s))
            s->sigma *= 0.1;
        else
            s->sigma *= 10.0;
        stuck = s->residual < 0.5 * best ? 0 : stuck + 1;
        best = fmin(best, s->residual);
        if (stuck >= PATIENCE && s->residual < 1e-7 * s->scale) return true; // rounding of the forces
    }
    return true;
}

// ---- Stability ------------------------------------------------------------------------------------------------------

// From an unstable equilibrium: a small way along the mode that falls away fastest.
static bool kick(solver *s, const ph_mode *mode)
{
    const int own = s->model->moving_count - s->model->rotor_count; // shapes are of bodies; rotors go where these lead
    double turn = 0.0, shift = 0.0;
    for (int k = 0; k < own; k++) {
        const int b = s->model->moving[k];
        turn = fmax(turn, ph_norm(mode->shape[b].omega));
        shift = fmax(shift, ph_norm(mode->shape[b].v) / s->length);
    }
    const double small = 0.02 / fmax(turn, shift);
    memset(s->d, 0, sizeof(double) * (size_t)s->model->velocity_count);
    for (int k = 0; k < own; k++) {
        const int b = s->model->moving[k];
        node_put_vectors(s->d + s->model->bodies[b].velocity, ph_scale(small, mode->shape[b].omega),
                         ph_scale(small, mode->shape[b].v));
    }
    displace(s, s->state, s->d);
    state_count_turns(s->state);
    state_place_rotors(s->state);
    const bool moved = rest_move(&s->rest, s->state);
    measure(s);
    return moved;
}

static ph_status settle(solver *s, ph_statics_report *report, ph_error *error)
{
    for (int k = 0;; k++) {
        if (!descend(s)) return PH_NO_CONVERGENCE;
        report->stability_known = ph_model_freedoms(s->model) <= s->def->max_modes;
        if (!report->stability_known) return PH_OK;
        ph_mode_set *set = NULL;
        const ph_status status = ph_modes(s->model, s->state, &set, error);
        if (status != PH_OK) return status;
        report->stable = set->count == 0 || set->modes[0].eigenvalue >= -1e-9 * s->scale;
        const bool again = !report->stable && k < KICKS && kick(s, &set->modes[0]);
        ph_modes_destroy(set);
        if (!again) return PH_OK;
    }
}

// ---- The call -------------------------------------------------------------------------------------------------------

static bool solver_create(solver *s)
{
    const size_t n = (size_t)s->model->velocity_count + 1;
    s->d = arena_alloc_array(s->memory, n, sizeof(double));
    s->Ma = arena_alloc_array(s->memory, n, sizeof(double));
    s->stiff = arena_alloc_array(s->memory, (size_t)s->model->moving_count, sizeof(double));
    s->state = ph_state_create(s->model);
    s->trial = ph_state_create(s->model);
    return s->d && s->Ma && s->stiff && s->state && s->trial && rest_create(s->model, s->memory, &s->rest) &&
           kkt_create(s->model, KKT_COUPLED, s->memory, &s->kkt);
}

static void leave(solver *s, ph_state *state)
{
    for (size_t i = 0; i < model_places(s->model); i++)
        s->state->velocity[i] = s->state->angular_velocity[i] = ph_zero3();
    ph_state_copy(state, s->state);
    ph_state_touch(state);
}

static ph_status say_failure(const solver *s, const ph_statics_report *report, ph_error *error)
{
    return error_set(
        error, PH_NO_CONVERGENCE,
        "no static equilibrium found: after %d iterations body '%s' still accelerates at %.3g m/s^2 and %.3g "
        "rad/s^2; is it held, and do the forces balance?",
        report->iterations, report->worst_body >= 0 ? s->model->bodies[report->worst_body].name : "none",
        report->acceleration, report->angular_acceleration);
}

// Beside what forces alone would cause; where there are none but rounding, beside what stiffness would.
static double relative_residual(const solver *s)
{
    double scale = s->scale;
    for (int k = 0; k < s->model->moving_count && !(s->excess > 0.0); k++) scale = fmax(scale, s->stiff[k]);
    return scale > 0.0 ? s->residual / scale : 0.0;
}

static ph_status find(solver *s, ph_state *state, ph_statics_report *report, ph_error *error)
{
    if (!solver_create(s)) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    ph_state_copy(s->state, state);
    s->length = model_length(s->model);
    if (!rest_move(&s->rest, s->state))
        return error_set(error, PH_NO_CONVERGENCE, "the state cannot be brought onto the constraints");
    measure(s);
    report->potential_start = system_potential(s->model, &s->rest.at.motion);
    const ph_status status = settle(s, report, error);
    report->iterations = s->iterations;
    report->residual = relative_residual(s);
    report->potential = system_potential(s->model, &s->rest.at.motion);
    if (status == PH_NO_CONVERGENCE) {
        report->worst_body = worst_body(s, report);
        return say_failure(s, report, error);
    }
    if (status == PH_OK) leave(s, state);
    return status;
}

static ph_status check(const ph_model *model, const ph_state *state, const ph_statics_def *def, ph_error *error)
{
    if (!model || !state || !def || state->model != model)
        return error_set(error, PH_BAD_ARGUMENT, "ph_statics needs a model, a state of it and a definition");
    if (def->cookie != STATICS_COOKIE)
        return error_set(error, PH_BAD_ARGUMENT, "a ph_statics_def must start from ph_default_statics()");
    if (!(def->tolerance > 0.0 && def->tolerance < 1.0) || def->max_iterations < 1)
        return error_set(error, PH_BAD_ARGUMENT, "statics needs a tolerance between 0 and 1, and some iterations");
    if (model->has_contact)
        return error_set(error, PH_NOT_SUPPORTED, "bodies of the model collide: statics knows no contact");
    for (int j = 0; j < model->joint_count; j++)
        if (model->joints[j].def->has_limit_low || model->joints[j].def->has_limit_high)
            return error_set(error, PH_NOT_SUPPORTED,
                             "joint '%s' has limits: statics knows no contact to stop it there", model->joints[j].name);
    return PH_OK;
}

ph_status ph_statics(const ph_model *model, ph_state *state, const ph_statics_def *def, ph_statics_report *report,
                     ph_error *error)
{
    ph_statics_report own;
    if (!report) report = &own;
    *report = (ph_statics_report){.worst_body = PH_NONE};
    ph_status status = check(model, state, def, error);
    if (status != PH_OK) return status;
    solver s = {.model = model, .def = def, .memory = arena_create(&model->allocator)};
    status = s.memory ? find(&s, state, report, error) : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    ph_state_destroy(s.state);
    ph_state_destroy(s.trial);
    arena_destroy(s.memory);
    return status;
}
