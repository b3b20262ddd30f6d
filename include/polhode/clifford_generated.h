// Written by tools/clifford/generate.py: products between typed values of Cl(0,6,2) and Cl(0,3,1).
// Do not edit: change the generator and run it; a test compares.
// clang-format off
#ifndef POLHODE_CLIFFORD_GENERATED_H
#define POLHODE_CLIFFORD_GENERATED_H

// The products of clifford.h without a call, for inner loops. ^ is the outer product, v the shuffle product, ~ behind
// a name the bar, g* Clifford conjugation.
#include "polhode/clifford.h"

// g h -- 48 multiplications
static inline ph_motor ph_cl_motor_mul(ph_motor g, ph_motor h)
{
    ph_motor r;
    r.a[0] = (g.a[0] * h.a[0] - g.a[1] * h.a[1]) - (g.a[2] * h.a[2] + g.a[3] * h.a[3]);
    r.a[1] = (g.a[0] * h.a[1] + g.a[1] * h.a[0]) + (g.a[2] * h.a[3] - g.a[3] * h.a[2]);
    r.a[2] = (g.a[0] * h.a[2] + g.a[2] * h.a[0]) + (g.a[3] * h.a[1] - g.a[1] * h.a[3]);
    r.a[3] = (g.a[0] * h.a[3] + g.a[1] * h.a[2]) + (g.a[3] * h.a[0] - g.a[2] * h.a[1]);
    r.b[0] = ((g.a[0] * h.b[0] + g.b[0] * h.a[0]) - (g.a[1] * h.b[1] + g.a[2] * h.b[2])) - ((g.a[3] * h.b[3] +
        g.b[1] * h.a[1]) + (g.b[2] * h.a[2] + g.b[3] * h.a[3]));
    r.b[1] = ((g.a[0] * h.b[1] + g.a[1] * h.b[0]) + (g.a[2] * h.b[3] + g.b[0] * h.a[1])) + ((g.b[1] * h.a[0] +
        g.b[2] * h.a[3]) - (g.a[3] * h.b[2] + g.b[3] * h.a[2]));
    r.b[2] = ((g.a[0] * h.b[2] + g.a[2] * h.b[0]) + (g.a[3] * h.b[1] + g.b[0] * h.a[2])) + ((g.b[2] * h.a[0] +
        g.b[3] * h.a[1]) - (g.a[1] * h.b[3] + g.b[1] * h.a[3]));
    r.b[3] = ((g.a[0] * h.b[3] + g.a[1] * h.b[2]) + (g.a[3] * h.b[0] + g.b[0] * h.a[3])) + ((g.b[1] * h.a[2] +
        g.b[3] * h.a[0]) - (g.a[2] * h.b[1] + g.b[2] * h.a[1]));
    return r;
}

// g*, the inverse of a motor
static inline ph_motor ph_cl_motor_conj(ph_motor g)
{
    ph_motor r;
    r.a[0] = g.a[0];
    r.a[1] = -g.a[1];
    r.a[2] = -g.a[2];
    r.a[3] = -g.a[3];
    r.b[0] = g.b[0];
    r.b[1] = -g.b[1];
    r.b[2] = -g.b[2];
    r.b[3] = -g.b[3];
    return r;
}

// g g* = real + dual ee1e2e3: 1 + 0 for a motor -- 9 multiplications
static inline ph_motor_norm ph_cl_motor_norm(ph_motor g)
{
    ph_motor_norm r;
    r.real = (g.a[0] * g.a[0] + g.a[1] * g.a[1]) + (g.a[2] * g.a[2] + g.a[3] * g.a[3]);
    r.dual = 2.0 * ((g.a[0] * g.b[0] + g.a[1] * g.b[1]) + (g.a[2] * g.b[2] + g.a[3] * g.b[3]));
    return r;
}

// s g / 2, the rate of a motor that moves with velocity s -- 44 multiplications
static inline ph_motor ph_cl_motor_rate(ph_twist s, ph_motor g)
{
    ph_motor r;
    r.a[0] = 0.5 * (-g.a[1] * s.omega.x - g.a[2] * s.omega.y - g.a[3] * s.omega.z);
    r.a[1] = 0.5 * (g.a[0] * s.omega.x + g.a[3] * s.omega.y - g.a[2] * s.omega.z);
    r.a[2] = 0.5 * (g.a[0] * s.omega.y + g.a[1] * s.omega.z - g.a[3] * s.omega.x);
    r.a[3] = 0.5 * (g.a[2] * s.omega.x + g.a[0] * s.omega.z - g.a[1] * s.omega.y);
    r.b[0] = 0.5 * ((-g.b[1] * s.omega.x - g.b[2] * s.omega.y - g.b[3] * s.omega.z) - (g.a[1] * s.v.x +
        g.a[2] * s.v.y + g.a[3] * s.v.z));
    r.b[1] = 0.5 * ((g.b[0] * s.omega.x + g.b[3] * s.omega.y + g.a[0] * s.v.x) + (g.a[3] * s.v.y - g.b[2] * s.omega.z -
        g.a[2] * s.v.z));
    r.b[2] = 0.5 * ((g.b[0] * s.omega.y + g.b[1] * s.omega.z + g.a[0] * s.v.y) + (g.a[1] * s.v.z - g.b[3] * s.omega.x -
        g.a[3] * s.v.x));
    r.b[3] = 0.5 * ((g.b[2] * s.omega.x + g.b[0] * s.omega.z + g.a[2] * s.v.x) + (g.a[0] * s.v.z - g.b[1] * s.omega.y -
        g.a[1] * s.v.y));
    return r;
}

// R and t of g = t r: R from r e_j r*, t from g r* -- 31 multiplications
static inline ph_pose ph_cl_motor_pose(ph_motor g)
{
    ph_pose r;
    const double p0 = g.a[0] * g.a[0];
    const double p1 = g.a[1] * g.a[1];
    const double p2 = g.a[2] * g.a[2];
    const double p3 = g.a[3] * g.a[3];
    const double p4 = g.a[0] * g.a[3];
    const double p5 = g.a[1] * g.a[2];
    const double p6 = g.a[0] * g.a[2];
    const double p7 = g.a[1] * g.a[3];
    const double p8 = g.a[0] * g.a[1];
    const double p9 = g.a[2] * g.a[3];
    r.R.m[0][0] = (p0 + p1) - (p2 + p3);
    r.R.m[0][1] = 2.0 * (p5 - p4);
    r.R.m[0][2] = 2.0 * (p6 + p7);
    r.R.m[1][0] = 2.0 * (p4 + p5);
    r.R.m[1][1] = (p0 + p2) - (p1 + p3);
    r.R.m[1][2] = 2.0 * (p9 - p8);
    r.R.m[2][0] = 2.0 * (p7 - p6);
    r.R.m[2][1] = 2.0 * (p8 + p9);
    r.R.m[2][2] = (p0 + p3) - (p1 + p2);
    r.t.x = 2.0 * ((g.a[0] * g.b[1] + g.a[2] * g.b[3]) - (g.a[1] * g.b[0] + g.a[3] * g.b[2]));
    r.t.y = 2.0 * ((g.a[3] * g.b[1] + g.a[0] * g.b[2]) - (g.a[2] * g.b[0] + g.a[1] * g.b[3]));
    r.t.z = 2.0 * ((g.a[1] * g.b[2] + g.a[0] * g.b[3]) - (g.a[3] * g.b[0] + g.a[2] * g.b[1]));
    return r;
}

// g s g* -- 24 multiplications
static inline ph_twist ph_cl_pose_twist(ph_pose F, ph_twist s)
{
    ph_twist r;
    const double r0 = F.R.m[0][0] * s.omega.x + F.R.m[0][1] * s.omega.y + F.R.m[0][2] * s.omega.z;
    const double r1 = F.R.m[1][0] * s.omega.x + F.R.m[1][1] * s.omega.y + F.R.m[1][2] * s.omega.z;
    const double r2 = F.R.m[2][0] * s.omega.x + F.R.m[2][1] * s.omega.y + F.R.m[2][2] * s.omega.z;
    const double r3 = F.R.m[0][0] * s.v.x + F.R.m[0][1] * s.v.y + F.R.m[0][2] * s.v.z;
    const double r4 = F.R.m[1][0] * s.v.x + F.R.m[1][1] * s.v.y + F.R.m[1][2] * s.v.z;
    const double r5 = F.R.m[2][0] * s.v.x + F.R.m[2][1] * s.v.y + F.R.m[2][2] * s.v.z;
    r.omega.x = r0;
    r.omega.y = r1;
    r.omega.z = r2;
    r.v.x = F.t.y * r2 + r3 - F.t.z * r1;
    r.v.y = F.t.z * r0 + r4 - F.t.x * r2;
    r.v.z = F.t.x * r1 + r5 - F.t.y * r0;
    return r;
}

// g~ P g~* -- 24 multiplications
static inline ph_coscrew ph_cl_pose_coscrew(ph_pose F, ph_coscrew P)
{
    ph_coscrew r;
    const double r0 = F.R.m[0][0] * P.l.x + F.R.m[0][1] * P.l.y + F.R.m[0][2] * P.l.z;
    const double r1 = F.R.m[1][0] * P.l.x + F.R.m[1][1] * P.l.y + F.R.m[1][2] * P.l.z;
    const double r2 = F.R.m[2][0] * P.l.x + F.R.m[2][1] * P.l.y + F.R.m[2][2] * P.l.z;
    const double r3 = F.R.m[0][0] * P.p.x + F.R.m[0][1] * P.p.y + F.R.m[0][2] * P.p.z;
    const double r4 = F.R.m[1][0] * P.p.x + F.R.m[1][1] * P.p.y + F.R.m[1][2] * P.p.z;
    const double r5 = F.R.m[2][0] * P.p.x + F.R.m[2][1] * P.p.y + F.R.m[2][2] * P.p.z;
    r.l.x = r0 + F.t.y * r5 - F.t.z * r4;
    r.l.y = r1 + F.t.z * r3 - F.t.x * r5;
    r.l.z = r2 + F.t.x * r4 - F.t.y * r3;
    r.p.x = r3;
    r.p.y = r4;
    r.p.z = r5;
    return r;
}

// (g g~) N (g g~)* -- 75 multiplications
static inline ph_inertia ph_cl_pose_inertia(ph_pose F, ph_inertia N)
{
    ph_inertia r;
    const double m0 = F.R.m[0][0] * N.I[0] + F.R.m[0][1] * N.I[3] + F.R.m[0][2] * N.I[4];
    const double m1 = F.R.m[0][0] * N.I[3] + F.R.m[0][1] * N.I[1] + F.R.m[0][2] * N.I[5];
    const double m2 = F.R.m[0][0] * N.I[4] + F.R.m[0][1] * N.I[5] + F.R.m[0][2] * N.I[2];
    const double m3 = F.R.m[1][0] * N.I[0] + F.R.m[1][1] * N.I[3] + F.R.m[1][2] * N.I[4];
    const double m4 = F.R.m[1][0] * N.I[3] + F.R.m[1][1] * N.I[1] + F.R.m[1][2] * N.I[5];
    const double m5 = F.R.m[1][0] * N.I[4] + F.R.m[1][1] * N.I[5] + F.R.m[1][2] * N.I[2];
    const double m6 = F.R.m[2][0] * N.I[0] + F.R.m[2][1] * N.I[3] + F.R.m[2][2] * N.I[4];
    const double m7 = F.R.m[2][0] * N.I[3] + F.R.m[2][1] * N.I[1] + F.R.m[2][2] * N.I[5];
    const double m8 = F.R.m[2][0] * N.I[4] + F.R.m[2][1] * N.I[5] + F.R.m[2][2] * N.I[2];
    const double r0 = F.R.m[0][0] * N.moment.x + F.R.m[0][1] * N.moment.y + F.R.m[0][2] * N.moment.z;
    const double r1 = F.R.m[1][0] * N.moment.x + F.R.m[1][1] * N.moment.y + F.R.m[1][2] * N.moment.z;
    const double r2 = F.R.m[2][0] * N.moment.x + F.R.m[2][1] * N.moment.y + F.R.m[2][2] * N.moment.z;
    const double r3 = F.R.m[0][0] * m0 + F.R.m[0][1] * m1 + F.R.m[0][2] * m2;
    const double r4 = F.R.m[1][0] * m3 + F.R.m[1][1] * m4 + F.R.m[1][2] * m5;
    const double r5 = F.R.m[2][0] * m6 + F.R.m[2][1] * m7 + F.R.m[2][2] * m8;
    const double r6 = F.R.m[1][0] * m0 + F.R.m[1][1] * m1 + F.R.m[1][2] * m2;
    const double r7 = F.R.m[2][0] * m0 + F.R.m[2][1] * m1 + F.R.m[2][2] * m2;
    const double r8 = F.R.m[2][0] * m3 + F.R.m[2][1] * m4 + F.R.m[2][2] * m5;
    const double h0 = r0 + 0.5 * F.t.x * N.mass;
    const double h1 = r1 + 0.5 * F.t.y * N.mass;
    const double h2 = r2 + 0.5 * F.t.z * N.mass;
    const double p0 = F.t.y * h1;
    const double p1 = F.t.z * h2;
    const double p2 = F.t.x * h0;
    r.mass = N.mass;
    r.moment.x = r0 + F.t.x * N.mass;
    r.moment.y = r1 + F.t.y * N.mass;
    r.moment.z = r2 + F.t.z * N.mass;
    r.I[0] = r3 + 2.0 * (p0 + p1);
    r.I[1] = r4 + 2.0 * (p2 + p1);
    r.I[2] = r5 + 2.0 * (p2 + p0);
    r.I[3] = r6 - F.t.x * h1 - F.t.y * h0;
    r.I[4] = r7 - F.t.x * h2 - F.t.z * h0;
    r.I[5] = r8 - F.t.y * h2 - F.t.z * h1;
    return r;
}

// the same for the diagonal N: mass m, moments d about the centre of mass, which is the origin -- 48 multiplications
static inline ph_inertia ph_cl_pose_diagonal(ph_pose F, double m, ph_vec3 d)
{
    ph_inertia r;
    const double m0 = F.R.m[0][0] * d.x;
    const double m1 = F.R.m[0][1] * d.y;
    const double m2 = F.R.m[0][2] * d.z;
    const double m3 = F.R.m[1][0] * d.x;
    const double m4 = F.R.m[1][1] * d.y;
    const double m5 = F.R.m[1][2] * d.z;
    const double m6 = F.R.m[2][0] * d.x;
    const double m7 = F.R.m[2][1] * d.y;
    const double m8 = F.R.m[2][2] * d.z;
    const double r0 = F.R.m[0][0] * m0 + F.R.m[0][1] * m1 + F.R.m[0][2] * m2;
    const double r1 = F.R.m[1][0] * m3 + F.R.m[1][1] * m4 + F.R.m[1][2] * m5;
    const double r2 = F.R.m[2][0] * m6 + F.R.m[2][1] * m7 + F.R.m[2][2] * m8;
    const double r3 = F.R.m[1][0] * m0 + F.R.m[1][1] * m1 + F.R.m[1][2] * m2;
    const double r4 = F.R.m[2][0] * m0 + F.R.m[2][1] * m1 + F.R.m[2][2] * m2;
    const double r5 = F.R.m[2][0] * m3 + F.R.m[2][1] * m4 + F.R.m[2][2] * m5;
    const double h0 = 0.5 * F.t.x * m;
    const double h1 = 0.5 * F.t.y * m;
    const double h2 = 0.5 * F.t.z * m;
    const double p0 = F.t.y * h1;
    const double p1 = F.t.z * h2;
    const double p2 = F.t.x * h0;
    r.mass = m;
    r.moment.x = F.t.x * m;
    r.moment.y = F.t.y * m;
    r.moment.z = F.t.z * m;
    r.I[0] = r0 + 2.0 * (p0 + p1);
    r.I[1] = r1 + 2.0 * (p2 + p1);
    r.I[2] = r2 + 2.0 * (p2 + p0);
    r.I[3] = r3 - F.t.x * h1 - F.t.y * h0;
    r.I[4] = r4 - F.t.x * h2 - F.t.z * h0;
    r.I[5] = r5 - F.t.y * h2 - F.t.z * h1;
    return r;
}

// (g g~) K (g g~)*: rows, then columns -- 183 multiplications
static inline ph_sym4 ph_cl_pose_sym4(ph_pose F, ph_sym4 K)
{
    ph_sym4 r;
    const double m0 = F.R.m[0][0] * K.aa[0] + F.R.m[0][1] * K.aa[3] + F.R.m[0][2] * K.aa[4];
    const double m1 = F.R.m[0][0] * K.aa[3] + F.R.m[0][1] * K.aa[1] + F.R.m[0][2] * K.aa[5];
    const double m2 = F.R.m[0][0] * K.aa[4] + F.R.m[0][1] * K.aa[5] + F.R.m[0][2] * K.aa[2];
    const double m3 = F.R.m[1][0] * K.aa[0] + F.R.m[1][1] * K.aa[3] + F.R.m[1][2] * K.aa[4];
    const double m4 = F.R.m[1][0] * K.aa[3] + F.R.m[1][1] * K.aa[1] + F.R.m[1][2] * K.aa[5];
    const double m5 = F.R.m[1][0] * K.aa[4] + F.R.m[1][1] * K.aa[5] + F.R.m[1][2] * K.aa[2];
    const double m6 = F.R.m[2][0] * K.aa[0] + F.R.m[2][1] * K.aa[3] + F.R.m[2][2] * K.aa[4];
    const double m7 = F.R.m[2][0] * K.aa[3] + F.R.m[2][1] * K.aa[1] + F.R.m[2][2] * K.aa[5];
    const double m8 = F.R.m[2][0] * K.aa[4] + F.R.m[2][1] * K.aa[5] + F.R.m[2][2] * K.aa[2];
    const double m9 = F.R.m[0][0] * K.bb[0] + F.R.m[0][1] * K.bb[3] + F.R.m[0][2] * K.bb[4];
    const double m10 = F.R.m[0][0] * K.bb[3] + F.R.m[0][1] * K.bb[1] + F.R.m[0][2] * K.bb[5];
    const double m11 = F.R.m[0][0] * K.bb[4] + F.R.m[0][1] * K.bb[5] + F.R.m[0][2] * K.bb[2];
    const double m12 = F.R.m[1][0] * K.bb[0] + F.R.m[1][1] * K.bb[3] + F.R.m[1][2] * K.bb[4];
    const double m13 = F.R.m[1][0] * K.bb[3] + F.R.m[1][1] * K.bb[1] + F.R.m[1][2] * K.bb[5];
    const double m14 = F.R.m[1][0] * K.bb[4] + F.R.m[1][1] * K.bb[5] + F.R.m[1][2] * K.bb[2];
    const double m15 = F.R.m[2][0] * K.bb[0] + F.R.m[2][1] * K.bb[3] + F.R.m[2][2] * K.bb[4];
    const double m16 = F.R.m[2][0] * K.bb[3] + F.R.m[2][1] * K.bb[1] + F.R.m[2][2] * K.bb[5];
    const double m17 = F.R.m[2][0] * K.bb[4] + F.R.m[2][1] * K.bb[5] + F.R.m[2][2] * K.bb[2];
    const double m18 = F.R.m[0][0] * K.ab[0] + F.R.m[0][1] * K.ab[3] + F.R.m[0][2] * K.ab[6];
    const double m19 = F.R.m[0][0] * K.ab[1] + F.R.m[0][1] * K.ab[4] + F.R.m[0][2] * K.ab[7];
    const double m20 = F.R.m[0][0] * K.ab[2] + F.R.m[0][1] * K.ab[5] + F.R.m[0][2] * K.ab[8];
    const double m21 = F.R.m[1][0] * K.ab[0] + F.R.m[1][1] * K.ab[3] + F.R.m[1][2] * K.ab[6];
    const double m22 = F.R.m[1][0] * K.ab[1] + F.R.m[1][1] * K.ab[4] + F.R.m[1][2] * K.ab[7];
    const double m23 = F.R.m[1][0] * K.ab[2] + F.R.m[1][1] * K.ab[5] + F.R.m[1][2] * K.ab[8];
    const double m24 = F.R.m[2][0] * K.ab[0] + F.R.m[2][1] * K.ab[3] + F.R.m[2][2] * K.ab[6];
    const double m25 = F.R.m[2][0] * K.ab[1] + F.R.m[2][1] * K.ab[4] + F.R.m[2][2] * K.ab[7];
    const double m26 = F.R.m[2][0] * K.ab[2] + F.R.m[2][1] * K.ab[5] + F.R.m[2][2] * K.ab[8];
    const double r0 = F.R.m[0][0] * m0 + F.R.m[0][1] * m1 + F.R.m[0][2] * m2;
    const double r1 = F.R.m[1][0] * m3 + F.R.m[1][1] * m4 + F.R.m[1][2] * m5;
    const double r2 = F.R.m[2][0] * m6 + F.R.m[2][1] * m7 + F.R.m[2][2] * m8;
    const double r3 = F.R.m[1][0] * m0 + F.R.m[1][1] * m1 + F.R.m[1][2] * m2;
    const double r4 = F.R.m[2][0] * m0 + F.R.m[2][1] * m1 + F.R.m[2][2] * m2;
    const double r5 = F.R.m[2][0] * m3 + F.R.m[2][1] * m4 + F.R.m[2][2] * m5;
    const double r6 = F.R.m[0][0] * m18 + F.R.m[0][1] * m19 + F.R.m[0][2] * m20;
    const double r7 = F.R.m[1][0] * m18 + F.R.m[1][1] * m19 + F.R.m[1][2] * m20;
    const double r8 = F.R.m[2][0] * m18 + F.R.m[2][1] * m19 + F.R.m[2][2] * m20;
    const double r9 = F.R.m[0][0] * m21 + F.R.m[0][1] * m22 + F.R.m[0][2] * m23;
    const double r10 = F.R.m[1][0] * m21 + F.R.m[1][1] * m22 + F.R.m[1][2] * m23;
    const double r11 = F.R.m[2][0] * m21 + F.R.m[2][1] * m22 + F.R.m[2][2] * m23;
    const double r12 = F.R.m[0][0] * m24 + F.R.m[0][1] * m25 + F.R.m[0][2] * m26;
    const double r13 = F.R.m[1][0] * m24 + F.R.m[1][1] * m25 + F.R.m[1][2] * m26;
    const double r14 = F.R.m[2][0] * m24 + F.R.m[2][1] * m25 + F.R.m[2][2] * m26;
    const double r15 = F.R.m[0][0] * m9 + F.R.m[0][1] * m10 + F.R.m[0][2] * m11;
    const double r16 = F.R.m[1][0] * m12 + F.R.m[1][1] * m13 + F.R.m[1][2] * m14;
    const double r17 = F.R.m[2][0] * m15 + F.R.m[2][1] * m16 + F.R.m[2][2] * m17;
    const double r18 = F.R.m[1][0] * m9 + F.R.m[1][1] * m10 + F.R.m[1][2] * m11;
    const double r19 = F.R.m[2][0] * m9 + F.R.m[2][1] * m10 + F.R.m[2][2] * m11;
    const double r20 = F.R.m[2][0] * m12 + F.R.m[2][1] * m13 + F.R.m[2][2] * m14;
    const double p0 = F.t.y * r19;
    const double p1 = F.t.z * r18;
    const double p2 = F.t.x * r20;
    const double q0 = r0 + F.t.y * r8 - F.t.z * r7;
    const double q1 = r3 + F.t.y * r11 - F.t.z * r10;
    const double q2 = r4 + F.t.y * r14 - F.t.z * r13;
    const double q3 = r6 + p0 - p1;
    const double q4 = r7 + F.t.y * r20 - F.t.z * r16;
    const double q5 = r8 + F.t.y * r17 - F.t.z * r20;
    const double q7 = r1 + F.t.z * r9 - F.t.x * r11;
    const double q8 = r5 + F.t.z * r12 - F.t.x * r14;
    const double q9 = r9 + F.t.z * r15 - F.t.x * r19;
    const double q10 = r10 + p1 - p2;
    const double q11 = r11 + F.t.z * r19 - F.t.x * r17;
    const double q14 = r2 + F.t.x * r13 - F.t.y * r12;
    const double q15 = r12 + F.t.x * r18 - F.t.y * r15;
    const double q16 = r13 + F.t.x * r16 - F.t.y * r18;
    const double q17 = r14 + p2 - p0;
    r.aa[0] = q0 + F.t.y * q5 - F.t.z * q4;
    r.aa[1] = q7 + F.t.z * q9 - F.t.x * q11;
    r.aa[2] = q14 + F.t.x * q16 - F.t.y * q15;
    r.aa[3] = q1 + F.t.z * q3 - F.t.x * q5;
    r.aa[4] = q2 + F.t.x * q4 - F.t.y * q3;
    r.aa[5] = q8 + F.t.x * q10 - F.t.y * q9;
    r.ab[0] = q3;
    r.ab[1] = q4;
    r.ab[2] = q5;
    r.ab[3] = q9;
    r.ab[4] = q10;
    r.ab[5] = q11;
    r.ab[6] = q15;
    r.ab[7] = q16;
    r.ab[8] = q17;
    r.bb[0] = r15;
    r.bb[1] = r16;
    r.bb[2] = r17;
    r.bb[3] = r18;
    r.bb[4] = r19;
    r.bb[5] = r20;
    return r;
}

// g p g* -- 12 multiplications
static inline ph_point ph_cl_pose_point(ph_pose F, ph_point p)
{
    ph_point r;
    r.w = p.w;
    r.x.x = (F.t.x * p.w + F.R.m[0][0] * p.x.x) + (F.R.m[0][1] * p.x.y + F.R.m[0][2] * p.x.z);
    r.x.y = (F.t.y * p.w + F.R.m[1][0] * p.x.x) + (F.R.m[1][1] * p.x.y + F.R.m[1][2] * p.x.z);
    r.x.z = (F.t.z * p.w + F.R.m[2][0] * p.x.x) + (F.R.m[2][1] * p.x.y + F.R.m[2][2] * p.x.z);
    return r;
}

// g pi g* -- 12 multiplications
static inline ph_plane ph_cl_pose_plane(ph_pose F, ph_plane pi)
{
    ph_plane r;
    const double r0 = F.R.m[0][0] * pi.n.x + F.R.m[0][1] * pi.n.y + F.R.m[0][2] * pi.n.z;
    const double r1 = F.R.m[1][0] * pi.n.x + F.R.m[1][1] * pi.n.y + F.R.m[1][2] * pi.n.z;
    const double r2 = F.R.m[2][0] * pi.n.x + F.R.m[2][1] * pi.n.y + F.R.m[2][2] * pi.n.z;
    r.n.x = r0;
    r.n.y = r1;
    r.n.z = r2;
    r.d = (F.t.x * r0 + F.t.y * r1) + (F.t.z * r2 + pi.d);
    return r;
}

// [x, y] = 1/2 (x y - y x) -- 18 multiplications
static inline ph_twist ph_cl_bracket(ph_twist x, ph_twist y)
{
    ph_twist r;
    r.omega.x = x.omega.y * y.omega.z - x.omega.z * y.omega.y;
    r.omega.y = x.omega.z * y.omega.x - x.omega.x * y.omega.z;
    r.omega.z = x.omega.x * y.omega.y - x.omega.y * y.omega.x;
    r.v.x = (x.omega.y * y.v.z + x.v.y * y.omega.z) - (x.omega.z * y.v.y + x.v.z * y.omega.y);
    r.v.y = (x.omega.z * y.v.x + x.v.z * y.omega.x) - (x.omega.x * y.v.z + x.v.x * y.omega.z);
    r.v.z = (x.omega.x * y.v.y + x.v.x * y.omega.y) - (x.omega.y * y.v.x + x.v.y * y.omega.x);
    return r;
}

// {s, P} = 1/2 (s~ P - P s~) -- 18 multiplications
static inline ph_coscrew ph_cl_coadjoint(ph_twist s, ph_coscrew P)
{
    ph_coscrew r;
    r.l.x = (P.l.z * s.omega.y + P.p.z * s.v.y) - (P.l.y * s.omega.z + P.p.y * s.v.z);
    r.l.y = (P.l.x * s.omega.z + P.p.x * s.v.z) - (P.l.z * s.omega.x + P.p.z * s.v.x);
    r.l.z = (P.l.y * s.omega.x + P.p.y * s.v.x) - (P.l.x * s.omega.y + P.p.x * s.v.y);
    r.p.x = P.p.z * s.omega.y - P.p.y * s.omega.z;
    r.p.y = P.p.x * s.omega.z - P.p.z * s.omega.x;
    r.p.z = P.p.y * s.omega.x - P.p.x * s.omega.y;
    return r;
}

// P(s) = P v (Q0 ^ s) -- 6 multiplications
static inline double ph_cl_evaluate(ph_coscrew P, ph_twist s)
{
    return (P.l.x * s.omega.x + P.l.y * s.omega.y + P.l.z * s.omega.z) + (P.p.x * s.v.x + P.p.y * s.v.y +
        P.p.z * s.v.z);
}

// s~ = A v (Q0 ^ s)
static inline ph_coscrew ph_cl_bar_twist(ph_twist s)
{
    ph_coscrew r;
    r.l.x = s.v.x;
    r.l.y = s.v.y;
    r.l.z = s.v.z;
    r.p.x = s.omega.x;
    r.p.y = s.omega.y;
    r.p.z = s.omega.z;
    return r;
}

// P~
static inline ph_twist ph_cl_bar_coscrew(ph_coscrew P)
{
    ph_twist r;
    r.omega.x = P.p.x;
    r.omega.y = P.p.y;
    r.omega.z = P.p.z;
    r.v.x = P.l.x;
    r.v.y = P.l.y;
    r.v.z = P.l.z;
    return r;
}

// Q0 ^ s
static inline ph_hexavector ph_cl_wedge_q0(ph_twist s)
{
    ph_hexavector r;
    r.l.x = s.v.x;
    r.l.y = s.v.y;
    r.l.z = s.v.z;
    r.p.x = s.omega.x;
    r.p.y = s.omega.y;
    r.p.z = s.omega.z;
    return r;
}

// P E
static inline ph_hexavector ph_cl_times_e(ph_coscrew P)
{
    ph_hexavector r;
    r.l.x = P.l.x;
    r.l.y = P.l.y;
    r.l.z = P.l.z;
    r.p.x = P.p.x;
    r.p.y = P.p.y;
    r.p.z = P.p.z;
    return r;
}

// A v X
static inline ph_coscrew ph_cl_shuffle_a(ph_hexavector X)
{
    ph_coscrew r;
    r.l.x = X.l.x;
    r.l.y = X.l.y;
    r.l.z = X.l.z;
    r.p.x = X.p.x;
    r.p.y = X.p.y;
    r.p.z = X.p.z;
    return r;
}

// P v X -- 6 multiplications
static inline double ph_cl_shuffle(ph_coscrew P, ph_hexavector X)
{
    return (P.l.x * X.p.x + P.l.y * X.p.y + P.l.z * X.p.z) + (P.p.x * X.l.x + P.p.y * X.l.y + P.p.z * X.l.z);
}

// N ^ s -- 24 multiplications
static inline ph_hexavector ph_cl_wedge_inertia(ph_inertia N, ph_twist s)
{
    ph_hexavector r;
    r.l.x = (N.moment.y * s.v.z + N.I[0] * s.omega.x + N.I[3] * s.omega.y) + (N.I[4] * s.omega.z - N.moment.z * s.v.y);
    r.l.y = (N.moment.z * s.v.x + N.I[1] * s.omega.y + N.I[3] * s.omega.x) + (N.I[5] * s.omega.z - N.moment.x * s.v.z);
    r.l.z = (N.moment.x * s.v.y + N.I[2] * s.omega.z + N.I[4] * s.omega.x) + (N.I[5] * s.omega.y - N.moment.y * s.v.x);
    r.p.x = N.mass * s.v.x + N.moment.z * s.omega.y - N.moment.y * s.omega.z;
    r.p.y = N.mass * s.v.y + N.moment.x * s.omega.z - N.moment.z * s.omega.x;
    r.p.z = N.mass * s.v.z + N.moment.y * s.omega.x - N.moment.x * s.omega.y;
    return r;
}

// K ^ s -- 36 multiplications
static inline ph_hexavector ph_cl_wedge_sym4(ph_sym4 K, ph_twist s)
{
    ph_hexavector r;
    r.l.x = (K.aa[0] * s.omega.x + K.aa[3] * s.omega.y + K.aa[4] * s.omega.z) + (K.ab[0] * s.v.x + K.ab[1] * s.v.y +
        K.ab[2] * s.v.z);
    r.l.y = (K.aa[1] * s.omega.y + K.aa[3] * s.omega.x + K.aa[5] * s.omega.z) + (K.ab[3] * s.v.x + K.ab[4] * s.v.y +
        K.ab[5] * s.v.z);
    r.l.z = (K.aa[2] * s.omega.z + K.aa[4] * s.omega.x + K.aa[5] * s.omega.y) + (K.ab[6] * s.v.x + K.ab[7] * s.v.y +
        K.ab[8] * s.v.z);
    r.p.x = (K.ab[0] * s.omega.x + K.ab[3] * s.omega.y + K.ab[6] * s.omega.z) + (K.bb[0] * s.v.x + K.bb[3] * s.v.y +
        K.bb[4] * s.v.z);
    r.p.y = (K.ab[1] * s.omega.x + K.ab[4] * s.omega.y + K.ab[7] * s.omega.z) + (K.bb[1] * s.v.y + K.bb[3] * s.v.x +
        K.bb[5] * s.v.z);
    r.p.z = (K.ab[2] * s.omega.x + K.ab[5] * s.omega.y + K.ab[8] * s.omega.z) + (K.bb[2] * s.v.z + K.bb[4] * s.v.x +
        K.bb[5] * s.v.y);
    return r;
}

// E v (Y ^ P) -- 36 multiplications
static inline ph_twist ph_cl_inverse_sym4(ph_sym4 Y, ph_coscrew P)
{
    ph_twist r;
    r.omega.x = (P.p.x * Y.ab[0] + P.p.y * Y.ab[3] + P.p.z * Y.ab[6]) + (P.l.x * Y.bb[0] + P.l.y * Y.bb[3] +
        P.l.z * Y.bb[4]);
    r.omega.y = (P.p.x * Y.ab[1] + P.p.y * Y.ab[4] + P.p.z * Y.ab[7]) + (P.l.y * Y.bb[1] + P.l.x * Y.bb[3] +
        P.l.z * Y.bb[5]);
    r.omega.z = (P.p.x * Y.ab[2] + P.p.y * Y.ab[5] + P.p.z * Y.ab[8]) + (P.l.z * Y.bb[2] + P.l.x * Y.bb[4] +
        P.l.y * Y.bb[5]);
    r.v.x = (P.p.x * Y.aa[0] + P.p.y * Y.aa[3] + P.p.z * Y.aa[4]) + (P.l.x * Y.ab[0] + P.l.y * Y.ab[1] +
        P.l.z * Y.ab[2]);
    r.v.y = (P.p.y * Y.aa[1] + P.p.x * Y.aa[3] + P.p.z * Y.aa[5]) + (P.l.x * Y.ab[3] + P.l.y * Y.ab[4] +
        P.l.z * Y.ab[5]);
    r.v.z = (P.p.z * Y.aa[2] + P.p.x * Y.aa[4] + P.p.y * Y.aa[5]) + (P.l.x * Y.ab[6] + P.l.y * Y.ab[7] +
        P.l.z * Y.ab[8]);
    return r;
}

// dN/dt = 1/2 (s N - N s) + 1/2 (s~ N - N s~) -- 36 multiplications
static inline ph_inertia ph_cl_inertia_rate(ph_inertia N, ph_twist s)
{
    ph_inertia r;
    const double p0 = N.I[4] * s.omega.y;
    const double p1 = N.I[3] * s.omega.z;
    const double p2 = N.moment.y * s.v.y;
    const double p3 = N.moment.z * s.v.z;
    const double p4 = N.I[5] * s.omega.x;
    const double p5 = N.moment.x * s.v.x;
    r.mass = 0.0;
    r.moment.x = N.moment.z * s.omega.y + N.mass * s.v.x - N.moment.y * s.omega.z;
    r.moment.y = N.moment.x * s.omega.z + N.mass * s.v.y - N.moment.z * s.omega.x;
    r.moment.z = N.moment.y * s.omega.x + N.mass * s.v.z - N.moment.x * s.omega.y;
    r.I[0] = 2.0 * ((p0 + p2) + (p3 - p1));
    r.I[1] = 2.0 * ((p1 + p5) + (p3 - p4));
    r.I[2] = 2.0 * ((p4 + p5) + (p2 - p0));
    r.I[3] = (N.I[0] * s.omega.z + N.I[5] * s.omega.y - N.I[4] * s.omega.x) - (N.moment.y * s.v.x +
        N.I[1] * s.omega.z + N.moment.x * s.v.y);
    r.I[4] = (N.I[3] * s.omega.x + N.I[2] * s.omega.y - N.I[0] * s.omega.y) - (N.moment.z * s.v.x +
        N.I[5] * s.omega.z + N.moment.x * s.v.z);
    r.I[5] = (N.I[1] * s.omega.x + N.I[4] * s.omega.z - N.I[3] * s.omega.y) - (N.moment.z * s.v.y +
        N.I[2] * s.omega.x + N.moment.y * s.v.z);
    return r;
}

// dK/dt, likewise -- 93 multiplications
static inline ph_sym4 ph_cl_sym4_rate(ph_sym4 K, ph_twist s)
{
    ph_sym4 r;
    const double p0 = K.aa[4] * s.omega.y;
    const double p1 = K.aa[3] * s.omega.z;
    const double p2 = K.aa[5] * s.omega.x;
    const double p3 = K.ab[2] * s.omega.y;
    const double p4 = K.ab[1] * s.omega.z;
    const double p5 = K.ab[6] * s.omega.y;
    const double p6 = K.ab[3] * s.omega.z;
    const double p7 = K.bb[4] * s.v.y;
    const double p8 = K.bb[3] * s.v.z;
    const double p9 = K.ab[0] * s.omega.z;
    const double p10 = K.ab[4] * s.omega.z;
    const double p11 = K.ab[0] * s.omega.y;
    const double p12 = K.ab[8] * s.omega.y;
    const double p13 = K.ab[5] * s.omega.x;
    const double p14 = K.ab[7] * s.omega.x;
    const double p15 = K.bb[5] * s.v.x;
    const double p16 = K.ab[4] * s.omega.x;
    const double p17 = K.ab[8] * s.omega.x;
    const double p18 = K.bb[4] * s.omega.y;
    const double p19 = K.bb[3] * s.omega.z;
    const double p20 = K.bb[5] * s.omega.x;
    r.aa[0] = 2.0 * ((p0 + K.ab[2] * s.v.y) - (p1 + K.ab[1] * s.v.z));
    r.aa[1] = 2.0 * ((p1 + K.ab[3] * s.v.z) - (p2 + K.ab[5] * s.v.x));
    r.aa[2] = 2.0 * ((p2 + K.ab[7] * s.v.x) - (p0 + K.ab[6] * s.v.y));
    r.aa[3] = ((K.aa[0] * s.omega.z + K.ab[0] * s.v.z) + (K.aa[5] * s.omega.y + K.ab[5] * s.v.y)) -
        ((K.aa[4] * s.omega.x + K.ab[2] * s.v.x) + (K.aa[1] * s.omega.z + K.ab[4] * s.v.z));
    r.aa[4] = ((K.aa[3] * s.omega.x + K.ab[1] * s.v.x) + (K.aa[2] * s.omega.y + K.ab[8] * s.v.y)) -
        ((K.aa[0] * s.omega.y + K.ab[0] * s.v.y) + (K.aa[5] * s.omega.z + K.ab[7] * s.v.z));
    r.aa[5] = ((K.aa[1] * s.omega.x + K.ab[4] * s.v.x) + (K.aa[4] * s.omega.z + K.ab[6] * s.v.z)) -
        ((K.aa[3] * s.omega.y + K.ab[3] * s.v.y) + (K.aa[2] * s.omega.x + K.ab[8] * s.v.x));
    r.ab[0] = (p3 + p5 + p7) - (p4 + p6 + p8);
    r.ab[1] = (p9 + K.ab[7] * s.omega.y + K.bb[5] * s.v.y) - (K.ab[2] * s.omega.x + p10 + K.bb[1] * s.v.z);
    r.ab[2] = (K.ab[1] * s.omega.x + p12 + K.bb[2] * s.v.y) - (p11 + K.ab[5] * s.omega.z + K.bb[5] * s.v.z);
    r.ab[3] = (K.ab[5] * s.omega.y + p9 + K.bb[0] * s.v.z) - (p10 + K.ab[6] * s.omega.x + K.bb[4] * s.v.x);
    r.ab[4] = (p6 + p4 + p8) - (p13 + p14 + p15);
    r.ab[5] = (p16 + K.ab[2] * s.omega.z + K.bb[4] * s.v.z) - (K.ab[3] * s.omega.y + p17 + K.bb[2] * s.v.x);
    r.ab[6] = (p12 + K.ab[3] * s.omega.x + K.bb[3] * s.v.x) - (K.ab[7] * s.omega.z + p11 + K.bb[0] * s.v.y);
    r.ab[7] = (K.ab[6] * s.omega.z + p16 + K.bb[1] * s.v.x) - (p17 + K.ab[1] * s.omega.y + K.bb[3] * s.v.y);
    r.ab[8] = (p14 + p13 + p15) - (p5 + p3 + p7);
    r.bb[0] = 2.0 * (p18 - p19);
    r.bb[1] = 2.0 * (p19 - p20);
    r.bb[2] = 2.0 * (p20 - p18);
    r.bb[3] = (K.bb[0] * s.omega.z + K.bb[5] * s.omega.y) - (K.bb[4] * s.omega.x + K.bb[1] * s.omega.z);
    r.bb[4] = (K.bb[3] * s.omega.x + K.bb[2] * s.omega.y) - (K.bb[0] * s.omega.y + K.bb[5] * s.omega.z);
    r.bb[5] = (K.bb[1] * s.omega.x + K.bb[4] * s.omega.z) - (K.bb[3] * s.omega.y + K.bb[2] * s.omega.x);
    return r;
}

// 1/2 ((s~ N - N s~) ^ s) -- 72 multiplications
static inline ph_hexavector ph_cl_gyroscopic(ph_inertia N, ph_twist s)
{
    ph_hexavector r;
    const double p0 = N.I[4] * s.omega.y;
    const double p1 = N.I[3] * s.omega.z;
    const double p2 = N.moment.y * s.v.y;
    const double p3 = N.moment.z * s.v.z;
    const double p4 = N.moment.y * s.omega.y;
    const double p5 = N.moment.z * s.omega.z;
    const double p6 = N.moment.x * s.omega.y;
    const double p7 = N.mass * s.v.z;
    const double p8 = N.moment.x * s.omega.z;
    const double p9 = N.mass * s.v.y;
    const double p10 = N.I[5] * s.omega.x;
    const double p11 = N.moment.x * s.v.x;
    const double p12 = N.moment.y * s.omega.x;
    const double p13 = N.moment.x * s.omega.x;
    const double p14 = N.moment.y * s.omega.z;
    const double p15 = N.mass * s.v.x;
    const double p16 = N.moment.z * s.omega.x;
    const double p17 = N.moment.z * s.omega.y;
    const double p18 = N.mass * s.omega.z;
    const double p19 = N.mass * s.omega.y;
    const double p20 = N.mass * s.omega.x;
    const double q0 = (p0 + p2) + (p3 - p1);
    const double q1 = N.I[5] * s.omega.y - N.I[1] * s.omega.z - N.moment.x * s.v.y;
    const double q2 = N.I[2] * s.omega.y - N.I[5] * s.omega.z - N.moment.x * s.v.z;
    const double q3 = -p4 - p5;
    const double q4 = p6 - p7;
    const double q5 = p8 + p9;
    const double q6 = N.I[0] * s.omega.z - N.I[4] * s.omega.x - N.moment.y * s.v.x;
    const double q7 = (p1 + p11) + (p3 - p10);
    const double q8 = N.I[4] * s.omega.z - N.I[2] * s.omega.x - N.moment.y * s.v.z;
    const double q9 = p12 + p7;
    const double q10 = -p13 - p5;
    const double q11 = p14 - p15;
    const double q12 = N.I[3] * s.omega.x - N.I[0] * s.omega.y - N.moment.z * s.v.x;
    const double q13 = N.I[1] * s.omega.x - N.I[3] * s.omega.y - N.moment.z * s.v.y;
    const double q14 = (p10 + p11) + (p2 - p0);
    const double q15 = p16 - p9;
    const double q16 = p17 + p15;
    const double q17 = -p13 - p4;
    const double q18 = p4 + p5;
    const double q19 = -p6;
    const double q20 = -p8;
    const double q21 = -p18;
    const double q22 = p19;
    const double q23 = -p12;
    const double q24 = p13 + p5;
    const double q25 = -p14;
    const double q26 = p18;
    const double q27 = -p20;
    const double q28 = -p16;
    const double q29 = -p17;
    const double q30 = p13 + p4;
    const double q31 = -p19;
    const double q32 = p20;
    r.l.x = (q0 * s.omega.x + q1 * s.omega.y + q2 * s.omega.z) + (q3 * s.v.x + q4 * s.v.y + q5 * s.v.z);
    r.l.y = (q6 * s.omega.x + q7 * s.omega.y + q8 * s.omega.z) + (q9 * s.v.x + q10 * s.v.y + q11 * s.v.z);
    r.l.z = (q12 * s.omega.x + q13 * s.omega.y + q14 * s.omega.z) + (q15 * s.v.x + q16 * s.v.y + q17 * s.v.z);
    r.p.x = (q18 * s.omega.x + q19 * s.omega.y + q20 * s.omega.z) + (q21 * s.v.y + q22 * s.v.z);
    r.p.y = (q23 * s.omega.x + q24 * s.omega.y + q25 * s.omega.z) + (q26 * s.v.x + q27 * s.v.z);
    r.p.z = (q28 * s.omega.x + q29 * s.omega.y + q30 * s.omega.z) + (q31 * s.v.x + q32 * s.v.y);
    return r;
}

// U ^ U~ -- 21 multiplications
static inline ph_sym4 ph_cl_dyad(ph_coscrew U)
{
    ph_sym4 r;
    r.aa[0] = U.l.x * U.l.x;
    r.aa[1] = U.l.y * U.l.y;
    r.aa[2] = U.l.z * U.l.z;
    r.aa[3] = U.l.x * U.l.y;
    r.aa[4] = U.l.x * U.l.z;
    r.aa[5] = U.l.y * U.l.z;
    r.ab[0] = U.l.x * U.p.x;
    r.ab[1] = U.l.x * U.p.y;
    r.ab[2] = U.l.x * U.p.z;
    r.ab[3] = U.l.y * U.p.x;
    r.ab[4] = U.l.y * U.p.y;
    r.ab[5] = U.l.y * U.p.z;
    r.ab[6] = U.l.z * U.p.x;
    r.ab[7] = U.l.z * U.p.y;
    r.ab[8] = U.l.z * U.p.z;
    r.bb[0] = U.p.x * U.p.x;
    r.bb[1] = U.p.y * U.p.y;
    r.bb[2] = U.p.z * U.p.z;
    r.bb[3] = U.p.x * U.p.y;
    r.bb[4] = U.p.x * U.p.z;
    r.bb[5] = U.p.y * U.p.z;
    return r;
}

// N with 21 components
static inline ph_sym4 ph_cl_inertia_sym4(ph_inertia N)
{
    ph_sym4 r;
    r.aa[0] = N.I[0];
    r.aa[1] = N.I[1];
    r.aa[2] = N.I[2];
    r.aa[3] = N.I[3];
    r.aa[4] = N.I[4];
    r.aa[5] = N.I[5];
    r.ab[0] = 0.0;
    r.ab[1] = -N.moment.z;
    r.ab[2] = N.moment.y;
    r.ab[3] = N.moment.z;
    r.ab[4] = 0.0;
    r.ab[5] = -N.moment.x;
    r.ab[6] = -N.moment.y;
    r.ab[7] = N.moment.x;
    r.ab[8] = 0.0;
    r.bb[0] = N.mass;
    r.bb[1] = N.mass;
    r.bb[2] = N.mass;
    r.bb[3] = 0.0;
    r.bb[4] = 0.0;
    r.bb[5] = 0.0;
    return r;
}

// a ^ b, the line in two planes -- 12 multiplications
static inline ph_twist ph_cl_meet_planes(ph_plane a, ph_plane b)
{
    ph_twist r;
    r.omega.x = a.n.y * b.n.z - a.n.z * b.n.y;
    r.omega.y = a.n.z * b.n.x - a.n.x * b.n.z;
    r.omega.z = a.n.x * b.n.y - a.n.y * b.n.x;
    r.v.x = a.n.x * b.d - a.d * b.n.x;
    r.v.y = a.n.y * b.d - a.d * b.n.y;
    r.v.z = a.n.z * b.d - a.d * b.n.z;
    return r;
}

// L ^ pi, the point of a line in a plane -- 12 multiplications
static inline ph_point ph_cl_meet_line_plane(ph_twist L, ph_plane pi)
{
    ph_point r;
    r.w = L.omega.x * pi.n.x + L.omega.y * pi.n.y + L.omega.z * pi.n.z;
    r.x.x = L.omega.x * pi.d + L.v.z * pi.n.y - L.v.y * pi.n.z;
    r.x.y = L.omega.y * pi.d + L.v.x * pi.n.z - L.v.z * pi.n.x;
    r.x.z = L.omega.z * pi.d + L.v.y * pi.n.x - L.v.x * pi.n.y;
    return r;
}

// a v b, the line through two points -- 12 multiplications
static inline ph_twist ph_cl_join_points(ph_point a, ph_point b)
{
    ph_twist r;
    r.omega.x = a.w * b.x.x - a.x.x * b.w;
    r.omega.y = a.w * b.x.y - a.x.y * b.w;
    r.omega.z = a.w * b.x.z - a.x.z * b.w;
    r.v.x = a.x.y * b.x.z - a.x.z * b.x.y;
    r.v.y = a.x.z * b.x.x - a.x.x * b.x.z;
    r.v.z = a.x.x * b.x.y - a.x.y * b.x.x;
    return r;
}

// p v L, the plane through a point and a line -- 12 multiplications
static inline ph_plane ph_cl_join_point_line(ph_point p, ph_twist L)
{
    ph_plane r;
    r.n.x = L.v.x * p.w + L.omega.y * p.x.z - L.omega.z * p.x.y;
    r.n.y = L.v.y * p.w + L.omega.z * p.x.x - L.omega.x * p.x.z;
    r.n.z = L.v.z * p.w + L.omega.x * p.x.y - L.omega.y * p.x.x;
    r.d = L.v.x * p.x.x + L.v.y * p.x.y + L.v.z * p.x.z;
    return r;
}

// pi ^ p, 0 for a point in the plane -- 4 multiplications
static inline double ph_cl_incidence(ph_plane pi, ph_point p)
{
    return (p.x.x * pi.n.x + p.x.y * pi.n.y) + (p.x.z * pi.n.z - p.w * pi.d);
}

#endif
