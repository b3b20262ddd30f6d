// See log_cholesky.h.
#include "model/log_cholesky.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

const char *const log_cholesky_names[LOG_CHOLESKY] = {"alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3"};

typedef double matrix[4][4];

// Row and column of each number in U; alpha scales all of it.
static const int place[LOG_CHOLESKY][2] = {{3, 3}, {0, 0}, {1, 1}, {2, 2}, {0, 1},
                                           {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

static void factor_of(const double x[LOG_CHOLESKY], matrix U)
{
    memset(U, 0, sizeof(matrix));
    for (int k = 1; k < LOG_CHOLESKY; k++) U[place[k][0]][place[k][1]] = exp(x[0]) * (k < 4 ? exp(x[k]) : x[k]);
    U[3][3] = exp(x[0]);
}

// S_c = 1/2 tr(J) I - J, S = S_c + m c c^T
static void pseudo_inertia(const inertial *b, matrix P)
{
    const double half = 0.5 * (b->J.m[0][0] + b->J.m[1][1] + b->J.m[2][2]), c[3] = {b->com.x, b->com.y, b->com.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) P[i][j] = (i == j) * half - b->J.m[i][j] + b->mass * c[i] * c[j];
        P[i][3] = P[3][i] = b->mass * c[i];
    }
    P[3][3] = b->mass;
}

bool log_cholesky_of(const inertial *body, double x[LOG_CHOLESKY])
{
    matrix P, U = {{0}};
    pseudo_inertia(body, P);
    for (int j = 3; j >= 0; j--) {
        const double size = P[j][j];
        double d = size;
        for (int k = j + 1; k < 4; k++) d -= U[j][k] * U[j][k];
        if (!(d > 1e-12 * size)) return false;
        U[j][j] = sqrt(d);
        for (int i = 0; i < j; i++) {
            double sum = P[i][j];
            for (int k = j + 1; k < 4; k++) sum -= U[i][k] * U[j][k];
            U[i][j] = sum / U[j][j];
        }
    }
    x[0] = log(U[3][3]);
    for (int k = 1; k < LOG_CHOLESKY; k++) {
        const double u = U[place[k][0]][place[k][1]] / U[3][3];
        x[k] = k < 4 ? log(u) : u;
    }
    return true;
}

static inertial body_of(matrix P)
{
    inertial b = {.mass = P[3][3]};
    const double c[3] = {P[0][3] / b.mass, P[1][3] / b.mass, P[2][3] / b.mass};
    double trace = 0.0;
    for (int i = 0; i < 3; i++) trace += P[i][i] - b.mass * c[i] * c[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) b.J.m[i][j] = (i == j) * trace - (P[i][j] - b.mass * c[i] * c[j]);
    b.com = ph_vec(c[0], c[1], c[2]);
    return b;
}

static void square(matrix U, matrix V, matrix P) // U V^T + V U^T
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            P[i][j] = 0.0;
            for (int k = 0; k < 4; k++) P[i][j] += U[i][k] * V[j][k] + V[i][k] * U[j][k];
        }
}

inertial log_cholesky_body(const double x[LOG_CHOLESKY])
{
    matrix U, P;
    factor_of(x, U);
    square(U, U, P);
    for (int i = 0; i < 16; i++) P[i / 4][i % 4] *= 0.5;
    return body_of(P);
}

// dP = dU U^T + U dU^T; m' = P44', c' = (s' - c m')/m, S_c' = S' - s' c^T - c s'^T + m' c c^T, J' = tr(S_c') I - S_c'
inertial log_cholesky_change(const double x[LOG_CHOLESKY], int k)
{
    matrix U, V = {{0}}, P;
    const inertial b = log_cholesky_body(x);
    const double c[3] = {b.com.x, b.com.y, b.com.z};
    inertial d;
    double trace = 0.0, S[3][3];
    factor_of(x, U);
    if (k == 0)
        memcpy(V, U, sizeof V);
    else
        V[place[k][0]][place[k][1]] = k < 4 ? U[place[k][0]][place[k][1]] : exp(x[0]);
    square(U, V, P);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) S[i][j] = P[i][j] - P[i][3] * c[j] - c[i] * P[j][3] + P[3][3] * c[i] * c[j];
        trace += S[i][i];
    }
    for (int i = 0; i < 9; i++) d.J.m[i / 3][i % 3] = (i % 4 == 0) * trace - S[i / 3][i % 3];
    d.mass = P[3][3];
    d.com = ph_vec((P[0][3] - c[0] * d.mass) / b.mass, (P[1][3] - c[1] * d.mass) / b.mass,
                   (P[2][3] - c[2] * d.mass) / b.mass);
    return d;
}

double log_cholesky_scale(const double x[LOG_CHOLESKY], int k)
{
    return k < 4 ? 1.0 : cbrt(exp(x[1] + x[2] + x[3]));
}
