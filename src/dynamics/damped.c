#include "dynamics/damped.h"

#include "dynamics/linearise.h"
#include "dynamics/newton.h"
#include "dynamics/search.h"
#include "dynamics/system.h"
#include "math/mat3.h"

#include <string.h>

// ---- Life -----------------------------------------------------------------------------------------------------------

// Where the four products of lines between two bodies go.
static void find_blocks(const ph_model *model, const kkt *kkt, const force *f, int blocks[2][2])
{
    const int moving[2] = {model->bodies[f->a].moving, model->bodies[f->b].moving};
    for (int x = 0; x < 2; x++)
        for (int y = 0; y < 2; y++)
            blocks[x][y] = moving[x] < 0 || moving[y] < 0 ? -1
                           : x == y                       ? kkt->body_block[moving[x]]
                                                          : block_lu_block(&kkt->lu, moving[x], moving[y]);
}

// Loops on top of trees are decided by symmetric matrices (closing.h).
static bool is_symmetric(const force *f)
{
    bool same = true;
    for (int k = 0; f->type->has_matrices && k < 36; k++)
        same = same && f->def->damping6[k / 6][k % 6] == f->def->damping6[k % 6][k / 6];
    return same;
}

// Between a body and its parent, or on one body alone.
static damper_seat seat_between(const ph_model *model, const elimination *tree, int body_a, int body_b)
{
    const int a = model->bodies[body_a].moving, b = model->bodies[body_b].moving;
    damper_seat seat = {.limb = -1};
    if (!tree || (a < 0 && b < 0)) return seat;
    const int limb_a = a < 0 ? -1 : tree->limb_of[a], limb_b = b < 0 ? -1 : tree->limb_of[b];
    const bool b_hangs = b >= 0 && tree->limbs[limb_b].parent == limb_a;
    const bool a_hangs = a >= 0 && tree->limbs[limb_a].parent == limb_b;
    seat.joint = a >= 0 && b >= 0;
    seat.is_b = a < 0 || b_hangs;
    if (!seat.joint || a_hangs || b_hangs) seat.limb = seat.is_b ? limb_b : limb_a;
    return seat;
}

static bool is_strut(const force *f)
{
    return f->type->lines && f->type->linear_in_velocity && f->other_count == 0;
}

// Has the tree a place for it? A tie has one line.
static bool tree_takes(const damped_strut *s)
{
    return is_symmetric(s->force) && (s->seat.limb >= 0 || !s->force->type->has_matrices);
}

// A joint of the tree may leave its coordinate free; else it acts between two bodies as others do.
static void seat_drive(const ph_model *model, const force *f, const elimination *tree, damped_drive *d)
{
    const joint *named = f->joint, *holds = named->of ? named->of : named;
    d->joint = -1;
    d->coordinate = named->of ? named->of_coordinate : 0;
    d->seat = seat_between(model, tree, holds->a, holds->b);
    if (tree && elimination_leaves(tree, (int)(holds - model->joints), d->coordinate))
        d->joint = (int)(holds - model->joints);
}

// Are there dampers beside those in freedoms of joints?
static bool has_seats(const damped *d)
{
    bool any = d->strut_count > 0;
    for (int k = 0; k < d->drive_count; k++) any = any || (d->drives[k].joint < 0 && d->drives[k].seat.limb >= 0);
    return any;
}

static void name_tie(damped *d, int tie, int a, int b)
{
    d->kkt.closing->ties[tie].bodies[0] = a;
    d->kkt.closing->ties[tie].bodies[1] = b;
}

// Those that have no seat between a body and its parent. false: they are too many.
static bool make_ties(damped *d, arena *memory)
{
    int count = 0;
    for (int k = 0; k < d->drive_count; k++)
        if (d->drives[k].joint < 0 && d->drives[k].seat.limb < 0) d->drives[k].seat.tie = count++;
    for (int k = 0; k < d->strut_count; k++)
        if (d->struts[k].seat.limb < 0) d->struts[k].seat.tie = count++;
    if (count == 0) return true;
    if (!kkt_add_ties(&d->kkt, count, memory)) return false;
    for (int k = 0; k < d->drive_count; k++) {
        const damped_drive *it = &d->drives[k];
        if (it->joint < 0 && it->seat.limb < 0) name_tie(d, it->seat.tie, it->force->joint->a, it->force->joint->b);
    }
    for (int k = 0; k < d->strut_count; k++) {
        const damped_strut *it = &d->struts[k];
        if (it->seat.limb < 0) name_tie(d, it->seat.tie, it->force->a, it->force->b);
    }
    return true;
}

bool damped_create(const ph_model *model, arena *memory, damped *d)
{
    const size_t places = model_places(model), forces = (size_t)model->force_count;
    const size_t velocities = 6 * (size_t)model->moving_count + 1;
    *d = (damped){.linear = !system_has_bends(model)};
    bool others = false; // for which trees have no place
    bool ok = kkt_create(model, KKT_DAMPED, memory, &d->kkt);
    ok = ok && (d->mu = arena_alloc_array(memory, (size_t)model->row_count + 1, sizeof(double)));
    ok = ok && (d->still = arena_alloc_array(memory, places, sizeof(ph_wrench)));
    ok = ok && (d->still_work = arena_alloc_array(memory, places, sizeof(ph_wrench)));
    ok = ok && (d->drives = arena_alloc_array(memory, forces, sizeof *d->drives));
    ok = ok && (d->struts = arena_alloc_array(memory, forces, sizeof *d->struts));
    ok = ok && (d->others = arena_alloc_array(memory, forces, sizeof(const force *)));
    ok = ok && (d->start = arena_alloc_array(memory, velocities, sizeof(double)));
    ok = ok && (d->update = arena_alloc_array(memory, velocities, sizeof(double)));
    for (int k = 0; ok && k < model->force_count; k++) {
        const force *f = &model->forces[k];
        if (!f->needs_velocity) continue;
        if (drive_is_law(f)) {
            d->drives[d->drive_count].force = f;
            d->drives[d->drive_count].linear = drive_is_linear(f);
            find_blocks(model, &d->kkt, f, d->drives[d->drive_count].blocks);
            seat_drive(model, f, d->kkt.tree, &d->drives[d->drive_count++]);
        } else if (is_strut(f)) {
            damped_strut *s = &d->struts[d->strut_count++];
            *s = (damped_strut){.force = f, .seat = seat_between(model, d->kkt.tree, f->a, f->b)};
            find_blocks(model, &d->kkt, f, s->blocks);
            others = others || !tree_takes(s);
        } else {
            others = true;
            d->others[d->other_count++] = f;
        }
    }
    d->by_rows = !d->kkt.tree || others || !make_ties(d, memory);
    return ok && (d->by_rows || !has_seats(d) || elimination_keep_dampers(d->kkt.tree, memory));
}

// Does the node have grips in place of rows?
static bool by_grips(const damped *d, const node *there)
{
    return d->kkt.tree && there->grips.limbs;
}

// ---- Forces ---------------------------------------------------------------------------------------------------------

static void look_at_drive(damped_drive *drive, const motion *at)
{
    drive_law *law = &drive->law;
    if (!law->joint)
        *law = drive_law_at(drive->force, at);
    else if (drive->force->motor == PH_MOTOR_SERVO)
        law->target = value_at(drive->force->values, at);
    else if (drive->force->motor == PH_MOTOR_TORQUE)
        law->feed = value_at(drive->force->values, at);
    law->friction = at->exact_friction ? 0.0 : drive->force->friction;
    if (drive->line_stays) {
        drive->line.q = joint_coordinate(law->joint, at, law->coordinate);
    } else {
        joint_line_at(law->joint, at, law->coordinate, &drive->line);
        drive->turns = ph_max_abs(drive->line.b.force) == 0.0;
        drive->line_stays = joint_line_stays(law->joint, at, law->coordinate);
    }
    if (drive->linear) drive->still = drive_force_of(law, drive->line.q, 0.0);
}

// What does not change with the velocity.
static void look(const ph_model *model, damped *d, node *there)
{
    system_forces_part(model, &there->motion, there->without | WITHOUT_MOVING, d->still, d->still_work);
    for (int k = 0; k < d->drive_count; k++) look_at_drive(&d->drives[k], &there->motion);
    for (int k = 0; k < d->strut_count; k++) {
        damped_strut *s = &d->struts[k];
        s->force->type->lines(s->force, &there->motion, &s->lines);
    }
}

static inline double rate_of(const damped_drive *drive, const ph_twist *a, const ph_twist *b)
{
    const joint_line *line = &drive->line;
    const double turn = ph_dot(line->a.torque, a->omega) + ph_dot(line->b.torque, b->omega);
    return drive->turns ? turn : turn + ph_dot(line->b.force, ph_sub(b->v, a->v));
}

static inline drive_force force_of(const damped_drive *drive, const ph_twist *twists)
{
    const joint *j = drive->law.joint;
    const double rate = rate_of(drive, &twists[j->a], &twists[j->b]);
    if (!drive->linear) return drive_force_of(&drive->law, drive->line.q, rate);
    drive_force f = drive->still;
    f.all += f.by_rate * rate;
    return f;
}

// Q += f line
static inline void push(const damped_drive *drive, double f, ph_wrench *a, ph_wrench *b)
{
    const joint_line *line = &drive->line;
    a->torque = ph_madd(a->torque, f, line->a.torque);
    b->torque = ph_madd(b->torque, f, line->b.torque);
    if (drive->turns) return;
    a->force = ph_madd(a->force, f, line->a.force);
    b->force = ph_madd(b->force, f, line->b.force);
}

// Q += sum of (pull - C s') along the lines of an element, and W what damps. `pulls`: its potential is among Q.
static void push_strut(const damped_strut *s, const ph_twist *twists, bool pulls, ph_wrench *Q, ph_wrench *W)
{
    const force_lines *l = &s->lines;
    const int a = s->force->a, b = s->force->b;
    double rate[6];
    for (int k = 0; k < l->count; k++)
        rate[k] = ph_dot(l->a[k].torque, twists[a].omega) + ph_dot(l->a[k].force, twists[a].v) +
                  ph_dot(l->b[k].torque, twists[b].omega) + ph_dot(l->b[k].force, twists[b].v);
    for (int k = 0; k < l->count; k++) {
        double f = 0.0;
        for (int c = 0; c < l->count; c++) f -= l->C[k * l->count + c] * rate[c];
        wrench_add(&W[a], f, &l->a[k]);
        wrench_add(&W[b], f, &l->b[k]);
        if (pulls) f += l->pull[k];
        wrench_add(&Q[a], f, &l->a[k]);
        wrench_add(&Q[b], f, &l->b[k]);
    }
}

// Q and W of `there` at its twists.
static void set_forces(const ph_model *model, const damped *d, node *there)
{
    const size_t places = model_places(model);
    memcpy(there->Q, d->still, places * sizeof(ph_wrench));
    memcpy(there->W, d->still_work, places * sizeof(ph_wrench));
    for (int k = 0; k < d->drive_count; k++) {
        const damped_drive *drive = &d->drives[k];
        const int a = drive->law.joint->a, b = drive->law.joint->b;
        const drive_force f = force_of(drive, there->twists);
        push(drive, f.all, &there->Q[a], &there->Q[b]);
        push(drive, f.all - f.spring, &there->W[a], &there->W[b]);
    }
    for (int k = 0; k < d->strut_count; k++) {
        const bool pulls = !(there->without & WITHOUT_PULLS && d->struts[k].force->type->pull);
        push_strut(&d->struts[k], there->twists, pulls, there->Q, there->W);
    }
    for (int k = 0; k < d->other_count; k++) {
        exertion e = {0};
        system_act(d->others[k], &there->motion, there->without, &e);
        system_add(d->others[k], &e, there->Q, there->W);
    }
}

void damped_forces(const ph_model *model, damped *d, node *at, bool looked)
{
    if (!looked) look(model, d, at);
    set_forces(model, d, at);
}

// ---- The matrix -----------------------------------------------------------------------------------------------------

typedef struct target {
    kkt *kkt;
    double scale;
} target;

// A -= h/2 dQ/dv; blocks of the matrix are column-major
static void add_damping(void *user, int row, int column, const double *by_position, const double *by_velocity)
{
    const target *t = user;
    (void)by_position;
    double *block = row == column ? kkt_body(t->kkt, row) : kkt_body_pair(t->kkt, row, column);
    for (int r = 0; block && r < 6; r++)
        for (int c = 0; c < 6; c++) block[6 * c + r] -= t->scale * by_velocity[6 * r + c];
}

// block -= s x y^T
static void add_product(double *block, double s, const ph_wrench *x, const ph_wrench *y)
{
    const double rows[6] = {x->torque.x, x->torque.y, x->torque.z, x->force.x, x->force.y, x->force.z};
    const double columns[6] = {y->torque.x, y->torque.y, y->torque.z, y->force.x, y->force.y, y->force.z};
    for (int c = 0; c < 6; c++)
        for (int r = 0; r < 6; r++) block[6 * c + r] -= s * columns[c] * rows[r];
}

// blocks -= s g l^T, g and l by body
static void add_products(kkt *kkt, const int blocks[2][2], double s, const ph_wrench *const g[2],
                         const ph_wrench *const l[2])
{
    for (int x = 0; x < 2 && s != 0.0; x++)
        for (int y = 0; y < 2; y++)
            if (blocks[x][y] >= 0) add_product(kkt->lu.values + blocks[x][y], s, g[x], l[y]);
}

static void add_drive(kkt *kkt, double scale, const damped_drive *drive, const ph_twist *twists)
{
    const ph_wrench *const g[2] = {&drive->line.a, &drive->line.b};
    add_products(kkt, drive->blocks, scale * force_of(drive, twists).by_rate, g, g);
}

static void add_strut(kkt *kkt, double scale, const damped_strut *s)
{
    const force_lines *l = &s->lines;
    for (int r = 0; r < l->count; r++)
        for (int c = 0; c < l->count; c++) {
            const ph_wrench *const g[2] = {&l->a[r], &l->b[r]}, *const rate[2] = {&l->a[c], &l->b[c]};
            add_products(kkt, s->blocks, -scale * l->C[r * l->count + c], g, rate);
        }
}

double damped_soft(const damped *d, int k, double h, const node *there)
{
    return -0.5 * h * force_of(&d->drives[k], there->twists).by_rate;
}

// A line of an element on its limb, world axes.
static screw4 line_in_world(const damper_seat *seat, const ph_wrench *a, const ph_wrench *b, const node *there)
{
    const ph_wrench *w = seat->is_b ? b : a;
    return (screw4){columns_turn(&there->grips.limbs[seat->limb].turn, w->torque), four_of(w->force)};
}

static void put_damper(elimination *e, const damper_seat *seat, double c, const screw4 *x, const screw4 *y)
{
    if (c == 0.0) return;
    (seat->joint ? elimination_damp_joint : elimination_damp_body)(e, seat->limb, c, x, y);
}

static void put_strut(const kkt *kkt, const damped_strut *s, double scale, const node *there)
{
    const int n = s->lines.count;
    screw4 line[6];
    if (s->seat.limb < 0) {
        closing_put_tie(kkt->closing, s->seat.tie, scale * s->lines.C[0], &s->lines.a[0], &s->lines.b[0]);
        return;
    }
    for (int k = 0; k < n; k++) line[k] = line_in_world(&s->seat, &s->lines.a[k], &s->lines.b[k], there);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) put_damper(kkt->tree, &s->seat, scale * s->lines.C[r * n + c], &line[r], &line[c]);
}

static void put_drive(const kkt *kkt, const damped_drive *d, double soft, const node *there)
{
    if (d->joint >= 0) {
        elimination_soften(kkt->tree, d->joint, d->coordinate, soft);
    } else if (d->seat.limb < 0) {
        closing_put_tie(kkt->closing, d->seat.tie, soft, &d->line.a, &d->line.b);
    } else {
        const screw4 line = line_in_world(&d->seat, &d->line.a, &d->line.b, there);
        put_damper(kkt->tree, &d->seat, soft, &line, &line);
    }
}

// By joint coordinates a drive is a number beside the inertia of its own.
static void put_tree(const ph_model *model, damped *d, double h, node *there)
{
    node_put_tree(model, &d->kkt, there);
    for (int k = 0; k < d->drive_count; k++) put_drive(&d->kkt, &d->drives[k], damped_soft(d, k, h, there), there);
    for (int k = 0; k < d->strut_count; k++) put_strut(&d->kkt, &d->struts[k], 0.5 * h, there);
}

// false: singular, or nothing of that kind. Backwards in time dampers may outweigh inertia, and of a matrix that is not positive nobody
// can tell which rows depend on others: the masses alone say it.
static bool factor_tree(const ph_model *model, damped *d, double h, node *there, bool first)
{
    if (!by_grips(d, there) || d->by_rows) return false;
    if (first && h < 0.0 && d->kkt.closing) {
        put_tree(model, d, 0.0, there);
        if (!kkt_choose_tree(&d->kkt)) return false;
        first = false;
    }
    put_tree(model, d, h, there);
    return first ? kkt_choose_tree(&d->kkt) : kkt_goes_by_tree(&d->kkt) && kkt_factor_tree(&d->kkt);
}

bool damped_factor_tree(const ph_model *model, damped *d, double h, node *there)
{
    if (!by_grips(d, there) || d->kkt.closing || d->by_rows) return false;
    look(model, d, there);
    return factor_tree(model, d, h, there, false);
}

static void put_matrix(const ph_model *model, damped *d, double h, const node *there)
{
    node_put_mass(model, &d->kkt, there);
    for (int k = 0; k < d->drive_count; k++) add_drive(&d->kkt, 0.5 * h, &d->drives[k], there->twists);
    for (int k = 0; k < d->strut_count; k++) add_strut(&d->kkt, 0.5 * h, &d->struts[k]);
    target to = {&d->kkt, 0.5 * h};
    for (int k = 0; k < d->other_count; k++)
        linearise_force(model, d->others[k], &there->motion, LINEARISE_VELOCITY, add_damping, &to);
}

// ---- Residuals ------------------------------------------------------------------------------------------------------

// p + h/2 Q - M v of moving body k, six numbers
static void residual_of(const ph_model *model, const double *p, double h, const node *there, int k, double r[6])
{
    const int b = model->moving[k];
    const body_kind *kind = model->bodies[b].kind;
    const double *pk = p + 6 * k;
    const ph_vec3 angular = ph_sub(ph_vec(pk[0], pk[1], pk[2]), ph_mul(kind->J, there->twists[b].omega));
    const ph_vec3 linear = ph_madd(ph_vec(pk[3], pk[4], pk[5]), -kind->mass, there->twists[b].v);
    node_put_vectors(r, ph_madd(angular, 0.5 * h, there->Q[b].torque), ph_madd(linear, 0.5 * h, there->Q[b].force));
}

// - B v of joint j of a tree
static void put_limb(const ph_model *model, const damped *d, const node *there, int j, double *x)
{
    const elimination *e = d->kkt.tree;
    const limb *l = elimination_limb(e, j);
    const ph_twist *v = there->twists, *rotor = &v[elimination_rotor_body(e, j, l->body)];
    double rates[JOINT_ROWS_MAX];
    elimination_rates(e, &there->grips, j, &v[l->body], &v[l->parent_body], rotor->v.x, rates);
    for (int r = 0; r < model->joints[j].row_count; r++) x[r] -= rates[r];
}

// -B^T mu of all joints of trees
static void take_pulls(const ph_model *model, damped *d, const node *there)
{
    const elimination *tree = d->kkt.tree;
    elimination_pull(d->kkt.tree, &there->grips, d->mu);
    for (int n = 0; n < model->rotor_count; n++)
        kkt_body_x(&d->kkt, tree->rotors[n].moving)[3] -= tree->rotors[n].slide;
    for (int k = 0; k < tree->first_rotor; k++) {
        double *x = kkt_body_x(&d->kkt, k);
        const screw4 *load = &tree->limbs[tree->limb_of[k]].z;
        const ph_vec3 turn = ph_tmul(there->frames[model->moving[k]].R, four_vec(load->turn));
        x[0] -= turn.x, x[1] -= turn.y, x[2] -= turn.z;
        for (int c = 0; c < 3; c++) x[3 + c] -= load->move[c];
    }
}

// -dPhi/dt - B v of joint j, and -B^T mu for its bodies
static void put_joint(const ph_model *model, damped *d, const node *there, int j)
{
    const joint *joint = &model->joints[j];
    const int rows = joint->row_count;
    double *x = kkt_joint_x(&d->kkt, j);
    if (!joint_wanted_rates(joint, &there->motion, x)) memset(x, 0, (size_t)rows * sizeof *x);
    if (by_grips(d, there) && elimination_has_rows(d->kkt.tree, j)) {
        put_limb(model, d, there, j, x);
        return;
    }
    const double *B = there->B + d->kkt.joints[j].B;
    for (int k = 0; k < joint->body_count; k++, B += 6 * rows) {
        const ph_twist *v = &there->twists[joint->bodies[k]];
        const double six[6] = {v->omega.x, v->omega.y, v->omega.z, v->v.x, v->v.y, v->v.z};
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < 6; c++) x[r] -= B[6 * r + c] * six[c];
        node_add_transposed(B, rows, -1.0, d->mu + joint->first_row,
                            kkt_body_x(&d->kkt, model->bodies[joint->bodies[k]].moving));
    }
}

static void put_residual(const ph_model *model, damped *d, const double *p, double h, const node *there, bool first)
{
    for (int k = 0; k < model->moving_count; k++) residual_of(model, p, h, there, k, kkt_body_x(&d->kkt, k));
    for (int j = 0; j < model->joint_count; j++) put_joint(model, d, there, j);
    if (by_grips(d, there) && !first) take_pulls(model, d, there);
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

// Takes the solution over: the update of v, and the multipliers.
static void keep_update(const ph_model *model, damped *d, const node *there)
{
    for (int k = 0; k < model->moving_count; k++) {
        const ph_twist *v = &there->twists[model->moving[k]];
        node_put_vectors(d->start + 6 * k, v->omega, v->v);
        memcpy(d->update + 6 * k, kkt_body_x(&d->kkt, k), 6 * sizeof(double));
    }
    for (int j = 0; j < model->joint_count; j++)
        for (int r = 0; r < model->joints[j].row_count; r++)
            d->mu[model->joints[j].first_row + r] += kkt_joint_x(&d->kkt, j)[r];
}

// v = start + part * update, with the forces there. Returns the size of v.
static double go(const ph_model *model, damped *d, double part, node *there)
{
    double size = 0.0;
    for (int k = 0; k < model->moving_count; k++) {
        const double *x = d->start + 6 * k, *u = d->update + 6 * k;
        ph_twist *v = &there->twists[model->moving[k]];
        v->omega = ph_madd(ph_vec(x[0], x[1], x[2]), part, ph_vec(u[0], u[1], u[2]));
        v->v = ph_madd(ph_vec(x[3], x[4], x[5]), part, ph_vec(u[3], u[4], u[5]));
        size = ph_max(size, ph_max(d->kkt.unit * ph_max_abs(v->omega), ph_max_abs(v->v)));
    }
    set_forces(model, d, there);
    return size;
}

typedef struct way {
    const ph_model *model;
    damped *damped;
    const double *p;
    double h;
    node *there;
} way;

// update . (p + h/2 Q - M v). The joints do no work: B update = 0 after the first.
static double work_left(void *user, double part)
{
    const way *w = user;
    double work = 0.0;
    go(w->model, w->damped, part, w->there);
    for (int k = 0; k < w->model->moving_count; k++) {
        double r[6];
        residual_of(w->model, w->p, w->h, w->there, k, r);
        for (int c = 0; c < 6; c++) work += r[c] * w->damped->update[6 * k + c];
    }
    return work;
}

static double largest_update(const ph_model *model, const damped *d)
{
    double largest = 0.0;
    for (int k = 0; k < 6 * model->moving_count; k++) {
        const double size = (k % 6 < 3 ? d->kkt.unit : 1.0) * fabs(d->update[k]);
        largest = size > largest || isnan(size) ? size : largest;
    }
    return largest;
}

// What rounding of the residuals does to an update: where bodies come to rest, momenta and impulses are large beside what is left
// of the velocities.
static double noise_of(const ph_model *model, const damped *d, const double *p, double h, const node *there)
{
    double most = 0.0;
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        const body_kind *kind = model->bodies[b].kind;
        const double *pk = p + 6 * k, half = 0.5 * fabs(h);
        const double spin = ph_max_abs(ph_vec(pk[0], pk[1], pk[2])) + half * ph_max_abs(there->Q[b].torque);
        const double push = ph_max_abs(ph_vec(pk[3], pk[4], pk[5])) + half * ph_max_abs(there->Q[b].force);
        most = ph_max(most, ph_max(d->kkt.unit * spin * ph_trace(kind->J_inverse), push / kind->mass));
    }
    return 4.0 * DBL_EPSILON * most;
}

// Where all is linear: v and mu are those of the one solution.
static bool take_solution(const ph_model *model, damped *d, node *there)
{
    double sum = 0.0;
    for (int k = 0; k < model->moving_count; k++) {
        const double *x = kkt_body_x(&d->kkt, k);
        ph_twist *v = &there->twists[model->moving[k]];
        v->omega = ph_add(v->omega, ph_vec(x[0], x[1], x[2]));
        v->v = ph_add(v->v, ph_vec(x[3], x[4], x[5]));
        sum += (x[0] + x[1] + x[2]) + (x[3] + x[4] + x[5]);
    }
    for (int j = 0; j < model->joint_count; j++)
        for (int r = 0; r < model->joints[j].row_count; r++)
            d->mu[model->joints[j].first_row + r] = kkt_joint_x(&d->kkt, j)[r];
    set_forces(model, d, there);
    return isfinite(sum);
}

// From the twists of `there`. `factored`: the matrix stands, and is right whatever the velocities.
static bool solve_from(const ph_model *model, damped *d, const double *p, double h, bool factored, node *there)
{
    newton newton = {.tolerance = 1e-14, .max_iterations = 50};
    newton_verdict verdict = NEWTON_GO_ON;
    memset(d->mu, 0, sizeof(double) * (size_t)model->row_count);
    set_forces(model, d, there);
    for (bool first = true; verdict == NEWTON_GO_ON; first = false) {
        put_residual(model, d, p, h, there, first);
        if (!factored && !factor_tree(model, d, h, there, first)) {
            if (!node_need_rows(&d->kkt, there)) return false;
            if (by_grips(d, there)) node_set_jacobian(model, &d->kkt, there);
            if (by_grips(d, there) && first) kkt_choose_rows(&d->kkt, there->frames, there->B);
            put_matrix(model, d, h, there);
            if (!kkt_factor(&d->kkt)) return false;
        }
        kkt_solve(&d->kkt);
        if (d->linear) return take_solution(model, d, there);
        keep_update(model, d, there);
        const double update = largest_update(model, d);
        double size = go(model, d, 1.0, there), part = 1.0;
        if (!first && update > SEARCH_ABOVE * size) {
            way way = {model, d, p, h, there};
            part = search_along(work_left(&way, 0.0), work_left, &way);
            size = go(model, d, part, there);
        }
        verdict = newton_judge(&newton, part * update, ph_max(size, part * update), noise_of(model, d, p, h, there));
    }
    return verdict == NEWTON_DONE;
}

bool damped_solve(const ph_model *model, damped *d, const double *p, double h, node *there)
{
    if (!by_grips(d, there)) kkt_choose_rows(&d->kkt, there->frames, there->B);
    look(model, d, there);
    return solve_from(model, d, p, h, false, there);
}

bool damped_solve_again(const ph_model *model, damped *d, const double *p, double h, node *there)
{
    return solve_from(model, d, p, h, d->linear, there);
}
