// Contact scenes: what scene.h is for smooth ones. A scene file has, besides bodies,
//
//     friction MU
//     plane nx ny nz d                 fixed; bodies are where n.x >= d
//     shape BODY sphere RADIUS         about the centre of mass
//     shape BODY box LX LY LZ          full lengths along the body axes
//
// A driver is called as   DRIVER contact SCENE SETTING STEP STEPS BLOCK   and prints one JSON object: processor time of the
// steps, largest penetration met after a block and at the end, how far bodies are from their start at the end.
#ifndef BENCH_PEERS_CONTACT_H
#define BENCH_PEERS_CONTACT_H

#include "scene.h"

typedef struct contact_shape {
    int body, sphere;
    double size[3]; // radius, or full lengths
} contact_shape;

typedef struct contact_scene {
    scene s;
    double friction;
    int plane_count, shape_count;
    double planes[8][4];
    contact_shape *shapes; // one for each body, in order
} contact_scene;

static inline contact_scene contact_read(const char *path)
{
    contact_scene c;
    memset(&c, 0, sizeof c);
    c.s = scene_read(path);
    c.shapes = (contact_shape *)calloc((size_t)c.s.body_count, sizeof *c.shapes);
    FILE *file = fopen(path, "r");
    char word[64];
    while (file && fscanf(file, "%63s", word) == 1) {
        if (strcmp(word, "friction") == 0) scene_numbers(file, &c.friction, 1);
        if (strcmp(word, "plane") == 0) scene_numbers(file, c.planes[c.plane_count++], 4);
        if (strcmp(word, "shape") != 0) continue;
        contact_shape *shape = &c.shapes[c.shape_count++];
        if (fscanf(file, "%d %63s", &shape->body, word) != 2) scene_stop("shape cut off");
        shape->sphere = strcmp(word, "sphere") == 0;
        scene_numbers(file, shape->size, shape->sphere ? 1 : 3);
    }
    if (file) fclose(file);
    return c;
}

// ---- Penetration ----------------------------------------------------------------------------------------------------

static inline double contact_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double contact_below_plane(const contact_shape *shape, const scene_pose *p, const double plane[4])
{
    double R[3][3], reach = 0;
    scene_matrix(p->q, R);
    for (int i = 0; i < 3 && !shape->sphere; i++) {
        const double axis[3] = {R[0][i], R[1][i], R[2][i]};
        reach += 0.5 * shape->size[i] * fabs(contact_dot(axis, plane));
    }
    return plane[3] - contact_dot(plane, p->x) + (shape->sphere ? shape->size[0] : reach);
}

// Overlap of two boxes: the least of the 15 axes that could separate them; not positive where one does.
static inline double contact_boxes(const contact_shape *a, const scene_pose *p, const contact_shape *b,
                                   const scene_pose *q)
{
    double A[3][3], B[3][3], axes[15][3], least = 1e300;
    const double d[3] = {q->x[0] - p->x[0], q->x[1] - p->x[1], q->x[2] - p->x[2]};
    scene_matrix(p->q, A), scene_matrix(q->q, B);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) axes[i][k] = A[k][i], axes[3 + i][k] = B[k][i];
    for (int i = 0; i < 9; i++) scene_cross(axes[i / 3], axes[3 + i % 3], axes[6 + i]);
    for (int i = 0; i < 15 && least > 0.0; i++) {
        const double norm = sqrt(contact_dot(axes[i], axes[i]));
        if (norm < 1e-3) continue; // parallel edges: the faces decide
        double reach = 0;
        for (int k = 0; k < 3; k++)
            reach += 0.5 * (a->size[k] * fabs(contact_dot(axes[k], axes[i])) +
                            b->size[k] * fabs(contact_dot(axes[3 + k], axes[i])));
        least = fmin(least, (reach - fabs(contact_dot(d, axes[i]))) / norm);
    }
    return least;
}

static inline double contact_radius(const contact_shape *a)
{
    return a->sphere ? a->size[0] : 0.5 * sqrt(contact_dot(a->size, a->size));
}

static inline double contact_penetration(const contact_scene *c, const scene_pose *p)
{
    double worst = 0;
    for (int i = 0; i < c->shape_count; i++) {
        const contact_shape *a = &c->shapes[i];
        for (int k = 0; k < c->plane_count; k++) worst = fmax(worst, contact_below_plane(a, &p[i], c->planes[k]));
        for (int j = 0; j < i; j++) {
            const contact_shape *b = &c->shapes[j];
            const double d[3] = {p[i].x[0] - p[j].x[0], p[i].x[1] - p[j].x[1], p[i].x[2] - p[j].x[2]};
            const double near = contact_radius(a) + contact_radius(b) - sqrt(contact_dot(d, d));
            if (near > 0) worst = fmax(worst, a->sphere ? near : contact_boxes(a, &p[i], b, &p[j]));
        }
    }
    return worst;
}

// ---- Running --------------------------------------------------------------------------------------------------------

static inline int contact_run(const contact_scene *c, const scene_driver *d, double h, long long steps, long long block)
{
    scene_pose *p = (scene_pose *)calloc((size_t)c->s.body_count, sizeof *p);
    double cpu = 0, worst = 0, last = 0, drift = 0, slide = 0;
    for (long long done = 0; done < steps;) {
        const long long count = steps - done < block ? steps - done : block;
        cpu += scene_block(d, h, count, p);
        done += count;
        last = contact_penetration(c, p);
        worst = fmax(worst, last);
    }
    for (int b = 0; b < c->s.body_count; b++) {
        const double *x = p[b].x, *start = c->s.bodies[b].x;
        const double moved = sqrt(pow(x[0] - start[0], 2) + pow(x[1] - start[1], 2) + pow(x[2] - start[2], 2));
        if (!isfinite(moved)) scene_stop("the motion blew up");
        drift = fmax(drift, moved);
    }
    slide = p[0].x[0] - c->s.bodies[0].x[0];
    printf("{\"cpu_s\": %.9g, \"steps\": %lld, \"penetration_max\": %.6g, \"penetration_end\": %.6g, \"drift\": %.6g, "
           "\"slide\": %.9g}\n",
           cpu, steps, worst, last, drift, slide);
    free(p);
    return 0;
}

#endif
