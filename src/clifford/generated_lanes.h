// Written by tools/clifford/generate.py: typed values of LANES bodies side by side.
// Do not edit: change the generator and run it; a test compares.
// clang-format off
#ifndef PH_CLIFFORD_GENERATED_LANES_H
#define PH_CLIFFORD_GENERATED_LANES_H

#include "polhode/clifford.h"

// Component c of body k is c[c][k], so that a loop over the bodies turns into vector instructions.
enum { LANES = 4 };

typedef struct lane_motor {
    double c[8][LANES];
} lane_motor;

static inline ph_motor lane_motor_get(const lane_motor *x, int k)
{
    ph_motor r;
    r.a[0] = x->c[0][k];
    r.a[1] = x->c[1][k];
    r.a[2] = x->c[2][k];
    r.a[3] = x->c[3][k];
    r.b[0] = x->c[4][k];
    r.b[1] = x->c[5][k];
    r.b[2] = x->c[6][k];
    r.b[3] = x->c[7][k];
    return r;
}

static inline void lane_motor_set(lane_motor *x, int k, ph_motor r)
{
    x->c[0][k] = r.a[0];
    x->c[1][k] = r.a[1];
    x->c[2][k] = r.a[2];
    x->c[3][k] = r.a[3];
    x->c[4][k] = r.b[0];
    x->c[5][k] = r.b[1];
    x->c[6][k] = r.b[2];
    x->c[7][k] = r.b[3];
}

typedef struct lane_twist {
    double c[6][LANES];
} lane_twist;

static inline ph_twist lane_twist_get(const lane_twist *x, int k)
{
    ph_twist r;
    r.omega.x = x->c[0][k];
    r.omega.y = x->c[1][k];
    r.omega.z = x->c[2][k];
    r.v.x = x->c[3][k];
    r.v.y = x->c[4][k];
    r.v.z = x->c[5][k];
    return r;
}

static inline void lane_twist_set(lane_twist *x, int k, ph_twist r)
{
    x->c[0][k] = r.omega.x;
    x->c[1][k] = r.omega.y;
    x->c[2][k] = r.omega.z;
    x->c[3][k] = r.v.x;
    x->c[4][k] = r.v.y;
    x->c[5][k] = r.v.z;
}

typedef struct lane_coscrew {
    double c[6][LANES];
} lane_coscrew;

static inline ph_coscrew lane_coscrew_get(const lane_coscrew *x, int k)
{
    ph_coscrew r;
    r.l.x = x->c[0][k];
    r.l.y = x->c[1][k];
    r.l.z = x->c[2][k];
    r.p.x = x->c[3][k];
    r.p.y = x->c[4][k];
    r.p.z = x->c[5][k];
    return r;
}

static inline void lane_coscrew_set(lane_coscrew *x, int k, ph_coscrew r)
{
    x->c[0][k] = r.l.x;
    x->c[1][k] = r.l.y;
    x->c[2][k] = r.l.z;
    x->c[3][k] = r.p.x;
    x->c[4][k] = r.p.y;
    x->c[5][k] = r.p.z;
}

typedef struct lane_inertia {
    double c[10][LANES];
} lane_inertia;

static inline ph_inertia lane_inertia_get(const lane_inertia *x, int k)
{
    ph_inertia r;
    r.mass = x->c[0][k];
    r.moment.x = x->c[1][k];
    r.moment.y = x->c[2][k];
    r.moment.z = x->c[3][k];
    r.I[0] = x->c[4][k];
    r.I[1] = x->c[5][k];
    r.I[2] = x->c[6][k];
    r.I[3] = x->c[7][k];
    r.I[4] = x->c[8][k];
    r.I[5] = x->c[9][k];
    return r;
}

static inline void lane_inertia_set(lane_inertia *x, int k, ph_inertia r)
{
    x->c[0][k] = r.mass;
    x->c[1][k] = r.moment.x;
    x->c[2][k] = r.moment.y;
    x->c[3][k] = r.moment.z;
    x->c[4][k] = r.I[0];
    x->c[5][k] = r.I[1];
    x->c[6][k] = r.I[2];
    x->c[7][k] = r.I[3];
    x->c[8][k] = r.I[4];
    x->c[9][k] = r.I[5];
}

#endif
