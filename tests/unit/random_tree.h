// Random trees for tests.
#ifndef TEST_RANDOM_TREE_H
#define TEST_RANDOM_TREE_H

#include "math/mat3.h"
#include "math/quat.h"
#include "polhode/tree.h"
#include "test.h"

enum { TREE_LINKS_MAX = 64, TREE_AXES_MAX = 6 * TREE_LINKS_MAX, TREE_COORDINATES_MAX = 7 * TREE_LINKS_MAX };

static inline ph_vec3 random_vector(double size)
{
    return (ph_vec3){test_uniform(-size, size), test_uniform(-size, size), test_uniform(-size, size)};
}

static inline ph_quat random_rotation(void)
{
    const ph_quat q = {test_uniform(-1, 1), test_uniform(-1, 1), test_uniform(-1, 1), test_uniform(-1, 1)};
    return ph_quat_unit(q);
}

// Moments a + b, a + c, b + c belong to a body for any positive a, b, c.
static inline ph_mat3 random_inertia(double size)
{
    const double a = test_uniform(0.2, 1), b = test_uniform(0.2, 1), c = test_uniform(0.2, 1);
    const ph_mat3 R = ph_quat_to_mat(random_rotation());
    return ph_mat_mult(ph_mat_mul(R, ph_diag(ph_vec(size * (a + b), size * (a + c), size * (b + c)))), R);
}

// Links of about 0.3 m and 1 kg; each hangs on one of the last few. With four kinds of joints the first is free, as the
// trunk of a walking machine is, and the others are not; with five some of the others are screws.
static inline void random_links(ph_link_def *links, int count, int joint_kinds)
{
    for (int i = 0; i < count; i++) {
        const int back = 1 + test_random_index(3);
        ph_link_def def = ph_default_link();
        def.parent = i == 0 ? PH_WORLD : i - back < 0 ? 0 : i - back;
        def.joint = (ph_tree_joint)test_random_index(joint_kinds < 4 ? joint_kinds : 3);
        if (joint_kinds >= 4 && i == 0) {
            def.joint = PH_TREE_FREE;
        } else if (joint_kinds == 5 && test_random_index(3) == 0) {
            def.joint = PH_TREE_SCREW;
            def.pitch = (i % 2 ? -1.0 : 1.0) * test_uniform(0.01, 0.2);
        }
        const ph_vec3 from = i == 0 ? ph_zero3() : links[def.parent].com;
        def.anchor = ph_add(from, random_vector(0.2));
        def.axis = random_vector(1.0);
        def.mass = test_uniform(0.5, 2.0);
        def.com = ph_add(def.anchor, random_vector(0.2));
        def.inertia = random_inertia(0.01);
        links[i] = def;
    }
}

static inline ph_tree *random_tree(ph_link_def *links, int count, int joint_kinds)
{
    ph_tree *tree = NULL;
    random_links(links, count, joint_kinds);
    CHECK_EQ_INT(ph_tree_create(links, count, (ph_vec3){1.0, -2.0, -9.81}, NULL, &tree, NULL), PH_OK);
    return tree;
}

static inline void random_values(double *values, int count, double size)
{
    for (int i = 0; i < count; i++) {
        values[i] = test_uniform(-size, size);
    }
}

#endif
