// A scene as all drivers of the comparison read it, and what is measured of its motion, the same way for everyone.
//
// Text, one thing a line, exported by `ours export` from the model files in examples/; all in the world frame at the start
// except inertia (about the centre of mass) and angular velocity, which are in body axes:
//
//     gravity gx gy gz
//     body NAME m  xx yy zz xy xz yz  x y z  qw qx qy qz  vx vy vz  wx wy wz
//     joint NAME ball|revolute A B  ax ay az  ux uy uz          (A, B: bodies from 0, -1 the world; anchor; axis)
//     servo J kp kd target                                      (of revolute joint J from 0, which begins at angle 0)
//     spring A B  ax ay az  bx by bz  k c length                (points in body axes, from the centres of mass)
//     values q|u|a|tau n  ...                                   (trees only)
//
// A driver is called as   DRIVER run SCENE SETTING STEP STEPS BLOCK   and prints one JSON object. It makes STEPS steps in
// blocks; only the blocks are timed (processor time), and after each the state is measured. Plain C, for C and C++ drivers.
#ifndef BENCH_PEERS_SCENE_H
#define BENCH_PEERS_SCENE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct scene_body {
    char name[32];
    double mass, I[6]; // xx yy zz xy xz yz
    double x[3], q[4], v[3], w[3];
} scene_body;

typedef struct scene_joint {
    char name[32];
    int revolute, a, b;
    double anchor[3], axis[3];
    double in_a[3], in_b[3], axis_a[3], axis_b[3]; // in body axes, from the centres of mass
    int closes;                                    // b hangs on an earlier joint already: this one closes a loop
    double kp, kd, target;                         // of its servo; 0: none
} scene_joint;

typedef struct scene_spring {
    int a, b;
    double in_a[3], in_b[3], k, c, length;
} scene_spring;

typedef struct scene {
    double gravity[3];
    int body_count, joint_count, spring_count, servo_count, value_count;
    scene_body *bodies;
    scene_joint *joints;
    scene_spring *springs;
    double *q, *u, *a, *tau; // of trees
} scene;

typedef struct scene_pose {        // of a body, as it moves
    double x[3], q[4], v[3], w[3]; // w in body axes
} scene_pose;

static inline void scene_stop(const char *what)
{
    printf("{\"failed\": \"%s\"}\n", what);
    exit(0);
}

// ---- Rotations ------------------------------------------------------------------------------------------------------

static inline void scene_matrix(const double q[4], double R[3][3])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0][0] = 1 - 2 * (y * y + z * z), R[0][1] = 2 * (x * y - w * z), R[0][2] = 2 * (x * z + w * y);
    R[1][0] = 2 * (x * y + w * z), R[1][1] = 1 - 2 * (x * x + z * z), R[1][2] = 2 * (y * z - w * x);
    R[2][0] = 2 * (x * z - w * y), R[2][1] = 2 * (y * z + w * x), R[2][2] = 1 - 2 * (x * x + y * y);
}

static inline void scene_rotate(const double q[4], const double in[3], double out[3])
{
    double R[3][3], r[3];
    scene_matrix(q, R);
    for (int i = 0; i < 3; i++) r[i] = R[i][0] * in[0] + R[i][1] * in[1] + R[i][2] * in[2];
    memcpy(out, r, sizeof r);
}

static inline void scene_unrotate(const double q[4], const double in[3], double out[3])
{
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    scene_rotate(back, in, out);
}

static inline void scene_cross(const double a[3], const double b[3], double out[3])
{
    const double r[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(out, r, sizeof r);
}

// ---- Reading --------------------------------------------------------------------------------------------------------

static inline void scene_numbers(FILE *file, double *out, int count)
{
    for (int i = 0; i < count; i++)
        if (fscanf(file, "%lf", &out[i]) != 1) scene_stop("the scene file is cut off");
}

static inline void scene_into_body(const scene *s, int body, const double point[3], const double axis[3], double p[3],
                                   double u[3])
{
    static const double none[3] = {0, 0, 0}, still[4] = {1, 0, 0, 0};
    const double *x = body < 0 ? none : s->bodies[body].x, *q = body < 0 ? still : s->bodies[body].q;
    const double d[3] = {point[0] - x[0], point[1] - x[1], point[2] - x[2]};
    scene_unrotate(q, d, p);
    scene_unrotate(q, axis, u);
}

static inline void scene_free(scene *s)
{
    free(s->bodies), free(s->joints), free(s->springs);
    free(s->q), free(s->u), free(s->a), free(s->tau);
}

static inline void scene_read_servo(FILE *file, scene *s)
{
    int j;
    double numbers[3];
    if (fscanf(file, "%d", &j) != 1 || j < 0 || j >= s->joint_count) scene_stop("servo of no joint");
    scene_numbers(file, numbers, 3);
    s->joints[j].kp = numbers[0], s->joints[j].kd = numbers[1], s->joints[j].target = numbers[2];
    s->servo_count++;
}

static inline void scene_read_spring(FILE *file, scene *s)
{
    s->springs = (scene_spring *)realloc(s->springs, sizeof *s->springs * (size_t)(s->spring_count + 1));
    scene_spring *f = &s->springs[s->spring_count++];
    if (fscanf(file, "%d %d", &f->a, &f->b) != 2) scene_stop("spring cut off");
    scene_numbers(file, f->in_a, 3), scene_numbers(file, f->in_b, 3);
    scene_numbers(file, &f->k, 1), scene_numbers(file, &f->c, 1), scene_numbers(file, &f->length, 1);
}

// For drivers that were not taught them.
static inline void scene_refuse_machines(const scene *s)
{
    if (s->servo_count + s->spring_count > 0) scene_stop("explicit: this driver has no servos and springs");
}

static inline scene scene_read(const char *path)
{
    scene s;
    memset(&s, 0, sizeof s);
    FILE *file = fopen(path, "r");
    char word[64];
    if (!file) scene_stop("the scene file cannot be opened");
    char *hangs = (char *)calloc(1 << 20, 1);
    while (fscanf(file, "%63s", word) == 1) {
        if (strcmp(word, "gravity") == 0) {
            scene_numbers(file, s.gravity, 3);
        } else if (strcmp(word, "body") == 0) {
            s.bodies = (scene_body *)realloc(s.bodies, sizeof *s.bodies * (size_t)(s.body_count + 1));
            scene_body *b = &s.bodies[s.body_count++];
            if (fscanf(file, "%31s", b->name) != 1) scene_stop("body without name");
            scene_numbers(file, &b->mass, 1), scene_numbers(file, b->I, 6), scene_numbers(file, b->x, 3);
            scene_numbers(file, b->q, 4), scene_numbers(file, b->v, 3), scene_numbers(file, b->w, 3);
        } else if (strcmp(word, "joint") == 0) {
            s.joints = (scene_joint *)realloc(s.joints, sizeof *s.joints * (size_t)(s.joint_count + 1));
            scene_joint *j = &s.joints[s.joint_count++];
            j->kp = j->kd = j->target = 0.0;
            if (fscanf(file, "%31s %63s %d %d", j->name, word, &j->a, &j->b) != 4) scene_stop("joint cut off");
            j->revolute = strcmp(word, "revolute") == 0;
            scene_numbers(file, j->anchor, 3), scene_numbers(file, j->axis, 3);
            scene_into_body(&s, j->a, j->anchor, j->axis, j->in_a, j->axis_a);
            scene_into_body(&s, j->b, j->anchor, j->axis, j->in_b, j->axis_b);
            j->closes = hangs[j->b];
            hangs[j->b] = 1;
        } else if (strcmp(word, "servo") == 0) {
            scene_read_servo(file, &s);
        } else if (strcmp(word, "spring") == 0) {
            scene_read_spring(file, &s);
        } else if (strcmp(word, "values") == 0) {
            if (fscanf(file, "%63s %d", word, &s.value_count) != 2) scene_stop("values cut off");
            double *values = (double *)calloc((size_t)s.value_count, sizeof *values);
            scene_numbers(file, values, s.value_count);
            *(word[0] == 'q' ? &s.q : word[0] == 'u' ? &s.u : word[0] == 'a' ? &s.a : &s.tau) = values;
        }
    }
    fclose(file);
    free(hangs);
    return s;
}

// Joint that holds body b in the spanning tree, or -1 where it is free.
static inline int scene_holder(const scene *s, int b)
{
    for (int j = 0; j < s->joint_count; j++)
        if (s->joints[j].b == b && !s->joints[j].closes) return j;
    return -1;
}

// Angular velocity of the child relative to the parent at the start, in the axes of the child.
static inline void scene_relative_spin(const scene *s, const scene_joint *j, double out[3])
{
    double a[3] = {0, 0, 0};
    if (j->a >= 0) {
        scene_rotate(s->bodies[j->a].q, s->bodies[j->a].w, a);
        scene_unrotate(s->bodies[j->b].q, a, a);
    }
    for (int i = 0; i < 3; i++) out[i] = s->bodies[j->b].w[i] - a[i];
}

// ---- Measuring ------------------------------------------------------------------------------------------------------

static inline double scene_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); // that of the process is coarse under a limit of time
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double scene_energy(const scene *s, const scene_pose *p, double *kinetic)
{
    double T = 0, U = 0;
    for (int k = 0; k < s->body_count; k++) {
        const scene_body *b = &s->bodies[k];
        const double *w = p[k].w, *v = p[k].v, *I = b->I;
        T += 0.5 * b->mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        T += 0.5 * (I[0] * w[0] * w[0] + I[1] * w[1] * w[1] + I[2] * w[2] * w[2]);
        T += I[3] * w[0] * w[1] + I[4] * w[0] * w[2] + I[5] * w[1] * w[2];
        for (int i = 0; i < 3; i++) U -= b->mass * s->gravity[i] * p[k].x[i];
    }
    *kinetic = T;
    return T + U;
}

static inline void scene_place(const scene_pose *p, int body, const double in[3], const double u[3], double x[3],
                               double axis[3])
{
    static const scene_pose world = {{0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    const scene_pose *at = body < 0 ? &world : &p[body];
    scene_rotate(at->q, in, x);
    scene_rotate(at->q, u, axis);
    for (int i = 0; i < 3; i++) x[i] += at->x[i];
}

// Largest opening of a joint: distance of its two points, sine of the angle between its two axes.
static inline double scene_violation(const scene *s, const scene_pose *p)
{
    double worst = 0;
    for (int k = 0; k < s->joint_count; k++) {
        const scene_joint *j = &s->joints[k];
        double xa[3], xb[3], ua[3], ub[3], c[3];
        scene_place(p, j->a, j->in_a, j->axis_a, xa, ua);
        scene_place(p, j->b, j->in_b, j->axis_b, xb, ub);
        worst = fmax(worst, sqrt(pow(xa[0] - xb[0], 2) + pow(xa[1] - xb[1], 2) + pow(xa[2] - xb[2], 2)));
        scene_cross(ua, ub, c);
        if (j->revolute) worst = fmax(worst, sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]));
    }
    return worst;
}

// What a driver does: makes steps, and tells where the bodies are.
typedef struct scene_driver {
    void *self;
    int (*step)(void *self, double h, long long count); // 0: failed
    void (*poses)(void *self, scene_pose *out);         // of all bodies
} scene_driver;

typedef struct scene_record {
    double start, scale, energy_max, energy_end, violation, last_spin, last_time;
    double flips[4096]; // times at which the second component of the first body's angular velocity changes its sign
    int flip_count;
} scene_record;

static inline void scene_measure(const scene *s, const scene_pose *p, double time, scene_record *r)
{
    double kinetic;
    const double energy = scene_energy(s, p, &kinetic), spin = p[0].w[1];
    if (time == 0.0) r->start = energy;
    r->scale = fmax(r->scale, kinetic);
    r->energy_end = energy - r->start;
    if (!(fabs(r->energy_end) <= r->energy_max)) r->energy_max = fabs(r->energy_end);
    r->violation = fmax(r->violation, scene_violation(s, p));
    if (time > 0.0 && spin * r->last_spin < 0.0 && r->flip_count < 4096)
        r->flips[r->flip_count++] = r->last_time + (time - r->last_time) * r->last_spin / (r->last_spin - spin);
    r->last_spin = spin;
    r->last_time = time;
}

static inline void scene_print(const scene *s, const scene_pose *p, const scene_record *r, double cpu, long long steps)
{
    int finite = isfinite(r->energy_max);
    for (int k = 0; k < s->body_count; k++) finite = finite && isfinite(p[k].x[0] + p[k].x[1] + p[k].x[2]);
    if (!finite) scene_stop("the motion blew up");
    printf("{\"cpu_s\": %.9g, \"steps\": %lld, \"energy_scale\": %.17g, \"energy_max\": %.9g, \"energy_end\": %.9g, "
           "\"violation\": %.9g, \"positions\": [",
           cpu, steps, r->scale, r->energy_max, r->energy_end, r->violation);
    for (int k = 0; k < s->body_count && k < 16; k++)
        printf("%s[%.17g, %.17g, %.17g]", k ? ", " : "", p[k].x[0], p[k].x[1], p[k].x[2]);
    printf("], \"flips\": [");
    for (int k = 0; k < r->flip_count; k++) printf("%s%.12g", k ? ", " : "", r->flips[k]);
    printf("]}\n");
}

// Makes `count` steps, which alone are timed, and asks where the bodies are; stops the program when a step fails.
static inline double scene_block(const scene_driver *d, double h, long long count, scene_pose *p)
{
    const double began = scene_now();
    if (!d->step(d->self, h, count)) scene_stop("a step failed");
    const double took = scene_now() - began;
    d->poses(d->self, p);
    return took;
}

// Makes the steps and measures; returns the processor time, or stops the program.
static inline double scene_move(const scene *s, const scene_driver *d, double h, long long steps, long long block,
                                scene_record *r, scene_pose *p)
{
    double cpu = 0;
    d->poses(d->self, p);
    scene_measure(s, p, 0.0, r);
    for (long long done = 0; done < steps;) {
        const long long count = steps - done < block ? steps - done : block;
        cpu += scene_block(d, h, count, p);
        done += count;
        scene_measure(s, p, h * (double)done, r);
        if (!isfinite(r->energy_max)) scene_stop("the motion blew up");
    }
    return cpu;
}

static inline int scene_run(const scene *s, const scene_driver *d, double h, long long steps, long long block)
{
    scene_record *r = (scene_record *)calloc(1, sizeof *r);
    scene_pose *p = (scene_pose *)calloc((size_t)s->body_count + 1, sizeof *p);
    const double cpu = scene_move(s, d, h, steps, block, r, p);
    scene_print(s, p, r, cpu, steps);
    free(p);
    free(r);
    return 0;
}

// ---- Tree algorithms ------------------------------------------------------------------------------------------------

// Prints times (s) and results of inverse dynamics, mass matrix and forward dynamics.
typedef struct scene_tree_driver {
    void *self;
    void (*inverse)(void *self, double *tau); // of q, u, a
    void (*mass)(void *self, double *M);      // whole matrix, by rows
    void (*forward)(void *self, double *a);   // of q, u, tau
} scene_tree_driver;

static int scene_by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Time of one call: the middle of many short measurements. Not the fastest: on a busy machine a clock may show too little.
static inline double scene_time(void (*f)(void *, double *), void *self, double *out)
{
    enum { TRIES = 31 };
    double times[TRIES];
    long long count = 1;
    for (int k = 0, doublings = 0; k < TRIES;) {
        const double began = scene_now();
        for (long long i = 0; i < count; i++) f(self, out);
        const double took = scene_now() - began;
        if (took < 2e-3 && doublings++ < 30)
            count *= 2;
        else
            times[k++] = took / (double)count;
    }
    qsort(times, TRIES, sizeof *times, scene_by_size);
    return times[TRIES / 2];
}

static inline void scene_print_numbers(const char *name, const double *x, int count, double seconds)
{
    printf("\"%s\": {\"time_s\": %.6g, \"values\": [", name, seconds);
    for (int i = 0; i < count; i++) printf("%s%.17g", i ? ", " : "", x[i]);
    printf("]}");
}

static inline int scene_tree(const scene *s, const scene_tree_driver *d)
{
    const int n = s->value_count;
    double *out = (double *)calloc((size_t)n * (size_t)n, sizeof *out);
    printf("{");
    double t = scene_time(d->inverse, d->self, out);
    scene_print_numbers("inverse", out, n, t);
    t = scene_time(d->mass, d->self, out);
    printf(", "), scene_print_numbers("mass", out, n * n, t);
    t = scene_time(d->forward, d->self, out);
    printf(", "), scene_print_numbers("forward", out, n, t);
    printf("}\n");
    free(out);
    return 0;
}

#endif
