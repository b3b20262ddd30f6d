// The peer of the typed kernels in `polhode bench`: spatial algebra with 6x6 matrices as textbooks write it (R. Featherstone,
// Rigid Body Dynamics Algorithms, 2008, table 2.8 and appendix A), unrolled by blocks where a block is known to be zero.
//
// Vectors are (omega | v) and (l | p). A motion is X = [R 0; B R].
#ifndef CLI_BENCH_SPATIAL_H
#define CLI_BENCH_SPATIAL_H

typedef struct spatial_vector {
    double c[6];
} spatial_vector;

typedef struct spatial_matrix {
    double m[6][6];
} spatial_matrix;

// M x
static inline void spatial_apply(const spatial_matrix *M, const spatial_vector *x, spatial_vector *out)
{
    for (int i = 0; i < 6; i++) {
        double sum = 0.0;
        for (int j = 0; j < 6; j++) sum += M->m[i][j] * x->c[j];
        out->c[i] = sum;
    }
}

// [R 0; B R] [Q 0; C Q] = [RQ 0; BQ + RC RQ]
static inline void spatial_compose(const spatial_matrix *X, const spatial_matrix *Y, spatial_matrix *out)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double rotation = 0.0, coupling = 0.0;
            for (int k = 0; k < 3; k++) {
                rotation += X->m[i][k] * Y->m[k][j];
                coupling += X->m[i + 3][k] * Y->m[k][j] + X->m[i + 3][k + 3] * Y->m[k + 3][j];
            }
            out->m[i][j] = out->m[i + 3][j + 3] = rotation;
            out->m[i + 3][j] = coupling;
            out->m[i][j + 3] = 0.0;
        }
    }
}

static inline void spatial_move(const spatial_matrix *X, const spatial_vector *s, spatial_vector *out)
{
    for (int i = 0; i < 3; i++) {
        double omega = 0.0, v = 0.0;
        for (int k = 0; k < 3; k++) {
            omega += X->m[i][k] * s->c[k];
            v += X->m[i + 3][k] * s->c[k] + X->m[i + 3][k + 3] * s->c[k + 3];
        }
        out->c[i] = omega;
        out->c[i + 3] = v;
    }
}

// X^T N X with X = [R 0; B R]
static inline void spatial_move_inertia(const spatial_matrix *X_inverse, const spatial_matrix *N, spatial_matrix *out)
{
    const double(*X)[6] = X_inverse->m;
    double NX[6][6];
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 3; j++) {
            double left = 0.0, right = 0.0;
            for (int k = 0; k < 3; k++) {
                left += N->m[i][k] * X[k][j] + N->m[i][k + 3] * X[k + 3][j];
                right += N->m[i][k + 3] * X[k + 3][j + 3];
            }
            NX[i][j] = left;
            NX[i][j + 3] = right;
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 6; j++) {
            double upper = 0.0, lower = 0.0;
            for (int k = 0; k < 3; k++) {
                upper += X[k][i] * NX[k][j] + X[k + 3][i] * NX[k + 3][j];
                lower += X[k + 3][i + 3] * NX[k + 3][j];
            }
            out->m[i][j] = upper;
            out->m[i + 3][j] = lower;
        }
    }
}

static inline void fill_cross(double m[3][3], const double v[3])
{
    m[0][0] = m[1][1] = m[2][2] = 0.0;
    m[0][1] = -v[2];
    m[0][2] = v[1];
    m[1][0] = v[2];
    m[1][2] = -v[0];
    m[2][0] = -v[1];
    m[2][1] = v[0];
}

// [w 0; v w] s
static inline void spatial_cross(const spatial_vector *v, const spatial_vector *s, spatial_vector *out)
{
    double w[3][3], t[3][3];
    fill_cross(w, v->c);
    fill_cross(t, v->c + 3);
    for (int i = 0; i < 3; i++) {
        double omega = 0.0, rate = 0.0;
        for (int k = 0; k < 3; k++) {
            omega += w[i][k] * s->c[k];
            rate += t[i][k] * s->c[k] + w[i][k] * s->c[k + 3];
        }
        out->c[i] = omega;
        out->c[i + 3] = rate;
    }
}

// [w v; 0 w] f
static inline void spatial_cross_force(const spatial_vector *v, const spatial_vector *f, spatial_vector *out)
{
    double w[3][3], t[3][3];
    fill_cross(w, v->c);
    fill_cross(t, v->c + 3);
    for (int i = 0; i < 3; i++) {
        double torque = 0.0, force = 0.0;
        for (int k = 0; k < 3; k++) {
            torque += w[i][k] * f->c[k] + t[i][k] * f->c[k + 3];
            force += w[i][k] * f->c[k + 3];
        }
        out->c[i] = torque;
        out->c[i + 3] = force;
    }
}

static inline double spatial_energy(const spatial_matrix *N, const spatial_vector *s)
{
    spatial_vector P;
    double sum = 0.0;
    spatial_apply(N, s, &P);
    for (int i = 0; i < 6; i++) sum += P.c[i] * s->c[i];
    return 0.5 * sum;
}

#endif
