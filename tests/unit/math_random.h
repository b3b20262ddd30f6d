// Random vectors, rotations and matrices for the math tests.
#ifndef TEST_MATH_RANDOM_H
#define TEST_MATH_RANDOM_H

#include "math/so3.h"
#include "test.h"

static inline ph_vec3 random_vec(double size)
{
    const double x = test_uniform(-size, size), y = test_uniform(-size, size), z = test_uniform(-size, size);
    return ph_vec(x, y, z);
}

// Of the given length, in any direction.
static inline ph_vec3 random_of_length(double length)
{
    for (;;) {
        const ph_vec3 v = random_vec(1.0);
        const double n = ph_norm(v);
        if (n > 0.1 && n < 1.0) {
            return ph_scale(length / n, v);
        }
    }
}

static inline ph_quat random_quat(void)
{
    return ph_quat_unit(ph_quat_exp(random_of_length(test_uniform(0.0, 6.2))));
}

static inline ph_mat3 random_mat(double size)
{
    const ph_vec3 r0 = random_vec(size), r1 = random_vec(size), r2 = random_vec(size);
    return ph_mat_rows(r0, r1, r2);
}

// Largest difference of two matrices, of two vectors
static inline double mat_distance(ph_mat3 A, ph_mat3 B)
{
    double largest = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double d = fabs(A.m[i][j] - B.m[i][j]);
            if (!(d <= largest) && !isnan(largest)) { // not a number stays
                largest = d;
            }
        }
    }
    return largest;
}

static inline double vec_distance(ph_vec3 a, ph_vec3 b)
{
    return ph_norm(ph_sub(a, b));
}

#endif
