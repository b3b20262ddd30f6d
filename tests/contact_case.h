// A model of examples/contact/ under either law, with parameters set.
#ifndef TESTS_CONTACT_CASE_H
#define TESTS_CONTACT_CASE_H

#include "rig.h"

#include "math/quat.h"
#include "math/vec3.h"

typedef struct contact_case {
    const char *file; // below examples/contact/
    ph_contact_law law;
    const char *scheme; // NULL: moreau
    ph_setting settings[6];
    double tolerance; // 0: as the library thinks fit
} contact_case;

static inline rig case_open(contact_case c)
{
    char path[512];
    int count = 0;
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    ph_problems *problems = ph_problems_create();
    while (count < 6 && c.settings[count].name) count++;
    snprintf(path, sizeof path, "%s/examples/contact/%s", TEST_SOURCE_DIR, c.file);
    CHECK_EQ_INT(ph_spec_read_file(path, c.settings, count, problems, &spec), PH_OK);
    ph_contact_settings contact = ph_default_contact();
    contact.law = c.law;
    contact.tolerance = c.tolerance > 0.0 ? c.tolerance : 1e-8; // closed forms are compared to many digits
    if (spec) CHECK_EQ_INT(ph_spec_set_contact(spec, &contact), PH_OK);
    if (spec) CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_OK);
    for (int i = 0; i < ph_problems_count(problems); i++)
        printf("  %s: %s\n", path, ph_problems_get(problems, i)->text);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return rig_open(model, c.scheme ? c.scheme : "moreau");
}

static inline ph_vec3 case_position(const rig *r, const char *body)
{
    return ph_state_positions(r->state)[ph_model_find_body(r->model, body)];
}

static inline ph_vec3 case_velocity(const rig *r, const char *body)
{
    return ph_state_velocities(r->state)[ph_model_find_body(r->model, body)];
}

static inline ph_vec3 case_spin(const rig *r, const char *body) // body axes
{
    return ph_state_angular_velocities(r->state)[ph_model_find_body(r->model, body)];
}

// Sum of the forces that contacts exert on `body`, of those with `other` only when it is not NULL.
static inline ph_vec3 case_force(const rig *r, const char *body, const char *other)
{
    const int b = ph_model_find_body(r->model, body), o = other ? ph_model_find_body(r->model, other) : PH_NONE;
    int count;
    const ph_contact *contacts = ph_state_contacts(r->state, &count);
    ph_vec3 sum = ph_zero3();
    for (int k = 0; k < count; k++) {
        const ph_contact *c = &contacts[k];
        if (c->body_b == b && (!other || c->body_a == o)) sum = ph_add(sum, c->force);
        if (c->body_a == b && (!other || c->body_b == o)) sum = ph_sub(sum, c->force);
    }
    return sum;
}

// Is the error with half the step about half as large? Errors at rounding or at the solver's tolerance count as zero.
static inline void case_check_first_order(double coarse, double fine, double negligible)
{
    CHECK(fabs(fine) <= 0.6 * fabs(coarse) || fabs(fine) <= negligible);
}

#endif
