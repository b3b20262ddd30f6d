// Sums over vectors, in one fixed order: four running sums, so that they vectorise, added in the same way on every
// machine.
#ifndef PH_CONE_VECTOR_H
#define PH_CONE_VECTOR_H

#include "cone/cone.h"

#include <math.h>
#include <string.h>

static inline double vec_dot(int n, const double *a, const double *b)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < n; i++) s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

// (a - b).(c - d)
static inline double vec_dot_differences(int n, const double *a, const double *b, const double *c, const double *d)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += (a[i] - b[i]) * (c[i] - d[i]);
        s1 += (a[i + 1] - b[i + 1]) * (c[i + 1] - d[i + 1]);
        s2 += (a[i + 2] - b[i + 2]) * (c[i + 2] - d[i + 2]);
        s3 += (a[i + 3] - b[i + 3]) * (c[i + 3] - d[i + 3]);
    }
    for (; i < n; i++) s0 += (a[i] - b[i]) * (c[i] - d[i]);
    return (s0 + s1) + (s2 + s3);
}

// g.(a - b)
static inline double vec_dot_difference(int n, const double *g, const double *a, const double *b)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += g[i] * (a[i] - b[i]);
        s1 += g[i + 1] * (a[i + 1] - b[i + 1]);
        s2 += g[i + 2] * (a[i + 2] - b[i + 2]);
        s3 += g[i + 3] * (a[i + 3] - b[i + 3]);
    }
    for (; i < n; i++) s0 += g[i] * (a[i] - b[i]);
    return (s0 + s1) + (s2 + s3);
}

static inline double vec_norm(int n, const double *a)
{
    return sqrt(vec_dot(n, a, a));
}

static inline void vec_copy(int n, const double *a, double *b)
{
    memcpy(b, a, (size_t)n * sizeof *a);
}

// b <- x - s g, projected on the cones
static inline void vec_project_step(const ph_cone_workspace *w, const double *x, double s, const double *g, double *b)
{
    for (int i = 0; i < w->cone_count; i++) {
        const cone *c = &w->cones[i];
        for (int r = c->first; r < c->first + c->rows; r++) b[r] = x[r] - s * g[r];
        cone_project(c, b + c->first, b + c->first);
    }
}

#endif
