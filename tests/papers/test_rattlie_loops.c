// Closed loops with dependent rows, slider-crank and four-bar in space: the joints stay closed to round-off in positions
// and velocities, energy does not drift, and the reactions are the shortest of all that move the mechanism alike.

#include "rig.h"

#include "dense.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "model/model.h"
#include "model/state.h"

// ---- Motion ---------------------------------------------------------------------------------------------------------

static void check_motion(const char *file, double h, int steps, double energy_error)
{
    rig r = rig_open(rig_example(file), "rattlie");
    const ph_measures start = rig_measure(&r);
    double early = 0.0, late = 0.0;
    CHECK_EQ_INT(ph_model_rows(r.model) - ph_model_rank(r.model), 3);
    CHECK_EQ_INT(ph_model_freedoms(r.model), 1);
    for (int k = 0; k < steps && rig_step(&r, h, 1); k++) {
        const ph_measures now = rig_measure(&r);
        double *largest = k < steps / 2 ? &early : &late;
        *largest = fmax(*largest, fabs(now.total - start.total));
        CHECK(now.position_violation <= 1e-15);
        CHECK(now.velocity_violation <= 1e-14);
        CHECK(now.orthogonality <= 1e-14);
    }
    CHECK(early <= energy_error);
    CHECK(early > 0.0 && late <= 1.05 * early); // the motion repeats itself, and so does its error
    rig_close(&r);
}

TEST(slider_crank_keeps_joints_and_energy)
{
    NEEDS_YAML;
    check_motion("slider_crank.yaml", 2e-4, 10000, 1e-4 * 4.25);
}

TEST(four_bar_keeps_joints_and_energy)
{
    NEEDS_YAML;
    check_motion("four_bar.yaml", 1e-3, 10000, 2e-4 * 4.45);
}

// The plane mechanism obeys one equation for the crank's angle; here it is the exact closure of the loop at every time:
// the slider's place follows from the angle of the crank.
TEST(slider_follows_the_crank)
{
    NEEDS_YAML;
    rig r = rig_open(rig_example("slider_crank.yaml"), "rattlie");
    const double crank = 0.1, rod = 0.3;
    double turned = 0.0;
    for (int k = 0; k < 200 && rig_step(&r, 2e-4, 20); k++) {
        double theta;
        ph_observer_joint(r.observer, r.state, ph_model_find_joint(r.model, "O"), &theta, NULL);
        const double across = crank * sin(theta), x = crank * cos(theta) + sqrt(rod * rod - across * across);
        CHECK_NEAR(rig_position(&r, ph_model_find_body(r.model, "slider")).x, x, 1e-13);
        turned = fmax(turned, fabs(theta));
    }
    CHECK(turned > 6.28); // the angle counts whole turns
    rig_close(&r);
}

// ---- Reactions ------------------------------------------------------------------------------------------------------

// The equations of motion of a model, dense: M a + B^T lambda = Q, B a = c.
typedef struct dense_motion {
    int n, m;              // velocities, rows
    double *M, *B, *Q, *c; // n x n, m x n, n, m
    double *a, *lambda;    // solution
    frame frames[8];
} dense_motion;

static void put6(double *to, ph_vec3 a, ph_vec3 b)
{
    const double values[6] = {a.x, a.y, a.z, b.x, b.y, b.z};
    memcpy(to, values, sizeof values);
}

static dense_motion dense_motion_at(const ph_model *model, const ph_state *state)
{
    dense_motion d = {.n = model->velocity_count, .m = model->row_count};
    ph_twist twists[8];
    d.M = dense_make(d.n, d.n);
    d.B = dense_make(d.m, d.n);
    d.Q = dense_make(d.n, 1);
    d.c = dense_make(d.m, 1);
    d.a = dense_make(d.n, 1);
    d.lambda = dense_make(d.m, 1);
    for (int b = 0; b <= model->body_count; b++) {
        d.frames[b] = (frame){ph_quat_to_mat(state->orientation[b]), state->position[b]};
        twists[b] = (ph_twist){state->angular_velocity[b], state->velocity[b]};
        const body *it = &model->bodies[b];
        for (int k = 0; k < 6 && it->velocity >= 0; k++) {
            for (int l = 0; l < 6; l++) {
                const double entry = k < 3 && l < 3 ? it->kind->J.m[k][l] : k == l ? it->kind->mass : 0.0;
                d.M[(it->velocity + k) * d.n + it->velocity + l] = entry;
            }
        }
        if (it->velocity >= 0) { // gravity and the gyroscopic torque; these models have no other forces
            const ph_vec3 gyro = ph_cross(ph_mul(it->kind->J, twists[b].omega), twists[b].omega);
            put6(d.Q + it->velocity, gyro, ph_scale(it->kind->mass, model->gravity));
        }
    }
    const motion at = {.time = state->time, .frames = d.frames, .twists = twists, .turns = state->turns};
    for (int j = 0; j < model->joint_count; j++) {
        const joint *it = &model->joints[j];
        double B[JOINT_BODIES_MAX * JOINT_ROWS_MAX * 6];
        joint_jacobian(it, &(motion){.frames = d.frames}, B);
        joint_bias(it, &at, d.c + it->first_row);
        for (int r = 0; r < it->row_count; r++) {
            d.c[it->first_row + r] *= -1.0;
            for (int k = 0; k < it->body_count; k++) {
                memcpy(d.B + (it->first_row + r) * d.n + model->bodies[it->bodies[k]].velocity,
                       B + 6 * (k * it->row_count + r), 6 * sizeof(double));
            }
        }
    }
    return d;
}

// lambda = (B M^-1 B^T)^+ (B M^-1 Q - c), a = M^-1 (Q - B^T lambda). Returns the rank of B.
static int dense_motion_solve(dense_motion *d)
{
    double *MiBt = dense_make(d->n, d->m), *S = dense_make(d->m, d->m), *rhs = dense_make(d->m, 1);
    double *A = dense_make(d->n, d->n), *x = dense_make(d->n, 1);
    for (int r = 0; r <= d->m; r++) { // columns of M^-1 B^T, and M^-1 Q
        memcpy(A, d->M, sizeof(double) * (size_t)(d->n * d->n));
        memcpy(x, r < d->m ? d->B + r * d->n : d->Q, sizeof(double) * (size_t)d->n);
        CHECK(dense_solve(A, x, d->n));
        for (int k = 0; k < d->n && r < d->m; k++) {
            MiBt[k * d->m + r] = x[k];
        }
    }
    dense_product(d->B, MiBt, d->m, d->n, d->m, S);
    dense_product(d->B, x, d->m, d->n, 1, rhs);
    for (int r = 0; r < d->m; r++) {
        rhs[r] -= d->c[r];
    }
    const int rank = dense_pseudo_solve(S, rhs, d->m, 1e-10, d->lambda);
    for (int k = 0; k < d->n; k++) {
        d->a[k] = x[k];
        for (int r = 0; r < d->m; r++) {
            d->a[k] -= MiBt[k * d->m + r] * d->lambda[r];
        }
    }
    free(MiBt), free(S), free(rhs), free(A), free(x);
    return rank;
}

// What lambda does to body b of joint j, at the joint's anchor, in the world.
static ph_wrench dense_reaction(const ph_model *model, const dense_motion *d, int j)
{
    const joint *it = &model->joints[j];
    const frame *at = &d->frames[it->b];
    double w[6] = {0};
    for (int r = 0; r < it->row_count; r++) {
        for (int k = 0; k < 6; k++) {
            w[k] -= d->B[(it->first_row + r) * d->n + model->bodies[it->b].velocity + k] * d->lambda[it->first_row + r];
        }
    }
    const ph_vec3 force = ph_vec(w[3], w[4], w[5]), arm = ph_mul(at->R, it->s_b);
    return (ph_wrench){ph_sub(ph_mul(at->R, ph_vec(w[0], w[1], w[2])), ph_cross(arm, force)), force};
}

static void dense_motion_free(dense_motion *d)
{
    free(d->M), free(d->B), free(d->Q), free(d->c), free(d->a), free(d->lambda);
}

static void check_reactions(const char *file, double h)
{
    enum { JOINTS = 4, BODIES = 3 };
    rig r = rig_open(rig_example(file), "rattlie");
    for (int k = 0; k < 20 && rig_step(&r, h, 37); k++) {
        ph_twist accelerations[BODIES];
        ph_wrench reactions[JOINTS];
        CHECK_EQ_INT(ph_observer_dynamics(r.observer, r.state, accelerations, reactions), PH_OK);
        dense_motion d = dense_motion_at(r.model, r.state);
        CHECK_EQ_INT(dense_motion_solve(&d), 17);
        double largest = 0.0;
        for (int i = 0; i < d.n; i++) {
            largest = fmax(largest, fabs(d.a[i]));
        }
        for (int b = 0; b < BODIES; b++) {
            const double *a = d.a + r.model->bodies[b].velocity;
            CHECK(rig_distance(accelerations[b].omega, ph_vec(a[0], a[1], a[2])) <= 1e-11 * largest);
            CHECK(rig_distance(accelerations[b].v, ph_vec(a[3], a[4], a[5])) <= 1e-11 * largest);
        }
        for (int j = 0; j < JOINTS; j++) {
            const ph_wrench expected = dense_reaction(r.model, &d, j);
            const double scale = 1.0 + ph_norm(expected.force) + ph_norm(expected.torque);
            CHECK(rig_distance(reactions[j].force, expected.force) <= 1e-10 * scale);
            CHECK(rig_distance(reactions[j].torque, expected.torque) <= 1e-10 * scale);
        }
        dense_motion_free(&d);
    }
    rig_close(&r);
}

TEST(slider_crank_reactions_are_those_of_minimum_norm)
{
    NEEDS_YAML;
    check_reactions("slider_crank.yaml", 2e-4);
}

TEST(four_bar_reactions_are_those_of_minimum_norm)
{
    NEEDS_YAML;
    check_reactions("four_bar.yaml", 1e-3);
}

// In the plane y = 0 nothing pushes sideways: of all reactions that fit, the shortest have no force along y and no torque
// about x or z.
TEST(plane_mechanisms_have_plane_reactions)
{
    NEEDS_YAML;
    rig r = rig_open(rig_example("four_bar.yaml"), "rattlie");
    for (int k = 0; k < 50 && rig_step(&r, 1e-3, 20); k++) {
        ph_wrench reactions[4];
        CHECK_EQ_INT(ph_observer_dynamics(r.observer, r.state, NULL, reactions), PH_OK);
        for (int j = 0; j < 4; j++) {
            CHECK_NEAR(reactions[j].force.y, 0.0, 1e-10);
            CHECK_NEAR(reactions[j].torque.x, 0.0, 1e-10);
            CHECK_NEAR(reactions[j].torque.z, 0.0, 1e-10);
        }
    }
    rig_close(&r);
}
