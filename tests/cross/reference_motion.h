// The motion of the reference (reference.h): extrapolation of the modified midpoint rule (Gragg, Bulirsch and Stoer).
#ifndef TESTS_CROSS_REFERENCE_MOTION_H
#define TESTS_CROSS_REFERENCE_MOTION_H

#include "reference.h"

static inline void pack(const ref_model *m, const ref_state *s, real *y)
{
    for (int i = 0; i < m->body_count; i++, y += 13) {
        y[0] = s->x[i].x, y[1] = s->x[i].y, y[2] = s->x[i].z;
        y[3] = s->q[i].w, y[4] = s->q[i].x, y[5] = s->q[i].y, y[6] = s->q[i].z;
        y[7] = s->v[i].x, y[8] = s->v[i].y, y[9] = s->v[i].z;
        y[10] = s->w[i].x, y[11] = s->w[i].y, y[12] = s->w[i].z;
    }
}

static inline void unpack(const ref_model *m, real t, const real *y, ref_state *s)
{
    s->t = t;
    for (int i = 0; i < m->body_count; i++, y += 13) {
        s->x[i] = (vec){y[0], y[1], y[2]};
        s->q[i] = (quat){y[3], y[4], y[5], y[6]};
        s->v[i] = (vec){y[7], y[8], y[9]};
        s->w[i] = (vec){y[10], y[11], y[12]};
    }
}

static inline void slope(const ref_model *m, real t, const real *y, real *dy)
{
    ref_state s, d;
    real a[WIDTH];
    unpack(m, t, y, &s);
    ref_accelerations(m, &s, a, NULL);
    for (int i = 0; i < m->body_count; i++) {
        d.x[i] = s.v[i];
        d.q[i] = quat_rate(s.q[i], s.w[i]);
        d.v[i] = (vec){a[6 * i], a[6 * i + 1], a[6 * i + 2]};
        d.w[i] = (vec){a[6 * i + 3], a[6 * i + 4], a[6 * i + 5]};
    }
    pack(m, &d, dy);
}

// n steps of the midpoint rule over H, smoothed at the end (Gragg).
static inline void gragg(const ref_model *m, real t, const real *y, real H, int n, const real *dy0, real *out)
{
    const int size = 13 * m->body_count;
    const real h = H / n;
    real before[STATE], now[STATE], next[STATE], dy[STATE];
    for (int i = 0; i < size; i++) before[i] = y[i], now[i] = y[i] + h * dy0[i];
    for (int k = 1; k < n; k++) {
        slope(m, t + k * h, now, dy);
        for (int i = 0; i < size; i++) next[i] = before[i] + 2 * h * dy[i];
        memcpy(before, now, sizeof now);
        memcpy(now, next, sizeof now);
    }
    slope(m, t + H, now, dy);
    for (int i = 0; i < size; i++) out[i] = (now[i] + before[i] + h * dy[i]) / 2;
}

// One step of order 12 by extrapolation with 2, 4, ... 12 substeps.
static inline void extrapolate(const ref_model *m, real t, real *y, real H)
{
    enum { STAGES = 6 };
    const int size = 13 * m->body_count;
    static real T[STAGES][STATE];
    real dy0[STATE];
    slope(m, t, y, dy0);
    for (int k = 0; k < STAGES; k++) {
        gragg(m, t, y, H, 2 * k + 2, dy0, T[k]);
        for (int j = k - 1; j >= 0; j--) {
            const real ratio = (real)(k + 1) / (j + 1), f = 1 / (ratio * ratio - 1);
            for (int i = 0; i < size; i++) T[j][i] = T[j + 1][i] + f * (T[j + 1][i] - T[j][i]);
        }
    }
    memcpy(y, T[0], (size_t)size * sizeof *y);
}

static inline void ref_integrate(const ref_model *m, ref_state *s, real until, int steps)
{
    real y[STATE];
    pack(m, s, y);
    const real H = (until - s->t) / steps, start = s->t;
    for (int k = 0; k < steps; k++) extrapolate(m, start + k * H, y, H);
    unpack(m, until, y, s);
}

#endif
