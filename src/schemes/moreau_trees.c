// The step of `moreau` for models with joints: momenta down the trees, contacts as path vectors, velocities up again; then joints
// are placed, and the factor made there is that of the next step.
#include "schemes/moreau_trees.h"

#include "contact/impulses.h"

#include <math.h>
#include <string.h>

// ---- Life -----------------------------------------------------------------------------------------------------------

static bool make_arrays(moreau *m, moreau_trees *t)
{
    const size_t n = (size_t)t->forest.branch_count, z = (size_t)t->forest.freedom_count;
    const size_t trees = (size_t)t->forest.tree_count;
    double **freedoms[] = {&t->kept_soft, &t->soft,      &t->free_z, &t->next_rate,
                           &t->mean_rate, &t->free_rate, &t->scratch};
    bool ok = true;
    for (size_t k = 0; k < sizeof freedoms / sizeof *freedoms; k++)
        ok = (*freedoms[k] = arena_alloc_array(m->memory, z, sizeof(double))) && ok;
    t->kept_place = arena_alloc_array(m->memory, n, sizeof *t->kept_place);
    t->kept_turn = arena_alloc_array(m->memory, n, sizeof *t->kept_turn);
    t->mean = arena_alloc_array(m->memory, n, sizeof *t->mean);
    t->free_twist = arena_alloc_array(m->memory, n, sizeof *t->free_twist);
    t->motor_rate = arena_alloc_array(m->memory, n, sizeof *t->motor_rate);
    t->motor_before = arena_alloc_array(m->memory, n, sizeof *t->motor_before);
    t->motors = arena_alloc_array(m->memory, n, sizeof *t->motors);
    t->placed = arena_alloc_array(m->memory, trees, sizeof *t->placed);
    t->factored = arena_alloc_array(m->memory, trees, sizeof *t->factored);
    t->flies = arena_alloc_array(m->memory, trees, sizeof *t->flies);
    t->tau = arena_alloc_array(m->memory, trees, sizeof *t->tau);
    t->path = arena_alloc_array(m->memory, z, sizeof *t->path);
    t->phi = arena_alloc_array(m->memory, (size_t)t->loops.row_count, sizeof *t->phi);
    t->open_group = arena_alloc_array(m->memory, (size_t)t->forest.group_count, sizeof *t->open_group);
    return ok && t->kept_place && t->kept_turn && t->mean && t->free_twist && t->motor_rate && t->motor_before &&
           t->motors && t->placed && t->factored && t->flies && t->tau && t->path && t->phi && t->open_group;
}

// Bodies that cannot move stand where the model has them.
static void set_held_places(moreau *m)
{
    for (size_t i = 0; i < model_places(m->model); i++) {
        m->bodies.position[i] = m->model->bodies[i].position;
        m->bodies.orientation[i] = m->model->bodies[i].start->orientation;
    }
}

ph_status moreau_trees_create(moreau *m, ph_error *error)
{
    moreau_trees *t = arena_alloc(m->memory, sizeof *t);
    const ph_status failed = PH_OUT_OF_MEMORY;
    if (!t) return error_set(error, failed, "out of memory");
    m->trees = t;
    if (!forest_create(m->model, false, m->memory, &t->forest) ||
        !articulated_create(&t->forest, m->memory, &t->tree) || !loops_create(&t->tree, m->memory, &t->loops) ||
        !advance_create(&t->tree, m->memory, &t->advance) ||
        !paths_create(m->model, &t->tree, &t->loops, m->memory, &t->paths) || !make_arrays(m, t) || !drives_create(m) ||
        !springs_create(m))
        return error_set(error, failed, "out of memory");
    for (int i = 0; i < t->forest.branch_count; i++)
        if (t->forest.branches[i].motion.driven) t->motors[t->motor_count++] = i;
    set_held_places(m);
    return PH_OK;
}

void moreau_trees_destroy(moreau *m)
{
    moreau_trees *t = m->trees;
    if (!t) return;
    void *arrays[] = {t->contacts, t->old, t->bounces, t->shift, t->solved, t->recovery};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(&m->model->allocator, arrays[k]);
    paths_destroy(&t->paths);
}

// ---- Forces ---------------------------------------------------------------------------------------------------------

static void exert(const moreau *m, const force *f)
{
    exertion e = {0};
    f->type->act(f, &m->node.motion, &e);
    wrench_add(&m->node.Q[f->a], 1.0, &e.a);
    wrench_add(&m->node.Q[f->b], 1.0, &e.b);
}

// Backwards nothing is taken at the end of a step: there drives are forces as in all other schemes.
void moreau_trees_set_forces(moreau *m)
{
    const moreau_trees *t = m->trees;
    const ph_model *model = m->model;
    for (size_t i = 0; i < model_places(model); i++) {
        const body *b = &model->bodies[i];
        const ph_vec3 weight = body_is_rotor(b) ? ph_zero3() : ph_scale(b->kind->mass, model->gravity);
        m->node.Q[i] = (ph_wrench){ph_zero3(), weight};
    }
    springs_set(m, m->now.h);
    for (int k = 0; k < t->force_count; k++)
        if (!springs_has(m, t->forces[k])) exert(m, t->forces[k]);
    for (int k = 0; k < t->drive_count && m->now.h < 0.0; k++)
        if (t->drives[k].force) exert(m, t->drives[k].force);
}

static double power_of(const moreau *m, const force *f)
{
    exertion e = {0};
    if (!f->does_work) return 0.0;
    f->type->act(f, &m->node.motion, &e);
    return exertion_power(f, &e, &m->node.motion);
}

double moreau_trees_power(const moreau *m)
{
    const moreau_trees *t = m->trees;
    double power = 0.0;
    for (int k = 0; k < t->force_count; k++)
        if (!springs_has(m, t->forces[k])) power += power_of(m, t->forces[k]);
    for (int k = 0; k < t->drive_count && m->now.h < 0.0; k++)
        if (t->drives[k].force) power += power_of(m, t->drives[k].force);
    return power;
}

// ---- Without contacts -----------------------------------------------------------------------------------------------

// The rate with which a motor gets to its target at the end of the step, where the node's time stands.
static void set_motors(moreau *m)
{
    moreau_trees *t = m->trees;
    for (int n = 0; n < t->motor_count; n++) {
        const int i = t->motors[n];
        const joint *j = &m->model->joints[t->forest.branches[i].joint];
        const double near = m->node.motion.turns ? m->node.motion.turns[j->first_turn + j->coordinates[0].turn] : 0.0;
        const double q = relation_coordinate(j, &t->tree.relations[i], 0, near);
        t->advance.drive_steps[i] = joint_motor_target(j, &m->node.motion).value - q;
        t->motor_before[i] = joint_rate(j, &m->node.motion, 0);
        t->motor_rate[i] = t->advance.drive_steps[i] / m->now.h;
    }
}

void trees_put_motors(moreau_trees *t)
{
    for (int n = 0; n < t->motor_count; n++) {
        const int i = t->motors[n];
        for (int d = 0; d < 6; d++) t->tree.drive[i].v[d] = t->motor_rate[i] * t->tree.drive_column[i].v[d];
    }
}

void trees_stop_motors(moreau_trees *t)
{
    for (int n = 0; n < t->motor_count; n++) t->tree.drive[t->motors[n]] = (spatial){{0}};
}

// Torques of motors without gain in joints that close loops.
static void push_closing(moreau *m)
{
    moreau_trees *t = m->trees;
    for (int n = 0; n < t->drive_count; n++) {
        const tree_drive *d = &t->drives[n];
        const joint *j = &m->model->joints[d->joint];
        joint_line line;
        if (d->branch >= 0 || d->motor_soft > 0.0 || d->motor_given == 0.0) continue;
        joint_line_at(j, &m->node.motion, d->coordinate, &line);
        for (int side = 0; side < 2; side++) {
            const int i = forest_branch(&t->forest, side ? j->b : j->a);
            const ph_wrench *w = side ? &line.b : &line.a;
            if (i < 0) continue;
            const ph_vec3 turn = ph_mul(t->tree.frames[i].R, w->torque);
            const double push[6] = {turn.x, turn.y, turn.z, w->force.x, w->force.y, w->force.z};
            for (int c = 0; c < 6; c++) t->tree.momentum[i].v[c] += d->motor_given * push[c];
        }
    }
}

void trees_put_momenta(moreau *m)
{
    moreau_trees *t = m->trees;
    for (int i = 0; i < t->forest.branch_count; i++) {
        const screw k = moreau_momentum_of(m, t->forest.branches[i].moving);
        articulated_put_momentum(&t->tree, i, k.angular, k.linear);
    }
    drives_put_tau(m);
    push_closing(m);
}

// Velocities along the rows of loops that bring them to where they belong at the end of the step.
static void hold_loops(moreau *m, int group)
{
    moreau_trees *t = m->trees;
    const loop_group *l = &t->loops.groups[group];
    if (!loops_has(&t->loops, group)) return;
    loops_set_constants(&t->loops, group);
    double *phi = t->phi + l->first;
    loops_residual(&t->loops, group, &m->node.motion, phi);
    for (int r = 0; r < l->row_count; r++) phi[r] *= -1.0 / m->now.h;
    loops_onto(&t->loops, group, phi, t->paths.z);
}

static void fall_groups(void *user, int part, int from, int to)
{
    (void)part;
    moreau *m = user;
    moreau_trees *t = m->trees;
    const forest_group *first = &t->forest.groups[from], *last = &t->forest.groups[to - 1];
    for (int k = first->first_tree; k < last->first_tree + last->tree_count; k++)
        articulated_down(&t->tree, k, t->paths.z);
    for (int g = from; g < to; g++) hold_loops(m, g);
}

// z of the forest without impulses
static void fall(moreau *m)
{
    moreau_trees *t = m->trees;
    trees_put_momenta(m);
    trees_put_motors(t);
    for_groups(m, fall_groups);
    memcpy(t->free_z, t->paths.z, sizeof(double) * (size_t)t->forest.freedom_count);
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

#define RESERVE(m, array, count)                                                                                       \
    moreau_reserve(m, &(m)->trees->array, &(m)->trees->array##_room, (count), sizeof *(m)->trees->array)

enum { CONTACTS = 32 }; // that a thread takes at a time

// ... and which of the last step they were.
static void set_contacts(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    impulses_match(held_contacts(m), NULL, held_contacts(m)->count, m->now.state, from, to, m->trees->old);
    for (int i = from; i < to; i++) {
        contact_rows *c = &m->trees->contacts[i];
        const detected found = contacts_at(held_contacts(m), i);
        const pair_surface surface = contacts_surface(held_contacts(m), &found);
        const ph_cone cone = contact_cone(&surface);
        *c = contact_rows_of(m->model, m->node.frames, &found, &cone);
        c->softness = surface.compliance / (m->now.h * m->now.h);
    }
}

static void fill_contacts(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    for (int i = from; i < to; i++) paths_fill_contact(&m->trees->paths, i, &m->trees->contacts[i]);
}

static bool lay_contact(const moreau *m, int i)
{
    moreau_trees *t = m->trees;
    const detected found = contacts_at(held_contacts(m), i);
    const pair_surface surface = contacts_surface(held_contacts(m), &found);
    const ph_cone cone = contact_cone(&surface);
    return paths_lay_contact(&t->paths, &t->contacts[i], &cone);
}

static bool add_rows(moreau *m)
{
    moreau_trees *t = m->trees;
    const int count = held_contacts(m)->count;
    if (!RESERVE(m, contacts, count + 1) || !RESERVE(m, old, count + 1) || !RESERVE(m, bounces, count + 1) ||
        !RESERVE(m, shift, count + 1))
        return false;
    paths_begin(&t->paths, m->node.frames);
    pool_run_ranges(m->pool, set_contacts, m, count, CONTACTS);
    for (int i = 0; i < count; i++)
        if (!lay_contact(m, i)) return false;
    pool_run_ranges(m->pool, fill_contacts, m, count, CONTACTS);
    if (!drives_add_rows(m, m->now.h) || !springs_add_rows(m) || !paths_end(&t->paths) || !linked_begin(m) ||
        !paths_reserve_solve(&t->paths))
        return false;
    const int n = t->paths.row_count + 1;
    return moreau_reserve_rebounds(m) && moreau_reserve(m, &m->rows.g, &m->rows.g_room, n, sizeof(double)) &&
           moreau_reserve(m, &m->rows.u, &m->rows.u_room, n, sizeof(double)) &&
           moreau_reserve(m, &m->rows.q, &m->rows.q_room, n, sizeof(double)) &&
           moreau_reserve(m, &m->rows.raw, &m->rows.raw_room, n, sizeof(double)) &&
           RESERVE(m, solved, t->paths.island_count + 1) && RESERVE(m, recovery, t->paths.item_count + 1);
}

static void put_loose(moreau *m)
{
    paths *p = &m->trees->paths;
    for (int k = 0; k < p->loose_count; k++) {
        const screw momentum = moreau_momentum_of(m, p->loose[k]);
        const ph_mat3 *R = &m->node.frames[m->model->moving[p->loose[k]]].R;
        paths_put_loose(p, k, ph_mul(*R, momentum.angular), momentum.linear);
    }
}

// Velocities along the rows of a contact before the step.
static void set_before(const moreau *m, const contact_rows *c, double *u)
{
    for (int r = 0; r < c->count; r++) u[r] = 0.0;
    for (int side = 0; side < 2; side++) {
        const int k = side ? c->b : c->a;
        if (k < 0) continue;
        const ph_twist *v = &m->bodies.before[m->model->moving[k]];
        const ph_vec3 at = ph_add(v->v, ph_cross(v->omega, side ? c->arm_b : c->arm_a));
        const double sign = side ? 1.0 : -1.0;
        for (int r = 0; r < c->count; r++) {
            const bool spin = r == 5 || (r == 3 && !c->rolls);
            const ph_vec3 axis = c->axes[r < 3 ? r : spin ? 0 : r - 2];
            u[r] += sign * ph_dot(axis, r < 3 ? at : v->omega);
        }
    }
}

// First guesses, and velocities before the step.
static void guess_contacts(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    const moreau_trees *t = m->trees;
    for (int i = from; i < to; i++) {
        const contact_rows *c = &t->contacts[i];
        const int row = t->paths.items[i].row;
        impulses_guess_contact(c, m->now.state, t->old[i], m->now.h, m->rows.g + row);
        set_before(m, c, m->rows.raw + row);
    }
}

// Likewise, and biases, of all rows.
static void set_rows(moreau *m, const ph_state *state)
{
    moreau_trees *t = m->trees;
    const int count = held_contacts(m)->count;
    pool_run_ranges(m->pool, guess_contacts, m, count, CONTACTS);
    tree_flight_begin(m, m->rows.g);
    if (m->detector->shapes.may_bounce && count > 0) tree_flight_pull(m);
    for (int i = 0; i < count; i++) {
        const path_item *item = &t->paths.items[i];
        double u[CONTACT_ROWS_MAX] = {0};
        if (m->detector->shapes.may_bounce) paths_velocity(&t->paths, item, u);
        for (int r = 0; r < item->rows; r++) m->rows.q[item->row + r] = 0.0;
        m->rows.q[item->row] = tree_contact_bias(m, i, &m->rows.raw[item->row], u[0]);
    }
    for (int i = 0; i < count; i++) {
        const int row = t->paths.items[i].row;
        if (t->bounces[i]) m->rows.q[row] = tree_shared_bias(m, i, &m->rows.raw[row]);
    }
    drives_set_rows(m, state, m->now.h, m->rows.q, m->rows.raw, m->rows.g);
    springs_set_rows(m, m->rows.q, m->rows.raw, m->rows.g);
}

// ---- The solve ------------------------------------------------------------------------------------------------------

typedef struct island_task {
    moreau *m;
    path_settings settings;
} island_task;

static void solve_island(void *user, int island)
{
    const island_task *task = user;
    const moreau *m = task->m;
    m->trees->solved[island] = (path_report){0};
    if (m->trees->paths.islands[island].is_shared) return; // beside the heap
    m->trees->solved[island] = paths_solve(&m->trees->paths, island, &task->settings, m->rows.q, m->rows.g);
}

// By the general solvers, where somebody counts digits, or the heap was far off, and it takes no longer than anybody would wait.
static bool may_finish(const moreau *m, const path_island *island)
{
    enum { FINISH_MOST = 2000, FAR_MOST = 6000 }; // rows
    return m->both.far_off ? island->rows <= FAR_MOST : m->contact.tolerance < 1e-5 && island->rows <= FINISH_MOST;
}

// Islands that miss the tolerance, one after the other.
static ph_status finish_islands(moreau *m, const ph_cone_settings *given)
{
    moreau_trees *t = m->trees;
    ph_status status = PH_OK;
    for (int k = 0; k < t->paths.island_count && status == PH_OK; k++) {
        ph_cone_settings settings = *given;
        ph_cone_report own = {0};
        if (t->solved[k].residual <= m->contact.tolerance || !may_finish(m, &t->paths.islands[k])) continue;
        settings.solver = "newton";
        settings.start = true;
        settings.tolerance = m->contact.tolerance;
        settings.iterations = m->both.far_off ? 100 : 60;
        const double before = t->solved[k].residual;
        memcpy(m->rows.u, m->rows.g, sizeof(double) * (size_t)t->paths.row_count);
        status = paths_finish(&t->paths, k, m->cones, &settings, m->rows.q, m->rows.g, &own);
        t->solved[k].iterations += own.iterations;
        t->solved[k].residual = own.residual;
        if (own.residual > before) { // then what was there is kept
            paths_replace(&t->paths, k, m->rows.u, m->rows.g);
            t->solved[k].residual = before;
        }
    }
    return status;
}

// Asks for no more than that overlap does not grow, of contacts and limits of an island. Is that less than before?
static bool ask_less(moreau *m, const path_island *island)
{
    moreau_trees *t = m->trees;
    bool less = false;
    for (int k = 0; k < island->count; k++) {
        const path_item *item = paths_item(&t->paths, island, k);
        const ph_cone_kind kind = t->paths.cones[t->paths.order[island->first + k]].kind;
        if ((kind != PH_CONE_FRICTION && kind != PH_CONE_HALF_LINE) || item->soft > 0.0) continue;
        less = less || m->rows.q[item->row] < 0.0;
        m->rows.q[item->row] = ph_max(m->rows.q[item->row], 0.0);
    }
    return less;
}

// What jams may have no impulses that undo overlap: friction holds whatever would part the bodies. That overlap does not grow
// always has.
static void relent(moreau *m, const path_settings *settings)
{
    moreau_trees *t = m->trees;
    for (int k = 0; k < t->paths.island_count; k++) {
        if (t->solved[k].residual <= m->contact.tolerance || !ask_less(m, &t->paths.islands[k])) continue;
        memset(m->rows.u, 0, sizeof(double) * (size_t)t->paths.row_count);
        paths_replace(&t->paths, k, m->rows.u, m->rows.g);
        t->solved[k] = paths_solve(&t->paths, k, settings, m->rows.q, m->rows.g);
    }
}

static ph_status solve_islands(moreau *m, const ph_cone_settings *settings, ph_cone_report *report)
{
    const moreau_trees *t = m->trees;
    island_task task = {m, {settings->tolerance, settings->iterations}};
    report->iterations = 0;
    report->residual = 0.0;
    report->solver = t->paths.item_count > 0 ? "trees" : NULL;
    pool_run(m->pool, solve_island, &task, t->paths.island_count);
    const ph_status status = finish_islands(m, settings);
    relent(m, &task.settings);
    for (int k = 0; k < t->paths.island_count; k++) {
        if (t->solved[k].iterations > report->iterations) report->iterations = t->solved[k].iterations;
        report->residual = ph_max(report->residual, t->solved[k].residual);
    }
    return status == PH_OK && is_linked(m) ? linked_solve(m, settings, &m->both.report) : status;
}

static void climb_groups(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    moreau_trees *t = m->trees;
    const forest_group *first = &t->forest.groups[from], *last = &t->forest.groups[to - 1];
    for (int k = first->first_tree; k < last->first_tree + last->tree_count; k++)
        articulated_up(&t->tree, k, t->paths.z);
}

// `after` of all bodies, and rates of all freedoms.
static void climb(moreau *m)
{
    moreau_trees *t = m->trees;
    const screw none = {ph_zero3(), ph_zero3()};
    for_groups(m, climb_groups);
    memcpy(t->next_rate, t->tree.rate, sizeof(double) * (size_t)t->forest.freedom_count);
    for (int k = 0; k < m->model->moving_count; k++) {
        const int i = t->forest.branch_of[k], loose = t->paths.loose_of[k];
        if (is_linked(m) && is_of_heap(m, k)) continue; // the heap knows
        if (i >= 0)
            m->bodies.after[k] = (screw){spatial_turn(&t->tree.twist[i]), spatial_move(&t->tree.twist[i])};
        else
            m->bodies.after[k] = loose >= 0 ? paths_loose_twist(&t->paths, loose)
                                            : moreau_free_twist(m, k, moreau_rotation(m, m->model->moving[k]), &none);
    }
}

// ---- The path -------------------------------------------------------------------------------------------------------

static ph_status begin(moreau *m)
{
    if (!trees_enter(m)) return PH_SINGULAR;
    set_motors(m);
    return PH_OK;
}

// Again where something has passed a limit without a row, or a motor its largest force: then that has one.
static ph_status solve(moreau *m, const ph_cone_settings *settings, ph_cone_report *report)
{
    enum { PASSES_MOST = 8 };
    bool again = true;
    for (int pass = 0; pass < PASSES_MOST && again; pass++) {
        if (pass > 0 && !trees_factor_all(m)) return PH_SINGULAR;
        fall(m);
        if (!add_rows(m)) return PH_OUT_OF_MEMORY;
        if (m->now.h < 0.0 && m->trees->paths.item_count > 0) return PH_NOT_SUPPORTED;
        put_loose(m);
        paths_clear_loops(&m->trees->paths);
        set_rows(m, m->now.state);
        recovery_begin(m);
        const ph_status status = solve_islands(m, settings, report);
        if (status != PH_OK) return status;
        paths_close_loops(&m->trees->paths);
        climb(m);
        again = m->now.h > 0.0 && drives_need_rows(m, m->now.h);
    }
    tree_flight_end(m, m->rows.g);
    if (m->trees->recovers) recovery_end(m, &(path_settings){settings->tolerance, settings->iterations});
    return PH_OK;
}

static ph_vec3 impulse_of(const moreau *m, int contact)
{
    const contact_rows *c = &m->trees->contacts[contact];
    const double *g = m->rows.g + m->trees->paths.items[contact].row;
    return ph_madd(ph_madd(ph_scale(g[0], c->axes[0]), g[1], c->axes[1]), g[2], c->axes[2]);
}

static double work_of(moreau *m)
{
    return trees_row_work(m) + drives_work(m, m->now.h, m->rows.g) + springs_work(m, m->now.h, m->rows.g) +
           trees_motor_work(m, trees_put_everything);
}

static bool reserve(const moreau *m, ph_state *state, int more)
{
    return state_reserve_contacts(state, held_contacts(m)->count + more);
}

static void keep(const moreau *m, ph_state *state, int at)
{
    const moreau_trees *t = m->trees;
    for (int i = 0; i < held_contacts(m)->count; i++) {
        const detected found = contacts_at(held_contacts(m), i);
        state->contacts[at + i] =
            impulses_force(&t->contacts[i], held_contacts(m), &found, m->rows.g + t->paths.items[i].row, m->now.h);
    }
    state_set_contacts(state, at + held_contacts(m)->count, 0);
    drives_keep(m, m->rows.g, m->now.h, state);
}

const moreau_path moreau_path_trees = {"trees", begin, solve, {work_of, impulse_of, reserve, keep}};

ph_status moreau_trees_prepare(moreau *m, ph_error *error)
{
    moreau_trees *t = m->trees;
    m->now.h = 1.0;
    springs_set(m, m->now.h);
    for (int n = 0; n < t->stop_count; n++) t->stops[n].listed = true;
    for (int n = 0; n < t->drive_count; n++) {
        t->drives[n].is_row = true;
        t->drives[n].soft = t->drives[n].motor_soft = 1.0;
    }
    for (int k = 0; k < t->forest.tree_count; k++) {
        trees_place(t, k, m->bodies.position, m->bodies.orientation);
        if (!trees_factor(t, k, m->bodies.position, m->bodies.orientation))
            return error_set(error, PH_SINGULAR, "the constraints are singular at the start");
        t->placed[k] = t->factored[k] = false;
    }
    for (int g = 0; g < t->forest.group_count; g++) loops_make(&t->loops, g, m->node.frames);
    return add_rows(m) ? PH_OK : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
}
