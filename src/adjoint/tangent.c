#include "adjoint/tangent.h"

#include "dynamics/linearise.h"
#include "math/mat3.h"

#include <string.h>

// ---- What elements depend on ----------------------------------------------------------------------------------------

enum { BODIES_MAX = 64, RANGES_MAX = 64 };

typedef struct collector {
    int bodies[BODIES_MAX], body_count;
    range ranges[RANGES_MAX];
    int range_count;
} collector;

static void add_body(collector *c, int body)
{
    for (int k = 0; k < c->body_count; k++)
        if (c->bodies[k] == body) return;
    if (c->body_count < BODIES_MAX) c->bodies[c->body_count++] = body;
}

static void add_range(collector *c, int at, size_t count)
{
    for (int k = 0; k < c->range_count; k++)
        if (c->ranges[k].at == at) return;
    if (at >= 0 && count > 0 && c->range_count < RANGES_MAX) c->ranges[c->range_count++] = (range){at, (int)count};
}

static void add_joint(collector *c, const numbers *n, const joint *j)
{
    const size_t size = sizeof(joint_gradient) / sizeof(double);
    add_body(c, j->a);
    add_body(c, j->b);
    add_range(c, n->joints + (int)((size_t)(j - n->model->joints) * size), size);
}

static void add_values(collector *c, const numbers *n, const value *values, int count)
{
    for (int k = 0; k < count; k++)
        for (int i = 0; i < values[k].variable_count; i++)
            if (values[k].variables[i].joint) add_joint(c, n, values[k].variables[i].joint);
}

static void look_at_joint(collector *c, const numbers *n, int index)
{
    const joint *j = &n->model->joints[index];
    for (int k = 0; k < j->body_count; k++) add_body(c, j->bodies[k]);
    if (!j->gear) add_joint(c, n, j);
    for (int k = 0; k < 2 && j->gear; k++) add_joint(c, n, j->gear->joints[k]);
    const size_t size = sizeof(joint_gradient) / sizeof(double);
    add_range(c, n->joints + (int)((size_t)index * size), size);
}

static void look_at_force(collector *c, const numbers *n, int index)
{
    const force *f = &n->model->forces[index];
    const size_t size = sizeof(force_gradient) / sizeof(double);
    int values = 0;
    add_body(c, f->a);
    add_body(c, f->b);
    for (int k = 0; k < f->other_count; k++) add_body(c, f->others[k]);
    add_range(c, n->forces + (int)((size_t)index * size), size);
    add_range(c, n->matrices[index], 72);
    for (int k = 0; k < f->value_count; k++) values += value_numbers(&f->values[k], NULL);
    add_range(c, n->values[index], (size_t)values);
    if (f->joint) add_joint(c, n, f->joint);
    add_values(c, n, f->values, f->value_count);
}

static bool is_active(const tangent *t, const collector *c, int column)
{
    const double *d = t->directions ? t->directions[column] : NULL;
    for (int k = 0; d && k < c->range_count; k++)
        for (int i = 0; i < c->ranges[k].count; i++)
            if (d[c->ranges[k].at + i] != 0.0) return true;
    return false;
}

static bool keep(const tangent *t, const collector *c, arena *memory, element *e)
{
    e->body_count = c->body_count;
    e->range_count = c->range_count;
    e->bodies = arena_alloc_array(memory, (size_t)c->body_count + 1, sizeof(int));
    e->ranges = arena_alloc_array(memory, (size_t)c->range_count + 1, sizeof(range));
    e->active = arena_alloc_array(memory, (size_t)t->columns, sizeof(bool));
    if (!e->bodies || !e->ranges || !e->active) return false;
    memcpy(e->bodies, c->bodies, sizeof(int) * (size_t)c->body_count);
    memcpy(e->ranges, c->ranges, sizeof(range) * (size_t)c->range_count);
    for (int k = 0; k < t->columns; k++) e->active[k] = is_active(t, c, k);
    return true;
}

static bool look(tangent *t, arena *memory)
{
    const numbers *n = &t->s->numbers;
    bool ok = true;
    for (int j = 0; j < n->model->joint_count && ok; j++) {
        collector c = {0}, m = {0};
        look_at_joint(&c, n, j);
        const joint_motor *motor = n->model->joints[j].motor;
        if (motor) add_range(&m, n->motor_values[j], (size_t)value_numbers(motor->value, NULL));
        ok = keep(t, &c, memory, &t->joints[j]) && keep(t, &m, memory, &t->motors[j]);
    }
    for (int k = 0; k < n->model->force_count && ok; k++) {
        collector c = {0};
        look_at_force(&c, n, k);
        ok = keep(t, &c, memory, &t->forces[k]);
    }
    return ok;
}

// ---- Life -----------------------------------------------------------------------------------------------------------

bool tangent_create(sweep *s, int columns, const double **directions, arena *memory, tangent *t)
{
    const ph_model *model = s->model;
    const size_t places = model_places(model), all = places * (size_t)columns, rows = (size_t)model->row_count + 1;
    *t = (tangent){.s = s, .columns = columns, .directions = directions, .places = places};
    t->joints = arena_alloc_array(memory, (size_t)model->joint_count + 1, sizeof(element));
    t->motors = arena_alloc_array(memory, (size_t)model->joint_count + 1, sizeof(element));
    t->forces = arena_alloc_array(memory, (size_t)model->force_count + 1, sizeof(element));
    t->q = arena_alloc_array(memory, all, sizeof(ph_twist));
    t->v = arena_alloc_array(memory, all, sizeof(ph_twist));
    t->plus = arena_alloc_array(memory, all, sizeof(ph_twist));
    t->momentum = arena_alloc_array(memory, all, sizeof(ph_wrench));
    t->targets = arena_alloc_array(memory, (size_t)columns * ((size_t)model->target_count + 1), sizeof(double));
    t->rows = arena_alloc_array(memory, (size_t)columns * rows, sizeof(double));
    t->by_q = arena_alloc_array(memory, places, sizeof(ph_wrench));
    t->by_v = arena_alloc_array(memory, places, sizeof(ph_wrench));
    t->by_numbers = arena_alloc_array(memory, (size_t)s->numbers.count, sizeof(double));
    t->by_inputs = arena_alloc_array(memory, (size_t)model->input_count + 1, sizeof(double));
    t->unit = arena_alloc_array(memory, places, sizeof(ph_twist));
    if (!t->joints || !t->motors || !t->forces || !t->q || !t->v || !t->plus || !t->momentum || !t->targets ||
        !t->rows || !t->by_q || !t->by_v || !t->by_numbers || !t->by_inputs || !t->unit)
        return false;
    memset(t->by_q, 0, places * sizeof(ph_wrench));
    memset(t->by_v, 0, places * sizeof(ph_wrench));
    memset(t->unit, 0, places * sizeof(ph_twist));
    memset(t->q, 0, all * sizeof(ph_twist));
    memset(t->v, 0, all * sizeof(ph_twist));
    memset(t->by_numbers, 0, sizeof(double) * (size_t)s->numbers.count);
    memset(t->by_inputs, 0, sizeof(double) * (size_t)model->input_count);
    return look(t, memory);
}

static const body_gradient *body_direction(const tangent *t, int column, int moving)
{
    return t->directions ? &numbers_bodies(&t->s->numbers, (double *)t->directions[column])[moving] : NULL;
}

void tangent_begin(tangent *t)
{
    const ph_model *model = t->s->model;
    for (int c = 0; c < t->columns; c++) {
        for (int k = 0; k < model->moving_count; k++) {
            const body_gradient *d = body_direction(t, c, k);
            const size_t at = (size_t)c * t->places + (size_t)model->moving[k];
            if (!d) continue;
            t->q[at] = (ph_twist){d->rotation, d->position};
            t->v[at] = (ph_twist){d->angular_velocity, d->velocity};
        }
        for (int j = 0; j < model->joint_count; j++) {
            const joint_motor *motor = model->joints[j].motor;
            if (motor && motor->by_speed)
                t->targets[c * model->target_count + motor->target] =
                    t->directions ? numbers_joints(&t->s->numbers, (double *)t->directions[c])[j].start : 0.0;
        }
    }
}

// ---- One row of an element along all columns -------------------------------------------------------------------------

static double pair(const ph_wrench *g, const ph_twist *x)
{
    return ph_dot(g->torque, x->omega) + ph_dot(g->force, x->v);
}

// The gradient at hand along column c.
static double along(const tangent *t, const element *e, int c)
{
    const size_t first = (size_t)c * t->places;
    const double *d = t->directions ? t->directions[c] : NULL;
    double sum = 0.0;
    for (int k = 0; k < e->body_count; k++) {
        const size_t b = (size_t)e->bodies[k];
        sum += pair(&t->by_q[b], &t->q[first + b]) + pair(&t->by_v[b], &t->v[first + b]);
    }
    for (int k = 0; d && e->active[c] && k < e->range_count; k++)
        for (int i = e->ranges[k].at; i < e->ranges[k].at + e->ranges[k].count; i++) sum += t->by_numbers[i] * d[i];
    for (int k = 0; d && !t->inputs_given && k < t->s->model->input_count; k++)
        sum += t->by_inputs[k] * d[t->s->numbers.inputs + k];
    return sum;
}

static void forget(tangent *t, const element *e)
{
    for (int k = 0; k < e->body_count; k++)
        t->by_q[e->bodies[k]] = t->by_v[e->bodies[k]] = (ph_wrench){ph_zero3(), ph_zero3()};
    for (int k = 0; k < e->range_count; k++)
        memset(t->by_numbers + e->ranges[k].at, 0, sizeof(double) * (size_t)e->ranges[k].count);
    memset(t->by_inputs, 0, sizeof(double) * (size_t)t->s->model->input_count);
}

static double *entry(ph_wrench *w, int k)
{
    double *at[6] = {&w->torque.x, &w->torque.y, &w->torque.z, &w->force.x, &w->force.y, &w->force.z};
    return at[k];
}

static double *twist_entry(ph_twist *w, int k)
{
    double *at[6] = {&w->omega.x, &w->omega.y, &w->omega.z, &w->v.x, &w->v.y, &w->v.z};
    return at[k];
}

// ---- Joints ---------------------------------------------------------------------------------------------------------

static pull_to joints_to(const tangent *t)
{
    return (pull_to){t->by_q, numbers_joints(&t->s->numbers, t->by_numbers), t->s->model->joints};
}

// momentum += scale d(B^T lambda)
static void add_reactions(tangent *t, const node *at, double scale, const double *lambda)
{
    const pull_to to = joints_to(t);
    for (int j = 0; j < t->s->model->joint_count; j++) {
        const joint *joint = &t->s->model->joints[j];
        for (int i = 0; i < 6 * joint->body_count; i++) {
            const int body = joint->bodies[i / 6];
            *twist_entry(&t->unit[body], i % 6) = 1.0;
            joint_pull(joint, &at->motion, NULL, lambda + joint->first_row, t->unit, &to);
            *twist_entry(&t->unit[body], i % 6) = 0.0;
            for (int c = 0; c < t->columns; c++)
                *entry(&t->momentum[(size_t)c * t->places + (size_t)body], i % 6) += scale * along(t, &t->joints[j], c);
            forget(t, &t->joints[j]);
        }
    }
}

// rows += scale d(Phi), or scale d(B w) where w is given; without what the motion of bodies adds to Phi unless `moved`.
static void add_rows(tangent *t, const node *at, double scale, const ph_twist *w)
{
    const pull_to to = joints_to(t);
    const ph_model *model = t->s->model;
    for (int j = 0; j < model->joint_count; j++) {
        const joint *joint = &model->joints[j];
        for (int r = 0; r < joint->row_count; r++) {
            double one[JOINT_ROWS_MAX] = {0};
            one[r] = 1.0;
            joint_pull(joint, &at->motion, w ? NULL : one, w ? one : NULL, w, &to);
            for (int c = 0; c < t->columns; c++)
                t->rows[c * model->row_count + joint->first_row + r] += scale * along(t, &t->joints[j], c);
            forget(t, &t->joints[j]);
        }
    }
}

// rows of motors -= scale times the change of their targets, or of the rates of these
static void add_motors(tangent *t, const node *at, double scale, bool rate)
{
    const ph_model *model = t->s->model;
    for (int j = 0; j < model->joint_count && model->motor_count > 0; j++) {
        const joint *joint = &model->joints[j];
        if (!joint->motor) continue;
        joint_motor_pull(joint, &at->motion, rate ? 0.0 : 1.0, rate ? 1.0 : 0.0, t->by_inputs,
                         t->by_numbers + t->s->numbers.motor_values[j]);
        for (int c = 0; c < t->columns; c++) {
            double change = along(t, &t->motors[j], c);
            if (joint->motor->by_speed && !rate) change += t->targets[c * model->target_count + joint->motor->target];
            t->rows[c * model->row_count + joint->first_row + joint_motor_row(joint)] -= scale * change;
        }
        forget(t, &t->motors[j]);
    }
}

static void move_targets(tangent *t, const node *at)
{
    const ph_model *model = t->s->model;
    for (int j = 0; j < model->joint_count && model->target_count > 0; j++) {
        const joint *joint = &model->joints[j];
        if (!joint->motor || !joint->motor->by_speed) continue;
        joint_motor_pull(joint, &at->motion, 1.0, 0.0, t->by_inputs, t->by_numbers + t->s->numbers.motor_values[j]);
        for (int c = 0; c < t->columns; c++)
            t->targets[c * model->target_count + joint->motor->target] += along(t, &t->motors[j], c);
        forget(t, &t->motors[j]);
    }
}

// ---- Forces ---------------------------------------------------------------------------------------------------------

// momentum += scale dQ; by velocities too where that is wanted
static void add_force(tangent *t, const node *at, double scale, int index, bool velocities)
{
    const force *f = &t->s->model->forces[index];
    const numbers *n = &t->s->numbers;
    const force_pull_to to = {.q = t->by_q,
                              .v = velocities ? t->by_v : NULL,
                              .inputs = t->by_inputs,
                              .joints = {NULL, numbers_joints(n, t->by_numbers), n->model->joints},
                              .own = &numbers_forces(n, t->by_numbers)[index],
                              .matrices = n->matrices[index] < 0 ? NULL : t->by_numbers + n->matrices[index],
                              .values = n->values[index] < 0 ? NULL : t->by_numbers + n->values[index]};
    for (int i = 0; i < 12; i++) {
        const int body = i < 6 ? f->a : f->b;
        if (n->model->bodies[body].moving < 0) continue;
        *twist_entry(&t->unit[body], i % 6) = 1.0;
        force_pull(f, &at->motion, t->unit, 1.0, &to);
        *twist_entry(&t->unit[body], i % 6) = 0.0;
        for (int c = 0; c < t->columns; c++)
            *entry(&t->momentum[(size_t)c * t->places + (size_t)body], i % 6) += scale * along(t, &t->forces[index], c);
        forget(t, &t->forces[index]);
    }
}

static void add_forces(tangent *t, const node *at, double scale, bool velocities)
{
    const ph_model *model = t->s->model;
    for (int c = 0; c < t->columns && t->directions; c++) {
        const double *d = t->directions[c];
        for (int k = 0; k < model->moving_count; k++) {
            const int b = model->moving[k];
            ph_wrench *m = &t->momentum[(size_t)c * t->places + (size_t)b];
            if (body_is_rotor(&model->bodies[b])) continue;
            m->force = ph_madd(m->force, scale * body_direction(t, c, k)->mass, model->gravity);
            m->force = ph_madd(m->force, scale * model->bodies[b].kind->mass, ph_vec(d[0], d[1], d[2]));
        }
    }
    for (int k = 0; k < model->force_count; k++) add_force(t, at, scale, k, velocities);
}

// ---- Stages ---------------------------------------------------------------------------------------------------------

static void set_motion(node *at, const tape_record *r, double time)
{
    at->motion.time = time;
    at->motion.inputs = r->inputs;
    at->motion.turns = r->turns;
    at->motion.targets = r->targets;
    at->motion.target_time = r->head->target_time;
}

static void place(sweep *s, const tape_record *r, node *at)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        at->frames[s->model->moving[k]] = (frame){ph_quat_to_mat(r->node[k].orientation), r->node[k].position};
        at->twists[s->model->moving[k]] = r->node[k].v;
    }
    node_set_jacobian(s->model, &s->kkt, at);
    if (s->kkt.tree) node_set_grips(&s->kkt, at, NULL);
}

static void solve(tangent *t, kkt *m, int c, ph_twist *to)
{
    const ph_model *model = t->s->model;
    const size_t first = (size_t)c * t->places;
    for (int k = 0; k < model->moving_count; k++) {
        const ph_wrench *p = &t->momentum[first + (size_t)model->moving[k]];
        node_put_vectors(kkt_body_x(m, k), p->torque, p->force);
    }
    for (int j = 0; j < model->joint_count; j++)
        memcpy(kkt_joint_x(m, j), t->rows + c * model->row_count + model->joints[j].first_row,
               sizeof(double) * (size_t)model->joints[j].row_count);
    kkt_solve(m);
    for (int k = 0; k < model->moving_count; k++) {
        const double *x = kkt_body_x(m, k);
        to[first + (size_t)model->moving[k]] = (ph_twist){ph_vec(x[0], x[1], x[2]), ph_vec(x[3], x[4], x[5])};
    }
}

static void clear(tangent *t)
{
    memset(t->momentum, 0, sizeof(ph_wrench) * t->places * (size_t)t->columns);
    memset(t->rows, 0, sizeof(double) * (size_t)t->columns * (size_t)t->s->model->row_count);
}

// d(M V_n) - d_theta G, of body k in column c
static void put_start(tangent *t, const tape_record *r, int c, int k, bool shown_before)
{
    const int b = t->s->model->moving[k];
    const body_kind *kind = t->s->model->bodies[b].kind;
    const size_t at = (size_t)c * t->places + (size_t)b;
    const body_gradient *d = body_direction(t, c, k);
    const ph_twist *v = &t->v[at];
    ph_wrench *m = &t->momentum[at];
    ph_quat F;
    *m =
        shown_before ? (ph_wrench){ph_mul(kind->J, v->omega), ph_scale(kind->mass, v->v)} : (ph_wrench){v->omega, v->v};
    if (!d) return;
    const ph_vec3 G = t->s->rule->momentum(&d->J, r->plus[k].omega, r->head->h, &F);
    m->torque = ph_madd(m->torque, -1.0 / r->head->h, G);
    m->force = ph_madd(m->force, -d->mass, r->plus[k].v);
    if (!shown_before) return;
    m->torque = ph_add(m->torque, ph_mul(d->J, r->node[k].v.omega));
    m->force = ph_madd(m->force, d->mass, r->node[k].v.v);
}

// [A 1/2 B_n^T; B_{n+1} T 0], and dq as the step carries it along: F^T dq
static bool factor_stage_1(tangent *t, const tape_record *r)
{
    sweep *s = t->s;
    const bool by_tree = s->kkt.tree && !s->kkt.closing;
    kkt_clear_pairs(&s->kkt);
    if (by_tree) elimination_place(s->kkt.tree, &s->here.grips, &s->there.grips, 0.5);
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const body_kind *kind = s->model->bodies[b].kind;
        kinetic kinetic;
        s->rule->turn(&kind->J, r->plus[k].omega, r->head->h, &s->turns[k], &kinetic);
        node_put_body(kkt_body(&s->kkt, k), &kinetic.dG, kind->mass);
        if (by_tree) elimination_put_body(s->kkt.tree, k, &kinetic.dG, kind->mass, &s->turns[k].T, &s->there.frames[b]);
    }
    if (by_tree && kkt_factor_tree(&s->kkt)) return true;
    for (int j = 0; j < s->model->joint_count; j++) {
        const joint *joint = &s->model->joints[j];
        const int first = s->kkt.joints[j].B, rows = joint->row_count;
        for (int i = 0; i < rows * joint->body_count; i++) {
            const ph_mat3 *T = &s->turns[s->model->bodies[joint->bodies[i / rows]].moving].T;
            const double *B = s->there.B + first + 6 * i;
            node_put_vectors(s->BT + first + 6 * i, ph_tmul(*T, ph_vec(B[0], B[1], B[2])), ph_vec(B[3], B[4], B[5]));
        }
        kkt_set_joint(&s->kkt, j, s->here.B + first, 0.5, s->BT + first);
    }
    return kkt_factor(&s->kkt);
}

static void carry(tangent *t)
{
    for (int c = 0; c < t->columns; c++)
        for (int k = 0; k < t->s->model->moving_count; k++) {
            ph_twist *q = &t->q[(size_t)c * t->places + (size_t)t->s->model->moving[k]];
            q->omega = ph_quat_rotate(ph_quat_conj(t->s->turns[k].F), q->omega);
        }
}

// (5): leaves dq at q_{n+1}
static bool stage_1(tangent *t, const tape_record *r, bool shown_before)
{
    sweep *s = t->s;
    const double h = r->head->h;
    clear(t);
    for (int c = 0; c < t->columns; c++)
        for (int k = 0; k < s->model->moving_count; k++) put_start(t, r, c, k, shown_before);
    add_forces(t, &s->here, 0.5 * h, s->needs_velocity);
    add_reactions(t, &s->here, -0.5, r->lambda);
    if (!factor_stage_1(t, r)) return false;
    carry(t);
    add_rows(t, &s->there, -1.0 / h, NULL);
    add_motors(t, &s->there, -1.0 / h, false);
    for (int c = 0; c < t->columns; c++) {
        solve(t, &s->kkt, c, t->plus);
        for (int k = 0; k < s->model->moving_count; k++) {
            const size_t at = (size_t)c * t->places + (size_t)s->model->moving[k];
            t->q[at].omega = ph_madd(t->q[at].omega, h, ph_mul(s->turns[k].T, t->plus[at].omega));
            t->q[at].v = ph_madd(t->q[at].v, h, t->plus[at].v);
        }
    }
    return true;
}

// d of the momentum at the end: A(-f) dV_+ and, by masses, G(-f) and v_+
static void put_end(tangent *t, const tape_record *r, int k)
{
    const int b = t->s->model->moving[k];
    const body_kind *kind = t->s->model->bodies[b].kind;
    const double h = r->head->h;
    const ph_vec3 back = ph_neg(r->plus[k].omega);
    turn turned;
    kinetic kinetic;
    t->s->rule->turn(&kind->J, back, h, &turned, &kinetic);
    for (int c = 0; c < t->columns; c++) {
        const size_t at = (size_t)c * t->places + (size_t)b;
        const body_gradient *d = body_direction(t, c, k);
        ph_wrench *m = &t->momentum[at];
        ph_quat F;
        *m = (ph_wrench){ph_mul(kinetic.dG, t->plus[at].omega), ph_scale(kind->mass, t->plus[at].v)};
        if (!d) continue;
        m->torque = ph_madd(m->torque, -1.0 / h, t->s->rule->momentum(&d->J, back, h, &F));
        m->force = ph_madd(m->force, d->mass, r->plus[k].v);
    }
}

// (6)
static bool stage_2(tangent *t, const tape_record *r, const tape_record *end)
{
    sweep *s = t->s;
    kkt *m;
    add_reactions(t, &s->there, -1.0, r->mu);
    add_rows(t, &s->there, -1.0, s->there.twists);
    add_motors(t, &s->there, -1.0, true);
    for (int c = 0; c < t->columns && t->directions; c++)
        for (int k = 0; k < s->model->moving_count; k++) {
            const body_gradient *d = body_direction(t, c, k);
            ph_wrench *p = &t->momentum[(size_t)c * t->places + (size_t)s->model->moving[k]];
            p->torque = ph_sub(p->torque, ph_mul(d->J, end->node[k].v.omega));
            p->force = ph_madd(p->force, -d->mass, end->node[k].v.v);
        }
    kkt_choose_rows(&s->kkt, s->there.frames, s->there.B);
    if (!sweep_factor_mass(s, r->head->h, false, &m)) return false;
    for (int c = 0; c < t->columns; c++) solve(t, m, c, t->v);
    return true;
}

bool tangent_on(tangent *t, const tape_record *r, const tape_record *end, bool last, bool shown_before)
{
    sweep *s = t->s;
    set_motion(&s->there, r, r->head->until);
    set_motion(&s->here, r, r->head->time);
    place(s, r, &s->here);
    place(s, end, &s->there);
    kkt_choose_rows(&s->kkt, s->here.frames, s->here.B);
    if (!stage_1(t, r, shown_before)) return false;
    clear(t);
    for (int k = 0; k < s->model->moving_count; k++) put_end(t, r, k);
    add_forces(t, &s->there, 0.5 * r->head->h, false);
    s->there_ready = false;
    if (r->head->shown != 0.0) {
        if (!stage_2(t, r, end)) return false;
    } else {
        for (size_t k = 0; k < t->places * (size_t)t->columns; k++)
            t->v[k] = (ph_twist){t->momentum[k].torque, t->momentum[k].force};
    }
    if (last) move_targets(t, &s->there);
    return true;
}
