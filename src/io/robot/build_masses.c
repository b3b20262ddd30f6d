// Bodies without joints become part of what carries them: masses, first moments and inertias are added.

#include "io/robot/build.h"
#include "io/robot/mesh.h"
#include "math/mat3.h"

static void add_mass(robot *r, int i)
{
    const robot_body *part = &r->bodies[i];
    robot_body *whole = &r->bodies[part->carrier];
    const pose at = build_in_carrier(r, i);
    const ph_vec3 com = pose_apply(at, part->own_com);
    const double sum = whole->mass + part->own_mass;
    if (part->own_mass == 0.0) {
        whole->inertia = ph_mat_add(whole->inertia, inertia_turned(part->own_inertia, at.q));
        return;
    }
    const ph_vec3 apart = ph_sub(com, whole->com);
    const double reduced = whole->mass * part->own_mass / sum;
    whole->com = ph_madd(whole->com, part->own_mass / sum, apart);
    whole->inertia = inertia_about(ph_mat_add(whole->inertia, inertia_turned(part->own_inertia, at.q)), reduced, apart);
    whole->mass = sum;
}

void build_masses(builder *b)
{
    robot *r = b->r;
    for (int i = 1; i < r->bodies_count; i++) {
        robot_body *body = &r->bodies[i];
        body->own_mass = body->mass;
        body->own_com = body->com;
        body->own_inertia = body->inertia;
    }
    for (int i = 1; i < r->bodies_count; i++) {
        const int carrier = r->bodies[i].carrier;
        if (carrier != i && carrier != ROBOT_WORLD) {
            add_mass(r, i);
        }
    }
}
