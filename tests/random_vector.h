// Vectors by chance.
#ifndef TESTS_RANDOM_VECTOR_H
#define TESTS_RANDOM_VECTOR_H

#include "test.h"

#include "math/vec3.h"

// Each of its coordinates at most `size` in magnitude.
static inline ph_vec3 random_vector(double size)
{
    return ph_vec(test_uniform(-size, size), test_uniform(-size, size), test_uniform(-size, size));
}

#endif
