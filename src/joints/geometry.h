// The vectors of a joint in the world, shared by everything that evaluates rows or coordinates.
#ifndef PH_JOINTS_GEOMETRY_H
#define PH_JOINTS_GEOMETRY_H

#include "joints/joint.h"
#include "math/mat3.h"

typedef struct geometry {
    ph_mat3 R_a, R_b;
    ph_vec3 r_a, r_b; // R s: from the centre of mass to the origin of the joint frame
    ph_vec3 d;        // from the origin in a to the origin in b
} geometry;

static inline geometry joint_geometry(const joint *j, const frame *frames)
{
    const frame *a = &frames[j->a], *b = &frames[j->b];
    geometry g = {.R_a = a->R, .R_b = b->R, .r_a = ph_mul(a->R, j->s_a), .r_b = ph_mul(b->R, j->s_b)};
    g.d = ph_sub(ph_add(b->x, g.r_b), ph_add(a->x, g.r_a));
    return g;
}

// a_i = R_a E_a e_i
static inline ph_vec3 axis_a(const joint *j, const geometry *g, int i)
{
    return ph_mul(g->R_a, ph_mat_col(j->E_a, i));
}

// b_i = R_b E_b e_i
static inline ph_vec3 axis_b(const joint *j, const geometry *g, int i)
{
    return ph_mul(g->R_b, ph_mat_col(j->E_b, i));
}

#endif
