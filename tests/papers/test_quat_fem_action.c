// The step of quat-fem against its own definition: the momenta at both ends of a step are the derivatives of the discrete
// action, here written from quaternions and matrices as in the paper and differentiated by differences in more digits.

#include "paper_top.h"

#include "math/so3.h"
#include "random_vector.h"

typedef long double real;

typedef struct place {
    real q[4], x[3]; // of the centre of mass
} place;

enum { BODIES = 2 };

typedef struct scene {
    real mass[BODIES], J[BODIES][3], c[BODIES][3]; // c: centre of mass from the reference point
    real gravity[3];
    real stiffness, length, point[BODIES][3]; // of a spring between points given from the centres of mass
} scene;

// G_i of eq (20), with q^T G_i q' = 1/2 omega_i
static real quadratic(int i, const real *p, const real *q)
{
    static const int G[3][4][4] = {{{0, 1, 0, 0}, {-1, 0, 0, 0}, {0, 0, 0, -1}, {0, 0, 1, 0}},
                                   {{0, 0, 1, 0}, {0, 0, 0, 1}, {-1, 0, 0, 0}, {0, -1, 0, 0}},
                                   {{0, 0, 0, 1}, {0, 0, -1, 0}, {0, 1, 0, 0}, {-1, 0, 0, 0}}};
    real sum = 0;
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++) {
            sum += p[r] * G[i][r][c] * q[c];
        }
    }
    return sum;
}

// y = R(q) v, R the transpose of eq (7), for a q of any length
static void turn_by(const real *e, const real *v, real *y)
{
    const real T[3][3] = {
        {e[0] * e[0] + e[1] * e[1] - e[2] * e[2] - e[3] * e[3], 2 * (e[1] * e[2] + e[0] * e[3]),
         2 * (e[1] * e[3] - e[0] * e[2])},
        {2 * (e[1] * e[2] - e[0] * e[3]), e[0] * e[0] - e[1] * e[1] + e[2] * e[2] - e[3] * e[3],
         2 * (e[2] * e[3] + e[0] * e[1])},
        {2 * (e[1] * e[3] + e[0] * e[2]), 2 * (e[2] * e[3] - e[0] * e[1]),
         e[0] * e[0] - e[1] * e[1] - e[2] * e[2] + e[3] * e[3]},
    };
    for (int i = 0; i < 3; i++) {
        y[i] = T[0][i] * v[0] + T[1][i] * v[1] + T[2][i] * v[2];
    }
}

// A point at `from_com` of body b at the midpoint (a#, q#).
static void midpoint_of(const scene *s, int b, const place *p0, const place *p1, const real *from_com, real *y)
{
    real q[4], sigma[3], turned[3], a0[3], a1[3];
    for (int i = 0; i < 4; i++) {
        q[i] = (p0->q[i] + p1->q[i]) / 2;
    }
    for (int i = 0; i < 3; i++) {
        sigma[i] = s->c[b][i] + from_com[i];
    }
    turn_by(p0->q, s->c[b], a0);
    turn_by(p1->q, s->c[b], a1);
    turn_by(q, sigma, turned);
    for (int i = 0; i < 3; i++) {
        y[i] = (p0->x[i] - a0[i] + p1->x[i] - a1[i]) / 2 + turned[i];
    }
}

// Eq (29), with the kinetic energy of the centre of mass beside it.
static real action(const scene *s, const place *start, const place *end, real h)
{
    static const real none[3] = {0, 0, 0};
    real S = 0, ends[BODIES][3];
    for (int b = 0; b < BODIES; b++) {
        real com[3];
        midpoint_of(s, b, &start[b], &end[b], none, com);
        midpoint_of(s, b, &start[b], &end[b], s->point[b], ends[b]);
        for (int i = 0; i < 3; i++) {
            const real w = quadratic(i, start[b].q, end[b].q), v = end[b].x[i] - start[b].x[i];
            S += 2 / h * s->J[b][i] * w * w + s->mass[b] * v * v / (2 * h);
            S += h * s->mass[b] * s->gravity[i] * com[i];
        }
    }
    real square = 0;
    for (int i = 0; i < 3; i++) {
        square += (ends[1][i] - ends[0][i]) * (ends[1][i] - ends[0][i]);
    }
    const real stretch = sqrtl(square) - s->length;
    return S - h * s->stiffness * stretch * stretch / 2;
}

// Moves direction k of a place: 0 to 2 a turn about a body axis, 3 to 5 the centre of mass.
static place moved(place p, int k, real step)
{
    if (k >= 3) {
        p.x[k - 3] += step;
        return p;
    }
    const real *q = p.q, s = sinl(step / 2), c = cosl(step / 2);
    const int i = k + 1, j = k % 3 == 2 ? 1 : k + 2, l = 6 - i - j; // i, j, l cyclic
    place out = p;
    out.q[0] = c * q[0] - s * q[i];
    out.q[i] = c * q[i] + s * q[0];
    out.q[j] = c * q[j] + s * q[l];
    out.q[l] = c * q[l] - s * q[j];
    return out;
}

// dS by direction k of body b at the start or at the end, by four-point differences.
static double slope(const scene *s, const place *start, const place *end, real h, bool at_end, int b, int k)
{
    static const real offsets[4] = {-2, -1, 1, 2}, weights[4] = {1, -8, 8, -1};
    const real step = 1e-4L;
    real sum = 0;
    for (int n = 0; n < 4; n++) {
        place from[BODIES] = {start[0], start[1]}, to[BODIES] = {end[0], end[1]};
        place *changed = at_end ? &to[b] : &from[b];
        *changed = moved(*changed, k, offsets[n] * step);
        sum += weights[n] * action(s, from, to, h);
    }
    return (double)(sum / (12 * step));
}

static void get_places(ph_state *state, place *places)
{
    for (int b = 0; b < BODIES; b++) {
        const ph_quat q = ph_state_orientations(state)[b];
        const ph_vec3 x = ph_state_positions(state)[b];
        places[b] = (place){{q.w, q.x, q.y, q.z}, {x.x, x.y, x.z}};
    }
}

static void get_momenta(ph_state *state, const scene *s, double p[BODIES][6])
{
    for (int b = 0; b < BODIES; b++) {
        const ph_vec3 w = ph_state_angular_velocities(state)[b], v = ph_state_velocities(state)[b];
        const double omega[3] = {w.x, w.y, w.z}, velocity[3] = {v.x, v.y, v.z};
        for (int i = 0; i < 3; i++) {
            p[b][i] = (double)s->J[b][i] * omega[i];
            p[b][3 + i] = (double)s->mass[b] * velocity[i];
        }
    }
}

static void copy3(real *to, ph_vec3 from)
{
    to[0] = from.x, to[1] = from.y, to[2] = from.z;
}

// Two free bodies with reference points of their own, gravity, and a spring between them.
static ph_model *random_model(scene *s, double stiffness)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_force_def spring = ph_default_force();
    const ph_vec3 gravity = random_vector(10.0);
    ph_spec_set_gravity(spec, gravity);
    copy3(s->gravity, gravity);
    for (int b = 0; b < BODIES; b++) {
        ph_body_def body = ph_default_body();
        const ph_vec3 moments = ph_vec(test_uniform(0.8, 1.0), test_uniform(0.8, 1.0), test_uniform(0.8, 1.0));
        const ph_vec3 point = random_vector(0.5), reference = random_vector(0.5);
        body.name = b ? "b" : "a";
        body.mass = test_uniform(0.5, 2.0);
        body.inertia = ph_diag(moments);
        body.com = random_vector(0.2);
        body.reference = PH_REFERENCE_POINT;
        body.reference_point = reference;
        body.position = ph_add(ph_vec(2.0 * b, 0.0, 0.0), random_vector(0.2));
        body.orientation = ph_quat_exp(random_vector(2.0));
        body.velocity = random_vector(2.0);
        body.angular_velocity = random_vector(2.0);
        ph_spec_add_body(spec, &body);
        *(b ? &spring.point_b : &spring.point_a) = point;
        s->mass[b] = body.mass;
        copy3(s->J[b], moments);
        copy3(s->c[b], ph_sub(body.com, reference));
        copy3(s->point[b], ph_sub(point, body.com));
    }
    spring.type = "spring";
    spring.body_a = 0;
    spring.body_b = 1;
    spring.stiffness = stiffness;
    spring.has_length = true;
    spring.length = 0.7;
    s->stiffness = stiffness;
    s->length = spring.length;
    if (stiffness > 0.0) {
        ph_spec_add_force(spec, &spring);
    }
    ph_model *model = NULL;
    ph_model_compile(spec, NULL, &model);
    ph_spec_destroy(spec);
    return model;
}

static void check_action(double stiffness, double h)
{
    scene s = {0};
    top_run run = top_run_model(random_model(&s, stiffness), "quat-fem");
    place start[BODIES], end[BODIES];
    double before[BODIES][6], after[BODIES][6];
    for (int n = 0; n < 3 && run.sim; n++) {
        get_places(run.state, start);
        get_momenta(run.state, &s, before);
        top_run_steps(&run, h, 1);
        get_places(run.state, end);
        get_momenta(run.state, &s, after);
        for (int b = 0; b < BODIES; b++) {
            for (int k = 0; k < 6; k++) {
                CHECK_NEAR(before[b][k], -slope(&s, start, end, h, false, b, k), 2e-13); // p_0 = -dS/dq_0, eq (30)
                CHECK_NEAR(after[b][k], slope(&s, start, end, h, true, b, k), 2e-13);    // p_1 = dS/dq_1
            }
        }
    }
    top_run_end(&run);
}

TEST(momenta_are_the_slopes_of_the_action_under_gravity)
{
    for (int i = 0; i < 10; i++) {
        check_action(0.0, 0.1);
        check_action(0.0, -0.1);
    }
}

TEST(momenta_are_the_slopes_of_the_action_with_springs)
{
    for (int i = 0; i < 10; i++) {
        check_action(50.0, 0.1);
        check_action(20.0, -0.05);
    }
}

// The exact matrix makes Newton's method converge quadratically: three or four iterations from a poor guess.
TEST(newton_converges_quadratically_with_springs)
{
    for (int i = 0; i < 10; i++) {
        scene s = {0};
        top_run run = top_run_model(random_model(&s, 50.0), "quat-fem");
        ph_step_report report = {0};
        if (run.sim && CHECK_EQ_INT(ph_sim_step(run.sim, run.state, 0.05, &report), PH_OK)) {
            CHECK(report.iterations <= 5);
        }
        top_run_end(&run);
    }
}

// There and back: the scheme is its own adjoint.
TEST(steps_can_be_taken_back)
{
    for (int i = 0; i < 10; i++) {
        scene s = {0};
        top_run run = top_run_model(random_model(&s, 50.0), "quat-fem");
        double before[BODIES][6], after[BODIES][6];
        get_momenta(run.state, &s, before);
        top_run_steps(&run, 0.05, 10);
        top_run_steps(&run, -0.05, 10);
        get_momenta(run.state, &s, after);
        for (int b = 0; b < BODIES; b++) {
            for (int k = 0; k < 6; k++) {
                CHECK_NEAR(after[b][k], before[b][k], 1e-12);
            }
        }
        top_run_end(&run);
    }
}
