// Rows of contacts and stops where a part of a step of `moreau` begins, and their gradients.
//
// The velocity of a contact along a field w of twists, with G and A what its weights push and turn with,
//
//     rho(w) = G . (v_b + w_b x (p - x_b) - v_a - w_a x (p - x_a)) + A . (w_b - w_a)
//
// depends on the point p, the normal and the places of the bodies. Tangents follow the normal, dt = -(t . dn) n; how they turn about it
// does not matter, as friction is the same in all directions.
#include "adjoint/contact_sweep.h"

#include "joints/geometry.h"

#include <math.h>
#include <string.h>

// ---- Rows -----------------------------------------------------------------------------------------------------------

static bool reserve(contact_sweep *c, void *array, int *room, int count, size_t size)
{
    return mem_reserve(&c->s->model->allocator, array, room, count + 1, size);
}

bool contact_rows_begin(contact_sweep *c, int contacts, int stops)
{
    const int cones = contacts + stops, rows = CONTACT_ROWS_MAX * contacts + stops;
    c->row_count = c->cone_count = 0;
    return reserve(c, &c->rows, &c->rows_room, rows, sizeof *c->rows) &&
           reserve(c, &c->cones, &c->cones_room, cones, sizeof *c->cones) &&
           reserve(c, &c->contacts, &c->contacts_room, cones, sizeof *c->contacts) &&
           reserve(c, &c->by, &c->by_room, cones, sizeof *c->by) &&
           reserve(c, &c->g, &c->g_room, rows, sizeof(double)) && reserve(c, &c->u, &c->u_room, rows, sizeof(double)) &&
           reserve(c, &c->y, &c->y_room, rows, sizeof(double)) &&
           reserve(c, &c->g_bar, &c->g_bar_room, rows, sizeof(double)) &&
           reserve(c, &c->N, &c->N_room, rows * rows, sizeof(double)) &&
           reserve(c, &c->room, &c->room_room, rows * rows + 3 * rows, sizeof(double)) &&
           reserve(c, &c->coefficients, &c->coefficients_room, CONE_PARTS_MAX * cones, sizeof(double));
}

static int body_at(const contact_sweep *c, int moving)
{
    return moving < 0 ? -1 : c->s->model->moving[moving];
}

static ph_mat3 rotation(const contact_sweep *c, int body)
{
    return c->s->here.frames[body].R;
}

// What pushing with `force` at an arm and turning with `torque` is to a body.
static ph_wrench seen_by(const contact_sweep *c, int body, ph_vec3 arm, ph_vec3 force, ph_vec3 torque, double sign)
{
    if (body < 0) return (ph_wrench){ph_zero3(), ph_zero3()};
    const ph_vec3 turn = ph_add(torque, ph_cross(arm, force));
    return (ph_wrench){ph_scale(sign, ph_tmul(rotation(c, body), turn)), ph_scale(sign, force)};
}

static bool has_spin(const contact_rows *r)
{
    return r->count == 4 || r->count == 6;
}

// G and A of weights of the rows of a contact
static screw load_of(const contact_rows *r, const double *weights)
{
    screw load = {ph_zero3(), ph_zero3()};
    for (int k = 0; k < 3; k++) load.linear = ph_madd(load.linear, weights[k], r->axes[k]);
    if (r->rolls) load.angular = ph_madd(ph_scale(weights[3], r->axes[1]), weights[4], r->axes[2]);
    if (has_spin(r)) load.angular = ph_madd(load.angular, weights[r->count - 1], r->axes[0]);
    return load;
}

void contact_rows_put(contact_sweep *c, const detected *at, const double *g, double softness)
{
    const pair_surface surface = shapes_surface(c->shapes, at->shape_a, at->shape_b);
    const ph_cone cone = contact_cone(&surface);
    contact_rows *r = &c->contacts[c->cone_count];
    *r = contact_rows_of(c->s->model, c->s->here.frames, at, &cone);
    r->first = c->row_count;
    r->softness = softness;
    c->cones[c->cone_count++] = cone_make(&cone, r->first);
    for (int k = 0; k < r->count; k++) {
        double unit[CONTACT_ROWS_MAX] = {0};
        unit[k] = 1.0;
        const screw load = load_of(r, unit);
        const int a = body_at(c, r->a), b = body_at(c, r->b);
        c->g[c->row_count] = g[k];
        c->rows[c->row_count++] = (sweep_row){a, b, seen_by(c, a, r->arm_a, load.linear, load.angular, -1.0),
                                              seen_by(c, b, r->arm_b, load.linear, load.angular, 1.0)};
    }
}

static void add_contact(contact_sweep *c, const contact_item *it, double h)
{
    const pair_surface surface = shapes_surface(c->shapes, it->at.shape_a, it->at.shape_b);
    const double shared = it->bounces ? 0.0 : moreau_shared_softness(c->m, it->at.body_a, it->at.body_b);
    contact_rows_put(c, &it->at, it->g, surface.compliance / (h * h) + shared);
}

// Calls visit for all stops, in the order of moreau_rows.c.
typedef void stop_visit(contact_sweep *c, int joint, stop_kind kind, int index, const contact_tape *t,
                        const contact_part *p);

static void for_stops(contact_sweep *c, const contact_tape *t, const contact_part *p, stop_visit *visit)
{
    int index = 0;
    for (int j = 0; j < c->s->model->joint_count && p->stop_count > 0; j++) {
        const ph_joint_def *def = c->s->model->joints[j].def;
        if (def->has_limit_low) visit(c, j, STOP_LOW, index++, t, p);
        if (def->has_limit_high) visit(c, j, STOP_HIGH, index++, t, p);
        if (def->friction > 0.0) visit(c, j, STOP_FRICTION, index++, t, p);
    }
}

static double stop_sign(stop_kind kind)
{
    return kind == STOP_HIGH ? -1.0 : 1.0;
}

void contact_rows_put_stop(contact_sweep *c, int index, stop_kind kind, double bound, double impulse)
{
    const joint *j = &c->s->model->joints[index];
    const geometry g = joint_geometry(j, c->s->here.frames);
    const gradient w = coordinate_gradient(j, &g, j->coordinates[0]);
    const double sign = stop_sign(kind);
    const ph_cone cone = {
        .kind = kind == STOP_FRICTION ? PH_CONE_INTERVAL : PH_CONE_HALF_LINE, .low = -bound, .high = bound};
    const int a = c->s->model->bodies[j->a].moving < 0 ? -1 : j->a,
              b = c->s->model->bodies[j->b].moving < 0 ? -1 : j->b;
    sweep_row row = {.a = a, .b = b};
    if (a >= 0) row.on_a = (ph_wrench){ph_scale(sign, ph_tmul(rotation(c, a), w.alpha_a)), ph_scale(-sign, w.u_b)};
    if (b >= 0) row.on_b = (ph_wrench){ph_scale(sign, ph_tmul(rotation(c, b), w.alpha_b)), ph_scale(sign, w.u_b)};
    c->cones[c->cone_count++] = cone_make(&cone, c->row_count);
    c->g[c->row_count] = impulse;
    c->rows[c->row_count++] = row;
}

static void add_stop(contact_sweep *c, int index, stop_kind kind, int place, const contact_tape *t,
                     const contact_part *p)
{
    const double bound = p->h * c->s->model->joints[index].def->friction;
    contact_rows_put_stop(c, index, kind, bound, t->stops[p->stops + place]);
}

bool contact_rows_make(contact_sweep *c, const contact_tape *t, const contact_part *p)
{
    if (!contact_rows_begin(c, p->item_count, p->stop_count)) {
        c->out_of_memory = true;
        return false;
    }
    for (int i = 0; i < p->item_count; i++) add_contact(c, &t->items[p->items + i], p->h);
    for_stops(c, t, p, add_stop);
    return true;
}

// ---- b --------------------------------------------------------------------------------------------------------------

typedef struct bias { // b of a normal row, and its derivatives
    double value, by_gap, by_speed, by_pull, by_restitution;
    double tau_by_gap, tau_by_speed, tau_by_pull; // of when it bounces
} bias;

static double along_row(const sweep_row *r, const ph_twist *w)
{
    return (r->a >= 0 ? wrench_power(&r->on_a, &w[r->a]) : 0.0) + (r->b >= 0 ? wrench_power(&r->on_b, &w[r->b]) : 0.0);
}

static double speed_before(const contact_sweep *c, int i)
{
    return along_row(&c->rows[c->contacts[i].first], c->s->here.twists);
}

// Within the slack of a gap that is as good as closed, its derivative is that of a gap beside it.
static bias plain_bias(const contact_sweep *c, const contact_item *it, const pair_surface *surface,
                       const contact_part *p)
{
    const gap_law law = {p->h, p->undo, 3.0 * c->m->contact.tolerance, c->m->contact.recovery_speed};
    const double value = gap_bias(&law, it->at.gap, surface->compliance);
    const bool held = surface->compliance == 0.0 && value <= -law.recovery;
    const bool undone = surface->compliance == 0.0 && it->at.gap < 0.0;
    return (bias){.value = value, .by_gap = held ? 0.0 : 1.0 / (undone ? law.undo : law.h)};
}

// (2) of contact/flight.h: phi + tau u + tau^2 a/2 = 0, b = e (u + tau a) - (h - tau) a
static bias bounce_bias(const contact_item *it, double e, double u, double h)
{
    const double a = it->pull, tau = it->tau, hit = u + tau * a, by_tau = (1.0 + e) * a;
    bias b = {.value = e * hit - (h - tau) * a, .by_speed = e, .by_pull = e * tau - (h - tau), .by_restitution = hit};
    if (it->at.gap > 0.0 && tau < h) {
        b.tau_by_gap = -1.0 / hit;
        b.tau_by_speed = -tau / hit;
        b.tau_by_pull = -0.5 * tau * tau / hit;
    }
    b.by_gap = by_tau * b.tau_by_gap;
    b.by_speed += by_tau * b.tau_by_speed;
    b.by_pull += by_tau * b.tau_by_pull;
    return b;
}

static bias bias_of(const contact_sweep *c, const contact_item *it, int i, const contact_part *p)
{
    const pair_surface surface = shapes_surface(c->shapes, it->at.shape_a, it->at.shape_b);
    if (!it->bounces) return plain_bias(c, it, &surface, p);
    return bounce_bias(it, surface.restitution * it->scale, speed_before(c, i), p->h);
}

static double stop_distance(const contact_sweep *c, const joint *j, stop_kind kind)
{
    const double q = joint_coordinate(j, &c->s->here.motion, 0);
    return kind == STOP_LOW ? q - j->def->limit_low : j->def->limit_high - q;
}

// The derivative of the bias of a stop by its distance, where it is not held at the speed of recovery.
static double slope_of(const contact_part *p, double distance)
{
    return 1.0 / (distance < 0.0 ? p->undo : p->h);
}

static void add_stop_bias(contact_sweep *c, int index, stop_kind kind, int place, const contact_tape *t,
                          const contact_part *p)
{
    const int row = c->cones[p->item_count + place].first;
    (void)t;
    if (kind == STOP_FRICTION) return;
    const double distance = stop_distance(c, &c->s->model->joints[index], kind);
    c->u[row] += fmax(distance * slope_of(p, distance), -c->m->contact.recovery_speed);
}

void contact_rows_velocities(contact_sweep *c, const contact_tape *t, const contact_part *p)
{
    const bool shifted = c->m->contact.law == PH_LAW_COULOMB;
    for (int r = 0; r < c->row_count; r++) c->u[r] = along_row(&c->rows[r], c->plus);
    for (int i = 0; i < p->item_count; i++) {
        const contact_rows *r = &c->contacts[i];
        c->u[r->first] += bias_of(c, &t->items[p->items + i], i, p).value + r->softness * c->g[r->first];
        if (shifted) c->u[r->first] += cone_shift(&c->cones[i], c->u + r->first);
    }
    for_stops(c, t, p, add_stop_bias);
}

// ---- Gradients of rows ----------------------------------------------------------------------------------------------

static ph_vec3 spin_of(const contact_sweep *c, int body, const ph_twist *w)
{
    return body < 0 ? ph_zero3() : ph_mul(rotation(c, body), w[body].omega);
}

static ph_vec3 speed_of(int body, ph_vec3 spin, ph_vec3 arm, const ph_twist *w)
{
    return body < 0 ? ph_zero3() : ph_add(w[body].v, ph_cross(spin, arm));
}

// By the place of one body, its twist being fixed in its own axes.
static void add_to_body(const contact_sweep *c, int body, ph_vec3 arm, ph_vec3 spin, const screw *load, double sign,
                        const ph_twist *w)
{
    if (body < 0) return;
    const ph_vec3 by_spin = ph_scale(sign, ph_add(load->angular, ph_cross(arm, load->linear)));
    ph_wrench *a = &c->s->a_q[body];
    a->force = ph_madd(a->force, -sign, ph_cross(load->linear, spin));
    a->torque = ph_add(a->torque, ph_cross(w[body].omega, ph_tmul(rotation(c, body), by_spin)));
}

// Adds the gradient of the weighted rows of contact i along w.
void contact_rows_field(contact_sweep *c, int i, const double *weights, const ph_twist *w)
{
    const contact_rows *r = &c->contacts[i];
    const int a = body_at(c, r->a), b = body_at(c, r->b);
    const screw load = load_of(r, weights);
    const ph_vec3 wa = spin_of(c, a, w), wb = spin_of(c, b, w), turn = ph_sub(wb, wa);
    const ph_vec3 move = ph_sub(speed_of(b, wb, r->arm_b, w), speed_of(a, wa, r->arm_a, w));
    const ph_vec3 n = r->axes[0], slide = ph_madd(ph_scale(weights[1], r->axes[1]), weights[2], r->axes[2]);
    contact_cotangent *to = &c->by[i];
    to->normal = ph_add3(to->normal, ph_scale(weights[0], move), ph_scale(-ph_dot(n, move), slide));
    if (r->rolls) {
        const ph_vec3 roll = ph_madd(ph_scale(weights[3], r->axes[1]), weights[4], r->axes[2]);
        to->normal = ph_madd(to->normal, -ph_dot(n, turn), roll);
    }
    if (has_spin(r)) to->normal = ph_madd(to->normal, weights[r->count - 1], turn);
    to->point = ph_add(to->point, ph_cross(load.linear, turn));
    add_to_body(c, a, r->arm_a, wa, &load, -1.0, w);
    add_to_body(c, b, r->arm_b, wb, &load, 1.0, w);
}

static void add_gravity(const contact_sweep *c, double scale, ph_vec3 along)
{
    double *g = c->s->gradient;
    if (g) g[0] += scale * along.x, g[1] += scale * along.y, g[2] += scale * along.z;
}

// The gradient by when the bodies of a contact bounce, where that is when it does; each body counts once.
static double take_tau(contact_sweep *c, const contact_tape *t, const contact_part *p, const contact_item *it, int i)
{
    const int pair[2] = {c->contacts[i].a, c->contacts[i].b};
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        const int k = pair[side];
        if (k < 0 || t->bodies[p->bodies + k].tau != it->tau) continue;
        sum += c->tau[k];
        c->tau[k] = 0.0;
    }
    return sum;
}

// ---- Numbers of surfaces --------------------------------------------------------------------------------------------

static pair_gradient *pair_of(const contact_sweep *c, const ph_contact_pair *pair)
{
    return &numbers_pairs(&c->s->numbers, c->s->gradient)[pair - c->s->model->contact.pairs];
}

// The number is that of the pair, or of the shape whose own is ahead; where both are alike, half of each: right where they change
// together, and the mean of both sides where one does.
static void add_number(double by, double named, double *of_pair, double ahead, double *a, double *b)
{
    if (named >= 0.0) {
        *of_pair += by;
        return;
    }
    const double share = ahead == 0.0 ? 0.5 : ahead > 0.0;
    *a += share * by;
    *b += (1.0 - share) * by;
}

// The smaller friction of both, the larger of all else, the sum of both compliances; or what the list of pairs says.
void contact_rows_surface(const contact_sweep *c, const detected *at, const pair_gradient *by)
{
    const shape_set *shapes = c->shapes;
    if (!c->s->gradient) return;
    const detector_kind *ka = shapes->shapes[at->shape_a].kind, *kb = shapes->shapes[at->shape_b].kind;
    shape_gradient *a = &numbers_shapes(&c->s->numbers, c->s->gradient, at->body_a)[ka->index];
    shape_gradient *b = &numbers_shapes(&c->s->numbers, c->s->gradient, at->body_b)[kb->index];
    const ph_contact_pair *pair = shapes_named_pair(shapes, at->body_a, at->body_b);
    pair_gradient none, *to = pair ? pair_of(c, pair) : &none;
    const ph_contact_pair said = pair ? *pair
                                      : (ph_contact_pair){.friction = -1.0,
                                                          .restitution = -1.0,
                                                          .rolling_friction = -1.0,
                                                          .spinning_friction = -1.0,
                                                          .compliance = -1.0};
    const ph_shape_def *p = ka->def, *q = kb->def;
    none = (pair_gradient){0};
    add_number(by->friction, said.friction, &to->friction, q->friction - p->friction, &a->friction, &b->friction);
    add_number(by->restitution, said.restitution, &to->restitution, p->restitution - q->restitution, &a->restitution,
               &b->restitution);
    add_number(by->rolling, said.rolling_friction, &to->rolling, p->rolling_friction - q->rolling_friction, &a->rolling,
               &b->rolling);
    add_number(by->spinning, said.spinning_friction, &to->spinning, p->spinning_friction - q->spinning_friction,
               &a->spinning, &b->spinning);
    add_number(by->compliance, said.compliance, &to->compliance, 1.0, &a->compliance, &b->compliance);
    if (said.compliance < 0.0) b->compliance += by->compliance;
}

static void pull_surface(const contact_sweep *c, const contact_item *it, int i, double by_restitution, double h)
{
    const contact_rows *r = &c->contacts[i];
    const double *by = c->coefficients + CONE_PARTS_MAX * i;
    const pair_gradient all = {.friction = by[0],
                               .restitution = by_restitution,
                               .rolling = r->rolls ? by[1] : 0.0,
                               .spinning = has_spin(r) ? by[r->rolls ? 2 : 1] : 0.0,
                               .compliance = c->y[r->first] * c->g[r->first] / (h * h)};
    contact_rows_surface(c, &it->at, &all);
}

// By the masses of what normal rows give way by.
static void pull_share(const contact_sweep *c, const contact_item *it, int i)
{
    const contact_rows *r = &c->contacts[i];
    const int pair[2] = {r->a, r->b};
    for (int side = 0; side < 2 && !it->bounces; side++) {
        if (pair[side] < 0) continue;
        const double mass = c->s->model->bodies[body_at(c, pair[side])].kind->mass;
        const double by = -c->m->share / (mass * mass) * c->y[r->first] * c->g[r->first];
        sweep_pull_mass(c->s, pair[side], by, ph_zero3(), ph_zero3(), 1.0);
    }
}

// ---- Contacts and stops ---------------------------------------------------------------------------------------------

static bool is_joined(const contact_sweep *c, int moving)
{
    return moving >= 0 && delassus_group(&c->m->delassus, moving) >= 0;
}

// What the step itself changes in the velocity at a contact: by forces, and as the arm turns where it is not that of a ball.
static ph_vec3 change_at(const contact_sweep *c, int moving, ph_vec3 arm, ph_vec3 normal, double h)
{
    if (moving < 0) return ph_zero3();
    const int body = body_at(c, moving);
    const body_kind *kind = c->s->model->bodies[body].kind;
    const ph_twist v = c->s->here.twists[body];
    const ph_mat3 R = rotation(c, body);
    const ph_vec3 spin = ph_mul(R, v.omega),
                  faster = ph_sub(ph_mul(kind->J_inverse, c->momentum[body].torque), v.omega);
    ph_vec3 change = ph_sub(ph_scale(1.0 / kind->mass, c->momentum[body].force), v.v);
    change = ph_add(change, ph_cross(ph_mul(R, faster), arm));
    const bool is_ball = ph_norm(ph_cross(arm, normal)) <= 1e-9 * ph_norm(arm);
    return is_ball ? change : ph_madd(change, h, ph_cross(spin, ph_cross(spin, arm)));
}

// A bounce that knows when it is sees the motion before it along its normal; what sticks then loses what forces do along the surface.
static bool is_bent(const contact_sweep *c, const contact_item *it, int i, double h)
{
    const contact_rows *r = &c->contacts[i];
    const double *g = c->g + r->first, most = g[0] * shapes_surface(c->shapes, it->at.shape_a, it->at.shape_b).friction;
    const ph_vec3 n = r->axes[0];
    const ph_vec3 change = ph_sub(change_at(c, r->b, r->arm_b, n, h), change_at(c, r->a, r->arm_a, n, h));
    const bool sticks = g[1] * g[1] + g[2] * g[2] < (1.0 - 1e-6) * most * most;
    return sticks && ph_norm(ph_cross(change, n)) > 1e-2 * h * ph_norm(c->s->model->gravity);
}

// An impact of which the step does not know when it is: of bodies that joints hold, without restitution, and partly as above.
static bool is_unresolved(const contact_sweep *c, const contact_item *it, int i, double h)
{
    const contact_rows *r = &c->contacts[i];
    const double fast = ph_max(c->m->bounce, 0.5) * h * ph_norm(c->s->model->gravity);
    if (!(c->g[r->first] > 0.0 && speed_before(c, i) < -fast)) return false;
    return is_joined(c, r->a) || is_joined(c, r->b) || !it->bounces || is_bent(c, it, i, h);
}

static void pull_contact(contact_sweep *c, const contact_tape *t, const contact_part *p, int i)
{
    const contact_item *it = &t->items[p->items + i];
    const contact_rows *r = &c->contacts[i];
    const bias b = bias_of(c, it, i, p);
    const double y = c->y[r->first], by_tau = it->bounces ? take_tau(c, t, p, it, i) : 0.0;
    c->by[i] = (contact_cotangent){.gap = y * b.by_gap + by_tau * b.tau_by_gap};
    contact_rows_field(c, i, c->g + r->first, c->s->beta);
    contact_rows_field(c, i, c->y + r->first, c->plus);
    pull_surface(c, it, i, y * b.by_restitution * it->scale, p->h);
    pull_share(c, it, i);
    c->report->impacts += is_unresolved(c, it, i, p->h);
    if (!it->bounces) return;
    const double by_speed[CONTACT_ROWS_MAX] = {y * b.by_speed + by_tau * b.tau_by_speed};
    const sweep_row *row = &c->rows[r->first];
    const double along = ph_dot(c->s->model->gravity, r->axes[0]), share = along != 0.0 ? it->pull / along : 0.0;
    const double by_pull = share * (y * b.by_pull + by_tau * b.tau_by_pull);
    contact_rows_field(c, i, by_speed, c->s->here.twists);
    if (row->a >= 0) wrench_add(&c->s->a_v[row->a], by_speed[0], &row->on_a);
    if (row->b >= 0) wrench_add(&c->s->a_v[row->b], by_speed[0], &row->on_b);
    c->by[i].normal = ph_madd(c->by[i].normal, by_pull, c->s->model->gravity);
    add_gravity(c, by_pull, r->axes[0]);
}

static force_gradient *drive_of(const contact_sweep *c, const joint *j)
{
    const int k = numbers_drive(&c->s->numbers, j);
    return c->s->gradient && k >= 0 ? &numbers_forces(&c->s->numbers, c->s->gradient)[k] : NULL;
}

static void pull_stop(contact_sweep *c, int index, stop_kind kind, int place, const contact_tape *t,
                      const contact_part *p)
{
    const joint *j = &c->s->model->joints[index];
    const int cone = p->item_count + place, row = c->cones[cone].first;
    const double sign = stop_sign(kind), *by = c->coefficients + CONE_PARTS_MAX * cone;
    const pull_to to = sweep_joints_to(c->s, c->s->a_q);
    (void)t;
    const double distance = stop_distance(c, j, kind), slope = slope_of(p, distance);
    const bool free = kind != STOP_FRICTION && distance * slope > -c->m->contact.recovery_speed;
    joint_pull_coordinate(j, c->s->here.frames, c->s->beta, 0, 0.0, sign * c->g[row], &to);
    const double by_distance = free ? c->y[row] * slope : 0.0;
    joint_pull_coordinate(j, c->s->here.frames, c->plus, 0, sign * by_distance, sign * c->y[row], &to);
    if (to.numbers && kind == STOP_LOW) to.numbers[index].limit_low -= by_distance;
    if (to.numbers && kind == STOP_HIGH) to.numbers[index].limit_high += by_distance;
    force_gradient *drive = kind == STOP_FRICTION ? drive_of(c, j) : NULL;
    if (drive) drive->friction += p->h * (by[1] - by[0]);
}

// ---- Shapes ---------------------------------------------------------------------------------------------------------

static frame place_of(const contact_sweep *c, const detector_kind *kind, int body)
{
    return frame_mul(&c->s->here.frames[body], &kind->collider->local);
}

static void add_sizes(shape_sizes *to, const shape_sizes *by)
{
    to->half = ph_add(to->half, by->half);
    to->radius += by->radius;
    to->half_length += by->half_length;
}

static void add_shape(const contact_sweep *c, int shape, const frame *at, const shape_cotangent *by)
{
    const detector_shape *it = &c->shapes->shapes[shape];
    const frame *body = &c->s->here.frames[it->body];
    const bool moves = c->s->model->bodies[it->body].moving >= 0;
    if (moves) {
        ph_wrench *a = &c->s->a_q[it->body];
        const ph_vec3 turn = ph_add(by->turn, ph_cross(ph_sub(at->x, body->x), by->place));
        wrench_add(a, 1.0, &(ph_wrench){ph_tmul(body->R, turn), by->place});
    }
    if (!c->s->gradient) return;
    shape_gradient *to = &numbers_shapes(&c->s->numbers, c->s->gradient, it->body)[it->kind->index];
    to->place = ph_add(to->place, moves ? ph_tmul(body->R, by->place) : by->place);
    to->turn = ph_add(to->turn, moves ? ph_tmul(body->R, by->turn) : by->turn);
    add_sizes(&to->sizes, &by->sizes);
}

static bool is_idle(const contact_cotangent *by, int count)
{
    bool idle = true;
    for (int k = 0; k < count; k++)
        idle = idle && by[k].gap == 0.0 && ph_max_abs(by[k].normal) == 0.0 && ph_max_abs(by[k].point) == 0.0;
    return idle;
}

static const detected *detected_at(const contact_item *items, size_t stride, int i)
{
    return &((const contact_item *)((const char *)items + stride * (size_t)i))->at;
}

static void pull_pair(contact_sweep *c, const contact_item *items, size_t stride, int first, int count)
{
    const shape_set *shapes = c->shapes;
    const detected *at = detected_at(items, stride, first);
    const contact_points points = {.shapes = shapes,
                                   .at = at,
                                   .by = c->by + first,
                                   .count = count,
                                   .stride = (int)stride,
                                   .a = place_of(c, shapes->shapes[at->shape_a].kind, at->body_a),
                                   .b = place_of(c, shapes->shapes[at->shape_b].kind, at->body_b)};
    shape_cotangent a, b;
    if (is_idle(points.by, count)) return;
    const shape_pull how = contact_shape_pull(&points, c->s->gradient != NULL, &a, &b);
    c->report->differences = c->report->differences || how == SHAPE_PULL_DIFFERENCES;
    c->report->held += how == SHAPE_PULL_HELD;
    add_shape(c, at->shape_a, &points.a, &a);
    add_shape(c, at->shape_b, &points.b, &b);
}

void contact_rows_pairs(contact_sweep *c, const contact_item *items, int count, size_t stride)
{
    for (int i = 0, next; i < count; i = next) {
        const detected *at = detected_at(items, stride, i);
        for (next = i + 1; next < count; next++) {
            const detected *other = detected_at(items, stride, next);
            if (other->shape_a != at->shape_a || other->shape_b != at->shape_b) break;
        }
        pull_pair(c, items, stride, i, next - i);
    }
}

void contact_rows_pull(contact_sweep *c, const contact_tape *t, const contact_part *p)
{
    const contact_item *items = t->items + p->items;
    for (int i = 0; i < p->item_count; i++) pull_contact(c, t, p, i);
    for_stops(c, t, p, pull_stop);
    contact_rows_pairs(c, items, p->item_count, sizeof *items);
}
