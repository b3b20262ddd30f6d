// A published benchmark: a model file, a time, and how far a state is from what was published for that time.
#ifndef TESTS_EXTERNAL_BENCHMARK_H
#define TESTS_EXTERNAL_BENCHMARK_H

#include "rig.h"

#include "math/quat.h"
#include "math/vec3.h"

typedef struct benchmark {
    const char *file; // below examples/
    double time;
    double (*error)(const rig *r); // the largest component
} benchmark;

// After `steps` equal steps; NaN when one failed.
static inline double benchmark_error(const benchmark *b, const char *scheme, int steps)
{
    rig r = rig_open(rig_example(b->file), scheme);
    const double error = rig_step(&r, b->time / steps, steps) ? b->error(&r) : (double)NAN;
    rig_close(&r);
    return error;
}

static inline void benchmark_check_error(const benchmark *b, const char *scheme, int steps, double allowed)
{
    const double error = benchmark_error(b, scheme, steps);
    printf("  %-8s t = %-6g h = %-10.4g error %.2e\n", scheme, b->time, b->time / steps, error);
    CHECK(error <= allowed);
}

// Halves the step again and again and prints what becomes of the error: every halving must show the order.
static inline void benchmark_check_order(const benchmark *b, const char *scheme, int steps, int halvings, double order,
                                         double within)
{
    double last = benchmark_error(b, scheme, steps);
    printf("  %-8s t = %-6g h = %-10.4g error %.2e\n", scheme, b->time, b->time / steps, last);
    for (int k = 0; k < halvings; k++) {
        steps *= 2;
        const double error = benchmark_error(b, scheme, steps), measured = log2(last / error);
        printf("  %-8s t = %-6g h = %-10.4g error %.2e order %.3f\n", scheme, b->time, b->time / steps, error,
               measured);
        CHECK_NEAR(measured, order, within);
        last = error;
    }
}

// The largest component of a - b.
static inline double benchmark_apart(ph_vec3 a, ph_vec3 b)
{
    return ph_max_abs(ph_sub(a, b));
}

// Where a point of a body is; `point` from the centre of mass, body axes.
static inline ph_vec3 benchmark_point(const rig *r, const char *body, ph_vec3 point)
{
    const int b = ph_model_find_body(r->model, body);
    return ph_add(rig_position(r, b), ph_quat_rotate(ph_state_orientations(r->state)[b], point));
}

// The coordinate of a joint that has one.
static inline double benchmark_coordinate(const rig *r, const char *joint)
{
    double q = (double)NAN;
    ph_observer_joint(r->observer, r->state, ph_model_find_joint(r->model, joint), &q, NULL);
    return q;
}

#endif
