// Multivectors of Cl(0,6,2) as values, so that tests read like the paper. Everything goes through the public reference
// algebra.
#ifndef TEST_MULTIVECTOR_H
#define TEST_MULTIVECTOR_H

#include "polhode/clifford.h"
#include "test.h"

typedef struct mv {
    double c[256];
} mv;

static inline ph_multivector view(const mv *x)
{
    static ph_algebra algebra;
    algebra = ph_algebra_cl062();
    return (ph_multivector){&algebra, (double *)x->c};
}

#define MV_BINARY(name, function)                                                                                      \
    static inline mv name(mv x, mv y)                                                                                  \
    {                                                                                                                  \
        mv out;                                                                                                        \
        CHECK_EQ_INT(function(view(&x), view(&y), view(&out), NULL), PH_OK);                                           \
        return out;                                                                                                    \
    }
#define MV_UNARY(name, function)                                                                                       \
    static inline mv name(mv x)                                                                                        \
    {                                                                                                                  \
        mv out;                                                                                                        \
        CHECK_EQ_INT(function(view(&x), view(&out), NULL), PH_OK);                                                     \
        return out;                                                                                                    \
    }
MV_BINARY(gp, ph_multivector_geometric)
MV_BINARY(wedge, ph_multivector_outer)
MV_BINARY(vee, ph_multivector_shuffle)
MV_UNARY(conjugate, ph_multivector_conjugate)
MV_UNARY(reverse, ph_multivector_reverse)
MV_UNARY(involute, ph_multivector_involute)
MV_UNARY(bar, ph_multivector_bar)
MV_UNARY(exponential, ph_multivector_exp)

static inline mv grade_part(mv x, int grade)
{
    mv out;
    CHECK_EQ_INT(ph_multivector_grade(view(&x), grade, view(&out), NULL), PH_OK);
    return out;
}

static inline mv add_scaled(mv x, double s, mv y)
{
    for (int i = 0; i < 256; i++) {
        x.c[i] += s * y.c[i];
    }
    return x;
}

static inline mv plus(mv x, mv y)
{
    return add_scaled(x, 1.0, y);
}

static inline mv minus(mv x, mv y)
{
    return add_scaled(x, -1.0, y);
}

static inline mv times(double s, mv x)
{
    return add_scaled((mv){{0.0}}, s, x);
}

// c times the product of generators "a2a3e1e"
static inline mv blade(double c, const char *text)
{
    mv out = {{0.0}};
    unsigned mask = 0;
    int sign = 0;
    CHECK_EQ_INT(ph_algebra_blade(view(&out).algebra, text, &mask, &sign, NULL), PH_OK);
    out.c[mask] = sign * c;
    return out;
}

// A sum of products of generators; the list ends with NULL.
static inline mv blades(const char *const *texts)
{
    mv sum = {{0.0}};
    for (; *texts; texts++) {
        sum = plus(sum, blade(1.0, *texts));
    }
    return sum;
}
#define BLADES(...) blades((const char *const[]){__VA_ARGS__, NULL})

static inline mv typed(ph_element kind, const void *value)
{
    mv out;
    CHECK_EQ_INT(ph_multivector_put(view(&out), kind, value, NULL), PH_OK);
    return out;
}

#define MV_OF(name, type, kind)                                                                                        \
    static inline mv name(type value)                                                                                  \
    {                                                                                                                  \
        return typed(kind, &value);                                                                                    \
    }
MV_OF(of_twist, ph_twist, PH_ELEMENT_TWIST)
MV_OF(of_coscrew, ph_coscrew, PH_ELEMENT_COSCREW)
MV_OF(of_hexavector, ph_hexavector, PH_ELEMENT_HEXAVECTOR)
MV_OF(of_motor, ph_motor, PH_ELEMENT_MOTOR)
MV_OF(of_inertia, ph_inertia, PH_ELEMENT_INERTIA)
MV_OF(of_sym4, ph_sym4, PH_ELEMENT_SYM4)
MV_OF(of_point, ph_point, PH_ELEMENT_POINT)
MV_OF(of_plane, ph_plane, PH_ELEMENT_PLANE)

static inline mv element_a(void)
{
    return blade(1.0, "a1a2a3a");
}

static inline mv element_e(void)
{
    return blade(1.0, "e1e2e3e");
}

static inline mv element_q0(void)
{
    return BLADES("a2a3e1e", "a3a1e2e", "a1a2e3e", "a1ae2e3", "a2ae3e1", "a3ae1e2");
}

// g x g*
static inline mv sandwich(mv g, mv x)
{
    return gp(gp(g, x), conjugate(g));
}

// (g g~) x (g g~)*
static inline mv sandwich_both(mv g, mv x)
{
    return sandwich(gp(g, bar(g)), x);
}

static inline mv commutator(mv x, mv y)
{
    return times(0.5, minus(gp(x, y), gp(y, x)));
}

static inline double largest(mv x)
{
    double most = 0.0;
    for (int i = 0; i < 256; i++) {
        most = x.c[i] == x.c[i] ? fmax(most, fabs(x.c[i])) : (double)INFINITY;
    }
    return most;
}

#define CHECK_SAME(x, y) test_check(largest(minus(x, y)) == 0.0, __FILE__, __LINE__, #x " = " #y)
#define CHECK_CLOSE(x, y, tolerance)                                                                                   \
    test_check_near(largest(minus(x, y)), 0.0, tolerance, __FILE__, __LINE__, #x " = " #y)

// Random integers keep sums and products exact.
static inline void fill_integers(void *values, int count)
{
    for (int i = 0; i < count; i++) {
        ((double *)values)[i] = (double)(test_random_index(19) - 9);
    }
}

static inline void fill_uniform(void *values, int count)
{
    for (int i = 0; i < count; i++) {
        ((double *)values)[i] = test_uniform(-1.0, 1.0);
    }
}

static inline mv random_mv(void)
{
    mv x;
    fill_integers(x.c, 256);
    return x;
}

#endif
