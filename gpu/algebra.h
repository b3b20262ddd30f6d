// Vectors and rotations of the kernels' text.
#ifndef CARD_ALGEBRA_H
#define CARD_ALGEBRA_H

typedef struct v3 {
    double x, y, z;
} v3;
typedef struct m3 { // by rows
    v3 x, y, z;
} m3;
typedef struct q4 {
    double w, x, y, z;
} q4;
typedef struct f3 {
    float x, y, z;
} f3;
#ifdef __CUDACC__
typedef struct __align__(16) f4
{
    float x, y, z, w;
}
f4;
#else
typedef struct f4 {
    _Alignas(16) float x;
    float y, z, w;
} f4;
#endif

TEXT v3 vec(double x, double y, double z)
{
    v3 r = {x, y, z};
    return r;
}
TEXT v3 add(v3 a, v3 b)
{
    return vec(a.x + b.x, a.y + b.y, a.z + b.z);
}
TEXT v3 sub(v3 a, v3 b)
{
    return vec(a.x - b.x, a.y - b.y, a.z - b.z);
}
TEXT v3 scale(double s, v3 a)
{
    return vec(s * a.x, s * a.y, s * a.z);
}
TEXT v3 madd(v3 a, double s, v3 b)
{
    return vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
TEXT double dot(v3 a, v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
TEXT v3 cross(v3 a, v3 b)
{
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
TEXT double norm(v3 a)
{
    return sqrt(dot(a, a));
}
TEXT v3 unit(v3 a)
{
    const double s = norm(a);
    return s > 0.0 ? scale(1.0 / s, a) : vec(0.0, 0.0, 1.0);
}
TEXT v3 mul(m3 m, v3 a)
{
    return vec(dot(m.x, a), dot(m.y, a), dot(m.z, a));
}
TEXT v3 tmul(m3 m, v3 a)
{
    return madd(madd(scale(a.x, m.x), a.y, m.y), a.z, m.z);
}
TEXT v3 column(m3 m, int k)
{
    return k == 0 ? vec(m.x.x, m.y.x, m.z.x) : k == 1 ? vec(m.x.y, m.y.y, m.z.y) : vec(m.x.z, m.y.z, m.z.z);
}
TEXT double entry(v3 a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}
TEXT double larger(double a, double b)
{
    return a > b ? a : b;
}
TEXT double smaller(double a, double b)
{
    return a < b ? a : b;
}
TEXT double within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

TEXT m3 transposed(m3 m)
{
    m3 r = {column(m, 0), column(m, 1), column(m, 2)};
    return r;
}
TEXT m3 mat_mul(m3 a, m3 b)
{
    const m3 t = transposed(b);
    m3 r = {mul(t, a.x), mul(t, a.y), mul(t, a.z)};
    return r;
}
TEXT m3 inverse(m3 m)
{
    const v3 a = cross(m.y, m.z), b = cross(m.z, m.x), c = cross(m.x, m.y);
    const double s = 1.0 / dot(m.x, a);
    const m3 r = {scale(s, a), scale(s, b), scale(s, c)};
    return transposed(r);
}
TEXT m3 rotation(q4 q)
{
    const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z,
                 wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    m3 r = {{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
            {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
            {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}};
    return r;
}
TEXT q4 quat_mul(q4 a, q4 b)
{
    q4 r = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return r;
}
TEXT q4 quat_unit(q4 q)
{
    const double s = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    q4 r = {s * q.w, s * q.x, s * q.y, s * q.z};
    return r;
}
// exp(a/2), a rotation by |a|: series to round-off for a turn that is halved until it is small, then squared as often.
TEXT q4 quat_exp(v3 a)
{
    int halvings = 0;
    double t = 0.25 * dot(a, a); // the square of the half angle
    for (; t > 0.0625 && halvings < 60; halvings++) t *= 0.25;
    double c = 1.0, s = 1.0;
    for (int k = 9; k > 0; k--) {
        c = 1.0 - t / (double)((2 * k - 1) * (2 * k)) * c;
        s = 1.0 - t / (double)((2 * k) * (2 * k + 1)) * s;
    }
    double half = 0.5;
    for (int k = 0; k < halvings; k++) half *= 0.5;
    q4 q = {c, half * s * a.x, half * s * a.y, half * s * a.z};
    for (int k = 0; k < halvings; k++) q = quat_mul(q, q);
    return q;
}

TEXT f3 fvec(float x, float y, float z)
{
    f3 r = {x, y, z};
    return r;
}
TEXT f3 single_of(v3 a)
{
    return fvec((float)a.x, (float)a.y, (float)a.z);
}
TEXT v3 double_of(f3 a)
{
    return vec((double)a.x, (double)a.y, (double)a.z);
}
TEXT f3 fadd(f3 a, f3 b)
{
    return fvec(a.x + b.x, a.y + b.y, a.z + b.z);
}
TEXT f3 fsub(f3 a, f3 b)
{
    return fvec(a.x - b.x, a.y - b.y, a.z - b.z);
}
TEXT f3 fscale(float s, f3 a)
{
    return fvec(s * a.x, s * a.y, s * a.z);
}
TEXT f3 fmadd(f3 a, float s, f3 b)
{
    return fvec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
TEXT float fdot(f3 a, f3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
TEXT f3 fcross(f3 a, f3 b)
{
    return fvec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

#endif
