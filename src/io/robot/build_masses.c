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

// Moments that no body has, most by the digits of the file: the plate they mean, or the nearest one.
static void mend_rounding(robot *r, robot_body *b)
{
    ph_vec3 k;
    ph_mat3 axes;
    ph_eig3(b->inertia, &k, &axes);
    const double excess = k.z - (k.x + k.y);
    if (k.x > 0.0 && excess > 0.0) {
        const ph_vec3 plate = {k.x + 0.5 * excess, k.y + 0.5 * excess, k.z};
        b->inertia = ph_sym(ph_mat_mult(ph_mat_mul(axes, ph_diag(plate)), axes));
        if (excess >= 1e-6 * k.z) {
            robot_approximate(r, b->node, NULL, "an impossible inertia is replaced by the nearest plate");
        } else if (excess > 1e-12 * k.z) {
            robot_note(r, b->node, "an inertia that misses the triangle inequality by rounding is taken as a plate");
        }
    }
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
    for (int i = 1; i < r->bodies_count; i++) {
        if (r->bodies[i].carrier == i) {
            mend_rounding(r, &r->bodies[i]);
        }
    }
}
