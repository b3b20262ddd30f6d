// Chains of turns and slides for tests of trees, named by their motions: "chain tst" turns, slides and turns again. "chain ooo": three
// turns about axes that meet.
#ifndef TESTS_CHAIN_KINDS_H
#define TESTS_CHAIN_KINDS_H

#include "rig.h"

#include <string.h>

#define CHAIN_KINDS "chain tt", "chain ttt", "chain ooo", "chain st", "chain tst", "chain sst", "chain ststs"

static inline bool is_chain(const char *type)
{
    return strncmp(type, "chain ", 6) == 0;
}

static inline ph_vec3 chain_random(double size)
{
    return (ph_vec3){test_uniform(-size, size), test_uniform(-size, size), test_uniform(-size, size)};
}

// Axes near those of the world in turn, so that motions are independent.
static inline void set_chain(ph_joint_def *def, const char *type)
{
    int turns = 0, slides = 0;
    def->type = "chain";
    def->motion_count = 0;
    for (const char *m = type + 6; *m; m++) {
        const bool slide = *m == 's';
        const int i = slide ? slides++ : turns++;
        const ph_vec3 near = chain_random(0.2);
        const ph_vec3 axis = {near.x + (i == 0), near.y + (i == 1), near.z + (i == 2)};
        def->motions[def->motion_count++] = (ph_chain_motion){
            .slides = slide, .axis = axis, .point = *m == 't' ? chain_random(0.3) : (ph_vec3){0, 0, 0}};
    }
}

#endif
