// The functions of the table in collide.c, first shape first.
#ifndef PH_COLLIDE_PAIRS_H
#define PH_COLLIDE_PAIRS_H

#include "collide/manifold.h"
#include "math/trig.h"

pair_function pair_sphere_sphere, pair_sphere_capsule, pair_sphere_box, pair_sphere_cylinder; // pair_sphere.c
pair_function pair_capsule_capsule;                                                           // pair_capsule.c
pair_function pair_capsule_box;                                                               // pair_capsule_box.c
pair_function pair_box_box;                                                                   // pair_box.c
pair_function pair_convex;                                                                    // pair_convex.c
pair_function pair_sphere_plane, pair_capsule_plane, pair_box_plane;                          // pair_plane.c
pair_function pair_cylinder_plane, pair_ellipsoid_plane, pair_hull_plane, pair_convex_plane;

closest_function convex_closest; // pair_convex.c

// The nearest points of two convex shapes; false when they are `far` apart or more.
bool convex_nearest(const placed *a, const placed *b, double far, contact_point *to);

// The contact area around the nearest points of two convex shapes.
int convex_manifold(const placed *a, const placed *b, const contact_point *nearest, double margin, contact_point *out);

// Of two shapes that meet at an edge or corner, out[0]: adds the points of the faces behind it that are not closed yet. A step
// may turn the one contact into the other; not seen before they close, such points begin deep inside.
int convex_add_ahead(const placed *a, const placed *b, double margin, contact_point *out, int count);

// Makes sure that the exact nearest point is among the points of a manifold on parts of about `size`.
int manifold_with(contact_point *points, int count, const contact_point *nearest, double size);

// pair_smooth.c: a sphere and a smooth height field; false when there is none below it.
bool smooth_contact(const placed *ball, const placed *field, contact_point *contact);

// pair_surface.c: a convex shape and a mesh or height field. `turned`: the surface comes first in the answer.
ph_status surface_collide(const placed *shape, const placed *surface, bool turned, double margin, contact_list *list);
contact_point surface_closest(const placed *shape, const placed *surface, bool turned);

#endif
