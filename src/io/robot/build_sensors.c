// Sensors: frames on bodies, coordinates of joints, tendons.

#include "io/robot/build.h"

#include <string.h>

static bool set_place(const robot *r, const robot_sensor *s, ph_sensor_def *def)
{
    const robot_body *body = &r->bodies[s->body];
    const pose at = body->carrier == ROBOT_WORLD ? pose_mul(body->world, s->local)
                                                 : pose_mul(build_in_carrier(r, s->body), s->local);
    def->body = build_carrier(r, s->body);
    def->position = at.p;
    def->orientation = at.q;
    return def->body != PH_NONE && !(def->body == PH_WORLD && strcmp(s->type, "contact") == 0);
}

static bool set_target(const robot *r, const robot_sensor *s, ph_sensor_def *def)
{
    if (s->body >= 0) return set_place(r, s, def);
    if (s->joint >= 0) {
        def->joint = r->joints[s->joint].index;
        return def->joint >= 0 && r->joints[s->joint].spec_name;
    }
    if (s->tendon >= 0) {
        def->tendon = r->tendons[s->tendon].index;
        return def->tendon >= 0;
    }
    def->expression = "t";
    return true;
}

void build_sensors(builder *b)
{
    robot *r = b->r;
    for (int i = 0; i < r->sensors_count; i++) {
        const robot_sensor *s = &r->sensors[i];
        ph_sensor_def def = ph_default_sensor();
        def.type = s->type;
        if (!set_target(r, s, &def)) {
            robot_note(r, s->node, "sensors of what is not in the model are not made");
            continue;
        }
        def.name = build_name(b, &b->sensors, s->name && *s->name ? s->name : s->type, true, s->node);
        r->out_of_memory |= ph_spec_add_sensor(b->spec, &def) < 0;
    }
}
