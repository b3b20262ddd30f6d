// Rows of velocities over random machines against an independent account (reference.h): bodies that roll as balls, discs, blades and by rows of
// their own, linked by ball joints and springs, pushed. The rows are written down here once more, in world axes, with their time derivatives.
#include "rolling_rig.h"

#include "reference.h"

enum { COUNT = 3, TEXT = 4096 };
typedef enum kind { BALL, DISC, BLADE, ROWS_OF_ITS_OWN, KINDS } kind;

typedef struct machine {
    ref_model ref; // joints: the ball joints between bodies
    kind kinds[COUNT];
    real radius[COUNT], k[COUNT][6];
    vec arm[COUNT]; // of the blade's point, or of the anchor of the rows, body axes
    ph_vec3 x[COUNT];
    ph_mat3 R[COUNT];
    char bodies[TEXT], joints[TEXT], forces[TEXT];
} machine;

static double between(double low, double high)
{
    return test_uniform(low, high);
}

__attribute__((format(printf, 2, 3))) static void say(char *text, const char *format, ...)
{
    const size_t at = strlen(text);
    va_list values;
    va_start(values, format);
    vsnprintf(text + at, TEXT - at, format, values);
    va_end(values);
}

// ---- One machine, twice ---------------------------------------------------------------------------------------------

static void add_body(machine *m, int i)
{
    const double mass = between(0.5, 3), I[3] = {between(0.02, 0.05), between(0.02, 0.05), between(0.02, 0.05)};
    const double R = between(0.1, 0.3), lean = m->kinds[i] == DISC ? between(-0.5, 0.5) : 0.0;
    const double z = m->kinds[i] == DISC ? R * cos(lean) : R;
    m->radius[i] = R;
    m->x[i] = ph_vec(i, between(-0.2, 0.2), z);
    m->R[i] = (ph_mat3){{{1, 0, 0}, {0, cos(lean), -sin(lean)}, {0, sin(lean), cos(lean)}}};
    m->ref.bodies[i] = (ref_body){mass, {{{I[0], 0, 0}, {0, I[1], 0}, {0, 0, I[2]}}}};
    say(m->bodies,
        "  - {name: b%d, mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [%.17g, %.17g, %.17g], orientation: {axis: x, angle: %.17g},\n"
        "     velocity: [%.17g, %.17g, 0], angular_velocity: [%.17g, %.17g, %.17g]}\n",
        i, mass, I[0], I[1], I[2], m->x[i].x, m->x[i].y, z, lean, between(-1, 1), between(-1, 1), between(-2, 2),
        between(-2, 2), between(-2, 2));
}

static void add_rows(machine *m, int i)
{
    const ph_vec3 x = m->x[i];
    const double R = (double)m->radius[i];
    switch (m->kinds[i]) {
    case BALL:
        say(m->joints, "  - {name: r%d, type: rolling_sphere, bodies: [world, b%d], radius: %.17g}\n", i, i, R);
        break;
    case DISC:
        say(m->joints, "  - {name: r%d, type: rolling_disc, bodies: [world, b%d], radius: %.17g, axis_b: y}\n", i, i,
            R);
        break;
    case BLADE:
        m->arm[i] = (vec){0.1, 0, -m->radius[i]};
        say(m->joints, "  - {name: r%d, type: knife_edge, bodies: [world, b%d], anchor: [%.17g, %.17g, 0], axis2: x}\n",
            i, i, x.x + 0.1, x.y);
        break;
    default:
        m->arm[i] = (vec){0.05, 0.1, 0};
        for (int c = 0; c < 6; c++) m->k[i][c] = between(-1, 1);
        say(m->joints,
            "  - {name: r%d, type: generic_velocity, bodies: [world, b%d], anchor: [%.17g, %.17g, %.17g],\n"
            "     rows: [{x: %.17g, y: %.17g, z: %.17g, rx: %.17g, ry: %.17g, rz: %.17g}]}\n",
            i, i, x.x + 0.05, x.y + 0.1, x.z, (double)m->k[i][0], (double)m->k[i][1], (double)m->k[i][2],
            (double)m->k[i][3], (double)m->k[i][4], (double)m->k[i][5]);
    }
}

// A slot in the account of reference.h for a point that both bodies share, or a spring between their centres.
static void add_link(machine *m, int i, bool spring)
{
    const ph_vec3 *x = m->x;
    const ph_mat3 *R = m->R;
    if (spring) {
        const double stiffness = between(5, 30), damping = between(0, 1);
        m->ref.forces[m->ref.force_count++] =
            (ref_force){.kind = SPRING, .a = i, .b = i + 1, .stiffness = stiffness, .damping = damping, .length = 0.8L};
        say(m->forces, "  - {type: spring, bodies: [b%d, b%d], stiffness: %.17g, damping: %.17g, length: 0.8}\n", i,
            i + 1, stiffness, damping);
        return;
    }
    const ph_vec3 at = ph_add(ph_scale(0.5, ph_add(x[i], x[i + 1])), ph_vec(0, 0, 0.05));
    const ph_vec3 a = ph_tmul(R[i], ph_sub(at, x[i])), b = ph_tmul(R[i + 1], ph_sub(at, x[i + 1]));
    m->ref.joints[m->ref.joint_count++] = (ref_joint){.a = i,
                                                      .b = i + 1,
                                                      .s_a = {a.x, a.y, a.z},
                                                      .s_b = {b.x, b.y, b.z},
                                                      .row_count = 3,
                                                      .rows = {{ROW_D, 0, 0}, {ROW_D, 1, 0}, {ROW_D, 2, 0}}};
    say(m->joints, "  - {name: l%d, type: ball, bodies: [b%d, b%d], anchor: [%.17g, %.17g, %.17g]}\n", i, i, i + 1,
        at.x, at.y, at.z);
}

static void make(machine *m, int seed)
{
    *m = (machine){.ref = {.body_count = COUNT, .gravity = {0, 0, -9.81L}}};
    for (int i = 0; i < COUNT; i++) m->kinds[i] = (kind)((seed + i * (1 + seed / KINDS)) % KINDS);
    for (int i = 0; i < COUNT; i++) add_body(m, i);
    for (int i = 0; i < COUNT; i++) add_rows(m, i);
    for (int i = 0; i + 1 < COUNT; i++) add_link(m, i, (seed >> i) & 1);
    const double f = between(1, 5), t = between(-0.5, 0.5);
    m->ref.forces[m->ref.force_count++] =
        (ref_force){.kind = PUSH, .a = WORLD, .b = 0, .force = {f, 0, 0}, .torque = {0, 0, t}, .frequency = 3};
    say(m->forces, "  - {type: wrench, body: b0, force: [%.17g*sin(3*t), 0, 0], torque: [0, 0, %.17g]}\n", f, t);
}

static rig open_machine(const machine *m, const char *scheme)
{
    return rolling_rig(scheme,
                       "polhode: 1\ngravity: [0, 0, -9.81]\ninitial: project\nbodies:\n%sjoints:\n%sforces:\n%s",
                       m->bodies, m->joints, m->forces);
}

// ---- The rows once more ---------------------------------------------------------------------------------------------

static const vec UP = {0, 0, 1};

// The row e . (velocity of the point at `arm`), whose direction changes at e_rate.
static void point_row(ref_solver *z, const ref_state *s, int i, vec arm, vec e, vec e_rate, vec turn, real *rate)
{
    equation q = {.gamma = -vdot(e_rate, vadd(s->v[i], vcross(s->w[i], arm)))};
    put(&q, i, e, vadd(vcross(arm, e), turn));
    q.gamma -= vdot(e, vcross(s->w[i], vcross(s->w[i], arm)));
    *rate = fmaxl(*rate, fabsl(vdot(e, vadd(s->v[i], vcross(s->w[i], arm))) + vdot(turn, s->w[i])));
    add_row(z, q.J, q.gamma);
}

// e . (v + w x c) for a point of contact c that wanders over the body at c_rate.
static void contact_rows(ref_solver *z, const ref_state *s, int i, vec c, vec c_rate, real *rate)
{
    for (int k = 0; k < 3; k++) {
        const vec e = {k == 0, k == 1, k == 2};
        equation q = {.gamma = -vdot(e, vcross(s->w[i], c_rate))};
        put(&q, i, e, vcross(c, e));
        *rate = fmaxl(*rate, fabsl(vdot(e, vadd(s->v[i], vcross(s->w[i], c)))));
        add_row(z, q.J, q.gamma);
    }
}

// c = -R u/|u|, u = z - (z.a) a the part of z across the axis a.
static void disc_rows(ref_solver *z, const machine *m, const ref_state *s, int i, real *rate)
{
    const vec a = mvec(quat_matrix(s->q[i]), (vec){0, 1, 0}), a_rate = vcross(s->w[i], a);
    const vec u = vsub(UP, vmul(a.z, a)), u_rate = vmul(-1, vadd(vmul(a_rate.z, a), vmul(a.z, a_rate)));
    const real n = vlen(u), n_rate = vdot(u, u_rate) / n, R = m->radius[i];
    contact_rows(z, s, i, vmul(-R / n, u), vmul(-R, vsub(vmul(1 / n, u_rate), vmul(n_rate / (n * n), u))), rate);
}

static void rows_of(ref_solver *z, const machine *m, const ref_state *s, int i, real *rate)
{
    const mat R = quat_matrix(s->q[i]);
    const vec arm = mvec(R, m->arm[i]), none = {0, 0, 0};
    const real *k = m->k[i];
    if (m->kinds[i] == BALL) {
        contact_rows(z, s, i, (vec){0, 0, -m->radius[i]}, none, rate);
    } else if (m->kinds[i] == DISC) {
        disc_rows(z, m, s, i, rate);
    } else if (m->kinds[i] == BLADE) {
        const vec side = vcross(UP, R.c[0]);
        point_row(z, s, i, arm, UP, none, none, rate);
        point_row(z, s, i, arm, side, vcross(UP, vcross(s->w[i], R.c[0])), none, rate);
    } else {
        point_row(z, s, i, arm, (vec){k[0], k[1], k[2]}, none, (vec){k[3], k[4], k[5]}, rate);
    }
}

// Accelerations by Gauss's principle; *rate: how far the velocities are from meeting the rows.
static void accelerate(const machine *m, const ref_state *s, real *a, real *rate)
{
    ref_solver z;
    real change[WIDTH], open;
    *rate = 0;
    solver_begin(&z, &m->ref, s);
    add_forces(&m->ref, s, a);
    weigh(&z, a, false);
    add_joint_rows(&z, &m->ref, s);
    for (int i = 0; i < COUNT; i++) rows_of(&z, m, s, i, rate);
    meet_rows(&z, a, change, &open);
    weigh(&z, a, true);
}

static ref_state moved(const ref_state *s, const ref_state *d, real h)
{
    ref_state r = *s;
    r.t += h;
    for (int i = 0; i < COUNT; i++) {
        r.x[i] = vadd(s->x[i], vmul(h, d->x[i])), r.v[i] = vadd(s->v[i], vmul(h, d->v[i]));
        r.w[i] = vadd(s->w[i], vmul(h, d->w[i]));
        r.q[i] = (quat){s->q[i].w + h * d->q[i].w, s->q[i].x + h * d->q[i].x, s->q[i].y + h * d->q[i].y,
                        s->q[i].z + h * d->q[i].z};
    }
    return r;
}

static ref_state slope_of(const machine *m, const ref_state *s, real *rate)
{
    ref_state d = {0};
    real a[WIDTH];
    accelerate(m, s, a, rate);
    for (int i = 0; i < COUNT; i++) {
        d.x[i] = s->v[i], d.q[i] = quat_rate(s->q[i], s->w[i]);
        d.v[i] = (vec){a[6 * i], a[6 * i + 1], a[6 * i + 2]}, d.w[i] = (vec){a[6 * i + 3], a[6 * i + 4], a[6 * i + 5]};
    }
    return d;
}

// Runge and Kutta's rule of order 4.
static void integrate(const machine *m, ref_state *s, real until, int steps)
{
    const real h = until / steps;
    real rate;
    for (int n = 0; n < steps; n++) {
        const ref_state a = slope_of(m, s, &rate), sb = moved(s, &a, h / 2), b = slope_of(m, &sb, &rate);
        const ref_state sc = moved(s, &b, h / 2), c = slope_of(m, &sc, &rate), sd = moved(s, &c, h),
                        d = slope_of(m, &sd, &rate);
        ref_state next = moved(s, &a, h / 6);
        next = moved(&next, &b, h / 3), next = moved(&next, &c, h / 3), next = moved(&next, &d, h / 6);
        next.t = s->t + h;
        *s = next;
    }
}

// ---- Side by side ---------------------------------------------------------------------------------------------------

static ref_state seen(const rig *r)
{
    ref_state s = {.t = ph_state_time(r->state)};
    for (int i = 0; i < COUNT; i++) {
        const ph_vec3 x = rig_position(r, i), v = rig_velocity(r, i), w = rig_spin(r, i);
        const ph_quat q = ph_state_orientations(r->state)[i];
        s.x[i] = (vec){x.x, x.y, x.z}, s.v[i] = (vec){v.x, v.y, v.z}, s.w[i] = (vec){w.x, w.y, w.z};
        s.q[i] = (quat){q.w, q.x, q.y, q.z};
    }
    return s;
}

static double apart(const ref_state *a, const ref_state *b)
{
    real most = 0;
    for (int i = 0; i < COUNT; i++) {
        most = fmaxl(most, vlen(vsub(a->x[i], b->x[i])));
        most = fmaxl(most, fmaxl(vlen(vsub(a->v[i], b->v[i])), vlen(vsub(a->w[i], b->w[i]))));
    }
    return (double)most;
}

static double UNTIL = 0.25;

// The distance from the reference after steps of h, and how far the rows of this file are missed by what the engine shows.
static double error_of(const machine *m, const char *scheme, double h, const ref_state *right, double *rate)
{
    rig r = open_machine(m, scheme);
    real a[WIDTH], missed;
    if (!r.sim || !CHECK(rig_step(&r, h, (int)lround(UNTIL / h)))) return NAN;
    const ref_state now = seen(&r);
    accelerate(m, &now, a, &missed);
    *rate = fmax(*rate, (double)missed);
    rig_close(&r);
    return apart(&now, right);
}

TEST(every_scheme_follows_the_reference_with_rows_of_velocities)
{
    NEEDS_YAML;
    static const struct {
        const char *name;
        double first, ratio; // largest error at 1 ms, and from there to half of it
    } schemes[] = {{"rattlie", 1e-3, 0.27},       {"lgvi", 1e-3, 0.27},       {"quat-fem", 1e-3, 0.27},
                   {"matrix-rattle", 1e-3, 0.27}, {"rattlie-ns", 1e-3, 0.27}, {"lie-alpha-2", 1e-3, 0.27},
                   {"rkmk4", 1e-7, 0.0},          {"dop853", 2e-8, 0.0},      {"rattlie8", 1e-9, 0.0},
                   {"moreau", 5e-2, 0.6},         {"clifford-vi", 1e-3, 0.27}};
    double worst = 0.0, rate = 0.0, exact = 0.0;
    for (int seed = 0; seed < 12; seed++) {
        machine m;
        make(&m, seed);
        rig start = open_machine(&m, "rattlie");
        if (!start.sim) continue;
        ref_state right = seen(&start);
        real a[WIDTH], first;
        accelerate(&m, &right, a, &first);
        CHECK(first < 1e-13L); // what was projected meets the rows as written here
        rig_close(&start);
        integrate(&m, &right, UNTIL, 500);
        for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
            const double whole = error_of(&m, schemes[k].name, 1e-3, &right, &rate);
            if (!CHECK(whole < schemes[k].first)) printf("  machine %d, %s: %.1e\n", seed, schemes[k].name, whole);
            if (schemes[k].ratio == 0.0) exact = fmax(exact, whole);
            if (schemes[k].ratio == 0.0 || whole < 1e-9) continue;
            const double half = error_of(&m, schemes[k].name, 5e-4, &right, &rate);
            if (!CHECK(half < schemes[k].ratio * whole))
                printf("  machine %d, %s: %.1e, %.1e\n", seed, schemes[k].name, whole, half);
            worst = fmax(worst, half / whole);
        }
    }
    printf(
        "  12 machines, %d schemes: rows missed by %.1e m/s; of order 4 and more off by %.1e; halving a step leaves %.2f\n",
        (int)(sizeof schemes / sizeof *schemes), rate, exact, worst);
    CHECK(rate < 1e-12);
}
