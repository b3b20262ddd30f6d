// Cone problems made from bodies: rows of contacts, joints and motors as D, masses as M, N = D^T M^-1 D, q = D^T v.
#ifndef TESTS_CONE_SCENE_H
#define TESTS_CONE_SCENE_H

#include "math/vec3.h"
#include "polhode/cone.h"

#include <stdlib.h>
#include <string.h>

enum { SCENE_BODIES = 32, SCENE_CONES = 64, SCENE_ROWS = 6 * SCENE_CONES, SCENE_GROUND = -1 };

typedef struct scene_row {
    int body[2];
    double d[2][6]; // force | torque about the centre of mass, of a unit impulse
} scene_row;

typedef struct scene {
    int bodies, cones, rows;
    double inverse[SCENE_BODIES][6]; // 1/m three times, then the inverse inertia on the diagonal
    double velocity[SCENE_BODIES][6];
    ph_cone cone[SCENE_CONES];
    scene_row row[SCENE_ROWS];
    double bias[SCENE_ROWS]; // added to q
    double q[SCENE_ROWS];
    ph_cone_matrix *matrix;
} scene;

static inline scene *scene_make(void)
{
    return calloc(1, sizeof(scene));
}

static inline void scene_free(scene *s)
{
    ph_cone_matrix_destroy(s->matrix);
    free(s);
}

static inline int scene_body(scene *s, double mass, ph_vec3 inertia, ph_vec3 v, ph_vec3 omega)
{
    const double inverse[6] = {1 / mass, 1 / mass, 1 / mass, 1 / inertia.x, 1 / inertia.y, 1 / inertia.z};
    const double velocity[6] = {v.x, v.y, v.z, omega.x, omega.y, omega.z};
    memcpy(s->inverse[s->bodies], inverse, sizeof inverse);
    memcpy(s->velocity[s->bodies], velocity, sizeof velocity);
    return s->bodies++;
}

static inline void scene_side(double side[6], double sign, ph_vec3 force, ph_vec3 torque)
{
    const double d[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    for (int k = 0; k < 6; k++) {
        side[k] = sign * d[k];
    }
}

// A row that pushes body b along `t` at arm_b and body a back at arm_a; turning rows have no arm.
static inline void scene_add_row(scene *s, int a, int b, ph_vec3 t, const ph_vec3 *arm_a, const ph_vec3 *arm_b)
{
    scene_row *row = &s->row[s->rows++];
    row->body[0] = a;
    row->body[1] = b;
    scene_side(row->d[0], -1.0, arm_a ? t : ph_zero3(), arm_a ? ph_cross(*arm_a, t) : t);
    scene_side(row->d[1], 1.0, arm_b ? t : ph_zero3(), arm_b ? ph_cross(*arm_b, t) : t);
}

// A contact with its normal from a to b, tangents chosen here.
static inline void scene_contact(scene *s, int a, int b, ph_vec3 n, ph_vec3 arm_a, ph_vec3 arm_b, ph_cone cone)
{
    const ph_vec3 t = ph_any_perpendicular(n), u = ph_cross(n, t);
    cone.kind = PH_CONE_FRICTION;
    s->cone[s->cones++] = cone;
    scene_add_row(s, a, b, n, &arm_a, &arm_b);
    scene_add_row(s, a, b, t, &arm_a, &arm_b);
    scene_add_row(s, a, b, u, &arm_a, &arm_b);
    if (cone.rolls) {
        scene_add_row(s, a, b, t, NULL, NULL);
        scene_add_row(s, a, b, u, NULL, NULL);
    }
    if (cone.spins) {
        scene_add_row(s, a, b, n, NULL, NULL);
    }
}

// One row between a and b along t.
static inline void scene_line(scene *s, int a, int b, ph_vec3 t, ph_vec3 arm_a, ph_vec3 arm_b, ph_cone cone)
{
    s->cone[s->cones++] = cone;
    scene_add_row(s, a, b, t, &arm_a, &arm_b);
}

// N_ij, and whether the rows share a body that moves.
static inline bool scene_entry(const scene *s, int i, int j, double *value)
{
    bool meet = false;
    *value = 0.0;
    for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
            const int body = s->row[i].body[a];
            if (body < 0 || body != s->row[j].body[b]) {
                continue;
            }
            meet = true;
            for (int k = 0; k < 6; k++) {
                *value += s->row[i].d[a][k] * s->inverse[body][k] * s->row[j].d[b][k];
            }
        }
    }
    return meet;
}

// Builds N and q from what has been added.
static inline ph_cone_problem scene_problem(scene *s)
{
    const size_t most = (size_t)s->rows * (size_t)s->rows;
    int *row = malloc(most * sizeof(int)), *column = malloc(most * sizeof(int)), count = 0;
    double *value = malloc(most * sizeof(double));
    for (int i = 0; i < s->rows; i++) {
        s->q[i] = s->bias[i];
        for (int a = 0; a < 2; a++) {
            for (int k = 0; k < 6 && s->row[i].body[a] >= 0; k++) {
                s->q[i] += s->row[i].d[a][k] * s->velocity[s->row[i].body[a]][k];
            }
        }
        for (int j = 0; j < s->rows; j++) {
            if (scene_entry(s, i, j, &value[count])) {
                row[count] = i;
                column[count++] = j;
            }
        }
    }
    ph_cone_matrix_destroy(s->matrix);
    ph_cone_matrix_create(s->rows, count, row, column, value, &s->matrix, NULL);
    free(row);
    free(column);
    free(value);
    return (ph_cone_problem){s->cones, s->cone, s->q, ph_cone_matrix_operator(s->matrix)};
}

#endif
