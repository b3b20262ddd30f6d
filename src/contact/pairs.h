// The functions of the table in collide.c, first shape first.
#ifndef PH_CONTACT_PAIRS_H
#define PH_CONTACT_PAIRS_H

#include "contact/manifold.h"
#include "math/trig.h"

pair_function pair_sphere_sphere, pair_sphere_capsule, pair_sphere_box, pair_sphere_cylinder; // pair_sphere.c
pair_function pair_capsule_capsule;                                                           // pair_capsule.c
pair_function pair_capsule_box;                                                               // pair_capsule_box.c
pair_function pair_box_box;                                                                   // pair_box.c
pair_function pair_convex;                                                                    // pair_convex.c
pair_function pair_sphere_plane, pair_capsule_plane, pair_box_plane;                          // pair_plane.c
pair_function pair_cylinder_plane, pair_ellipsoid_plane, pair_hull_plane;

closest_function convex_closest; // pair_convex.c

// The contact area around the nearest points of two convex shapes.
int convex_manifold(const placed *a, const placed *b, const contact_point *nearest, double margin, contact_point *out);

#endif
