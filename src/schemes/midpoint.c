#include "schemes/midpoint.h"

#include "math/mat3.h"

// A body whose reference point is not the centre of mass.
typedef struct weight {
    int body, moving;
    ph_vec3 c;     // centre of mass from the reference point, body axes
    ph_vec3 force; // m g, world
} weight;

typedef struct midpoint {
    int weight_count, pull_count;
    weight *weights;
    const force **pulls;
    ph_vec3 *acting; // of each pull, on its body b, in the step at hand
} midpoint;

static ph_vec3 com_from_reference(const body *body)
{
    return ph_sub(body->kind->com, body->kind->reference);
}

bool midpoint_prepare(variational *s)
{
    const ph_model *model = s->model;
    midpoint *m = s->extra = arena_alloc(s->memory, sizeof *m);
    if (!m) return false;
    m->weights = arena_alloc_array(s->memory, (size_t)model->moving_count, sizeof *m->weights);
    m->pulls = arena_alloc_array(s->memory, (size_t)model->force_count, sizeof(const force *));
    m->acting = arena_alloc_array(s->memory, (size_t)model->force_count, sizeof *m->acting);
    if (!m->weights || !m->pulls || !m->acting) return false;
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        const ph_vec3 c = com_from_reference(&model->bodies[b]);
        if (ph_max_abs(c) > 0.0)
            m->weights[m->weight_count++] = (weight){b, k, c, ph_scale(model->bodies[b].kind->mass, model->gravity)};
    }
    for (int k = 0; k < model->force_count; k++)
        if (model->forces[k].type->pull) m->pulls[m->pull_count++] = &model->forces[k];
    if (m->pull_count > 0) s->kind = KKT_COUPLED;
    s->chords = m->pull_count == 0; // the blocks of pulls come with their residuals
    return true;
}

// ---- Weights --------------------------------------------------------------------------------------------------------

// tau(d, f) of (4)
static ph_vec3 weight_torque(ph_vec3 c, double e, ph_vec3 d, ph_vec3 f)
{
    const ph_vec3 sum = ph_madd(ph_scale(ph_dot(d, f), c), ph_dot(d, c), f);
    return ph_scale(0.25, ph_madd(ph_madd(sum, -ph_dot(c, f), d), e - 1.0, ph_cross(c, f)));
}

// h tau(d, R_0^T m g) on the right of (1) of the step, and its derivative by Omega_+, d = h/2 Omega_+.
static void assemble_weight(variational *s, double h, bool blocks, const weight *w)
{
    const ph_quat F = s->stage[w->moving].turn.F;
    const ph_vec3 c = w->c, d = ph_vec(F.x, F.y, F.z), f = ph_tmul(s->here.frames[w->body].R, w->force);
    const ph_vec3 torque = ph_scale(h, weight_torque(c, F.w, d, f));
    double *x = kkt_body_x(&s->kkt, w->moving), *block = kkt_body(&s->kkt, w->moving);
    x[0] += torque.x, x[1] += torque.y, x[2] += torque.z;
    if (!blocks) return;
    const ph_vec3 slope = ph_scale(-1.0 / F.w, ph_cross(c, f));
    const double scale = -0.125 * h * h, diagonal = -ph_dot(c, f); // of h/2 h/4
    const double C[3] = {c.x, c.y, c.z}, D[3] = {d.x, d.y, d.z}, S[3] = {slope.x, slope.y, slope.z};
    const double V[3] = {f.x, f.y, f.z};
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) block[6 * j + i] += scale * (C[i] * V[j] + V[i] * C[j] + S[i] * D[j]);
        block[7 * j] += scale * diagonal;
    }
}

static void push_weight(variational *s, double h, bool at_end, const weight *w)
{
    body_stage *stage = &s->stage[w->moving];
    const double h_d = at_end ? -1.0 : 1.0;
    const ph_vec3 d = ph_vec(h_d * stage->turn.F.x, h_d * stage->turn.F.y, h_d * stage->turn.F.z);
    const ph_vec3 f = ph_tmul((at_end ? &s->there : &s->here)->frames[w->body].R, w->force);
    stage->momentum = ph_madd(stage->momentum, h, weight_torque(w->c, stage->turn.F.w, d, f));
}

// ---- Pulls: one point -----------------------------------------------------------------------------------------------

// A point of a body in the step, and the rotation (e, d) of the step.
typedef struct point {
    ph_vec3 c, sigma; // body axes, from the reference point: the centre of mass, the point
    double e;
    ph_vec3 d;
} point;

static point point_of(const body *body, ph_vec3 from_com, ph_quat F)
{
    const ph_vec3 c = com_from_reference(body);
    return (point){c, ph_add(c, from_com), F.w, ph_vec(F.x, F.y, F.z)};
}

static point reversed(point p)
{
    p.d = ph_neg(p.d);
    return p;
}

// tau(d, f) of (3), and its derivatives by f and d
static ph_vec3 torque_of(const point *p, ph_vec3 f)
{
    const ph_vec3 turn = ph_madd(ph_cross(p->sigma, ph_cross(f, p->d)), 1.0 + p->e, ph_cross(p->sigma, f));
    return ph_madd(ph_scale(0.25, ph_madd(turn, ph_dot(p->d, f), p->sigma)), -0.5, ph_cross(p->c, f));
}

static ph_mat3 torque_by_force(const point *p)
{
    const ph_mat3 hat = ph_hat(p->sigma);
    const ph_mat3 turn = ph_mat_sub(ph_mat_scale(1.0 + p->e, hat), ph_mul_hat(hat, p->d));
    return ph_mat_madd(ph_mat_scale(0.25, ph_mat_add(turn, ph_outer(p->sigma, p->d))), -0.5, ph_hat(p->c));
}

static ph_mat3 torque_by_d(const point *p, ph_vec3 f)
{
    const ph_mat3 fixed = ph_mat_add(ph_outer(p->sigma, f), ph_mul_hat(ph_hat(p->sigma), f));
    return ph_mat_scale(0.25, ph_mat_madd(fixed, -1.0 / p->e, ph_outer(ph_cross(p->sigma, f), p->d)));
}

// R_0^T dp#/dd of (2), with R_1 c = R_0 [(1 - 2 d.d) c + 2 d (d.c) + 2 e d x c] and de = -d.dd / e
static ph_mat3 place_by_d(const point *p)
{
    const ph_vec3 c = p->c, sigma = p->sigma, d = p->d;
    const ph_vec3 with_e = ph_sub(ph_madd(ph_cross(d, sigma), 1.0 + 2.0 * p->e, sigma), ph_scale(2.0, ph_cross(d, c)));
    const ph_vec3 mixed = ph_sub(sigma, ph_scale(2.0, c)); // of d (d.sigma) - 2 d (d.c)
    ph_mat3 A = ph_mat_scale(ph_dot(d, mixed), ph_identity());
    A = ph_mat_add(A, ph_outer(d, mixed));
    A = ph_mat_add(A, ph_outer(ph_madd(ph_scale(4.0, c), -1.0 / p->e, with_e), d));
    A = ph_mat_sub(A, ph_hat(ph_madd(ph_scale(1.0 + p->e, sigma), -2.0 * p->e, c)));
    return ph_mat_scale(0.5, A);
}

// p# of (2)
static ph_vec3 place_of(const point *p, const frame *start, const frame *end)
{
    const ph_vec3 mean =
        ph_scale(0.5, ph_add(ph_sub(start->x, ph_mul(start->R, p->c)), ph_sub(end->x, ph_mul(end->R, p->c))));
    const ph_vec3 turned = ph_madd(ph_scale(p->e, p->sigma), 1.0, ph_cross(p->d, p->sigma));
    const ph_vec3 body = ph_madd(ph_scale(1.0 + p->e, turned), ph_dot(p->d, p->sigma), p->d);
    return ph_madd(mean, 0.5, ph_mul(start->R, body));
}

// ---- Pulls: matrix ---------------------------------------------------------------------------------------------------------

// Adds the 3x3 block K to rows `row` on and columns `column` on of a column-major 6x6 block.
static void add_block(double *block, int row, int column, double scale, const ph_mat3 *K)
{
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) block[6 * (column + c) + row + r] += scale * K->m[r][c];
}

static void add_vectors(double *x, ph_vec3 a, ph_vec3 b)
{
    x[0] += a.x, x[1] += a.y, x[2] += a.z;
    x[3] += b.x, x[4] += b.y, x[5] += b.z;
}

// One end of a pull. The force on body b of the element is `acting`, on body a its opposite.
typedef struct pull_end {
    int moving; // -1: it cannot move
    double sign;
    frame start, end;
    point point;
} pull_end;

static pull_end end_of(const variational *s, const force *f, bool of_b)
{
    const int b = of_b ? f->b : f->a;
    const body *body = &s->model->bodies[b];
    const ph_quat F = body->moving >= 0 ? s->stage[body->moving].turn.F : ph_quat_identity();
    return (pull_end){
        .moving = body->moving,
        .sign = of_b ? 1.0 : -1.0,
        .start = s->here.frames[b],
        .end = s->there.frames[b],
        .point = point_of(body, of_b ? f->s_b : f->s_a, F),
    };
}

static ph_vec3 pull_of(const force *f, const pull_end *a, const pull_end *b, ph_mat3 *by_d)
{
    return f->type->pull(f, ph_sub(place_of(&b->point, &b->start, &b->end), place_of(&a->point, &a->start, &a->end)),
                         by_d);
}

// Derivative of what acts on end i by the velocities of end j: dp#_j = h/2 (dv + R_0 A dOmega), df = H sign_j dp#_j.
static void assemble_pair(variational *s, double h, const pull_end *i, const pull_end *j, const ph_mat3 *H)
{
    if (i->moving < 0 || j->moving < 0) return;
    double *block =
        i->moving == j->moving ? kkt_body(&s->kkt, i->moving) : kkt_body_pair(&s->kkt, i->moving, j->moving);
    const double scale = -0.25 * h * h * i->sign * j->sign;
    const ph_mat3 A = place_by_d(&j->point), N = torque_by_force(&i->point);
    const ph_mat3 by_turn = ph_mat_mul(*H, ph_mat_mul(j->start.R, A));
    const ph_mat3 turned = ph_mat_mult(N, i->start.R); // N R_0^T
    const ph_mat3 turn_place = ph_mat_mul(turned, *H), turn_turn = ph_mat_mul(turned, by_turn);
    add_block(block, 3, 3, scale, H);
    add_block(block, 3, 0, scale, &by_turn);
    add_block(block, 0, 3, 2.0 * scale, &turn_place);
    add_block(block, 0, 0, 2.0 * scale, &turn_turn);
}

static void assemble_end(variational *s, double h, const pull_end *e, ph_vec3 acting)
{
    if (e->moving < 0) return;
    const ph_vec3 f = ph_tmul(e->start.R, acting);
    const ph_mat3 K = torque_by_d(&e->point, f);
    add_vectors(kkt_body_x(&s->kkt, e->moving), ph_scale(h, torque_of(&e->point, f)), ph_scale(0.5 * h, acting));
    add_block(kkt_body(&s->kkt, e->moving), 0, 0, -0.5 * h * h, &K);
}

static void assemble_pull(variational *s, double h, const force *f)
{
    const pull_end a = end_of(s, f, false), b = end_of(s, f, true);
    ph_mat3 H;
    const ph_vec3 acting = pull_of(f, &a, &b, &H);
    assemble_end(s, h, &a, ph_neg(acting));
    assemble_end(s, h, &b, acting);
    assemble_pair(s, h, &a, &a, &H);
    assemble_pair(s, h, &a, &b, &H);
    assemble_pair(s, h, &b, &a, &H);
    assemble_pair(s, h, &b, &b, &H);
}

void midpoint_assemble(variational *s, double h, bool blocks)
{
    const midpoint *m = s->extra;
    for (int k = 0; k < m->weight_count; k++) assemble_weight(s, h, blocks, &m->weights[k]);
    if (m->pull_count > 0) kkt_clear_pairs(&s->kkt);
    for (int k = 0; k < m->pull_count; k++) assemble_pull(s, h, m->pulls[k]);
}

// ---- Impulses at the nodes ------------------------------------------------------------------------------------------

static void push_end(variational *s, double h, bool at_end, const pull_end *e, ph_vec3 acting)
{
    if (e->moving < 0) return;
    body_stage *stage = &s->stage[e->moving];
    const point p = at_end ? reversed(e->point) : e->point;
    const ph_vec3 f = ph_tmul((at_end ? e->end : e->start).R, acting);
    stage->momentum = ph_madd(stage->momentum, h, torque_of(&p, f));
    stage->impulse = ph_madd(stage->impulse, 0.5 * h, acting);
}

// The last update of Newton's method has not moved the bodies yet.
static void bring_up_to_date(const variational *s, double h, pull_end *e)
{
    if (e->moving < 0) return;
    const body_stage *stage = &s->stage[e->moving];
    e->end = (frame){ph_mat_mul(e->start.R, ph_quat_to_mat(stage->turn.F)), ph_madd(e->start.x, h, stage->v)};
}

static void push_pull(variational *s, double h, bool at_end, const force *f, ph_vec3 *acting)
{
    pull_end a = end_of(s, f, false), b = end_of(s, f, true);
    ph_mat3 H;
    if (!at_end) { // the same at both ends of the step
        bring_up_to_date(s, h, &a);
        bring_up_to_date(s, h, &b);
        *acting = pull_of(f, &a, &b, &H);
    }
    push_end(s, h, at_end, &a, ph_neg(*acting));
    push_end(s, h, at_end, &b, *acting);
}

void midpoint_push(variational *s, double h, bool at_end)
{
    const midpoint *m = s->extra;
    for (int k = 0; k < m->weight_count; k++) push_weight(s, h, at_end, &m->weights[k]);
    for (int k = 0; k < m->pull_count; k++) push_pull(s, h, at_end, m->pulls[k], &m->acting[k]);
}

// ---- Along the quaternions ------------------------------------------------------------------------------------------

static double virial_of(ph_vec3 c, ph_vec3 sigma, ph_quat F, ph_vec3 f)
{
    const ph_vec3 turned = ph_madd(ph_cross(ph_vec(F.x, F.y, F.z), sigma), 1.0 + F.w, sigma);
    return ph_dot(f, ph_madd(ph_scale(0.5, turned), -1.0, c));
}

static void add_pull_virial(const variational *s, int b, ph_vec3 from_com, ph_vec3 acting, double *virials)
{
    const body *body = &s->model->bodies[b];
    if (body->moving < 0) return;
    const ph_vec3 c = com_from_reference(body), f = ph_tmul(s->there.frames[b].R, acting);
    virials[body->moving] += virial_of(c, ph_add(c, from_com), s->stage[body->moving].turn.F, f);
}

// The nodes have changed places since the step.
void midpoint_add_virials(const variational *s, double *virials)
{
    const midpoint *m = s->extra;
    for (int k = 0; k < m->weight_count; k++) {
        const weight *w = &m->weights[k];
        const ph_vec3 f = ph_tmul(s->there.frames[w->body].R, w->force);
        virials[w->moving] += virial_of(w->c, w->c, s->stage[w->moving].turn.F, f);
    }
    for (int k = 0; k < m->pull_count; k++) {
        const force *f = m->pulls[k];
        add_pull_virial(s, f->a, f->s_a, ph_neg(m->acting[k]), virials);
        add_pull_virial(s, f->b, f->s_b, m->acting[k], virials);
    }
}
