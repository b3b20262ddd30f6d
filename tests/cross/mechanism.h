// Random mechanisms, written twice: for the reference (reference.h) and as a model file for the engine.
//
// Every joint is made at the bodies' places at the start, so that loops are closed; velocities are projected by the
// reference. What is drawn: number of bodies, tree or loops, joint types, drives, springs, pushes, mass ratios, thin
// bodies, offset centres of mass, and the size of everything (a length unit from a micrometre to ten kilometres).
#ifndef TESTS_CROSS_MECHANISM_H
#define TESTS_CROSS_MECHANISM_H

#include "reference_motion.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

typedef struct mechanism {
    uint64_t seed;
    ref_model model;
    ref_state start;
    real size;          // length unit of the model, m
    int rank;           // of the rows at the start
    char text[1 << 16]; // the model file
    size_t length;
    vec com[BODIES];    // in the body frame
    mat R[BODIES];      // orientations at the start
    vec anchor[JOINTS]; // of the joints, in the world
    mat frame[JOINTS];  // z along the axis, in the world
    const char *type[JOINTS];
} mechanism;

// ---- Chance ---------------------------------------------------------------------------------------------------------

static inline double chance(mechanism *g, double low, double high)
{
    g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(g->seed >> 11) * 0x1p-53;
}

static inline bool perhaps(mechanism *g, double probability)
{
    return chance(g, 0, 1) < probability;
}
static inline int pick(mechanism *g, int count)
{
    return (int)chance(g, 0, count) % count;
}
static inline vec chance_vec(mechanism *g, double most)
{
    return (vec){chance(g, -most, most), chance(g, -most, most), chance(g, -most, most)};
}

// Numbers are rounded to doubles, so that the file and the reference have the same.
static inline vec rounded(vec a)
{
    return (vec){(double)a.x, (double)a.y, (double)a.z};
}

static inline quat chance_quat(mechanism *g)
{
    quat q = {chance(g, -1, 1), chance(g, -1, 1), chance(g, -1, 1), chance(g, -1, 1)};
    const real n = sqrtl(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (quat){q.w / n, q.x / n, q.y / n, q.z / n};
}

// ---- Text -----------------------------------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static inline void say(mechanism *g, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(g->text + g->length, sizeof g->text - g->length, format, list);
    va_end(list);
    g->length += n > 0 ? (size_t)n : 0;
}

static inline void say_vec(mechanism *g, const char *key, vec a)
{
    say(g, ", %s: [%.17g, %.17g, %.17g]", key, (double)a.x, (double)a.y, (double)a.z);
}

static inline void say_bodies(mechanism *g, int a, int b)
{
    say(g, "bodies: [");
    if (a == WORLD)
        say(g, "world, ");
    else
        say(g, "b%d, ", a);
    say(g, "b%d]", b);
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------

// A brick with sides of any ratio, turned in its body frame: a possible inertia, thin rods included.
static inline mat chance_inertia(mechanism *g, real mass)
{
    vec d;
    const double thin = perhaps(g, 0.3) ? pow(10, chance(g, -3, 0)) : 1;
    d = (vec){g->size * chance(g, 0.2, 1), g->size * chance(g, 0.2, 1) * thin, g->size * chance(g, 0.2, 1) * thin};
    const vec p = {mass / 12 * (d.y * d.y + d.z * d.z), mass / 12 * (d.x * d.x + d.z * d.z),
                   mass / 12 * (d.x * d.x + d.y * d.y)};
    const mat R = quat_matrix(chance_quat(g));
    mat J = {{{0}}};
    const real *moments = &p.x;
    for (int k = 0; k < 3; k++) {
        J.c[0] = vadd(J.c[0], vmul(moments[k] * R.c[k].x, R.c[k]));
        J.c[1] = vadd(J.c[1], vmul(moments[k] * R.c[k].y, R.c[k]));
        J.c[2] = vadd(J.c[2], vmul(moments[k] * R.c[k].z, R.c[k]));
    }
    for (int k = 0; k < 3; k++) J.c[k] = rounded(J.c[k]);
    J.c[0].y = J.c[1].x, J.c[0].z = J.c[2].x, J.c[1].z = J.c[2].y;
    return J;
}

static inline void make_bodies(mechanism *g)
{
    const double span = perhaps(g, 0.5) ? 0.3 : 3; // decades of mass on both sides of 1
    for (int i = 0; i < g->model.body_count; i++) {
        ref_body *b = &g->model.bodies[i];
        b->mass = pow(10, chance(g, -span, span));
        b->inertia = chance_inertia(g, b->mass);
        const quat q = chance_quat(g);
        g->start.q[i] = (quat){(double)q.w, (double)q.x, (double)q.y, (double)q.z};
        g->R[i] = quat_matrix(g->start.q[i]);
        g->com[i] = rounded(vmul(perhaps(g, 0.5) ? g->size : 0, chance_vec(g, 0.2)));
        g->start.x[i] = rounded(vmul(g->size, chance_vec(g, 1)));
        g->start.v[i] = vmul(g->size, chance_vec(g, 1));
        g->start.w[i] = chance_vec(g, 2);
    }
}

static inline void say_bodies_of(mechanism *g)
{
    say(g, "bodies:\n");
    for (int i = 0; i < g->model.body_count; i++) {
        const mat *J = &g->model.bodies[i].inertia;
        const quat q = g->start.q[i];
        say(g, "  - {name: b%d, mass: %.17g, inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", i,
            (double)g->model.bodies[i].mass, (double)J->c[0].x, (double)J->c[1].y, (double)J->c[2].z, (double)J->c[0].y,
            (double)J->c[0].z, (double)J->c[1].z);
        say_vec(g, "com", g->com[i]);
        say_vec(g, "position", vsub(g->start.x[i], mvec(g->R[i], g->com[i])));
        say(g, ", orientation: {quaternion: [%.17g, %.17g, %.17g, %.17g]}", (double)q.w, (double)q.x, (double)q.y,
            (double)q.z);
        say_vec(g, "velocity", g->start.v[i]);
        say_vec(g, "angular_velocity", mtvec(g->R[i], g->start.w[i]));
        say(g, "}\n");
    }
}

// ---- Joints ---------------------------------------------------------------------------------------------------------

static inline vec into_body(const mechanism *g, int body, vec P)
{
    return body == WORLD ? P : mtvec(g->R[body], vsub(P, g->start.x[body]));
}

static inline mat frame_in(const mechanism *g, int body, mat E)
{
    if (body == WORLD) return E;
    return (mat){{mtvec(g->R[body], E.c[0]), mtvec(g->R[body], E.c[1]), mtvec(g->R[body], E.c[2])}};
}

static inline mat frame_along(vec z)
{
    z = vunit(z);
    const vec any = fabsl(z.x) < 0.6L ? (vec){1, 0, 0} : (vec){0, 1, 0}, x = vunit(vcross(any, z));
    return (mat){{x, vcross(z, x), z}};
}

static inline void row(ref_joint *j, ref_kind kind, int i, int k)
{
    j->rows[j->row_count++] = (ref_row){kind, i, k};
}

static inline void point_rows(ref_joint *j)
{
    for (int i = 0; i < 3; i++) row(j, ROW_D, i, 0);
}

static inline void axis_rows(ref_joint *j) // a_z stays on b_z
{
    row(j, ROW_A_B, 2, 0);
    row(j, ROW_A_B, 2, 1);
}

static inline void turn_rows(ref_joint *j) // no relative turn at all
{
    row(j, ROW_A_B, 0, 1);
    row(j, ROW_A_B, 1, 2);
    row(j, ROW_A_B, 2, 0);
}

static void make_ball(ref_joint *j)
{
    point_rows(j);
}
static void make_fixed(ref_joint *j)
{
    point_rows(j), turn_rows(j);
}
static void make_revolute(ref_joint *j)
{
    point_rows(j), axis_rows(j), j->coordinate = TURN;
}
static void make_prismatic(ref_joint *j)
{
    row(j, ROW_A_D, 0, 0), row(j, ROW_A_D, 1, 0), turn_rows(j), j->coordinate = SLIDE;
}
static void make_cylindrical(ref_joint *j)
{
    row(j, ROW_A_D, 0, 0), row(j, ROW_A_D, 1, 0), axis_rows(j);
}
static void make_universal(ref_joint *j)
{
    point_rows(j), row(j, ROW_A_B, 2, 0);
}
static void make_screw(ref_joint *j)
{
    row(j, ROW_A_D, 0, 0), row(j, ROW_A_D, 1, 0), axis_rows(j), row(j, ROW_SCREW, 0, 0), j->coordinate = TURN;
}
static void make_planar(ref_joint *j)
{
    row(j, ROW_A_D, 2, 0), axis_rows(j);
}
static void make_distance(ref_joint *j)
{
    row(j, ROW_DISTANCE, 0, 0);
}
static void make_on_line(ref_joint *j)
{
    row(j, ROW_A_D, 0, 0), row(j, ROW_A_D, 1, 0);
}
static void make_slot(ref_joint *j)
{
    row(j, ROW_A_D, 0, 0), row(j, ROW_A_D, 1, 0), row(j, ROW_A_B, 1, 0), row(j, ROW_A_B, 2, 0);
}
static void make_on_plane(ref_joint *j)
{
    row(j, ROW_A_D, 2, 0);
}

static const struct {
    const char *type, *axis;
    void (*make)(ref_joint *);
    bool loose; // fit to close a loop
} joint_kinds[] = {
    {"revolute", "axis", make_revolute, false},
    {"prismatic", "axis", make_prismatic, false},
    {"ball", NULL, make_ball, true},
    {"universal", "axis", make_universal, true},
    {"cylindrical", "axis", make_cylindrical, false},
    {"screw", "axis", make_screw, false},
    {"planar", "normal", make_planar, true},
    {"fixed", NULL, make_fixed, false},
    {"distance", NULL, make_distance, true},
    {"point_on_line", "axis", make_on_line, true},
    {"point_on_plane", "normal", make_on_plane, true},
    {"slot", "axis", make_slot, true},
};
enum { KINDS = sizeof joint_kinds / sizeof *joint_kinds };

static inline void place_joint(mechanism *g, int k, int a, int b, vec anchor, mat E)
{
    ref_joint *j = &g->model.joints[k];
    g->anchor[k] = anchor;
    g->frame[k] = E;
    j->a = a, j->b = b;
    j->s_a = into_body(g, a, anchor), j->s_b = into_body(g, b, anchor);
    j->E_a = frame_in(g, a, E), j->E_b = frame_in(g, b, E);
}

static inline void drive(mechanism *g, int k)
{
    ref_joint *j = &g->model.joints[k];
    const ref_body *b = &g->model.bodies[j->b];
    const real unit = j->coordinate == SLIDE ? b->mass : b->inertia.c[0].x + b->inertia.c[1].y + b->inertia.c[2].z,
               way = j->coordinate == SLIDE ? g->size : 1;
    if (perhaps(g, 0.4))
        j->drive.stiffness = (double)(unit * chance(g, 1, 30)), j->drive.rest = (double)(way * chance(g, -1, 1));
    if (perhaps(g, 0.4)) j->drive.damping = (double)(unit * chance(g, 0, 3));
    if (perhaps(g, 0.2)) j->drive.friction = (double)(unit * way), j->drive.speed = (double)(way * chance(g, 0.3, 1));
    if (perhaps(g, 0.3)) {
        j->drive.amplitude = (double)(unit * way * chance(g, 0, 3)), j->drive.frequency = chance(g, 1, 10);
        j->drive.phase = chance(g, 0, 3);
        if (k > 0 && g->model.joints[k - 1].coordinate != NO_COORDINATE && perhaps(g, 0.5)) {
            j->drive.other = k - 1;
            const real other = g->model.joints[k - 1].coordinate == SLIDE ? g->size : 1;
            j->drive.gain = (double)(unit * way / other * chance(g, -3, 3));
        }
    } else if (perhaps(g, 0.15)) {
        j->swing = (double)(way * chance(g, -0.5, 0.5)), j->frequency = chance(g, 1, 5);
        row(j, ROW_MOVES, 0, 0);
    }
}

static inline void say_drive(mechanism *g, int k)
{
    const ref_joint *j = &g->model.joints[k];
    const ref_drive *d = &j->drive;
    if (d->stiffness != 0) say(g, ", stiffness: %.17g, rest: %.17g", (double)d->stiffness, (double)d->rest);
    if (d->damping != 0) say(g, ", damping: %.17g", (double)d->damping);
    if (d->friction != 0) say(g, ", friction: %.17g, friction_speed: %.17g", (double)d->friction, (double)d->speed);
    if (d->amplitude != 0) {
        say(g, ", motor: {torque: \"%.17g*sin(%.17g*t + %.17g)", (double)d->amplitude, (double)d->frequency,
            (double)d->phase);
        if (d->gain != 0) say(g, " + %.17g*q.j%d", (double)d->gain, d->other);
        say(g, "\"}");
    }
    if (j->swing != 0) say(g, ", motor: {position: \"%.17g*sin(%.17g*t)\"}", (double)j->swing, (double)j->frequency);
}

static inline void make_joint(mechanism *g, int k, int a, int b, int kind, vec axis)
{
    ref_joint *j = &g->model.joints[k];
    const vec from = a == WORLD ? (vec){0, 0, 0} : g->start.x[a];
    const vec middle = vadd(vmul(0.5L, vadd(from, g->start.x[b])), vmul(g->size, chance_vec(g, 0.3)));
    place_joint(g, k, a, b, rounded(middle), frame_along(axis));
    g->type[k] = joint_kinds[kind].type;
    if (joint_kinds[kind].make == make_distance) { // between points of their own
        const vec P = rounded(vadd(from, vmul(g->size, chance_vec(g, 0.3))));
        const vec Q = rounded(vadd(g->start.x[b], vmul(g->size, chance_vec(g, 0.3))));
        j->s_a = into_body(g, a, P), j->s_b = into_body(g, b, Q);
    }
    if (joint_kinds[kind].make == make_screw) j->pitch = (double)(g->size * chance(g, -0.3, 0.3));
    joint_kinds[kind].make(j);
    if (j->coordinate != NO_COORDINATE && joint_kinds[kind].make != make_screw) drive(g, k);
    g->model.joint_count = k + 1;
}

// A point of a body as the model file has it: from the origin of the body frame.
static inline vec file_point(const mechanism *g, int body, vec s)
{
    return body == WORLD ? s : vadd(g->com[body], s);
}

static inline void say_rolling(mechanism *g, int k);

static inline void say_joint(mechanism *g, int k)
{
    const ref_joint *j = &g->model.joints[k];
    say(g, "  - {name: j%d, type: %s, ", k, g->type[k]);
    if (strcmp(g->type[k], "gear") == 0) {
        say(g, "joints: [j%d, j%d], ratio: %.17g}\n", j->gear_i, j->gear_j, (double)j->ratio);
        return;
    }
    if (strcmp(g->type[k], "generic_velocity") == 0) {
        say_rolling(g, k);
        return;
    }
    say_bodies(g, j->a, j->b);
    if (strcmp(g->type[k], "distance") == 0) {
        say_vec(g, "anchor_a", file_point(g, j->a, j->s_a));
        say_vec(g, "anchor_b", file_point(g, j->b, j->s_b));
    } else {
        say_vec(g, "anchor", g->anchor[k]);
    }
    for (int i = 0; i < KINDS; i++) {
        if (joint_kinds[i].axis && strcmp(g->type[k], joint_kinds[i].type) == 0)
            say_vec(g, joint_kinds[i].axis, g->frame[k].c[2]);
    }
    if (strcmp(g->type[k], "universal") == 0 || strcmp(g->type[k], "slot") == 0) say_vec(g, "axis2", g->frame[k].c[0]);
    if (j->pitch != 0) say(g, ", pitch: %.17g", (double)j->pitch);
    say_drive(g, k);
    say(g, "}\n");
}

// A tree over the bodies; some stand on the world.
static inline void make_tree(mechanism *g)
{
    for (int i = 0; i < g->model.body_count; i++) {
        if (i == 0 ? perhaps(g, 0.2) : perhaps(g, 0.1)) continue; // free
        const int a = perhaps(g, 0.25) || i == 0 ? WORLD : pick(g, i);
        make_joint(g, g->model.joint_count, a, i, perhaps(g, 0.3) ? 0 : pick(g, KINDS), chance_vec(g, 1));
    }
}

// Loops: joints beyond the tree. They may be redundant or take away the last freedom; the rank tells.
static inline void make_loops(mechanism *g)
{
    const int extra = pick(g, 3);
    for (int n = 0; n < extra && g->model.body_count > 1; n++) {
        int kind;
        do kind = pick(g, KINDS);
        while (!joint_kinds[kind].loose);
        const int b = pick(g, g->model.body_count), a = perhaps(g, 0.3) ? WORLD : pick(g, g->model.body_count);
        if (a != b) make_joint(g, g->model.joint_count, a, b, kind, chance_vec(g, 1));
    }
}

// A ring of revolute joints with parallel axes: planar, tilted any way, three rows too many.
static inline void make_ring(mechanism *g)
{
    const int n = g->model.body_count;
    const vec axis = chance_vec(g, 1);
    for (int i = 0; i <= n; i++) {
        const int a = i == 0 ? WORLD : i - 1, b = i == n ? WORLD : i;
        if (b == WORLD)
            make_joint(g, i, WORLD, a, 0, axis);
        else
            make_joint(g, i, a, b, 0, axis);
    }
}

static inline void make_gear(mechanism *g)
{
    int found[2], count = 0;
    for (int k = 0; k < g->model.joint_count && count < 2; k++) {
        const ref_joint *j = &g->model.joints[k];
        if (j->coordinate != NO_COORDINATE && j->swing == 0 && j->pitch == 0) found[count++] = k;
    }
    if (count < 2) return;
    const int k = g->model.joint_count++;
    ref_joint *j = &g->model.joints[k];
    g->type[k] = "gear";
    j->a = j->b = WORLD;
    j->gear_i = found[0], j->gear_j = found[1];
    const real way_i = g->model.joints[found[0]].coordinate == SLIDE ? g->size : 1,
               way_j = g->model.joints[found[1]].coordinate == SLIDE ? g->size : 1;
    j->ratio = (double)(way_j / way_i * chance(g, 0.5, 2));
    row(j, ROW_GEAR, 0, 0);
}

// One or two rows of velocities between the world and a body, as of a blade, a wheel or a conveyor.
static inline void make_rolling(mechanism *g)
{
    const int k = g->model.joint_count, b = pick(g, g->model.body_count), count = 1 + pick(g, 2);
    ref_joint *j = &g->model.joints[k];
    place_joint(g, k, WORLD, b, rounded(vadd(g->start.x[b], vmul(g->size, chance_vec(g, 0.3)))),
                frame_along((vec){0, 0, 1}));
    g->type[k] = "generic_velocity";
    const bool turns = perhaps(g, 0.5);
    if (perhaps(g, 0.3)) j->swing = (double)(g->size * chance(g, -0.5, 0.5)), j->frequency = chance(g, 1, 5);
    for (int i = 0; i < count; i++) {
        const vec linear = rounded(chance_vec(g, 1)), turn = rounded(vmul(g->size, chance_vec(g, 1))),
                  angular = perhaps(g, 0.5) ? turn : (vec){0, 0, 0};
        j->rolls[i] = (struct ref_roll){turns, turns ? mtvec(g->R[b], linear) : linear,
                                        turns ? mtvec(g->R[b], angular) : angular};
        row(j, ROW_ROLLS, i, 0);
    }
    g->model.joint_count++;
}

static inline void say_rolling(mechanism *g, int k)
{
    static const char *const keys[] = {"x", "y", "z", "rx", "ry", "rz"};
    const ref_joint *j = &g->model.joints[k];
    const bool turns = j->rolls[0].turns;
    say_bodies(g, j->a, j->b);
    say_vec(g, "anchor", g->anchor[k]);
    say(g, ", frame: %s, rows: [", turns ? "b" : "a");
    for (int i = 0; i < j->row_count; i++) {
        const struct ref_roll *roll = &j->rolls[i];
        const vec linear = turns ? mvec(g->R[j->b], roll->linear) : roll->linear,
                  angular = vadd(turns ? mvec(g->R[j->b], roll->angular) : roll->angular, (vec){0}); // no -0
        say(g, "%s{", i ? ", " : "");
        for (int c = 0; c < 6; c++)
            say(g, "%s: %.17g, ", keys[c], (double)(c < 3 ? (&linear.x)[c] : (&angular.x)[c - 3]));
        say(g, "equals: \"%.17g*sin(%.17g*t)\"}", (double)j->swing, (double)j->frequency);
    }
    say(g, "]}\n");
}

// ---- Forces ---------------------------------------------------------------------------------------------------------

static inline void make_forces(mechanism *g)
{
    const int count = pick(g, 3);
    for (int n = 0; n < count; n++) {
        ref_force *f = &g->model.forces[g->model.force_count];
        f->b = pick(g, g->model.body_count);
        f->a = perhaps(g, 0.3) ? WORLD : pick(g, g->model.body_count);
        if (f->a == f->b) continue;
        f->s_b = rounded(vmul(g->size, chance_vec(g, 0.3)));
        const real mass = g->model.bodies[f->b].mass, other = f->a == WORLD ? mass : g->model.bodies[f->a].mass,
                   least = mass < other ? mass : other;
        if (perhaps(g, 0.7)) {
            f->kind = SPRING;
            f->s_a = rounded(vmul(g->size, chance_vec(g, 0.3)));
            f->stiffness = (double)(least * chance(g, 1, 30)), f->length = (double)(g->size * chance(g, 0, 1));
            f->damping = perhaps(g, 0.5) ? (double)(least * chance(g, 0, 2)) : 0;
        } else {
            f->kind = PUSH;
            f->force = rounded(vmul(mass * g->size, chance_vec(g, 3)));
            f->torque = rounded(vmul(mass * g->size * g->size, chance_vec(g, 0.03)));
            f->frequency = chance(g, 1, 8);
        }
        g->model.force_count++;
    }
}

static inline void say_forces(mechanism *g)
{
    if (g->model.force_count) say(g, "forces:\n");
    for (int k = 0; k < g->model.force_count; k++) {
        const ref_force *f = &g->model.forces[k];
        if (f->kind == SPRING) {
            say(g, "  - {type: spring, ");
            say_bodies(g, f->a, f->b);
            say_vec(g, "point_a", file_point(g, f->a, f->s_a));
            say_vec(g, "point_b", file_point(g, f->b, f->s_b));
            say(g, ", stiffness: %.17g, damping: %.17g, length: %.17g}\n", (double)f->stiffness, (double)f->damping,
                (double)f->length);
        } else {
            say(g, "  - {type: wrench, body: b%d, force: [", f->b);
            for (int i = 0; i < 3; i++) {
                say(g, "%s\"%.17g*sin(%.17g*t)\"", i ? ", " : "", (double)(&f->force.x)[i], (double)f->frequency);
            }
            say(g, "]");
            say_vec(g, "torque", f->torque);
            say_vec(g, "point", file_point(g, f->b, f->s_b));
            say(g, "}\n");
        }
    }
}

// ---- All of it ------------------------------------------------------------------------------------------------------

static inline bool make_from(mechanism *g, uint64_t seed, uint64_t state)
{
    static const double sizes[] = {1, 1, 1, 1, 1e-3, 1e-6, 1e2, 1e4};
    *g = (mechanism){.seed = state};
    for (int k = 0; k < 4; k++) chance(g, 0, 1);
    g->size = sizes[pick(g, 8)];
    g->model.gravity = rounded(vmul(perhaps(g, 0.8) ? g->size : 0, chance_vec(g, 10)));
    const bool ring = perhaps(g, 0.15);
    g->model.body_count = ring ? 3 + pick(g, 3) : 1 + pick(g, 6);
    make_bodies(g);
    if (ring)
        make_ring(g);
    else
        make_tree(g), make_loops(g);
    if (!ring && perhaps(g, 0.2)) make_gear(g);
    make_forces(g);
    if (seed % 7 == 5) make_rolling(g);
    g->rank = ref_project_velocities(&g->model, &g->start);
    if (g->rank < 0 || g->rank >= 6 * g->model.body_count) return false;
    say(g, "polhode: 1\ngravity: [%.17g, %.17g, %.17g]\n", (double)g->model.gravity.x, (double)g->model.gravity.y,
        (double)g->model.gravity.z);
    say_bodies_of(g);
    if (g->model.joint_count) say(g, "joints:\n");
    for (int k = 0; k < g->model.joint_count; k++) say_joint(g, k);
    say_forces(g);
    return true;
}

// SplitMix64: neighbouring numbers give mechanisms that have nothing in common.
static inline uint64_t mixed(uint64_t seed)
{
    uint64_t z = (seed + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

// False: the rows leave no freedom, or contradict each other.
static inline bool mechanism_make(mechanism *g, uint64_t seed)
{
    return make_from(g, seed, mixed(seed));
}

// As they were numbered before numbers were mixed: those that once found something keep their names.
static inline bool mechanism_make_unmixed(mechanism *g, uint64_t seed)
{
    return make_from(g, seed, seed * 0x9E3779B97F4A7C15u + 12345);
}

#endif
