#include "contact/delassus_trees.h"

#include <math.h>
#include <string.h>

// ---- Life -----------------------------------------------------------------------------------------------------------

// A coordinate under a name of its own is one of another joint.
static const joint *owner_of(const joint *j, int *coordinate)
{
    if (!j->of) return j;
    *coordinate = j->of_coordinate;
    return j->of;
}

// The freedom that a coordinate of a joint is; -1: the joint closes a loop, or a motor prescribes the coordinate.
static int freedom_of(const forest *f, const joint *given, int coordinate)
{
    const joint *j = owner_of(given, &coordinate);
    const int index = (int)(j - f->model->joints);
    for (int side = 0; side < 2; side++) {
        const int i = forest_branch(f, side ? j->b : j->a);
        if (i < 0 || f->branches[i].joint != index) continue;
        const int k = coordinate - (f->branches[i].motion.driven ? 1 : 0);
        return k < 0 ? -1 : f->branches[i].first + k;
    }
    return -1;
}

static bool has_stops(const ph_joint_def *def)
{
    return def->has_limit_low || def->has_limit_high || def->friction > 0.0;
}

// Rows of velocities are no joints of trees; armatures of joints that close loops have no pivot, and a stop of a coordinate that a motor
// prescribes no row.
static bool is_joint_known(const forest *f, const joint *j)
{
    for (int k = 0; k < j->coordinate_count; k++)
        if (joint_root(j, k) > 0.0 && freedom_of(f, j, k) < 0) return false;
    int coordinate = 0;
    const joint *owner = owner_of(j, &coordinate);
    return !(has_stops(j->def) && owner->motor && coordinate == 0);
}

static bool fits(const forest *f)
{
    const ph_model *model = f->model;
    bool known = model->joint_count > 0 && !model->slips;
    for (int j = 0; j < model->joint_count && known; j++) known = is_joint_known(f, &model->joints[j]);
    return known;
}

static void put_armatures(delassus_trees *t)
{
    const ph_model *model = t->forest.model;
    for (int j = 0; j < model->joint_count; j++)
        for (int k = 0; k < model->joints[j].coordinate_count; k++) {
            const double root = joint_root(&model->joints[j], k);
            if (root > 0.0) t->armature[freedom_of(&t->forest, &model->joints[j], k)] += root * root;
        }
}

bool delassus_trees_create(const ph_model *model, arena *memory, delassus_trees **made)
{
    delassus_trees *t = arena_alloc(memory, sizeof *t);
    *made = NULL;
    if (!t || !forest_create(model, false, memory, &t->forest)) return false;
    if (!fits(&t->forest)) return true;
    t->armature = arena_alloc_array(memory, (size_t)t->forest.freedom_count, sizeof *t->armature);
    if (!t->armature || !articulated_create(&t->forest, memory, &t->tree) ||
        !loops_create(&t->tree, memory, &t->loops) || !paths_create(model, &t->tree, &t->loops, memory, &t->paths))
        return false;
    put_armatures(t);
    *made = t;
    return true;
}

void delassus_trees_destroy(delassus_trees *t)
{
    if (t) paths_destroy(&t->paths);
}

bool delassus_trees_has(const delassus_trees *t, const joint *j)
{
    return freedom_of(&t->forest, j, 0) >= 0;
}

// ---- The factor -----------------------------------------------------------------------------------------------------

void delassus_trees_place(delassus_trees *t, const ph_vec3 *position, const ph_quat *orientation)
{
    for (int k = 0; k < t->forest.tree_count; k++) articulated_place(&t->tree, k, position, orientation);
    memcpy(t->tree.soft, t->armature, sizeof(double) * (size_t)t->forest.freedom_count);
}

void delassus_trees_soften(delassus_trees *t, const joint *j, int coordinate, double soft)
{
    const int freedom = freedom_of(&t->forest, j, coordinate);
    if (freedom >= 0) t->tree.soft[freedom] += soft;
}

bool delassus_trees_factor(delassus_trees *t, const frame *frames)
{
    for (int k = 0; k < t->forest.tree_count; k++)
        if (!articulated_factor(&t->tree, k)) return false;
    for (int g = 0; g < t->forest.group_count; g++)
        if (loops_has(&t->loops, g)) loops_make(&t->loops, g, frames);
    return true;
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

static bool add_stop(delassus_trees *t, const delassus *d, int i)
{
    const stop_row *s = &d->stops[i];
    int coordinate = 0;
    const joint *j = owner_of(&d->model->joints[s->joint], &coordinate);
    bool moves;
    return paths_add_coordinate(&t->paths, (int)(j - d->model->joints), coordinate, s->kind == STOP_HIGH ? -1.0 : 1.0,
                                0.0, &d->cones[d->contact_count + i], &moves);
}

bool delassus_trees_rows(delassus_trees *t, const delassus *d, const frame *frames)
{
    paths *p = &t->paths;
    bool ok = true;
    paths_begin(p, frames);
    for (int i = 0; i < d->contact_count && ok; i++) ok = paths_add_contact(p, &d->contacts[i], &d->cones[i]);
    for (int i = 0; i < d->stop_count && ok; i++) ok = add_stop(t, d, i);
    ok = ok && paths_end(p) && paths_reserve_solve(p);
    for (int r = 0; r < p->row_count && ok; r++) p->constant[r] = 0.0; // velocities are measured, motors included
    return ok;
}

// ---- Products -------------------------------------------------------------------------------------------------------

static void begin_still(const paths *p)
{
    memset(p->z, 0, sizeof(double) * (size_t)paths_loose_z(p, p->loose_count));
}

static void put_velocities(const paths *p, double *u)
{
    for (int i = 0; i < p->item_count; i++) paths_velocity(p, &p->items[i], u + p->items[i].row);
}

void delassus_trees_apply(delassus_trees *t, const double *g, double *u)
{
    const paths *p = &t->paths;
    begin_still(p);
    for (int i = 0; i < p->item_count; i++) paths_push(p, &p->items[i], g + p->items[i].row);
    put_velocities(p, u);
}

// No motor moves, and loops stay closed.
static void fall_trees(delassus_trees *t, const screw *wrench)
{
    articulated *a = &t->tree;
    for (int i = 0; i < t->forest.branch_count; i++) {
        const screw *w = &wrench[t->forest.branches[i].moving];
        const ph_vec3 turn = w->angular, move = w->linear;
        a->momentum[i] = (spatial){{turn.x, turn.y, turn.z, move.x, move.y, move.z}};
    }
    memset(a->tau, 0, sizeof(double) * (size_t)t->forest.freedom_count);
    for (int k = 0; k < t->forest.tree_count; k++) articulated_down(a, k, t->paths.z);
    for (int g = 0; g < t->forest.group_count; g++)
        if (loops_has(&t->loops, g)) loops_onto(&t->loops, g, NULL, t->paths.z);
}

void delassus_trees_fall(delassus_trees *t, const screw *wrench, double *u)
{
    paths *p = &t->paths;
    begin_still(p);
    fall_trees(t, wrench);
    for (int k = 0; k < p->loose_count; k++) {
        const screw *w = &wrench[p->loose[k]];
        paths_put_loose(p, k, w->angular, w->linear);
    }
    put_velocities(p, u);
}

// ---- Solving --------------------------------------------------------------------------------------------------------

static bool is_small(const path_island *island)
{
    enum { ROWS_MOST = 120 }; // of which the dense solver takes the matrix
    return island->rows <= ROWS_MOST;
}

static void push_island(paths *p, const path_island *island, const double *g)
{
    for (int k = 0; k < island->count; k++) {
        const path_item *item = paths_item(p, island, k);
        paths_push(p, item, g + item->row);
    }
}

// By the dense solver where it is small; by the general ones where that misses.
static ph_status solve_island(paths *p, int k, ph_cone_workspace *cones, const ph_cone_settings *settings,
                              const double *q, double *g, double *kept, ph_cone_report *report)
{
    const path_island *island = &p->islands[k];
    path_report own = {.residual = HUGE_VAL};
    if (is_small(island))
        own = paths_solve(p, k, &(path_settings){settings->tolerance, settings->iterations}, q, g);
    else
        push_island(p, island, g);
    ph_cone_report rest = {.residual = own.residual, .iterations = own.iterations, .solver = "trees"};
    ph_status status = PH_OK;
    if (own.residual > settings->tolerance) {
        memcpy(kept, g, sizeof(double) * (size_t)p->row_count);
        status = paths_finish(p, k, cones, settings, q, g, &rest);
        if (rest.residual > own.residual) { // then what was there is kept
            paths_replace(p, k, kept, g);
            rest.residual = own.residual;
        }
    }
    report->iterations += rest.iterations;
    report->growths += rest.growths;
    report->residual = rest.residual > report->residual ? rest.residual : report->residual;
    report->solver = rest.solver;
    return status;
}

ph_status delassus_trees_solve(delassus_trees *t, ph_cone_workspace *cones, const ph_cone_settings *settings,
                               const double *q, double *g, double *u, ph_cone_report *report)
{
    paths *p = &t->paths;
    ph_status status = PH_OK;
    *report = (ph_cone_report){.solver = "trees"};
    begin_still(p);
    for (int k = 0; k < p->island_count && status == PH_OK; k++)
        if (p->islands[k].count > 0) status = solve_island(p, k, cones, settings, q, g, u, report);
    put_velocities(p, u);
    for (int r = 0; r < p->row_count; r++) u[r] += q[r];
    return status;
}
