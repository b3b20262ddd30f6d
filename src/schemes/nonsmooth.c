#include "schemes/nonsmooth.h"

#include "contact/impulses.h"
#include "math/mat3.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- Life -----------------------------------------------------------------------------------------------------------

// `damped`: the matrix with dampers; NULL: there are none.
static ph_status create_side(const ph_model *model, node *node, kkt *damped, arena *memory, side *side, ph_error *error)
{
    const ph_status status = detector_create(model, &side->detector, error);
    if (status != PH_OK) return status;
    side->kkt = damped ? damped : &side->own;
    if ((!damped && !kkt_create(model, KKT_DECOUPLED, memory, &side->own)) ||
        !delassus_create(model, side->kkt, node, memory, &side->rows))
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    side->rows.damped = damped != NULL;
    return PH_OK;
}

void nonsmooth_destroy(nonsmooth *s)
{
    if (!s->model) return;
    side *sides[] = {&s->here, &s->there};
    for (int k = 0; k < 2; k++) {
        detector_destroy(sides[k]->detector);
        delassus_destroy(&sides[k]->rows);
        mem_free(&s->model->allocator, sides[k]->of);
        mem_free(&s->model->allocator, sides[k]->row);
        mem_free(&s->model->allocator, sides[k]->g);
        mem_free(&s->model->allocator, sides[k]->closes);
    }
    void *arrays[] = {s->u, s->q, s->next, s->before_impact, s->plastic, s->flies, s->ahead, s->before};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(&s->model->allocator, arrays[k]);
    ph_cone_workspace_destroy(s->cones);
}

int nonsmooth_growths(const nonsmooth *s)
{
    return s->growths + s->here.rows.growths + s->there.rows.growths;
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

#define RESERVE(s, owner, array, count)                                                                                \
    mem_reserve_counted(&(s)->model->allocator, &(owner)->array, &(owner)->array##_room, (count),                      \
                        sizeof *(owner)->array, &(s)->growths)

bool nonsmooth_begin_rows(nonsmooth *s, side *side)
{
    delassus_begin(&side->rows);
    const int count = side->detector->found.count + 1;
    if (!RESERVE(s, side, of, count) || !RESERVE(s, side, row, count)) return false;
    for (int i = 0; i < count; i++) side->row[i] = -1;
    return true;
}

pair_surface nonsmooth_surface(const side *side, int i)
{
    return contacts_surface(&side->detector->found, &side->detector->found.list[i]);
}

bool nonsmooth_add_contact(side *side, int i)
{
    const pair_surface surface = nonsmooth_surface(side, i);
    side->row[i] = side->rows.contact_count;
    side->of[side->rows.contact_count] = i;
    return delassus_add_contact(&side->rows, &side->detector->found.list[i], &surface, 0.0);
}

bool nonsmooth_end_rows(nonsmooth *s, side *side)
{
    const int rows = side->rows.row_count + 1;
    const bool ok = delassus_end(&side->rows) && RESERVE(s, side, g, rows) &&
                    RESERVE(s, side, closes, side->rows.cone_count + 1) && RESERVE(s, s, u, rows) &&
                    RESERVE(s, s, q, rows) && RESERVE(s, s, next, rows) && RESERVE(s, s, before_impact, rows) &&
                    RESERVE(s, s, plastic, rows);
    if (ok) memset(side->g, 0, sizeof(double) * (size_t)rows);
    for (int c = 0; c < side->rows.cone_count && ok; c++) side->closes[c] = true;
    return ok;
}

// Impulse that a stop had at q_n, and whether it closed there.
static double stop_impulse(const side *here, int j, stop_kind kind, bool *closes)
{
    for (int i = 0; i < here->rows.stop_count; i++) {
        const stop_row *stop = &here->rows.stops[i];
        if (stop->joint != j || stop->kind != kind) continue;
        *closes = here->closes[here->rows.contact_count + i];
        return here->g[stop->first];
    }
    *closes = true;
    return 0.0;
}

// Which stops of joint j have rows: those within `reach`, those that a step without them would pass, those that already push,
// and all dry friction.
bool nonsmooth_add_stops(nonsmooth *s, side *side, const node *at, double reach, double h)
{
    bool ok = true;
    for (int j = 0; j < s->model->joint_count && ok; j++) {
        const ph_joint_def *def = s->model->joints[j].def;
        for (stop_kind kind = STOP_LOW; kind <= STOP_HIGH && ok; kind++) {
            if (!(kind == STOP_LOW ? def->has_limit_low : def->has_limit_high)) continue;
            bool closes;
            const bool pushes = side == &s->there && stop_impulse(&s->here, j, kind, &closes) > 0.0;
            if (pushes || isinf(reach) || s->passed[2 * j + (int)kind] ||
                nonsmooth_limit_distance(s, at, j, kind) <= reach)
                ok = delassus_add_stop(&side->rows, j, kind, 0.0);
        }
        if (ok && def->friction > 0.0 && h > 0.0)
            ok = delassus_add_stop(&side->rows, j, STOP_FRICTION, h * def->friction);
    }
    return ok;
}

// ---- Velocities -----------------------------------------------------------------------------------------------------

// World twists of (angular, body axes | linear) velocities by body.
void nonsmooth_set_twists(const nonsmooth *s, const node *frames, const ph_twist *velocities)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        s->twist[k] = (screw){ph_mul(frames->frames[b].R, velocities[b].omega), velocities[b].v};
    }
}

// ---- Cone problems --------------------------------------------------------------------------------------------------

static double largest(const double *x, int count)
{
    double size = 0.0;
    for (int k = 0; k < count; k++) size = ph_max(size, fabs(x[k]));
    return size;
}

static ph_cone_settings cone_settings(const nonsmooth *s, const delassus *rows)
{
    ph_cone_settings settings = ph_default_cone();
    const bool is_auto = strcmp(s->contact.solver, "auto") == 0;
    settings.solver = !is_auto ? s->contact.solver : rows->cone_count <= 64 ? "newton" : "apgd";
    settings.law = s->contact.law;
    settings.tolerance = fmin(s->contact.tolerance, 1e-12 * ph_max(1.0, largest(s->q, rows->row_count)));
    settings.iterations = s->contact.iterations;
    settings.start = true;
    return settings;
}

// Impulses g with u = N g + q under the law, from those in g.
ph_status nonsmooth_solve_cones(nonsmooth *s, side *side, double *g)
{
    delassus *rows = &side->rows;
    const ph_cone_problem problem = {rows->cone_count, rows->cones, s->q, delassus_operator(rows)};
    const ph_cone_settings settings = cone_settings(s, rows);
    ph_cone_report report;
    const ph_status status = ph_cone_solve(s->cones, &problem, &settings, g, s->u, &report, NULL);
    s->worst.iterations += report.iterations;
    s->worst.residual = ph_max(s->worst.residual, report.residual);
    s->worst.solver = report.solver ? report.solver : settings.solver;
    s->growths += report.growths;
    return status;
}

// The impulses of a side on momentum and impulse of the stages, times `sign`.
static void push(nonsmooth *s, side *side, const node *at, const double *g, double sign)
{
    delassus_gather(&side->rows, g, s->wrench);
    for (int k = 0; k < s->model->moving_count; k++) {
        body_stage *stage = &s->stages->stage[k];
        const ph_mat3 *R = &at->frames[s->model->moving[k]].R;
        stage->momentum = ph_madd(stage->momentum, sign, ph_tmul(*R, s->wrench[k].angular));
        stage->impulse = ph_madd(stage->impulse, sign, s->wrench[k].linear);
    }
}

// What stops of joints need; contacts take more when there are more of them than ever before.
static ph_status take_memory(nonsmooth *s, side *side, node *at, ph_error *error)
{
    delassus *rows = &side->rows;
    node_set_jacobian(s->model, side->kkt, at);
    if (!node_factor_mass(s->model, side->kkt, at))
        return error_set(error, PH_SINGULAR, "the constraints are singular at the start");
    if (!nonsmooth_begin_rows(s, side) || !nonsmooth_add_stops(s, side, at, INFINITY, 1.0) ||
        !nonsmooth_end_rows(s, side) || !RESERVE(s, s, flies, 1) || !RESERVE(s, s, ahead, 1) ||
        !RESERVE(s, s, before, 1))
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    memset(s->q, 0, sizeof(double) * (size_t)rows->row_count);
    const ph_cone_problem problem = {rows->cone_count, rows->cones, s->q, delassus_operator(rows)};
    const ph_cone_settings settings = cone_settings(s, rows);
    return ph_cone_prepare(s->cones, &problem, &settings, error);
}

ph_status nonsmooth_create(const ph_model *model, variational *stages, nonsmooth *s, ph_error *error)
{
    const size_t moving = (size_t)model->moving_count;
    arena *memory = stages->memory;
    *s = (nonsmooth){.model = model, .stages = stages};
    s->contact = model->contact;
    s->cones = ph_cone_workspace_create(&model->allocator);
    s->twist = arena_alloc_array(memory, moving, sizeof *s->twist);
    s->wrench = arena_alloc_array(memory, moving, sizeof *s->wrench);
    s->momentum = arena_alloc_array(memory, moving, sizeof *s->momentum);
    s->impulse = arena_alloc_array(memory, moving, sizeof *s->impulse);
    s->passed = arena_alloc_array(memory, 2 * (size_t)model->joint_count, sizeof *s->passed);
    if (!s->cones || !s->passed || !s->twist || !s->wrench || !s->momentum || !s->impulse)
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    kkt *damped = stages->needs_velocity ? &stages->damped.kkt : NULL;
    ph_status status = create_side(model, &stages->here, NULL, memory, &s->here, error);
    if (status == PH_OK) status = create_side(model, &stages->there, damped, memory, &s->there, error);
    if (status == PH_OK) status = take_memory(s, &s->here, &stages->here, error);
    if (status == PH_OK) status = take_memory(s, &s->there, &stages->there, error);
    return status;
}

// ---- Stage 1 --------------------------------------------------------------------------------------------------------

ph_status nonsmooth_enter(nonsmooth *s, const ph_state *state, double h)
{
    variational *v = s->stages;
    if (!variational_enter(v, state, h)) return PH_SINGULAR;
    s->worst = (ph_cone_report){0};
    node_set_twists(s->model, state->angular_velocity, state->velocity, &v->here);
    const poses at = poses_of_frames(v->here.frames);
    const movement moving = movement_of_twists(v->here.twists);
    const ph_status status = detector_run(s->here.detector, &at, &moving, h);
    s->growths += s->here.detector->growths;
    if (status != PH_OK) return status;
    const int count = s->here.detector->found.count + 1;
    if (!RESERVE(s, s, flies, count) || !RESERVE(s, s, ahead, count)) return PH_OUT_OF_MEMORY;
    memset(s->flies, 0, sizeof *s->flies * (size_t)count);
    return node_factor_mass(s->model, s->here.kkt, &v->here) ? PH_OK : PH_SINGULAR;
}

// What a gap may be at the end of the step: surfaces that overlap come apart no faster than the recovery speed.
static double floor_of(const nonsmooth *s, double gap, double h)
{
    return fmin(0.0, s->recovers ? gap + h * s->contact.recovery_speed : gap);
}

// (2) at the unknowns as they are, as velocities: gaps by h, and u_+ of the other rows.
static void set_residual(nonsmooth *s, double h, double *w)
{
    variational *v = s->stages;
    delassus *rows = &s->here.rows;
    nonsmooth_set_twists(s, &v->here, v->there.twists);
    delassus_velocities(rows, s->twist, w);
    for (int c = 0; c < rows->contact_count; c++) {
        const int i = s->here.of[c];
        double rate;
        const double gap = nonsmooth_gap_ahead(s, i, h, &rate);
        w[rows->contacts[c].first] = (gap - floor_of(s, s->here.detector->found.list[i].gap, h)) / h;
    }
    for (int c = 0; c < rows->stop_count; c++) {
        const stop_row *stop = &rows->stops[c];
        if (stop->kind == STOP_FRICTION) continue;
        const double now = nonsmooth_limit_distance(s, &v->here, stop->joint, stop->kind);
        w[stop->first] = (nonsmooth_limit_distance(s, &v->there, stop->joint, stop->kind) - floor_of(s, now, h)) / h;
    }
}

static bool set_rows_here(nonsmooth *s, const ph_state *state, double h)
{
    bool ok = nonsmooth_begin_rows(s, &s->here);
    for (int i = 0; i < s->here.detector->found.count && ok && !s->late; i++)
        if (!s->flies[i]) ok = nonsmooth_add_contact(&s->here, i);
    if (!s->late) ok = ok && nonsmooth_add_stops(s, &s->here, &s->stages->here, NONSMOOTH_TOUCH, h);
    ok = ok && nonsmooth_end_rows(s, &s->here);
    if (ok) impulses_guess(&s->here.rows, &s->here.detector->found, s->here.of, state, 0.5 * h, s->here.g);
    return ok;
}

static double fastest(const nonsmooth *s)
{
    double speed = 0.0;
    for (int k = 0; k < s->model->moving_count; k++) {
        const body_stage *stage = &s->stages->stage[k];
        speed = ph_max(speed, ph_max(ph_max_abs(stage->omega), ph_max_abs(stage->v)));
    }
    return speed;
}

static double reach(const nonsmooth *s)
{
    double reach = 0.0;
    for (int k = 0; k < s->model->moving_count; k++)
        reach = ph_max(reach, ph_max_abs(s->stages->position[s->model->moving[k]]));
    return reach;
}

// next <- impulses of the problem linearised with the symmetric operator N, w(P_1) + N (next - P_1); returns the largest
// velocity by which they change.
static double improve(nonsmooth *s, double h, ph_status *status)
{
    delassus *rows = &s->here.rows;
    const ph_cone_operator N = delassus_operator(rows);
    const int n = rows->row_count;
    N.apply(N.self, s->here.g, s->u);
    set_residual(s, h, s->q);
    for (int r = 0; r < n; r++) s->q[r] -= s->u[r];
    memcpy(s->next, s->here.g, sizeof(double) * (size_t)n);
    *status = nonsmooth_solve_cones(s, &s->here, s->next);
    for (int r = 0; r < n; r++) s->q[r] = s->next[r] - s->here.g[r];
    N.apply(N.self, s->q, s->u);
    return largest(s->u, n);
}

static ph_status solve_listed(nonsmooth *s, const ph_state *state, double h, ph_step_report *report)
{
    enum { MOST = 100 };
    variational *v = s->stages;
    if (!variational_enter(v, state, h)) return PH_SINGULAR;
    variational_start(v, state, h);
    if (!set_rows_here(s, state, h)) return PH_OUT_OF_MEMORY;
    for (int k = 0; k < s->model->moving_count; k++)
        s->momentum[k] = v->stage[k].momentum, s->impulse[k] = v->stage[k].impulse;
    double last = INFINITY;
    for (int iteration = 0; iteration < MOST; iteration++) {
        for (int k = 0; k < s->model->moving_count; k++)
            v->stage[k].momentum = s->momentum[k], v->stage[k].impulse = s->impulse[k];
        push(s, &s->here, &v->here, s->here.g, 1.0);
        ph_status status = variational_solve(v, state, h, report);
        if (status == PH_OK) status = nonsmooth_look_ahead(s, state, h);
        if (status != PH_OK || s->here.rows.row_count == 0) return status;
        const double noise = 64.0 * DBL_EPSILON * (fastest(s) + reach(s) / h);
        const double change = improve(s, h, &status);
        if (status != PH_OK || change <= noise || (change > 0.5 * last && change <= 1e4 * noise)) return status;
        last = fmin(last, change);
        memcpy(s->here.g, s->next, sizeof(double) * (size_t)s->here.rows.row_count);
    }
    s->worst.residual = ph_max(s->worst.residual, last);
    return last <= s->contact.tolerance ? PH_OK : PH_NO_CONVERGENCE;
}

ph_status nonsmooth_solve(nonsmooth *s, const ph_state *state, double h, ph_step_report *report)
{
    const size_t size = 2 * sizeof *s->passed * (size_t)s->model->joint_count;
    ph_status status;
    memset(s->passed, 0, size);
    do status = solve_listed(s, state, h, report);
    while (status == PH_OK && !s->late && nonsmooth_passes_limits(s));
    memset(s->passed, 0, size);
    return status;
}

// ---- Stage 2 --------------------------------------------------------------------------------------------------------

// P_1 of contact c of q_n in the axes of contact t of q_{n+1}.
static void carry_contact(const nonsmooth *s, int c, int t)
{
    const contact_rows *from = &s->here.rows.contacts[c], *to = &s->there.rows.contacts[t];
    const double *g = s->here.g + from->first;
    double *carried = s->there.g + to->first;
    const ph_vec3 push = ph_madd(ph_scale(g[1], from->axes[1]), g[2], from->axes[2]);
    carried[0] = g[0], carried[1] = ph_dot(push, to->axes[1]), carried[2] = ph_dot(push, to->axes[2]);
    if (from->rolls) {
        const ph_vec3 roll = ph_madd(ph_scale(g[3], from->axes[1]), g[4], from->axes[2]);
        carried[3] = ph_dot(roll, to->axes[1]), carried[4] = ph_dot(roll, to->axes[2]);
    }
    if (from->count == 4 || from->count == 6) carried[from->count - 1] = g[from->count - 1];
    s->there.closes[t] = s->here.closes[c];
}

// Contacts that close or push, and P_1 carried over to them.
static bool set_rows_there(nonsmooth *s, double h)
{
    const delassus *rows = &s->here.rows;
    bool ok = nonsmooth_begin_rows(s, &s->there);
    for (int t = 0; t < s->there.detector->found.count && ok; t++) {
        const int i = s->before[t];
        if (i >= 0 && s->flies[i]) continue;
        const bool pushes = i >= 0 && !s->late && s->here.g[rows->contacts[s->here.row[i]].first] > 0.0;
        if (pushes || s->there.detector->found.list[t].gap <= NONSMOOTH_TOUCH) ok = nonsmooth_add_contact(&s->there, t);
    }
    ok = ok && nonsmooth_add_stops(s, &s->there, &s->stages->there, NONSMOOTH_TOUCH, h) &&
         nonsmooth_end_rows(s, &s->there);
    for (int t = 0; t < s->there.rows.contact_count && ok; t++) {
        const int i = s->before[s->there.of[t]];
        if (i >= 0 && !s->late) carry_contact(s, s->here.row[i], t);
    }
    for (int t = 0; t < s->there.rows.stop_count && ok; t++) {
        const stop_row *stop = &s->there.rows.stops[t];
        s->there.g[stop->first] =
            stop_impulse(&s->here, stop->joint, stop->kind, &s->there.closes[s->there.rows.contact_count + t]);
    }
    return ok;
}

// The solution of a system with the mass matrix, as world twists.
static void read_twists(nonsmooth *s, kkt *kkt, const node *at)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const double *v = kkt_body_x(kkt, k);
        const ph_mat3 *R = &at->frames[s->model->moving[k]].R;
        s->twist[k] = (screw){ph_mul(*R, ph_vec(v[0], v[1], v[2])), ph_vec(v[3], v[4], v[5])};
    }
}

// Whether the friction impulses g of a cone are as large as they may be: it slips, in one of its parts.
static bool slips(const ph_cone *c, const double *g)
{
    const double nearly = 1.0 - 1e-6, spin = c->spins ? fabs(g[ph_cone_rows(c) - 1]) : 0.0;
    if (c->kind == PH_CONE_INTERVAL) return !(g[0] > nearly * c->low && g[0] < nearly * c->high);
    if (c->kind != PH_CONE_FRICTION) return false;
    return sqrt(g[1] * g[1] + g[2] * g[2]) >= nearly * c->friction * g[0] ||
           (c->rolls && sqrt(g[3] * g[3] + g[4] * g[4]) >= nearly * c->rolling * g[0]) ||
           (c->spins && spin >= nearly * c->spinning * g[0]);
}

// Work of the impulses g of one stage, part of `whole`, from the velocities u before and w after it. Impulses of contacts that last, and friction
// that holds, are those of constraints, whose work is the scheme's own error; where a contact closes they take energy out.
contact_work nonsmooth_work(const side *side, const double *whole, const double *g, const double *u, const double *w)
{
    const delassus *rows = &side->rows;
    contact_work work = {0.0, 0.0};
    for (int c = 0, r = 0; c < rows->cone_count; c++) {
        const int end = r + ph_cone_rows(&rows->cones[c]);
        const bool has_normal = rows->cones[c].kind != PH_CONE_INTERVAL;
        const bool works = side->closes[c] || slips(&rows->cones[c], whole + r);
        if (has_normal && side->closes[c]) work.impact += 0.5 * g[r] * (u[r] + w[r]);
        for (r += has_normal; r < end; r++) work.friction += works ? 0.5 * g[r] * (u[r] + w[r]) : 0.0;
    }
    return work;
}

// Work of P_1: from v_n to (Omega_+, v_+) at q_n. Contacts that did not push before close now.
static contact_work work_here(nonsmooth *s, const ph_state *state, double h)
{
    const variational *v = s->stages;
    side *here = &s->here;
    impulses_guess(&here->rows, &here->detector->found, here->of, state, h, s->next);
    for (int c = 0, r = 0; c < here->rows.cone_count; r += ph_cone_rows(&here->rows.cones[c++]))
        here->closes[c] = !(s->next[r] > 0.0);
    nonsmooth_set_twists(s, &v->here, v->here.twists);
    delassus_velocities(&here->rows, s->twist, s->u);
    nonsmooth_set_twists(s, &v->here, v->there.twists);
    delassus_velocities(&here->rows, s->twist, s->q);
    return nonsmooth_work(here, here->g, here->g, s->u, s->q);
}

// The work of P - P_1, from (Omega_+, v_+) to the velocities that solve (4); there.g becomes P - P_1.
static void add_work_there(nonsmooth *s, contact_work *work)
{
    variational *v = s->stages;
    side *there = &s->there;
    for (int k = 0; k < s->model->moving_count; k++) {
        const ph_mat3 *R = &v->there.frames[s->model->moving[k]].R;
        s->twist[k] = (screw){ph_mul(*R, v->stage[k].omega), v->stage[k].v};
    }
    delassus_velocities(&there->rows, s->twist, s->q);
    read_twists(s, &v->kkt, &v->there);
    delassus_velocities(&there->rows, s->twist, s->u);
    for (int r = 0; r < there->rows.row_count; r++) there->g[r] = s->next[r] - there->g[r];
    const contact_work second = nonsmooth_work(there, s->next, there->g, s->q, s->u);
    work->friction += second.friction;
    work->impact += second.impact;
}

// P into s->next, from the momenta without P_1; the momenta then hold it. Returns the work of P - P_1.
static ph_status solve_there(nonsmooth *s, const ph_state *state, contact_work *work)
{
    variational *v = s->stages;
    side *there = &s->there;
    const int n = there->rows.row_count;
    push(s, there, &v->there, there->g, -1.0);
    variational_put_momentum(v, state, there->kkt);
    delassus_solve(&there->rows);
    read_twists(s, there->kkt, &v->there);
    delassus_velocities(&there->rows, s->twist, s->q);
    for (int r = 0; r < n; r++) s->next[r] = 2.0 * there->g[r];
    const ph_status status = nonsmooth_solve_cones(s, there, s->next);
    if (status != PH_OK) return status;
    push(s, there, &v->there, s->next, 1.0);
    variational_project(v, state);
    add_work_there(s, work);
    return PH_OK;
}

// next <- impulses for the velocities v of `there`, which those in `held` have led to and answer to others by N.
static ph_status respond(nonsmooth *s, const double *held)
{
    side *there = &s->there;
    const ph_cone_operator N = delassus_operator(&there->rows);
    nonsmooth_set_twists(s, &s->stages->there, s->stages->there.twists);
    delassus_velocities(&there->rows, s->twist, s->q);
    N.apply(N.self, held, s->u);
    for (int r = 0; r < there->rows.row_count; r++) s->q[r] -= s->u[r];
    return nonsmooth_solve_cones(s, there, s->next);
}

// The same where forces depend on the velocity: (3) with A = M - h/2 dQ/dv, which answers for dampers as they are at v. Where these
// are straight lines along joints one pass is all; else again until the impulses stay.
static ph_status solve_there_damped(nonsmooth *s, const ph_state *state, double h, contact_work *work)
{
    enum { PASSES_MOST = 20 };
    variational *v = s->stages;
    side *there = &s->there;
    const int n = there->rows.row_count;
    const bool once = v->damped.linear && v->damped.other_count == 0;
    double *held = s->before_impact, *change = s->plastic, moved = INFINITY;
    memcpy(held, there->g, sizeof(double) * (size_t)n);
    for (int r = 0; r < n; r++) s->next[r] = 2.0 * held[r];
    if (!variational_damp_again(v, state, h)) return PH_NO_CONVERGENCE; // detection has left (Omega_+, v_+) in the node
    for (int pass = 0; pass < PASSES_MOST && moved > 1e-14 * largest(s->next, n); pass++) {
        const ph_status status = respond(s, held);
        if (status != PH_OK) return status;
        for (int r = 0; r < n; r++) change[r] = s->next[r] - held[r];
        memcpy(held, s->next, sizeof(double) * (size_t)n);
        push(s, there, &v->there, change, 1.0);
        if (!variational_damp_again(v, state, h)) return PH_NO_CONVERGENCE;
        moved = once ? 0.0 : largest(change, n);
    }
    variational_project(v, state);
    add_work_there(s, work);
    return PH_OK;
}

ph_status nonsmooth_finish(nonsmooth *s, ph_state *state, double h, ph_step_report *report)
{
    variational *v = s->stages;
    contact_work work = work_here(s, state, h);
    ph_status status = variational_arrive(v, state, h, report);
    if (status == PH_OK) status = nonsmooth_look_ahead(s, state, h);
    if (status != PH_OK) return status;
    if (!v->needs_velocity && !node_factor_mass(s->model, s->there.kkt, &v->there)) return PH_SINGULAR;
    if (!set_rows_there(s, h) || !state_reserve_contacts(state, s->there.rows.contact_count)) return PH_OUT_OF_MEMORY;
    if (s->there.rows.row_count == 0)
        variational_project(v, state);
    else
        status = v->needs_velocity ? solve_there_damped(s, state, h, &work) : solve_there(s, state, &work);
    if (status == PH_OK && !variational_finite(v))
        status = variational_fail(v, PH_NOT_FINITE, report, "try a smaller step");
    if (status != PH_OK) return status;
    impulses_keep(&s->there.rows, &s->there.detector->found, s->there.of, s->next, h, 0, state);
    variational_leave(v, state, h);
    state_add_work(state, work);
    return PH_OK;
}
