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

// The path vectors of trees solve Coulomb's law, by the solver that they choose.
static bool may_use_trees(const nonsmooth *s)
{
    return strcmp(s->contact.solver, "auto") == 0 && s->contact.law == PH_LAW_COULOMB;
}

// All that depends on velocities acts along freedoms of trees.
static bool damps_freedoms(const nonsmooth *s, const delassus_trees *t)
{
    const damped *d = &s->stages->damped;
    bool all = !s->stages->needs_velocity || d->other_count + d->strut_count == 0;
    for (int k = 0; s->stages->needs_velocity && k < d->drive_count && all; k++)
        all = delassus_trees_has(t, d->drives[k].force->joint);
    return all;
}

static bool create_trees(nonsmooth *s, side *side)
{
    if (!may_use_trees(s)) return true;
    if (!delassus_trees_create(s->model, s->stages->memory, &side->trees)) return false;
    if (side->trees && (side == &s->here || damps_freedoms(s, side->trees))) side->rows.trees = side->trees;
    return true;
}

void nonsmooth_destroy(nonsmooth *s)
{
    if (!s->model) return;
    side *sides[] = {&s->here, &s->there};
    for (int k = 0; k < 2; k++) {
        detector_destroy(sides[k]->detector);
        delassus_trees_destroy(sides[k]->trees);
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
    int growths = s->growths + s->here.rows.growths + s->there.rows.growths;
    if (s->here.trees) growths += s->here.trees->paths.growths + s->there.trees->paths.growths;
    return growths;
}

void nonsmooth_tell(const nonsmooth *s, nonsmooth_news news, const ph_state *state, double x)
{
    if (s->watch) s->watch(s->watcher, s, news, state, x);
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
double nonsmooth_stop_impulse(const side *here, int j, stop_kind kind, bool *closes)
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
            const bool pushes = side == &s->there && nonsmooth_stop_impulse(&s->here, j, kind, &closes) > 0.0;
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

double nonsmooth_largest(const double *x, int count)
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
    settings.tolerance = fmin(s->contact.tolerance, 1e-12 * ph_max(1.0, nonsmooth_largest(s->q, rows->row_count)));
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
    const ph_status status = rows->trees
                                 ? delassus_trees_solve(rows->trees, s->cones, &settings, s->q, g, s->u, &report)
                                 : ph_cone_solve(s->cones, &problem, &settings, g, s->u, &report, NULL);
    s->worst.iterations += report.iterations;
    s->worst.residual = ph_max(s->worst.residual, report.residual);
    s->worst.solver = report.solver ? report.solver : settings.solver;
    s->growths += report.growths;
    return status;
}

// The impulses of a side on momentum and impulse of the stages, times `sign`.
void nonsmooth_push(nonsmooth *s, side *side, const node *at, const double *g, double sign)
{
    delassus_gather(&side->rows, g, s->wrench);
    for (int k = 0; k < s->model->moving_count; k++) {
        body_stage *stage = &s->stages->stage[k];
        const ph_mat3 *R = &at->frames[s->model->moving[k]].R;
        stage->momentum = ph_madd(stage->momentum, sign, ph_tmul(*R, s->wrench[k].angular));
        stage->impulse = ph_madd(stage->impulse, sign, s->wrench[k].linear);
    }
}

// The factor of a side at the configuration of its node: M there and, with dampers, those of the last solve of stage 2.
bool nonsmooth_factor(nonsmooth *s, side *side, node *at, const ph_vec3 *position, const ph_quat *orientation, double h)
{
    delassus_trees *t = side->rows.trees;
    const damped *d = &s->stages->damped;
    const bool damped = side == &s->there && s->stages->needs_velocity && h > 0.0;
    if (!t) return (side == &s->there && s->stages->needs_velocity) || node_factor_mass(s->model, side->kkt, at);
    delassus_trees_place(t, position, orientation);
    for (int k = 0; damped && k < d->drive_count; k++)
        delassus_trees_soften(t, d->drives[k].law.joint, d->drives[k].law.coordinate, damped_soft(d, k, h, at));
    return delassus_trees_factor(t, at->frames);
}

// What stops of joints need; contacts take more when there are more of them than ever before.
static ph_status take_memory(nonsmooth *s, side *side, node *at, ph_error *error)
{
    delassus *rows = &side->rows;
    const variational *v = s->stages;
    node_set_jacobian(s->model, side->kkt, at);
    if (!node_factor_mass(s->model, side->kkt, at) || !nonsmooth_factor(s, side, at, v->position, v->orientation, 0.0))
        return error_set(error, PH_SINGULAR, "the constraints are singular at the start");
    if (!nonsmooth_begin_rows(s, side) || !nonsmooth_add_stops(s, side, at, INFINITY, 1.0) ||
        !nonsmooth_end_rows(s, side) || !RESERVE(s, s, flies, 1) || !RESERVE(s, s, ahead, 1) ||
        !RESERVE(s, s, before, 1))
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    memset(s->q, 0, sizeof(double) * (size_t)rows->row_count);
    if (rows->trees) return PH_OK;
    const ph_cone_problem problem = {rows->cone_count, rows->cones, s->q, delassus_operator(rows)};
    const ph_cone_settings settings = cone_settings(s, rows);
    return ph_cone_prepare(s->cones, &problem, &settings, error);
}

ph_status nonsmooth_create(const ph_model *model, variational *stages, nonsmooth *s, ph_error *error)
{
    const size_t moving = (size_t)model->moving_count;
    arena *memory = stages->memory;
    const bool with_rows = variational_keep_rows(stages); // for the Delassus operator
    *s = (nonsmooth){.model = model, .stages = stages};
    s->contact = model->contact;
    s->cones = ph_cone_workspace_create(&model->allocator);
    s->twist = arena_alloc_array(memory, moving, sizeof *s->twist);
    s->wrench = arena_alloc_array(memory, moving, sizeof *s->wrench);
    s->momentum = arena_alloc_array(memory, moving, sizeof *s->momentum);
    s->impulse = arena_alloc_array(memory, moving, sizeof *s->impulse);
    s->passed = arena_alloc_array(memory, 2 * (size_t)model->joint_count, sizeof *s->passed);
    if (!with_rows || !s->cones || !s->passed || !s->twist || !s->wrench || !s->momentum || !s->impulse)
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    kkt *damped = stages->needs_velocity ? &stages->damped.kkt : NULL;
    ph_status status = create_side(model, &stages->here, NULL, memory, &s->here, error);
    if (status == PH_OK) status = create_side(model, &stages->there, damped, memory, &s->there, error);
    if (status == PH_OK && !(create_trees(s, &s->here) && create_trees(s, &s->there)))
        status = error_set(error, PH_OUT_OF_MEMORY, "out of memory");
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
    return nonsmooth_factor(s, &s->here, &v->here, state->position, state->orientation, h) ? PH_OK : PH_SINGULAR;
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
    return nonsmooth_largest(s->u, n);
}

// First guess of P_1 where there are trees: what the contacts do to the velocities that half of the forces lead to.
static ph_status guess_impulses(nonsmooth *s, const ph_state *state, double h)
{
    const variational *v = s->stages;
    const delassus *rows = &s->here.rows;
    if (!rows->trees || rows->row_count == 0) return PH_OK;
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const ph_mat3 *R = &v->here.frames[b].R;
        s->twist[k] = (screw){ph_mul(*R, state->angular_velocity[b]), state->velocity[b]};
        s->wrench[k] = (screw){ph_scale(0.5 * h, ph_mul(*R, v->here.Q[b].torque)), v->stage[k].impulse};
    }
    delassus_velocities(rows, s->twist, s->q);
    delassus_trees_fall(rows->trees, s->wrench, s->u);
    for (int r = 0; r < rows->row_count; r++) s->q[r] += s->u[r];
    for (int c = 0; c < rows->contact_count; c++) {
        const double gap = s->here.detector->found.list[s->here.of[c]].gap;
        s->q[rows->contacts[c].first] += (gap - floor_of(s, gap, h)) / h;
    }
    for (int c = 0; c < rows->stop_count; c++) {
        const stop_row *stop = &rows->stops[c];
        if (stop->kind == STOP_FRICTION) continue;
        const double now = nonsmooth_limit_distance(s, &v->here, stop->joint, stop->kind);
        s->q[stop->first] += (now - floor_of(s, now, h)) / h;
    }
    return nonsmooth_solve_cones(s, &s->here, s->here.g);
}

// How far the motion of stage 1 has come, with P_1 as it is at every pass.
typedef struct progress {
    bool kept;           // the matrix of the last pass does
    double update, last; // of the unknowns, in this pass and the one before
    double change;       // of P_1, as a velocity: the smallest so far
} progress;

// Stage 1 with P_1 as it is. Where N is at hand by trees, one update: its error is as small as that of P_1, and both shrink together.
static ph_status move_on(nonsmooth *s, const ph_state *state, double h, progress *p, ph_step_report *report)
{
    variational *v = s->stages;
    for (int k = 0; k < s->model->moving_count; k++)
        v->stage[k].momentum = s->momentum[k], v->stage[k].impulse = s->impulse[k];
    nonsmooth_push(s, &s->here, &v->here, s->here.g, 1.0);
    p->last = p->update;
    p->update = 0.0;
    if (!s->here.rows.trees || s->here.rows.row_count == 0) return variational_solve(v, state, h, report);
    const ph_status status = variational_improve(v, state, h, p->kept, &p->update, report);
    p->kept = p->update < 0.5 * p->last; // else with the matrix where the motion has come to
    return status;
}

// Both the motion and P_1 stay, up to rounding: updates shrink by a factor, and the next would be lost in it.
static bool is_solved(const nonsmooth *s, const progress *p, double change, double h)
{
    const double noise = 64.0 * DBL_EPSILON * (fastest(s) + reach(s) / h), ratio = p->update / p->last;
    const bool moved = p->update == 0.0 || (isfinite(p->last) && ratio < 0.1 && 4.0 * ratio * p->update <= 0.1 * noise);
    return moved && (change <= noise || (change > 0.5 * p->change && change <= 1e4 * noise));
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
    progress p = {.update = INFINITY, .change = INFINITY};
    ph_status status = guess_impulses(s, state, h);
    for (int iteration = 0; iteration < MOST && status == PH_OK; iteration++) {
        status = move_on(s, state, h, &p, report);
        if (status == PH_OK) status = nonsmooth_look_ahead(s, state, h);
        if (status != PH_OK || s->here.rows.row_count == 0) return status;
        const double change = improve(s, h, &status);
        if (status != PH_OK) return status;
        if (is_solved(s, &p, change, h)) return variational_turns_too_far(v, h) ? PH_NO_CONVERGENCE : PH_OK;
        p.change = fmin(p.change, change);
        memcpy(s->here.g, s->next, sizeof(double) * (size_t)s->here.rows.row_count);
    }
    if (status != PH_OK) return status;
    s->worst.residual = ph_max(s->worst.residual, p.change);
    return p.change <= s->contact.tolerance && p.update == 0.0 ? PH_OK : PH_NO_CONVERGENCE;
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
