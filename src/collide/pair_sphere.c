// Spheres against everything whose nearest point to a given point has a formula.

#include "collide/pairs.h"

static int one_below(contact_point c, double margin, contact_point *out)
{
    out[0] = c;
    return c.gap < margin;
}

int pair_sphere_sphere(const placed *a, const placed *b, double margin, contact_point *out)
{
    const double ra = a->shape->radius, rb = b->shape->radius;
    return one_below(contact_of_balls(a->at.x, ra, b->at.x, rb, ph_vec(0.0, 0.0, 1.0), 0), margin, out);
}

int pair_sphere_capsule(const placed *a, const placed *b, double margin, contact_point *out)
{
    const ph_vec3 q = segment_nearest(b->at.x, placed_axis(b, 2), b->shape->half_length, a->at.x);
    return one_below(contact_of_balls(a->at.x, a->shape->radius, q, b->shape->radius, placed_axis(b, 0), 0), margin,
                     out);
}

// ---- Box ------------------------------------------------------------------------------------------------------------

// From inside a box the way out is through the nearest face.
static contact_point sphere_in_box(const placed *a, const placed *b, ph_vec3 p)
{
    const double xyz[3] = {p.x, p.y, p.z};
    int axis = 0;
    double depth = PH_INF;
    for (int k = 0; k < 3; k++) {
        const double d = vec_get(b->shape->half, k) - fabs(xyz[k]);
        if (d < depth) {
            depth = d;
            axis = k;
        }
    }
    const double sign = xyz[axis] < 0.0 ? -1.0 : 1.0, r = a->shape->radius;
    const ph_vec3 n = ph_scale(-sign, placed_axis(b, axis)); // from the sphere into the box
    return contact_make(ph_madd(a->at.x, r, n), ph_madd(a->at.x, -depth, n), n, -depth - r, 0);
}

int pair_sphere_box(const placed *a, const placed *b, double margin, contact_point *out)
{
    const ph_vec3 h = b->shape->half, p = frame_inverse_point(&b->at, a->at.x);
    const ph_vec3 q = ph_vec(clamp(p.x, -h.x, h.x), clamp(p.y, -h.y, h.y), clamp(p.z, -h.z, h.z));
    const ph_vec3 d = ph_sub(q, p);
    const double r = a->shape->radius, distance = ph_norm(d);
    if (distance - r >= margin) return 0;
    if (distance == 0.0) return one_below(sphere_in_box(a, b, p), margin, out);
    const ph_vec3 n = ph_mul(b->at.R, ph_scale(1.0 / distance, d));
    out[0] = contact_make(ph_madd(a->at.x, r, n), frame_point(&b->at, q), n, distance - r, 0);
    return 1;
}

// ---- Cylinder -------------------------------------------------------------------------------------------------------

// The nearest point of a cylinder lies in the plane through its axis and the centre of the sphere; rho: distance from the
// axis.
int pair_sphere_cylinder(const placed *a, const placed *b, double margin, contact_point *out)
{
    const ph_vec3 p = frame_inverse_point(&b->at, a->at.x);
    const double R = b->shape->radius, h = b->shape->half_length, r = a->shape->radius;
    const double rho = sqrt(p.x * p.x + p.y * p.y);
    const ph_vec3 out_dir = rho > 0.0 ? ph_vec(p.x / rho, p.y / rho, 0.0) : ph_vec(1.0, 0.0, 0.0);
    const double beyond_rho = rho - R, beyond_z = fabs(p.z) - h, up = p.z < 0.0 ? -1.0 : 1.0;
    ph_vec3 n; // from the sphere to the cylinder
    double distance;
    if (beyond_rho > 0.0 && beyond_z > 0.0) {
        distance = sqrt(beyond_rho * beyond_rho + beyond_z * beyond_z);
        n = ph_scale(-1.0 / distance, ph_madd(ph_vec(0.0, 0.0, up * beyond_z), beyond_rho, out_dir));
    } else if (beyond_rho > beyond_z) {
        distance = beyond_rho;
        n = ph_neg(out_dir);
    } else {
        distance = beyond_z;
        n = ph_vec(0.0, 0.0, -up);
    }
    if (distance - r >= margin) return 0;
    const ph_vec3 normal = ph_mul(b->at.R, n);
    out[0] = contact_make(ph_madd(a->at.x, r, normal), ph_madd(a->at.x, distance, normal), normal, distance - r, 0);
    return 1;
}
