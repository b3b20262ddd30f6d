// A random robot with its tree, loops and the whole matrix of its joints, for tests of articulated/.
#ifndef PH_TESTS_ARTICULATED_BENCH_H
#define PH_TESTS_ARTICULATED_BENCH_H

#include "random_robot.h"

#include "articulated/advance.h"
#include "articulated/loops.h"
#include "dense.h"
#include "dynamics/node.h"
#include "joints/geometry.h"
#include "math/so3.h"

typedef struct bench {
    ph_model *model;
    ph_state *state;
    arena *memory;
    forest forest;
    articulated tree;
    loops loops;
    advance advance;
    kkt kkt;
    node node;
    double *z;
} bench;

static inline void open_bench(ph_model *model, bench *b)
{
    *b = (bench){.model = model, .state = ph_state_create(model), .memory = arena_create(NULL)};
    CHECK(forest_create(model, false, b->memory, &b->forest));
    CHECK(articulated_create(&b->forest, b->memory, &b->tree));
    CHECK(loops_create(&b->tree, b->memory, &b->loops));
    CHECK(advance_create(&b->tree, b->memory, &b->advance));
    CHECK(kkt_create(model, KKT_DECOUPLED, b->memory, &b->kkt));
    CHECK(node_create(model, &b->kkt, b->memory, &b->node));
    b->z = arena_alloc_array(b->memory, (size_t)b->forest.freedom_count + 1, sizeof *b->z);
}

static inline void close_bench(bench *b)
{
    ph_state_destroy(b->state);
    arena_destroy(b->memory);
    ph_model_destroy(b->model);
}

static inline void place(bench *b)
{
    const ph_state *s = b->state;
    node_set_time(s, s->time, &b->node);
    node_set_frames(b->model, s->position, s->orientation, &b->node);
    node_set_jacobian(b->model, &b->kkt, &b->node);
    for (int t = 0; t < b->forest.tree_count; t++) {
        articulated_place(&b->tree, t, s->position, s->orientation);
        CHECK(articulated_factor(&b->tree, t));
    }
    for (int g = 0; g < b->forest.group_count; g++) loops_make(&b->loops, g, b->node.frames);
}

// Coordinates that can be softened: the first of each joint that has any.
static inline void set_soft(bench *b)
{
    for (int i = 0; i < b->forest.branch_count; i++) {
        const branch *it = &b->forest.branches[i];
        const bool has = it->joint >= 0 && b->model->joints[it->joint].coordinate_count > 0;
        if (has && !it->motion.driven) b->tree.soft[it->first] = test_random_index(3) ? test_uniform(0.0, 10.0) : 0.0;
    }
}

static inline void set_drives(bench *b, double *rhs)
{
    for (int i = 0; i < b->forest.branch_count; i++) {
        const branch *it = &b->forest.branches[i];
        if (!it->motion.driven) continue;
        const joint *j = &b->model->joints[it->joint];
        const double rate = test_uniform(-2.0, 2.0);
        for (int d = 0; d < 6; d++) b->tree.drive[i].v[d] = rate * b->tree.drive_column[i].v[d];
        rhs[b->model->velocity_count + j->first_row + j->row_count - 1] = rate;
    }
}

#endif
