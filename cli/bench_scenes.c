// The scenes that `polhode bench` times, built by calls.

#include "bench_scenes.h"

#include <math.h>
#include <stdio.h>

static const double GRAVITY = 9.81, PI = 3.14159265358979323846;

static ph_mat3 diagonal(double x, double y, double z)
{
    return (ph_mat3){{{x, 0.0, 0.0}, {0.0, y, 0.0}, {0.0, 0.0, z}}};
}

static bool add_ball(ph_spec *spec, const char *name, int body_a, int body_b, ph_vec3 anchor)
{
    ph_joint_def joint = ph_default_joint();
    joint.name = name;
    joint.type = "ball";
    joint.body_a = body_a;
    joint.body_b = body_b;
    joint.has_anchor = true;
    joint.anchor = anchor;
    return ph_spec_add_joint(spec, &joint) >= 0;
}

// The heavy top of Geradin and Cardona in the form of Bruels, Cardona and Arnold: spin 150 rad/s, tip at the origin.
static bool build_heavy_top(ph_spec *spec, int bodies)
{
    (void)bodies;
    ph_body_def top = ph_default_body();
    top.name = "top";
    top.mass = 15.0;
    top.inertia = diagonal(0.234375, 0.46875, 0.234375);
    top.position = (ph_vec3){0.0, 1.0, 0.0};
    top.angular_velocity = (ph_vec3){0.0, 150.0, -4.61538};
    top.velocity = (ph_vec3){4.61538, 0.0, 0.0}; // omega x position
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -GRAVITY});
    const int body = ph_spec_add_body(spec, &top);
    return body >= 0 && add_ball(spec, "tip", PH_WORLD, body, (ph_vec3){0.0, 0.0, 0.0});
}

// Start 1 of example 1 of Xu and Zhong 2014, as in examples/xu_zhong_2014/start_1.yaml: spin 40 pi, moments and reference
// about the tip; a step of 0.1 / spin.
static bool build_paper_top(ph_spec *spec, int bodies)
{
    (void)bodies;
    const double arm = 0.04, tilt = PI / 6.0, spin = 40.0 * PI;
    ph_body_def top = ph_default_body();
    top.name = "top";
    top.mass = 1.0;
    top.com = (ph_vec3){0.0, 0.0, arm};
    top.reference = PH_REFERENCE_ORIGIN;
    top.inertia = diagonal(0.002 - arm * arm, 0.002 - arm * arm, 0.0008);
    top.orientation = (ph_quat){cos(0.5 * tilt), sin(0.5 * tilt), 0.0, 0.0};
    top.angular_velocity = (ph_vec3){0.0, 0.0, spin};
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.8});
    const int body = ph_spec_add_body(spec, &top);
    return body >= 0 && add_ball(spec, "tip", PH_WORLD, body, (ph_vec3){0.0, 0.0, 0.0});
}

// Two steel rods of 1 m, released at a right angle.
static bool build_double_pendulum(ph_spec *spec, int bodies)
{
    (void)bodies;
    ph_body_def rod = ph_default_body();
    rod.name = "rod1";
    rod.mass = 61.6538;
    rod.inertia = diagonal(5.1763, 0.0771, 5.1763);
    rod.position = (ph_vec3){0.0, 0.5, 0.0};
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -GRAVITY});
    const int first = ph_spec_add_body(spec, &rod);
    rod.name = "rod2";
    rod.position = (ph_vec3){-0.5, 1.0, 0.0};
    rod.orientation = (ph_quat){sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
    const int second = ph_spec_add_body(spec, &rod);
    return first >= 0 && second >= 0 && add_ball(spec, "O", PH_WORLD, first, (ph_vec3){0.0, 0.0, 0.0}) &&
           add_ball(spec, "A", first, second, (ph_vec3){0.0, 1.0, 0.0});
}

// Rods of 1 m hang from the origin and start to swing in a wave of ten rods, so that every part of a chain of any
// length moves alike. Rod i turns at omega_i about y; the point 1 m below a joint then moves at omega_i x (-z) = -omega_i x.
// The tension at the top grows with the number of rods n, and the frequency of the fastest wave, 2 sqrt(n g / l), with
// its root. So the step is 0.01 / sqrt(n): it resolves the waves of every chain equally well.
static bool build_chain(ph_spec *spec, int bodies)
{
    enum { WAVE = 10 };
    const double length = 1.0, radius = 0.05, mass = 1.0;
    const double across = mass * (3.0 * radius * radius + length * length) / 12.0, along = 0.5 * mass * radius * radius;
    double velocity = 0.0; // of the upper end, along x
    bool good = true;
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -GRAVITY});
    for (int i = 0; good && i < bodies; i++) {
        const double omega = sin(2.0 * PI * (i + 0.5) / WAVE);
        char name[32];
        snprintf(name, sizeof name, "rod%d", i + 1);
        ph_body_def rod = ph_default_body();
        rod.name = name;
        rod.mass = mass;
        rod.inertia = diagonal(across, across, along);
        rod.position = (ph_vec3){0.0, 0.0, -length * (i + 0.5)};
        rod.angular_velocity = (ph_vec3){0.0, omega, 0.0};
        rod.velocity = (ph_vec3){velocity - 0.5 * length * omega, 0.0, 0.0};
        velocity -= length * omega;
        const int body = ph_spec_add_body(spec, &rod);
        snprintf(name, sizeof name, "joint%d", i + 1);
        good = body >= 0 && add_ball(spec, name, i ? body - 1 : PH_WORLD, body, (ph_vec3){0.0, 0.0, -length * i});
    }
    return good;
}

const scene scenes[] = {
    {"heavy-top", "a fast top on a ball joint", 1, 0x1p-10, build_heavy_top, NULL, NULL},
    {"double-pendulum", "two rods on ball joints", 2, 1e-3, build_double_pendulum, NULL, NULL},
    {"chain-10", "hanging chain of 10 rods", 10, 3.2e-3, build_chain, NULL, NULL},
    {"chain-100", "hanging chain of 100 rods", 100, 1e-3, build_chain, NULL, NULL},
    {"chain-1000", "hanging chain of 1000 rods", 1000, 3.2e-4, build_chain, NULL, NULL},
    {"chain-10000", "hanging chain of 10000 rods", 10000, 1e-4, build_chain, NULL, NULL},
    {"top-quat-fem", "the top of Xu and Zhong under quat-fem", 1, 7.9577471545947668e-4, build_paper_top, "quat-fem",
     NULL},
    {"pendulum-quat-fem", "two rods under quat-fem", 2, 1e-3, build_double_pendulum, "quat-fem", "double-pendulum"},
};
const int scene_count = sizeof scenes / sizeof scenes[0];
