// Rigs from model text, and what tests of rolling bodies ask of them.
#ifndef TESTS_ROLLING_RIG_H
#define TESTS_ROLLING_RIG_H

#include "rig.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <stdarg.h>

#include <string.h>

__attribute__((format(printf, 2, 3))) static inline rig rolling_rig(const char *scheme, const char *format, ...)
{
    char text[16384];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "test", NULL, 0, problems, &spec), PH_OK);
    for (int i = 0; i < ph_problems_count(problems); i++) printf("  %s\n", ph_problems_get(problems, i)->text);
    ph_problems_destroy(problems);
    return rig_build(spec, scheme);
}

static inline ph_mat3 rig_rotation(const rig *r, int body)
{
    return ph_quat_to_mat(ph_state_orientations(r->state)[body]);
}

static inline ph_vec3 rig_velocity(const rig *r, int body)
{
    return ph_state_velocities(r->state)[body];
}

static inline ph_vec3 rig_spin(const rig *r, int body) // world axes
{
    return ph_mul(rig_rotation(r, body), ph_state_angular_velocities(r->state)[body]);
}

// The largest violations so far.
#define PH_PI_TEST 3.14159265358979323846

typedef struct worst {
    double gap, slip;
} worst;

static inline void worst_note(const rig *r, worst *w)
{
    const ph_measures now = rig_measure(r);
    w->gap = fmax(w->gap, now.position_violation);
    w->slip = fmax(w->slip, now.velocity_violation);
}

#endif
