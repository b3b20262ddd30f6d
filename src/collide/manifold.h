// Contact manifolds: few points that stand for a whole contact area.
//
// Two nearly flat features, polygons or segments, meet. The one more square to the contact normal is the reference, the
// other is clipped by the planes that stand on the reference's edges (Sutherland and Hodgman 1974); what is left, dropped
// on the reference plane, is the contact area. Its corners are known by the two edges that meet there, which gives them
// numbers that last while the same edges meet.
#ifndef PH_COLLIDE_MANIFOLD_H
#define PH_COLLIDE_MANIFOLD_H

#include "collide/collider.h"

enum { CLIP_MAX = 2 * FACE_MAX };

// Contact points of the clipped feature `incident` against the face `reference`, with the normal of the reference. `flip`:
// the reference belongs to b. At most MANIFOLD_MAX points of gap below margin.
int manifold_clip(const face *reference, const face *incident, bool flip, double margin, contact_point *out);

// Keeps at most MANIFOLD_MAX of `count` points: the deepest, and those that span the largest area with it.
int manifold_reduce(contact_point *points, int count);

#endif
