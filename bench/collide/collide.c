// Time of one question to each pair of convex shapes, at poses where they nearly touch: half of them upright on each
// other, half turned at random; half overlap by up to 0.05 mm, half are apart by as much. Sizes about 1 m, margin 1 mm.
#include "measure.h"

#include "collide/collide.h"
#include "math/quat.h"

#include <stdio.h>
#include <string.h>

enum { TYPES = 7, POSES = 400, REPEATS = 50, HULL = 20 };
static const char *const types[TYPES] = {"sphere", "capsule", "box", "cylinder", "ellipsoid", "hull", "plane"};

static collider *make(const char *type)
{
    static double points[3 * HULL];
    ph_shape_def def = ph_default_shape();
    collider *c = NULL;
    for (int k = 0; k < 3 * HULL; k++) points[k] = uniform();
    def.type = type;
    def.radius = 0.5;
    def.length = 1.0;
    def.size = strcmp(type, "ellipsoid") == 0 ? ph_vec(0.5, 0.4, 0.45)
               : strcmp(type, "plane") == 0   ? ph_vec(0.0, 0.0, 1.0)
                                              : ph_vec(1.0, 1.0, 1.0);
    def.data = strcmp(type, "hull") == 0 ? points : NULL;
    def.data_rows = HULL;
    def.data_columns = 3;
    return collider_create(&def, ph_zero3(), NULL, &c, NULL) == PH_OK ? c : NULL;
}

static frame pose_near(const collider *a, const collider *b, const frame *below, bool upright)
{
    const ph_quat turned = ph_quat_unit((ph_quat){uniform(), uniform(), uniform(), uniform()});
    const ph_quat yaw = ph_quat_from_axis_angle(ph_vec(0.0, 0.0, 1.0), 6.0 * uniform());
    frame f = {ph_quat_to_mat(upright ? yaw : turned), {0.3 * uniform(), 0.3 * uniform(), 5.0}};
    const double gap = 1e-4 * uniform();
    for (int k = 0; k < 4; k++) {
        ph_vec3 n;
        const double distance = collide_distance(a, &f, b, below, NULL, NULL, &n);
        f.x = ph_madd(f.x, distance - gap, n);
    }
    return f;
}

static void measure(const char *ta, const char *tb)
{
    static frame poses[POSES];
    collider *a = make(ta), *b = make(tb);
    const frame below = {ph_identity(), ph_zero3()};
    contact_list list = {0};
    long points = 0;
    for (int k = 0; k < POSES; k++) poses[k] = pose_near(a, b, &below, k % 2 == 0);
    const double start = seconds();
    for (int k = 0; k < REPEATS * POSES; k++) {
        list.count = 0;
        if (collide(a, &poses[k % POSES], b, &below, 1e-3, &list) == PH_OK) points += list.count;
    }
    const double time = (seconds() - start) / (REPEATS * POSES);
    printf("%-10s %-10s %8.0f ns  %.2f points\n", ta, tb, 1e9 * time, (double)points / (REPEATS * POSES));
    contact_list_free(&list);
    collider_destroy(a);
    collider_destroy(b);
}

int main(void)
{
    for (int i = 0; i < TYPES - 1; i++) {
        for (int j = i; j < TYPES; j++) measure(types[i], types[j]);
    }
}
