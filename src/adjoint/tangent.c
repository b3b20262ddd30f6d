#include "adjoint/tangent.h"

#include "math/mat3.h"

#include <string.h>

// ---- Life -----------------------------------------------------------------------------------------------------------

static bool make_sheets(tangent *t, arena *memory)
{
    return sheet_create(&t->elements, memory, &t->first) && sheet_create(&t->elements, memory, &t->second) &&
           sheet_create(&t->elements, memory, &t->targets);
}

bool tangent_create(sweep *s, int columns, const double **directions, bool inputs_given, arena *memory, tangent *t)
{
    const ph_model *model = s->model;
    *t = (tangent){.s = s, .columns = columns, .blocks = (columns + QUAD - 1) / QUAD, .directions = directions};
    const size_t blocks = (size_t)t->blocks, bodies = (size_t)model->moving_count;
    const size_t side = 6 * bodies + (size_t)model->row_count + 8;
    if (!elements_create(&s->numbers, columns, directions, inputs_given, memory, &t->elements)) return false;
    if (!make_sheets(t, memory)) return false;
    t->width = t->elements.first_slot + t->elements.used_count;
    size_t room = kkt_many_room(&s->kkt);
    if (s->needs_velocity && kkt_many_room(&s->damped.kkt) > room) room = kkt_many_room(&s->damped.kkt);
    t->x = arena_alloc_array(memory, blocks * (size_t)t->width + 1, sizeof(quad));
    t->plus = arena_alloc_array(memory, blocks * 6 * bodies + 1, sizeof(quad));
    for (int i = 0; i < 2; i++) t->side[i] = arena_alloc_array(memory, side, sizeof(quad));
    t->room = arena_alloc_array(memory, room, sizeof(quad));
    t->masses = arena_alloc_array(memory, blocks * bodies + 1, sizeof(mass_change));
    t->weights = arena_alloc_array(memory, bodies + 1, sizeof(mass_weights));
    t->gravity = arena_alloc_array(memory, 3 * blocks + 1, sizeof(quad));
    t->pushed = arena_alloc_array(memory, (size_t)model->row_count + 1, sizeof(double));
    return t->x && t->plus && t->side[0] && t->side[1] && t->room && t->masses && t->weights && t->gravity && t->pushed;
}

static quad *block_of(const tangent *t, int block)
{
    return t->x + (size_t)block * (size_t)t->width;
}

static int count_of(const tangent *t, int block)
{
    const int rest = t->columns - QUAD * block;
    return rest < QUAD ? rest : QUAD;
}

// ---- The start ------------------------------------------------------------------------------------------------------

static void put_lane(quad *to, int lane, ph_vec3 v)
{
    to[0][lane] = v.x, to[1][lane] = v.y, to[2][lane] = v.z;
}

static void begin_body(tangent *t, int column, int k)
{
    const int block = column / QUAD, lane = column % QUAD, bodies = t->s->model->moving_count;
    const body_gradient *d = &numbers_bodies(&t->s->numbers, (double *)t->directions[column])[k];
    quad *q = block_of(t, block) + 6 * k, *v = q + 6 * bodies;
    mass_change *m = &t->masses[block * bodies + k];
    const double J[6] = {d->J.m[0][0], d->J.m[1][1], d->J.m[2][2], d->J.m[0][1], d->J.m[1][2], d->J.m[2][0]};
    put_lane(q, lane, d->rotation);
    put_lane(q + 3, lane, d->position);
    put_lane(v, lane, d->angular_velocity);
    put_lane(v + 3, lane, d->velocity);
    m->mass[lane] = d->mass;
    m->any = m->any || d->mass != 0.0;
    for (int i = 0; i < 6; i++) {
        m->J[i][lane] = J[i];
        m->any = m->any || J[i] != 0.0;
    }
}

static void begin_weights(tangent *t)
{
    const int bodies = t->s->model->moving_count;
    for (int k = 0; k < bodies; k++)
        for (int block = 0; block < t->blocks; block++)
            t->weights[k].any = t->weights[k].any || t->masses[block * bodies + k].any;
}

static void begin_column(tangent *t, int column)
{
    const ph_model *model = t->s->model;
    const double *d = t->directions[column];
    const int block = column / QUAD, lane = column % QUAD;
    quad *x = block_of(t, block);
    for (int k = 0; k < model->moving_count; k++) begin_body(t, column, k);
    for (int j = 0; j < model->joint_count; j++) {
        const joint_motor *motor = model->joints[j].motor;
        if (motor && motor->by_speed)
            x[12 * model->moving_count + motor->target][lane] = numbers_joints(&t->s->numbers, (double *)d)[j].start;
    }
    for (int k = 0; k < t->elements.used_count; k++) x[t->elements.first_slot + k][lane] = d[t->elements.used[k]];
    put_lane(t->gravity + 3 * block, lane, ph_vec(d[0], d[1], d[2]));
    t->gravity_changes = t->gravity_changes || d[0] != 0.0 || d[1] != 0.0 || d[2] != 0.0;
}

void tangent_begin(tangent *t)
{
    t->unsolved = false;
    for (int c = 0; c < t->columns && t->directions; c++) begin_column(t, c);
    begin_weights(t);
}

// ---- Nodes ----------------------------------------------------------------------------------------------------------

static void place(sweep *s, const tape_record *r, node *at)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        at->frames[s->model->moving[k]] = (frame){ph_quat_to_mat(r->node[k].orientation), r->node[k].position};
        at->twists[s->model->moving[k]] = r->node[k].v;
    }
    node_set_jacobian(s->model, &s->kkt, at);
    if (s->kkt.tree) node_set_grips(&s->kkt, at, NULL);
}

// ---- Masses ---------------------------------------------------------------------------------------------------------

static const int J_at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};

static ph_mat3 unit_inertia(int i)
{
    ph_mat3 J = {0};
    J.m[J_at[i][0]][J_at[i][1]] = J.m[J_at[i][1]][J_at[i][0]] = 1.0;
    return J;
}

static weight weight_of(ph_vec3 omega)
{
    weight w;
    for (int i = 0; i < 6; i++) {
        const ph_mat3 J = unit_inertia(i);
        w.by[i] = ph_mul(J, omega);
    }
    return w;
}

// The same of G(h omega)/h, which is linear in J too.
static weight weight_of_turn(const variational_rule *rule, ph_vec3 omega, double h)
{
    weight w;
    for (int i = 0; i < 6; i++) {
        const ph_mat3 J = unit_inertia(i);
        ph_quat F;
        w.by[i] = ph_scale(1.0 / h, rule->momentum(&J, omega, h, &F));
    }
    return w;
}

// y += s (dJ [w], dm v)
static void add_mass_change(const mass_change *m, double s, const weight *w, ph_vec3 v, quad *y)
{
    for (int i = 0; i < 6; i++) {
        const ph_vec3 by = w->by[i];
        y[0] += quad_splat(s * by.x) * m->J[i];
        y[1] += quad_splat(s * by.y) * m->J[i];
        y[2] += quad_splat(s * by.z) * m->J[i];
    }
    y[3] += quad_splat(s * v.x) * m->mass;
    y[4] += quad_splat(s * v.y) * m->mass;
    y[5] += quad_splat(s * v.z) * m->mass;
}

static void add_weight(const tangent *t, int block, double scale, const kkt *to, quad *side)
{
    const ph_model *model = t->s->model;
    const ph_vec3 g = model->gravity;
    const weight none = {0};
    for (int k = 0; k < model->moving_count; k++) {
        const mass_change *m = &t->masses[block * model->moving_count + k];
        quad *y = side + to->body_x[k];
        if (body_is_rotor(&model->bodies[model->moving[k]])) continue;
        if (m->any) add_mass_change(m, scale, &none, g, y);
        const quad mass = quad_splat(scale * model->bodies[model->moving[k]].kind->mass);
        for (int i = 0; i < 3 && t->gravity_changes; i++) y[3 + i] += mass * t->gravity[3 * block + i];
    }
}

// y = (A x, m x)
static void put_product(const ph_mat3 *A, double mass, const quad *x, quad *y)
{
    const columns by = columns_of(A);
    const quad3 turn = quad3_load(x);
    quad3 to = {{quad_splat(0.0), quad_splat(0.0), quad_splat(0.0)}};
    quad3_add_product(&to, 1.0, &by, &turn);
    quad3_store(y, &to);
    for (int i = 3; i < 6; i++) y[i] = quad_splat(mass) * x[i];
}

// ---- Stage 1 --------------------------------------------------------------------------------------------------------

// What numbers of masses are multiplied with: `sign`: +1 at the start of a step, -1 at its end.
static void set_weights(tangent *t, const tape_record *r, const tape_record *node, double sign)
{
    for (int k = 0; k < t->s->model->moving_count; k++) {
        mass_weights *w = &t->weights[k];
        if (!w->any) continue;
        w->turn = weight_of_turn(t->s->rule, ph_scale(sign, r->plus[k].omega), r->head->h);
        w->node = weight_of(node->node[k].v.omega);
    }
}

// d(M V_n) - d_theta G
static void put_start(const tangent *t, const tape_record *r, int block, int k, bool shown_before, quad *side)
{
    const sweep *s = t->s;
    const body_kind *kind = s->model->bodies[s->model->moving[k]].kind;
    const mass_change *m = &t->masses[block * s->model->moving_count + k];
    const quad *v = block_of(t, block) + 6 * (s->model->moving_count + k);
    quad *y = side + s->kkt.body_x[k];
    if (shown_before)
        put_product(&kind->J, kind->mass, v, y);
    else
        memcpy(y, v, 6 * sizeof *y);
    if (!m->any) return;
    add_mass_change(m, -1.0, &t->weights[k].turn, r->plus[k].v, y);
    if (shown_before) add_mass_change(m, 1.0, &t->weights[k].node, r->node[k].v.v, y);
}

// [A 1/2 B_n^T; B_{n+1} T 0]
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
        if (by_tree) elimination_put_body(s->kkt.tree, k, &kinetic.dG, kind->mass, &s->turns[k].T, &s->there.frames[b]);
        if (s->kkt.has_rows) node_put_body(kkt_body(&s->kkt, k), &kinetic.dG, kind->mass);
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

// dq as the step carries it along: F^T dq
static void carry(const tangent *t, quad *q)
{
    for (int k = 0; k < t->s->model->moving_count; k++) {
        const ph_mat3 F = ph_quat_to_mat(t->s->turns[k].F);
        const columns back = columns_transposed(&F);
        const quad3 turn = quad3_load(q + 6 * k);
        quad3 to = {{quad_splat(0.0), quad_splat(0.0), quad_splat(0.0)}};
        quad3_add_product(&to, 1.0, &back, &turn);
        quad3_store(q + 6 * k, &to);
    }
}

// dq_{n+1} = F^T dq + h T dV_+, and keeps dV_+
static void move_on(const tangent *t, double h, int block, const quad *side)
{
    const sweep *s = t->s;
    quad *q = block_of(t, block), *plus = t->plus + (size_t)block * 6 * (size_t)s->model->moving_count;
    for (int k = 0; k < s->model->moving_count; k++, q += 6, plus += 6) {
        const quad *x = side + s->kkt.body_x[k];
        const columns T = columns_of(&s->turns[k].T);
        const quad3 turn = quad3_load(x);
        quad3 to = quad3_load(q);
        quad3_add_product(&to, h, &T, &turn);
        quad3_store(q, &to);
        for (int i = 3; i < 6; i++) q[i] += quad_splat(h) * x[i];
        memcpy(plus, x, 6 * sizeof *x);
    }
}

static void clear_rows(const tangent *t, const kkt *to, quad *side)
{
    for (int j = 0; j < t->s->model->joint_count; j++)
        memset(side + to->joints[j].x, 0, sizeof(quad) * (size_t)t->s->model->joints[j].row_count);
}

// h lambda, and twice mu where the stage 2 before was left out: B_n^T dmu is a part of B_n^T dlambda then.
static const double *multipliers(const tangent *t, const tape_record *r)
{
    for (int i = 0; i < t->s->model->row_count; i++)
        t->pushed[i] = r->lambda[i] + (t->unsolved ? 2.0 * t->pushed[i] : 0.0);
    return t->pushed;
}

// (5): leaves dq at q_{n+1}
static bool stage_1(tangent *t, const tape_record *r, bool shown_before)
{
    sweep *s = t->s;
    const double h = r->head->h;
    sheet_clear(&t->first);
    sheet_clear(&t->second);
    sheet_add_forces(&t->elements, &t->first, &s->kkt, &s->here.motion, 0.5 * h, s->needs_velocity);
    sheet_add_reactions(&t->elements, &t->first, &s->kkt, &s->here, -0.5, multipliers(t, r));
    sheet_add_rows(&t->elements, &t->second, &s->kkt, &s->there, -1.0 / h, NULL);
    sheet_add_motors(&t->elements, &t->second, &s->kkt, &s->there.motion, -1.0 / h, false);
    set_weights(t, r, r, 1.0);
    if (!factor_stage_1(t, r)) return false;
    for (int block = 0; block < t->blocks; block += 2) {
        const int blocks = block + 1 < t->blocks ? 2 : 1;
        quad *x[2] = {block_of(t, block), block_of(t, block + blocks - 1)};
        for (int i = 0; i < blocks; i++) {
            clear_rows(t, &s->kkt, t->side[i]);
            for (int k = 0; k < s->model->moving_count; k++) put_start(t, r, block + i, k, shown_before, t->side[i]);
            add_weight(t, block + i, 0.5 * h, &s->kkt, t->side[i]);
        }
        sheet_apply(&t->first, block, blocks, (const quad *const *)x, t->side);
        for (int i = 0; i < blocks; i++) carry(t, x[i]);
        sheet_apply(&t->second, block, blocks, (const quad *const *)x, t->side);
        for (int i = 0; i < blocks; i++) {
            kkt_solve_many(&s->kkt, count_of(t, block + i), t->room, t->side[i]);
            move_on(t, h, block + i, t->side[i]);
        }
    }
    return true;
}

// ---- Stage 2 --------------------------------------------------------------------------------------------------------

// d of the momentum at the end: A(-f) dV_+ and, by masses, G(-f) and v_+, less those of the velocity there
static void put_end(const tangent *t, const tape_record *r, const tape_record *end, int block, int k, const kkt *to,
                    quad *side)
{
    const sweep *s = t->s;
    const body_kind *kind = s->model->bodies[s->model->moving[k]].kind;
    const mass_change *m = &t->masses[block * s->model->moving_count + k];
    const quad *plus = t->plus + 6 * ((size_t)block * (size_t)s->model->moving_count + (size_t)k);
    quad *y = side + to->body_x[k];
    put_product(&s->ends[k], kind->mass, plus, y);
    if (!m->any) return;
    add_mass_change(m, -1.0, &t->weights[k].turn, ph_neg(r->plus[k].v), y);
    if (r->head->shown == 0.0 || t->unsolved) return;
    add_mass_change(m, -1.0, &t->weights[k].node, end->node[k].v.v, y);
}

static void set_ends(tangent *t, const tape_record *r)
{
    sweep *s = t->s;
    for (int k = 0; k < s->model->moving_count; k++) {
        turn turned;
        kinetic kinetic;
        s->rule->turn(&s->model->bodies[s->model->moving[k]].kind->J, ph_neg(r->plus[k].omega), r->head->h, &turned,
                      &kinetic);
        s->ends[k] = kinetic.dG;
    }
}

// (6); where a node is not shown its momenta are the result, where it is not seen the right-hand side but for the joints: these push
// along B^T, as those of the next stage 1 do.
static bool stage_2(tangent *t, const tape_record *r, const tape_record *end)
{
    sweep *s = t->s;
    const bool shown = r->head->shown != 0.0 && !t->unsolved;
    kkt *m = shown && s->needs_velocity ? &s->damped.kkt : &s->kkt;
    sheet_clear(&t->first);
    set_ends(t, r);
    set_weights(t, r, end, -1.0);
    sheet_add_forces(&t->elements, &t->first, m, &s->there.motion, 0.5 * r->head->h, false);
    if (shown) {
        sheet_add_reactions(&t->elements, &t->first, m, &s->there, -1.0, r->mu);
        sheet_add_rows(&t->elements, &t->first, m, &s->there, -1.0, s->there.twists);
        sheet_add_motors(&t->elements, &t->first, m, &s->there.motion, -1.0, true);
        kkt_choose_rows(&s->kkt, s->there.frames, s->there.B);
        if (!sweep_factor_mass(s, r->head->h, false, &m)) return false;
    }
    for (int block = 0; block < t->blocks; block += 2) {
        const int blocks = block + 1 < t->blocks ? 2 : 1;
        quad *x[2] = {block_of(t, block), block_of(t, block + blocks - 1)};
        for (int i = 0; i < blocks; i++) {
            clear_rows(t, m, t->side[i]);
            for (int k = 0; k < s->model->moving_count; k++) put_end(t, r, end, block + i, k, m, t->side[i]);
            add_weight(t, block + i, 0.5 * r->head->h, m, t->side[i]);
        }
        sheet_apply(&t->first, block, blocks, (const quad *const *)x, t->side);
        for (int i = 0; i < blocks; i++) {
            quad *v = x[i] + 6 * s->model->moving_count;
            if (shown) kkt_solve_many(m, count_of(t, block + i), t->room, t->side[i]);
            for (int k = 0; k < s->model->moving_count; k++)
                memcpy(v + 6 * k, t->side[i] + m->body_x[k], 6 * sizeof *v);
        }
    }
    return true;
}

// ---- A substep ------------------------------------------------------------------------------------------------------

static void move_targets(tangent *t)
{
    if (t->s->model->target_count == 0) return;
    sheet_clear(&t->targets);
    sheet_add_targets(&t->elements, &t->targets, &t->s->there.motion);
    for (int block = 0; block < t->blocks; block++) {
        quad *x = block_of(t, block), *y = x + 12 * t->s->model->moving_count;
        sheet_apply(&t->targets, block, 1, (const quad *const[2]){x, NULL}, (quad *const[2]){y, NULL});
    }
}

bool tangent_on(tangent *t, const tape_record *r, const tape_record *end, bool last, bool shown_before, bool seen)
{
    sweep *s = t->s;
    const bool solved = shown_before && !t->unsolved;
    tape_set_motion(&s->there, r, r->head->until);
    tape_set_motion(&s->here, r, r->head->time);
    place(s, r, &s->here);
    place(s, end, &s->there);
    kkt_choose_rows(&s->kkt, s->here.frames, s->here.B);
    s->there_ready = false;
    if (!stage_1(t, r, solved)) return false;
    t->unsolved = !seen && r->head->shown != 0.0 && !s->needs_velocity;
    if (!stage_2(t, r, end)) return false;
    if (t->unsolved) memcpy(t->pushed, r->mu, sizeof(double) * (size_t)s->model->row_count);
    if (last) move_targets(t);
    return true;
}
