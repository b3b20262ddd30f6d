// The sum of the normal forces on a body in the last step, with all others or with one.

#include "sensors/types.h"

static bool counts(const sensor *s, const ph_contact *c)
{
    const int other = c->body_a == s->body ? c->body_b : c->body_b == s->body ? c->body_a : PH_NONE;
    return other != PH_NONE && (s->other == PH_NONE || other == s->other);
}

static void read(const sensor *s, const sensor_view *v, double *to)
{
    to[0] = 0.0;
    for (int k = 0; k < state_shown_contacts(v->state); k++) {
        const ph_contact c = state_contact(v->state, k);
        if (counts(s, &c)) to[0] += ph_dot(c.force, c.normal);
    }
}

const sensor_type sensor_contact = {
    .name = "contact",
    .title = "sum of the normal contact forces on a body",
    .keys = SENSOR_BODY,
    .count = 1,
    .units = {"N"},
    .read = read,
};
