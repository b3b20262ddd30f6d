#include "dynamics/hold.h"

#include "math/so3.h"

#include <float.h>
#include <string.h>

// ---- Rotors ---------------------------------------------------------------------------------------------------------

const ph_model *model_without_rotors(const ph_model *model, arena *memory)
{
    if (model->rotor_count == 0) return model;
    ph_model *plain = arena_alloc(memory, sizeof *plain);
    joint *joints = arena_alloc_array(memory, (size_t)model->joint_count + 1, sizeof *joints);
    if (!plain || !joints) return NULL;
    *plain = *model;
    plain->joints = joints;
    plain->moving_count -= model->rotor_count;
    plain->velocity_count -= 6 * model->rotor_count;
    plain->row_count = plain->rotor_count = 0;
    for (int i = 0; i < model->joint_count; i++) {
        joint *j = &joints[i];
        *j = model->joints[i];
        j->body_count = j->rotor_rows ? j->slot_rotor : j->body_count;
        j->kind_count -= j->rotor_rows;
        j->row_count -= j->rotor_rows;
        j->rotor_rows = 0;
        j->first_row = plain->row_count;
        plain->row_count += j->row_count;
    }
    return plain;
}

// ---- Placements -----------------------------------------------------------------------------------------------------

bool placement_create(const ph_model *model, arena *memory, placement *p)
{
    const size_t count = model_places(model);
    p->position = arena_alloc_array(memory, count, sizeof *p->position);
    p->velocity = arena_alloc_array(memory, count, sizeof *p->velocity);
    p->angular_velocity = arena_alloc_array(memory, count, sizeof *p->angular_velocity);
    p->orientation = arena_alloc_array(memory, count, sizeof *p->orientation);
    p->turns = arena_alloc_array(memory, (size_t)model->turn_count + 1, sizeof *p->turns);
    return p->position && p->velocity && p->angular_velocity && p->orientation && p->turns;
}

void placement_copy(const ph_model *model, placement *to, const placement *from)
{
    const size_t count = (size_t)model->body_count + 1;
    memcpy(to->position, from->position, count * sizeof *to->position);
    memcpy(to->velocity, from->velocity, count * sizeof *to->velocity);
    memcpy(to->angular_velocity, from->angular_velocity, count * sizeof *to->angular_velocity);
    memcpy(to->orientation, from->orientation, count * sizeof *to->orientation);
    memcpy(to->turns, from->turns, (size_t)model->turn_count * sizeof *to->turns);
}

frame placement_frame(const placement *p, int body)
{
    return (frame){ph_quat_to_mat(p->orientation[body]), p->position[body]};
}

void placement_put(placement *p, int body, const frame *at)
{
    p->orientation[body] = ph_quat_from_mat(at->R);
    p->position[body] = at->x;
}

void placement_count_turns(const ph_model *model, placement *p)
{
    for (int i = 0; i < model->joint_count; i++) {
        const joint *j = &model->joints[i];
        const frame a = placement_frame(p, j->a), b = placement_frame(p, j->b);
        if (j->turn_count) joint_count_turns(j, &a, &b, p->turns + j->first_turn);
    }
}

// ---- The model with its held coordinates as rows --------------------------------------------------------------------

static bool is_held(const held *h, const joint *j, int k)
{
    return !isnan(h->values[j->first_coordinate + k]) && !(j->motor && k == 0);
}

static bool add_rows(held *h, arena *memory)
{
    const ph_model *model = h->model;
    joint *joints = arena_alloc_array(memory, (size_t)model->joint_count + 1, sizeof *joints);
    if (!joints) return false;
    h->with = *model;
    h->with.joints = joints;
    h->with.row_count = 0;
    for (int i = 0; i < model->joint_count; i++) {
        joint *j = &joints[i];
        *j = model->joints[i];
        for (int k = 0; k < j->coordinate_count; k++)
            if (is_held(h, j, k)) joint_add_row(j, ROW_MOTOR, k, 0);
        joint_note_lengths(j);
        j->first_row = h->with.row_count;
        h->with.row_count += j->row_count;
    }
    return true;
}

bool held_create(const ph_model *model, const double *values, const motion *at, arena *memory, held *h)
{
    *h = (held){.model = model, .values = values, .at = *at, .size = mechanism_size(model)};
    if (!add_rows(h, memory)) return false;
    const size_t rows = (size_t)h->with.row_count + 1;
    h->residual = arena_alloc_array(memory, rows, sizeof(double));
    h->weights = arena_alloc_array(memory, rows, sizeof(double));
    h->damping = arena_alloc_array(memory, rows, sizeof(double));
    return h->residual && h->weights && h->damping && placement_create(model, memory, &h->trial) &&
           kkt_create(&h->with, KKT_DECOUPLED, memory, &h->kkt) && node_create(&h->with, &h->kkt, memory, &h->node);
}

static void set_motion(held *h, const placement *p)
{
    motion *m = &h->node.motion;
    m->time = h->at.time;
    m->inputs = h->at.inputs;
    m->targets = h->at.targets;
    m->target_time = h->at.target_time;
    m->turns = p->turns;
    node_set_frames(&h->with, p->position, p->orientation, &h->node);
}

// How far coordinate k is from where it is held; whole turns make no difference.
static double off_value(const held *h, const joint *j, int k)
{
    const double off = joint_coordinate(j, &h->node.motion, k) - h->values[j->first_coordinate + k];
    const double turn = 6.283185307179586476925;
    return coordinate_slides(j->coordinates[k]) ? off : off - turn * rint(off / turn);
}

static void set_residual(held *h, const placement *p)
{
    set_motion(h, p);
    for (int i = 0; i < h->model->joint_count; i++) {
        const joint *j = &h->model->joints[i];
        double *phi = h->residual + h->with.joints[i].first_row;
        joint_residual(j, &h->node.motion, phi);
        phi += j->row_count;
        for (int k = 0; k < j->coordinate_count; k++)
            if (is_held(h, j, k)) *phi++ = off_value(h, j, k);
    }
}

// The worst of `rows`, lengths by `length`, all others by `other`.
static gap worst_of(const held *h, const double *rows, double length, double other)
{
    gap worst = {.joint = PH_NONE};
    for (int i = 0; i < h->with.joint_count; i++) {
        const joint *j = &h->with.joints[i];
        for (int r = 0; r < j->row_count; r++) {
            const double off = rows[j->first_row + r];
            const double size = fabs(off) / (joint_row_is_length(j, r) ? length : other);
            if (size > worst.size || isnan(size) || worst.joint == PH_NONE) worst = (gap){size, i, r, off};
        }
    }
    return worst;
}

gap held_gap(held *h, const placement *p)
{
    set_residual(h, p);
    return worst_of(h, h->residual, h->size, 1.0);
}

// ---- Positions ------------------------------------------------------------------------------------------------------

// s = B M^-1 B^T of one row.
static double row_mobility(const held *h, const joint *j, const double *B, int r)
{
    double s = 0.0;
    for (int k = 0; k < j->body_count; k++, B += 6 * j->row_count) {
        const body_kind *kind = h->model->bodies[j->bodies[k]].kind;
        const double *b = B + 6 * r;
        const ph_vec3 turn = ph_vec(b[0], b[1], b[2]), move = ph_vec(b[3], b[4], b[5]);
        s += ph_dot(turn, ph_mul(kind->J_inverse, turn)) + ph_norm2(move) / kind->mass;
    }
    return s;
}

// Where not all rows can be met, those of held coordinates are, and joints stay open. Rows of velocities do not hold positions.
static void set_weights(held *h, bool slips)
{
    static const double HELD = 1e4;
    for (int i = 0; i < h->with.joint_count; i++) {
        const joint *j = &h->with.joints[i];
        for (int r = 0; r < j->row_count; r++) {
            const double s = row_mobility(h, j, h->node.B + h->kkt.joints[i].B, r);
            const double more = r >= h->model->joints[i].row_count ? HELD : 1.0;
            h->weights[j->first_row + r] = s > 0.0 ? more / s : 0.0;
            if (!slips && joint_row_is_slip(j, r)) h->weights[j->first_row + r] *= 1e-30;
        }
    }
}

static double merit(const held *h)
{
    double sum = 0.0;
    for (int r = 0; r < h->with.row_count; r++) sum += h->weights[r] * h->residual[r] * h->residual[r];
    return sum;
}

// Factors [M B^T; B -mu D]: quasi-definite, so that no row can be missing.
static bool factor_damped(held *h, double mu)
{
    for (int r = 0; r < h->with.row_count; r++) h->damping[r] = h->weights[r] > 0.0 ? mu / h->weights[r] : 1.0;
    node_put_mass(&h->with, &h->kkt, &h->node);
    return kkt_factor_damped(&h->kkt, h->damping);
}

// The step into h->trial, no turn longer than a radian.
static void take_step(held *h, const placement *from)
{
    kkt *kkt = &h->kkt;
    double most = 1.0;
    memset(kkt->x, 0, sizeof(double) * (size_t)kkt->lu.x_count);
    for (int i = 0; i < h->with.joint_count; i++) {
        const joint *j = &h->with.joints[i];
        for (int r = 0; r < j->row_count; r++) kkt_joint_x(kkt, i)[r] = -h->residual[j->first_row + r];
    }
    kkt_solve(kkt);
    for (int k = 0; k < h->with.moving_count; k++) {
        const double *d = kkt_body_x(kkt, k);
        most = ph_max(most, ph_norm(ph_vec(d[0], d[1], d[2])));
    }
    placement_copy(h->model, &h->trial, from);
    for (int k = 0; k < h->with.moving_count; k++) {
        const int b = h->with.moving[k];
        const double *d = kkt_body_x(kkt, k);
        const ph_quat turn = ph_quat_exp(ph_scale(1.0 / most, ph_vec(d[0], d[1], d[2])));
        h->trial.orientation[b] = ph_quat_unit(ph_quat_mul(from->orientation[b], turn));
        h->trial.position[b] = ph_madd(from->position[b], 1.0 / most, ph_vec(d[3], d[4], d[5]));
    }
    placement_count_turns(h->model, &h->trial);
}

// What rounding of the positions leaves open.
static double rounding(const held *h, const placement *p)
{
    double reach = 0.0;
    for (int k = 0; k < h->with.moving_count; k++) reach = ph_max(reach, ph_max_abs(p->position[h->with.moving[k]]));
    return 16.0 * DBL_EPSILON * (1.0 + reach / h->size);
}

// Residual, Jacobian and weights at `p`; its gap.
static gap linearise(held *h, const placement *p, bool first, bool slips)
{
    set_residual(h, p);
    node_set_jacobian(&h->with, &h->kkt, &h->node);
    if (first) set_weights(h, slips);
    return worst_of(h, h->residual, h->size, 1.0);
}

bool held_close(held *h, placement *p, gap *left)
{
    enum { MOST = 120 };
    static const double LEAST = 1e-11, CLOSED = 1e-10;
    double mu = LEAST;
    gap now = linearise(h, p, true, false);
    double before = merit(h);
    const double noise = rounding(h, p);
    for (int iteration = 0, poor = 0; iteration < MOST && isfinite(before) && now.size > 0.1 * noise; iteration++) {
        if (mu > 1e8 || poor == 8 || !factor_damped(h, mu)) break;
        take_step(h, p);
        set_residual(h, &h->trial);
        const double after = merit(h);
        const gap then = worst_of(h, h->residual, h->size, 1.0);
        const bool better = after < before && isfinite(after);
        if (!better && now.size <= CLOSED + noise) break; // at rounding
        mu = better ? ph_max(LEAST, 0.1 * mu) : ph_max(1e-6, 10.0 * mu);
        poor = better && after > 0.999 * before ? poor + 1 : better ? 0 : poor;
        if (better) {
            const bool settled = then.size > 0.5 * now.size && now.size <= CLOSED + noise;
            placement_copy(h->model, p, &h->trial);
            now = then;
            before = after;
            if (settled) break;
        }
        linearise(h, p, false, false);
    }
    *left = now;
    return now.size <= CLOSED + noise;
}

// ---- Velocities -----------------------------------------------------------------------------------------------------

// Rates that the rows of joint i shall have: none but those of motors, of rows of velocities and of held coordinates.
static void wanted_rates(const held *h, int i, double *rates)
{
    const joint *j = &h->model->joints[i];
    if (!joint_wanted_rates(j, &h->node.motion, rates)) memset(rates, 0, (size_t)j->row_count * sizeof *rates);
    rates += j->row_count;
    for (int k = 0; k < j->coordinate_count; k++)
        if (is_held(h, j, k)) *rates++ = h->values[j->first_coordinate + k];
}

// h->residual = B v - wanted
static void set_velocity_residual(held *h, const placement *p)
{
    for (int i = 0; i < h->with.joint_count; i++) {
        const joint *j = &h->with.joints[i];
        const double *B = h->node.B + h->kkt.joints[i].B;
        double *rate = h->residual + j->first_row, wanted[JOINT_ROWS_MAX];
        wanted_rates(h, i, wanted);
        for (int r = 0; r < j->row_count; r++) rate[r] = -wanted[r];
        for (int k = 0; k < j->body_count; k++) {
            const ph_vec3 w = p->angular_velocity[j->bodies[k]], v = p->velocity[j->bodies[k]];
            for (int r = 0; r < j->row_count; r++, B += 6)
                rate[r] += B[0] * w.x + B[1] * w.y + B[2] * w.z + B[3] * v.x + B[4] * v.y + B[5] * v.z;
        }
    }
}

static double fastest_point(const held *h, const placement *p)
{
    double fastest = DBL_MIN;
    for (int i = 0; i < h->with.joint_count; i++) {
        double wanted[JOINT_ROWS_MAX];
        wanted_rates(h, i, wanted);
        for (int r = 0; r < h->with.joints[i].row_count; r++) {
            const double scale = joint_row_is_length(&h->with.joints[i], r) ? 1.0 : h->size;
            fastest = ph_max(fastest, scale * fabs(wanted[r]));
        }
    }
    for (int k = 0; k < h->with.moving_count; k++) {
        const int b = h->with.moving[k];
        fastest = ph_max(fastest, ph_max(ph_max_abs(p->velocity[b]), h->size * ph_max_abs(p->angular_velocity[b])));
    }
    return fastest;
}

// Each solve leaves what the damping and rounding do; a few leave nothing but rounding.
gap held_velocities(held *h, placement *p)
{
    enum { MOST = 12 };
    linearise(h, p, true, true);
    set_velocity_residual(h, p);
    const double fastest = fastest_point(h, p);
    gap now = worst_of(h, h->residual, fastest, fastest / h->size);
    if (!factor_damped(h, 1e-11)) return now;
    for (int iteration = 0; iteration < MOST && now.size > 0.0; iteration++) {
        kkt *kkt = &h->kkt;
        memset(kkt->x, 0, sizeof(double) * (size_t)kkt->lu.x_count);
        for (int i = 0; i < h->with.joint_count; i++) {
            const joint *j = &h->with.joints[i];
            for (int r = 0; r < j->row_count; r++) kkt_joint_x(kkt, i)[r] = -h->residual[j->first_row + r];
        }
        kkt_solve(kkt);
        placement_copy(h->model, &h->trial, p);
        for (int k = 0; k < h->with.moving_count; k++) {
            const int b = h->with.moving[k];
            const double *d = kkt_body_x(kkt, k);
            p->angular_velocity[b] = ph_add(p->angular_velocity[b], ph_vec(d[0], d[1], d[2]));
            p->velocity[b] = ph_add(p->velocity[b], ph_vec(d[3], d[4], d[5]));
        }
        set_velocity_residual(h, p);
        const gap then = worst_of(h, h->residual, fastest, fastest / h->size);
        if (!(then.size < now.size)) {
            placement_copy(h->model, p, &h->trial);
            break;
        }
        const bool settled = then.size > 0.5 * now.size;
        now = then;
        if (settled) break;
    }
    return now;
}
