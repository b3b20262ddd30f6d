// Mean stress of rigid bodies against closed forms, and its two routes against each other: from the loads, reactions and
// accelerations at a state (every scheme), and from the multiplier of R^T R = I (matrix-rattle).

#include "rig.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "scenes.h"

enum { BODIES_MAX = 40 };

static double matrix_distance(ph_mat3 A, ph_mat3 B)
{
    return ph_mat_norm(ph_mat_sub(A, B));
}

static ph_mat3 integral_of(rig *r, int body)
{
    ph_mat3 integrals[BODIES_MAX];
    CHECK(ph_model_bodies(r->model) <= BODIES_MAX);
    CHECK_EQ_INT(ph_observer_stress(r->observer, r->state, integrals), PH_OK);
    return integrals[body];
}

static ph_stress stress_of(rig *r, int body)
{
    ph_stress stress;
    CHECK(ph_stress_mean(integral_of(r, body), ph_model_body(r->model, body).volume,
                         ph_state_orientations(r->state)[body], &stress));
    return stress;
}

static ph_shape_def solid(const char *type, ph_vec3 size, double radius, double length)
{
    ph_shape_def shape = ph_default_shape();
    shape.type = type;
    shape.size = size;
    shape.radius = radius;
    shape.length = length;
    shape.density = 7800.0;
    return shape;
}

static int add_solid(ph_spec *spec, const char *name, ph_shape_def shape, ph_body_def body)
{
    body.name = name;
    const int index = ph_spec_add_body(spec, &body);
    ph_spec_add_shape(spec, index, &shape);
    return index;
}

// ---- Free bodies ----------------------------------------------------------------------------------------------------

// Spin at 100 rad/s about z, whatever the orientation in space; gravity only accelerates.
static void check_spin(ph_shape_def shape, ph_vec3 expected)
{
    ph_spec *spec = scene_start();
    ph_body_def body = ph_default_body();
    body.angular_velocity = ph_vec(0.0, 0.0, 100.0);
    body.orientation = ph_quat_unit((ph_quat){0.3, -0.5, 0.7, 0.2});
    add_solid(spec, "body", shape, body);
    rig r = rig_open(scene_finish(spec), "rattlie");
    const ph_stress stress = stress_of(&r, 0);
    const double scale = fmax(expected.x, expected.y);
    CHECK(matrix_distance(stress.body, ph_diag(expected)) <= 1e-12 * scale);
    const ph_mat3 R = ph_quat_to_mat(body.orientation);
    CHECK(matrix_distance(stress.world, ph_mat_mul(R, ph_mat_mult(ph_diag(expected), R))) <= 1e-12 * scale);
    CHECK_NEAR(stress.principal[0], scale, 1e-12 * scale);
    CHECK_NEAR(stress.principal[2], 0.0, 1e-12 * scale);
    const double x = expected.x, y = expected.y; // plane stress
    CHECK_REL(stress.von_mises, sqrt(x * x - x * y + y * y), 1e-12);
    rig_close(&r);
}

TEST(spinning_sphere_disk_box_and_rod)
{
    check_spin(solid("sphere", ph_zero3(), 0.1, 0.0), ph_vec(156000.0, 156000.0, 0.0));         // rho w^2 a^2/5
    check_spin(solid("cylinder", ph_zero3(), 0.2, 0.05), ph_vec(780000.0, 780000.0, 0.0));      // rho w^2 a^2/4
    check_spin(solid("box", ph_vec(0.3, 0.2, 0.1), 0.0, 0.0), ph_vec(585000.0, 260000.0, 0.0)); // rho w^2 l^2/12
    check_spin(solid("box", ph_vec(0.6, 1e-9, 0.01), 0.0, 0.0), ph_vec(2.34e6, 6.5e-12, 0.0));  // a rod
}

static const ph_mat3 tumbling = {
    {{19.5, -24.0 / 13.0, -0.9}, {-24.0 / 13.0, 20.0 / 3.0, -1.6}, {-0.9, -1.6, 5.0 / 6.0}}};

static ph_model *tumbling_box(void)
{
    ph_spec *spec = scene_start();
    ph_body_def body = ph_default_body();
    body.name = "box";
    body.mass = 2.0;
    body.inertia = ph_diag(ph_scale(2.0 / 12.0, ph_vec(0.05, 0.1, 0.13)));
    body.angular_velocity = ph_vec(10.0, 20.0, 30.0);
    ph_spec_add_body(spec, &body);
    return scene_finish(spec);
}

TEST(tumbling_box)
{
    rig r = rig_open(tumbling_box(), "rattlie");
    CHECK(matrix_distance(integral_of(&r, 0), tumbling) <= 1e-12 * ph_mat_norm(tumbling));
    rig_close(&r);
}

// The mean of both stages converges to it with order 2; for a spin about an axis the relative difference is (h w)^2/4 to
// lowest order.
TEST(multiplier_converges_with_order_two)
{
    double error[3];
    for (int i = 0; i < 3; i++) {
        const double h = 1e-3 / (1 << i);
        ph_mat3 Lambda;
        rig r = rig_open(tumbling_box(), "matrix-rattle");
        CHECK_EQ_INT(ph_sim_multipliers(r.sim, r.state, h, &Lambda), PH_OK);
        error[i] = matrix_distance(ph_mat_scale(-1.0, Lambda), tumbling);
        rig_close(&r);
    }
    CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.02);
    CHECK_NEAR(log2(error[1] / error[2]), 2.0, 0.02);

    ph_spec *spec = scene_start();
    ph_body_def body = ph_default_body();
    body.angular_velocity = ph_vec(0.0, 0.0, 100.0);
    add_solid(spec, "disk", solid("cylinder", ph_zero3(), 0.2, 0.05), body);
    rig r = rig_open(scene_finish(spec), "matrix-rattle");
    ph_mat3 Lambda;
    CHECK_EQ_INT(ph_sim_multipliers(r.sim, r.state, 1e-4, &Lambda), PH_OK);
    const double exact = integral_of(&r, 0).m[0][0];
    CHECK_REL((-Lambda.m[0][0] - exact) / exact, 0.25 * 1e-4, 0.01);
    rig_close(&r);
}

// ---- Bodies that hang, stand, swing and turn ------------------------------------------------------------------------

static ph_model *bar(const char *joint, double anchor_z)
{
    ph_spec *spec = scene_start();
    ph_body_def body = ph_default_body();
    add_solid(spec, "bar", solid("box", ph_vec(0.02, 0.03, 0.8), 0.0, 0.0), body);
    const ph_joint_def def = scene_joint_def("end", joint, PH_WORLD, 0, ph_vec(0.0, 0.0, anchor_z));
    ph_spec_add_joint(spec, &def);
    return scene_finish(spec);
}

TEST(hanging_and_standing_bars)
{
    const double weight = 7800.0 * 0.02 * 0.03 * 0.8 * 9.81, expected = 0.5 * weight * 0.8;
    for (int standing = 0; standing < 2; standing++) {
        rig r = rig_open(bar(standing ? "fixed" : "ball", standing ? -0.4 : 0.4), "matrix-rattle");
        const ph_mat3 closed = ph_diag(ph_vec(0.0, 0.0, standing ? -expected : expected));
        ph_mat3 Lambda;
        CHECK(matrix_distance(integral_of(&r, 0), closed) <= 1e-12 * expected);
        CHECK_EQ_INT(ph_sim_multipliers(r.sim, r.state, 1e-3, &Lambda), PH_OK);
        CHECK(matrix_distance(ph_mat_scale(-1.0, Lambda), closed) <= 1e-10 * expected);
        rig_close(&r);
    }
}

// A uniform rod on a hinge. Section forces N(r) = int_r^l mu (theta'^2 s + g cos theta) ds, their mean over the length
// times the length is m (theta'^2 l^2/3 + g cos theta l/2).
TEST(rod_pendulum_mean_axial_stress)
{
    const double l = 0.8, m = 7800.0 * 0.02 * 0.03 * l, omega = 3.0;
    ph_spec *spec = scene_start();
    ph_body_def body = ph_default_body();
    body.position = ph_vec(0.0, 0.0, -0.5 * l);
    body.angular_velocity = ph_vec(omega, 0.0, 0.0);
    body.velocity = ph_vec(0.0, 0.5 * l * omega, 0.0);
    add_solid(spec, "rod", solid("box", ph_vec(0.02, 0.03, l), 0.0, 0.0), body);
    scene_axial(spec, "hinge", "revolute", PH_WORLD, 0, ph_zero3(), ph_vec(1.0, 0.0, 0.0));
    rig r = rig_open(scene_finish(spec), "lgvi");
    for (int n = 0; n < 10; n++) {
        rig_step(&r, 1e-3, 100);
        const double rate = ph_state_angular_velocities(r.state)[0].x, cosine = -rig_position(&r, 0).z / (0.5 * l);
        const double expected = m * (rate * rate * l * l / 3.0 + 9.81 * cosine * 0.5 * l);
        CHECK_NEAR(integral_of(&r, 0).m[2][2], expected, 1e-8 * m * 9.81 * l);
        CHECK_REL(stress_of(&r, 0).body.m[2][2], integral_of(&r, 0).m[2][2] / (0.02 * 0.03 * l), 1e-14);
    }
    rig_close(&r);
}

// A body that turns about z in a hinge through its centre of mass, with products of inertia: the couple of the hinge is no
// stress, the inertia forces leave w^2 (K_xx, K_xy, K_xz/2; ., K_yy, K_yz/2; ., ., 0).
TEST(unbalanced_spinner)
{
    const double w = 50.0;
    const ph_mat3 J = {{{0.5, -0.05, -0.08}, {-0.05, 0.6, 0.03}, {-0.08, 0.03, 0.4}}};
    const ph_mat3 K = ph_mat_sub(ph_mat_scale(0.5 * ph_trace(J), ph_identity()), J);
    ph_mat3 closed = ph_mat_scale(w * w, K);
    closed.m[0][2] *= 0.5, closed.m[2][0] *= 0.5, closed.m[1][2] *= 0.5, closed.m[2][1] *= 0.5;
    closed.m[2][2] = 0.0;
    ph_spec *spec = scene_start();
    ph_spec_set_gravity(spec, ph_zero3());
    ph_body_def body = ph_default_body();
    body.name = "spinner";
    body.mass = 3.0;
    body.inertia = J;
    body.angular_velocity = ph_vec(0.0, 0.0, w);
    ph_spec_add_body(spec, &body);
    scene_axial(spec, "hinge", "revolute", PH_WORLD, 0, ph_zero3(), ph_vec(0.0, 0.0, 1.0));
    rig r = rig_open(scene_finish(spec), "matrix-rattle");
    ph_mat3 Lambda;
    for (int n = 0; n < 3; n++) {
        CHECK(matrix_distance(integral_of(&r, 0), closed) <= 1e-12 * ph_mat_norm(closed));
        CHECK_EQ_INT(ph_sim_multipliers(r.sim, r.state, 1e-4, &Lambda), PH_OK);
        CHECK(matrix_distance(ph_mat_scale(-1.0, Lambda), closed) <= 1e-5 * ph_mat_norm(closed)); // (h w)^2/4
        rig_step(&r, 1e-4, 7);
    }
    rig_close(&r);
}

// A body pulled at both ends by springs, and one pushed by a wrench: loads that are no reactions.
TEST(springs_and_wrenches_carry_stress)
{
    ph_spec *spec = scene_start();
    ph_spec_set_gravity(spec, ph_zero3());
    const int rod = scene_body(spec, "rod", ph_zero3());
    for (int end = -1; end <= 1; end += 2) {
        ph_force_def spring = ph_default_force();
        spring.type = "spring";
        spring.body_a = PH_WORLD;
        spring.body_b = rod;
        spring.point_a = ph_vec(0.0, 1.0 * end, 0.0);
        spring.point_b = ph_vec(0.0, 0.5 * end, 0.0);
        spring.stiffness = 100.0;
        spring.has_length = true;
        spring.length = 0.3;
        ph_spec_add_force(spec, &spring);
    }
    ph_force_def push = ph_default_force();
    push.type = "wrench";
    push.body_b = rod;
    push.point_b = ph_vec(0.2, 0.0, 0.0);
    push.force[0].number = 6.0;
    push.torque[2].number = 4.0; // a couple: no stress
    ph_spec_add_force(spec, &push);
    rig r = rig_open(scene_finish(spec), "rattlie");
    // 20 N on half a metre at either end; 6 N at 0.2 m along x. The couple turns the rod about z: its inertia forces are
    // (alpha~ K) with alpha = 4/0.17, symmetric part alpha (K_xx - K_yy)/2 in xy.
    ph_mat3 expected = ph_diag(ph_vec(1.2, 20.0, 0.0));
    const double Kxx = 0.5 * 0.35 - 0.17, Kyy = 0.5 * 0.35 - 0.01;
    expected.m[0][1] = expected.m[1][0] = -0.5 * (4.0 / 0.17) * (Kxx - Kyy);
    CHECK(matrix_distance(integral_of(&r, rod), expected) <= 1e-12 * ph_mat_norm(expected));
    rig_close(&r);
}

// A tide, 3 x per mass, and a pull of 20 N at both ends of the rod, computed by the program: int sigma dv = 3 K + 20 J in yy.
static ph_vec3 tide(ph_vec3 x, double time, void *user)
{
    (void)time, (void)user;
    return ph_scale(3.0, x);
}

static void pull_and_tide(const ph_body_motion *bodies, double time, void *user, ph_load *loads)
{
    const ph_vec3 along = ph_mat_col(bodies[0].rotation, 1);
    ph_load_add_density(&loads[0], &bodies[0], tide, time, user);
    for (int end = -1; end <= 1; end += 2)
        ph_load_add_force(&loads[0], ph_scale(20.0 * end, along), ph_scale(0.5 * end, along));
    ph_load_add_torque(&loads[1], along); // the world does not mind
}

TEST(callbacks_say_where_they_act)
{
    ph_spec *spec = scene_start();
    ph_callback_def callback = ph_default_callback();
    callback.body = scene_body(spec, "rod", ph_zero3());
    callback.force = pull_and_tide;
    ph_spec_add_callback(spec, &callback);
    rig r = rig_open(scene_finish(spec), "matrix-rattle");
    const double half = 0.5 * 0.35;
    const ph_mat3 expected = ph_diag(ph_vec(3.0 * (half - 0.17), 3.0 * (half - 0.01) + 20.0, 3.0 * (half - 0.17)));
    ph_mat3 Lambda;
    CHECK(matrix_distance(integral_of(&r, 0), expected) <= 1e-12 * ph_mat_norm(expected));
    CHECK_EQ_INT(ph_sim_multipliers(r.sim, r.state, 1e-3, &Lambda), PH_OK);
    CHECK(matrix_distance(ph_mat_scale(-1.0, Lambda), expected) <= 1e-10 * ph_mat_norm(expected));
    rig_close(&r);
}

// Two carriages on rails along x, geared to each other, one of them pulled at its centre of mass: the forces between the
// gear's teeth act at the origins of the sliding joints, 0.2 m and 0.3 m beside the centres of mass.
TEST(gears_of_slides_carry_stress)
{
    const double ratio = 0.5, pull = 7.0, m = 2.0, a = pull / (m + ratio * ratio * m);
    ph_spec *spec = scene_start();
    ph_spec_set_gravity(spec, ph_zero3());
    const int p = scene_body(spec, "p", ph_zero3()), q = scene_body(spec, "q", ph_vec(0.0, 2.0, 0.0));
    const ph_vec3 x = ph_vec(1.0, 0.0, 0.0);
    ph_joint_def gear = ph_default_joint();
    gear.name = "gear";
    gear.type = "gear";
    gear.gear_joint[0] = scene_axial(spec, "P", "prismatic", PH_WORLD, p, ph_vec(0.2, 0.0, 0.0), x);
    gear.gear_joint[1] = scene_axial(spec, "Q", "prismatic", PH_WORLD, q, ph_vec(0.3, 2.0, 0.0), x);
    gear.ratio = ratio;
    ph_spec_add_joint(spec, &gear);
    ph_force_def wrench = ph_default_force();
    wrench.type = "wrench";
    wrench.body_b = p;
    wrench.force[0].number = pull;
    ph_spec_add_force(spec, &wrench);
    rig r = rig_open(scene_finish(spec), "rattlie");
    CHECK(matrix_distance(integral_of(&r, p), ph_diag(ph_vec(0.2 * (m * a - pull), 0.0, 0.0))) <= 1e-12);
    CHECK(matrix_distance(integral_of(&r, q), ph_diag(ph_vec(0.3 * m * ratio * a, 0.0, 0.0))) <= 1e-12);
    rig_close(&r);
}

// ---- Slider-crank ---------------------------------------------------------------------------------------------------

// The plane mechanism by hand: accelerations from the principle of virtual power, the pin force from the slider and the
// moment of the rod, then the section force along the rod by Simpson's rule. Angles as in examples/slider_crank.yaml.
typedef struct crank {
    double r, l, m_crank, m_rod, m_slider, J_crank, J_rod; // about the centres of mass
    double g;
} crank;

// Velocity per unit of crank speed, and the acceleration without that of the crank, of the point at share s of the rod.
static void rod_point(const crank *k, double theta, double omega, double s, double *J, double *bias)
{
    const double phi = asin(k->r * sin(theta) / k->l);
    const double ratio = k->r * cos(theta) / (k->l * cos(phi)); // phi' / omega
    const double phi1 = ratio * omega;
    const double phi2 = (k->l * sin(phi) * phi1 * phi1 - k->r * sin(theta) * omega * omega) / (k->l * cos(phi));
    J[0] = -k->r * sin(theta) - s * k->l * sin(phi) * ratio;
    J[1] = k->r * cos(theta) - s * k->l * cos(phi) * ratio;
    J[2] = ratio;
    bias[0] = -k->r * cos(theta) * omega * omega - s * k->l * (cos(phi) * phi1 * phi1 + sin(phi) * phi2);
    bias[1] = -k->r * sin(theta) * omega * omega + s * k->l * (sin(phi) * phi1 * phi1 - cos(phi) * phi2);
    bias[2] = phi2;
}

static double crank_acceleration(const crank *k, double theta, double omega)
{
    double Jg[3], ag[3], Js[3], as[3];
    rod_point(k, theta, omega, 0.5, Jg, ag);
    rod_point(k, theta, omega, 1.0, Js, as);
    const double inertia = k->J_crank + 0.25 * k->m_crank * k->r * k->r + k->m_rod * (Jg[0] * Jg[0] + Jg[1] * Jg[1]) +
                           k->J_rod * Jg[2] * Jg[2] + k->m_slider * Js[0] * Js[0];
    const double force = -k->m_crank * k->g * 0.5 * k->r * cos(theta) -
                         k->m_rod * (Jg[0] * ag[0] + Jg[1] * (ag[1] + k->g)) - k->J_rod * Jg[2] * ag[2] -
                         k->m_slider * Js[0] * as[0];
    return force / inertia;
}

static double rod_stress_integral(const crank *k, double theta, double omega)
{
    enum { PARTS = 200 };
    const double alpha = crank_acceleration(k, theta, omega), phi = asin(k->r * sin(theta) / k->l);
    const double e[2] = {cos(phi), -sin(phi)}; // from P to S
    double J[3], a[3], section[PARTS + 1], along[PARTS + 1];
    rod_point(k, theta, omega, 0.5, J, a);
    const double gx = a[0] + alpha * J[0], gz = a[1] + alpha * J[1], turn = a[2] + alpha * J[2]; // phi'' about +y
    rod_point(k, theta, omega, 1.0, J, a);
    const double Fx = -k->m_slider * (a[0] + alpha * J[0]); // on the rod at S
    // Moments about P, with phi growing downwards: (l e x F_S) + (l/2 e x m (g - a_G)) = -J phi''  in the sense x -> z
    const double half = 0.5 * k->l;
    const double load = half * (e[0] * k->m_rod * (-k->g - gz) - e[1] * k->m_rod * (0.0 - gx));
    const double Fz = ((-k->J_rod * turn - load) / k->l + e[1] * Fx) / e[0];
    const double d = k->l / PARTS;
    for (int i = 0; i <= PARTS; i++) { // force per length that accelerates, less the weight, along e
        rod_point(k, theta, omega, (double)i / PARTS, J, a);
        const double ax = a[0] + alpha * J[0], az = a[1] + alpha * J[1] + k->g;
        along[i] = k->m_rod / k->l * (e[0] * ax + e[1] * az);
    }
    section[PARTS] = Fx * e[0] + Fz * e[1];
    for (int i = PARTS; i > 0; i--) section[i - 1] = section[i] - 0.5 * d * (along[i] + along[i - 1]); // linear: exact
    double sum = 0.0;
    for (int i = 0; i < PARTS; i += 2) sum += d / 3.0 * (section[i] + 4.0 * section[i + 1] + section[i + 2]);
    return sum;
}

TEST(slider_crank_rod_by_section_forces)
{
    NEEDS_YAML;
    rig r = rig_open(rig_example("slider_crank.yaml"), "rattlie");
    const int rod = ph_model_find_body(r.model, "rod");
    crank k = {.r = 0.1, .l = 0.3, .g = 9.81};
    k.m_crank = ph_model_body(r.model, 0).mass, k.J_crank = ph_model_body(r.model, 0).inertia.m[1][1];
    k.m_rod = ph_model_body(r.model, rod).mass, k.J_rod = ph_model_body(r.model, rod).inertia.m[1][1];
    k.m_slider = ph_model_body(r.model, 2).mass;
    double largest = 0.0;
    for (int n = 0; n < 20; n++) {
        rig_step(&r, 1e-4, 100);
        const ph_vec3 x = rig_position(&r, 0);
        const double theta = atan2(x.z, x.x), omega = -ph_state_angular_velocities(r.state)[0].y;
        const double expected = rod_stress_integral(&k, theta, omega), found = integral_of(&r, rod).m[0][0];
        largest = fmax(largest, fabs(expected));
        CHECK_NEAR(found, expected, 1e-8 * largest);
    }
    CHECK(largest > 1.0);
    rig_close(&r);
}

// ---- Both routes ----------------------------------------------------------------------------------------------------

// The largest relative difference of the two at t = 0.2 over all bodies. Takes the model over.
static double route_difference(ph_model *model, double h)
{
    rig r = rig_open(model, "matrix-rattle");
    ph_mat3 Lambda[BODIES_MAX], integrals[BODIES_MAX];
    const int count = ph_model_bodies(r.model);
    double difference = 0.0, size = 0.0;
    rig_step(&r, h, (int)lround(0.2 / h));
    CHECK(count <= BODIES_MAX);
    CHECK_EQ_INT(ph_sim_multipliers(r.sim, r.state, h, Lambda), PH_OK);
    CHECK_EQ_INT(ph_observer_stress(r.observer, r.state, integrals), PH_OK);
    for (int b = 0; b < count; b++) {
        difference = fmax(difference, ph_mat_norm(ph_mat_add(Lambda[b], integrals[b])));
        size = fmax(size, ph_mat_norm(integrals[b]));
    }
    rig_close(&r);
    return difference / size;
}

TEST(both_routes_agree_on_mechanisms)
{
    NEEDS_YAML;
    static const char *const models[] = {"double_pendulum.yaml", "slider_crank.yaml", "four_bar.yaml",
                                         "hanging_chain.yaml"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const double first = route_difference(rig_example(models[i]), 1e-3),
                     second = route_difference(rig_example(models[i]), 5e-4);
        printf("  %s: %.2g at 1e-3, order %.2f\n", models[i], first, log2(first / second));
        CHECK(first <= 1e-3);
        CHECK_NEAR(log2(first / second), 2.0, 0.1);
    }
}

// Every kind of load at once: sliding joint with spring and damper, torque motor, distance joint, spring, bushing, wrench.
static const char every_load[] =
    "polhode: 1\n"
    "gravity: [1, 2, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: 2, inertia: [0.2, 0.1, 0.25, 0.01, 0.02, -0.03], position: [0.3, 0.5, 0],\n"
    "     angular_velocity: [0, 0, 3], reference: [0.1, 0.2, 0.3]}\n"
    "  - {name: b, mass: 1, inertia: [0.12, 0.1, 0.15], position: [1, 1, 0.1], angular_velocity: [0, 0, 3]}\n"
    "  - {name: c, mass: 1.5, inertia: [0.12, 0.1, 0.15], position: [2, 1, 0.1]}\n"
    "joints:\n"
    "  - {name: O, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [0, 0, 1], stiffness: 10,\n"
    "     motor: {torque: \"sin(3*t)\"}}\n"
    "  - {name: P, type: prismatic, bodies: [a, b], axis: [1, 0.2, 0], stiffness: 200, rest: 0.1, damping: 0.5}\n"
    "  - {name: D, type: distance, bodies: [b, c], anchor_a: [0.1, 0, 0], anchor_b: [-0.2, 0.1, 0]}\n"
    "forces:\n"
    "  - {type: spring, bodies: [world, c], point_a: [2, 1, 2], point_b: [0.1, 0, 0.2], stiffness: 50, damping: 1}\n"
    "  - {type: bushing, bodies: [b, c], anchor: [1.5, 1, 0], stiffness: [5, 5, 5, 20, 20, 20],\n"
    "     damping: [0, 0, 0, 0, 0, 0]}\n"
    "  - {type: wrench, body: c, force: [0, \"2*cos(t)\", 1], torque: [0.1, 0, 0], point: [0.3, 0, 0], frame: body}\n"
    "initial: project\n";

TEST(both_routes_agree_under_every_load)
{
    NEEDS_YAML;
    double difference[2];
    for (int i = 0; i < 2; i++) {
        ph_spec *spec = NULL;
        ph_model *model = NULL;
        ph_problems *problems = ph_problems_create();
        CHECK_EQ_INT(ph_spec_read_text(every_load, strlen(every_load), "loads", NULL, 0, problems, &spec), PH_OK);
        CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_OK);
        ph_spec_destroy(spec);
        ph_problems_destroy(problems);
        difference[i] = route_difference(model, 1e-3 / (1 << i));
    }
    CHECK(difference[0] <= 1e-5);
    CHECK_NEAR(log2(difference[0] / difference[1]), 2.0, 0.1);
}

TEST(no_mean_without_a_volume)
{
    ph_stress stress;
    CHECK(!ph_stress_mean(tumbling, 0.0, ph_quat_identity(), &stress));
    CHECK(matrix_distance(stress.integral, tumbling) == 0.0);
    CHECK(stress.volume == 0.0 && stress.von_mises == 0.0);
}

// A matrix with known principal values, turned.
TEST(principal_values_and_von_mises)
{
    for (int n = 0; n < 200; n++) {
        const double a = test_uniform(1.0, 3.0), b = test_uniform(-1.0, 1.0), c = test_uniform(-3.0, -1.0);
        const ph_vec3 f = ph_vec(test_uniform(-2, 2), test_uniform(-2, 2), test_uniform(-2, 2));
        const ph_quat q = ph_quat_unit((ph_quat){test_uniform(-1, 1), f.x, f.y, f.z});
        const ph_mat3 R = ph_quat_to_mat(q), S = ph_mat_mul(R, ph_mat_mult(ph_diag(ph_vec(b, a, c)), R));
        ph_stress stress;
        CHECK(ph_stress_mean(S, 2.0, ph_quat_identity(), &stress));
        CHECK_NEAR(stress.principal[0], 0.5 * a, 1e-14);
        CHECK_NEAR(stress.principal[1], 0.5 * b, 1e-14);
        CHECK_NEAR(stress.principal[2], 0.5 * c, 1e-14);
        const double trace = ph_trace(stress.body) / 3.0;
        const ph_mat3 deviator = ph_mat_madd(stress.body, -trace, ph_identity());
        CHECK_REL(stress.von_mises, sqrt(1.5) * ph_mat_norm(deviator), 1e-14);
    }
}
