// Three machines that no engine here was tuned for: an arm of seven axes with servos, a Stewart platform on springs, and a
// quadruped that falls through the air. Written as scenes (scene.h); `ours export` calls this.
#ifndef BENCH_PEERS_MACHINES_H
#define BENCH_PEERS_MACHINES_H

#include <math.h>
#include <stdio.h>

// A box of the given sizes at x, its axes those of the world, with velocity v and angular velocity w.
static inline void machine_box(FILE *out, const char *name, double mass, const double size[3], const double x[3],
                               const double v[3], const double w[3])
{
    const double a = size[0] * size[0], b = size[1] * size[1], c = size[2] * size[2], m = mass / 12.0;
    fprintf(out, "body %s %.17g  %.17g %.17g %.17g 0 0 0  %.17g %.17g %.17g  1 0 0 0  ", name, mass, m * (b + c),
            m * (a + c), m * (a + b), x[0], x[1], x[2]);
    fprintf(out, "%.17g %.17g %.17g  %.17g %.17g %.17g\n", v[0], v[1], v[2], w[0], w[1], w[2]);
}

// Seven links upright, axes in turn about z and y, each drawn to its target by a servo.
static inline void write_arm(FILE *out)
{
    static const double mass[7] = {4.0, 4.0, 3.0, 2.7, 1.7, 1.6, 0.6}, length[7] = {0.2, 0.2, 0.2, 0.2, 0.2, 0.15, 0.1};
    static const double target[7] = {0.8, 0.7, -0.5, -1.1, 0.6, 0.9, -0.4}, kp[7] = {200, 200, 120, 120, 60, 40, 20};
    const double still[3] = {0.0, 0.0, 0.0};
    double at[8] = {0.1};
    fprintf(out, "gravity 0 0 -9.81\n");
    for (int i = 0; i < 7; i++) {
        const double size[3] = {0.1, 0.12, length[i]},
                     x[3] = {0.01 * (i % 3), 0.015 * (i % 2), at[i] + 0.5 * length[i]};
        char name[16];
        snprintf(name, sizeof name, "link%d", i);
        machine_box(out, name, mass[i], size, x, still, still);
        at[i + 1] = at[i] + length[i];
    }
    for (int i = 0; i < 7; i++) {
        fprintf(out, "joint axis%d revolute %d %d  0 0 %.17g  0 %d %d\n", i, i - 1, i, at[i], i % 2, 1 - i % 2);
        fprintf(out, "servo %d  %.17g %.17g %.17g\n", i, kp[i], 0.08 * kp[i], target[i]);
    }
}

// A plate on six legs that are springs with dampers, between points in pairs on two circles.
static inline void write_stewart(FILE *out)
{
    const double size[3] = {0.6, 0.6, 0.1}, x[3] = {0.0, 0.0, 0.8}, v[3] = {0.3, -0.2, 0.5}, w[3] = {0.6, -0.9, 1.2};
    const double third = 2.0943951023931953;
    fprintf(out, "gravity 0 0 -9.81\n");
    machine_box(out, "plate", 20.0, size, x, v, w);
    for (int i = 0; i < 6; i++) {
        const double below = third * (i / 2) + (i % 2 ? 0.2 : -0.2),
                     above = third * ((i + 1) / 2) - 0.5 * third + (i % 2 ? -0.2 : 0.2);
        const double a[3] = {0.5 * cos(below), 0.5 * sin(below), 0.0},
                     b[3] = {0.3 * cos(above), 0.3 * sin(above), -0.05};
        fprintf(out, "spring -1 0  %.17g %.17g %.17g  %.17g %.17g %.17g  8000 60 0.82\n", a[0], a[1], a[2], b[0], b[1],
                b[2]);
    }
}

// A trunk with four legs of three hinges each, thrown with a spin; servos draw the legs to a crouch.
static inline void write_quadruped(FILE *out)
{
    static const double mass[3] = {0.7, 1.0, 0.2}, kp[3] = {40.0, 40.0, 30.0}, target[3] = {0.2, 0.7, -1.3};
    const double trunk[3] = {0.4, 0.2, 0.1}, origin[3] = {0.0, 0.0, 0.0}, v[3] = {0.5, 0.0, 2.0},
                 w[3] = {1.0, 2.0, -1.5};
    static const double size[3][3] = {{0.08, 0.08, 0.08}, {0.05, 0.04, 0.21}, {0.03, 0.03, 0.21}};
    fprintf(out, "gravity 0 0 -9.81\n");
    machine_box(out, "trunk", 7.0, trunk, origin, v, w);
    for (int leg = 0; leg < 4; leg++)
        for (int part = 0; part < 3; part++) {
            const double side = leg % 2 ? -1.0 : 1.0, front = leg / 2 ? -1.0 : 1.0;
            const double down = part == 0 ? 0.0 : part == 1 ? -0.105 : -0.315;
            const double x[3] = {0.2 * front, side * (part ? 0.15 : 0.09), down};
            const double moves[3] = {v[0] + w[1] * x[2] - w[2] * x[1], v[1] + w[2] * x[0] - w[0] * x[2],
                                     v[2] + w[0] * x[1] - w[1] * x[0]};
            char name[16];
            snprintf(name, sizeof name, "leg%d_%d", leg, part);
            machine_box(out, name, mass[part], size[part], x, moves, w);
        }
    for (int leg = 0; leg < 4; leg++)
        for (int part = 0; part < 3; part++) {
            const double side = leg % 2 ? -1.0 : 1.0, front = leg / 2 ? -1.0 : 1.0, down = part == 2 ? -0.21 : 0.0;
            const int b = 1 + 3 * leg + part, j = 3 * leg + part;
            fprintf(out, "joint hinge%d revolute %d %d  %.17g %.17g %.17g  %d %d 0\n", j, part ? b - 1 : 0, b,
                    0.2 * front, side * (part ? 0.15 : 0.05), down, part == 0, part != 0);
            fprintf(out, "servo %d  %.17g %.17g %.17g\n", j, kp[part], 1.0, part ? target[part] : side * target[0]);
        }
}

#endif
