#include "bench_heap_model.h"

#include <stdio.h>

static bool add_walls(ph_spec *spec, const heap *h)
{
    static const ph_vec3 normals[] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    ph_body_def bin = ph_default_body();
    bin.name = "bin";
    bin.fixed = true;
    const int body = ph_spec_add_body(spec, &bin);
    bool good = body >= 0;
    for (int k = 0; good && k < (h->width > 0.0 ? 5 : 1); k++) {
        ph_shape_def wall = ph_default_shape();
        wall.type = "plane";
        wall.size = normals[k];
        wall.position = (ph_vec3){-0.5 * h->width * normals[k].x, -0.5 * h->width * normals[k].y, 0.0};
        wall.friction = HEAP_FRICTION;
        good = ph_spec_add_shape(spec, body, &wall) >= 0;
    }
    return good;
}

static bool add_bodies(ph_spec *spec, const heap *h)
{
    bool good = true;
    for (int k = 0; good && k < h->bodies; k++) {
        const heap_body at = heap_place(h, k);
        char name[24];
        snprintf(name, sizeof name, "b%d", k);
        ph_body_def def = ph_default_body();
        def.name = name;
        def.position = (ph_vec3){at.position[0], at.position[1], at.position[2]};
        def.orientation = (ph_quat){at.orientation[0], at.orientation[1], at.orientation[2], at.orientation[3]};
        const int body = ph_spec_add_body(spec, &def);
        ph_shape_def shape = ph_default_shape();
        shape.type = h->kind == HEAP_SPHERES ? "sphere" : "box";
        shape.radius = h->half;
        shape.size = (ph_vec3){2.0 * h->half, 2.0 * h->half, 2.0 * h->half};
        shape.friction = HEAP_FRICTION;
        shape.density = HEAP_DENSITY;
        good = body >= 0 && ph_spec_add_shape(spec, body, &shape) >= 0;
    }
    return good;
}

ph_model *heap_model(const heap *h, const ph_allocator *allocator, ph_problems *problems)
{
    ph_model *model = NULL;
    ph_spec *spec = ph_spec_create(allocator);
    ph_contact_settings contact = ph_default_contact();
    contact.tolerance = HEAP_RESIDUAL;
    contact.iterations = 5000;
    if (spec) ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -HEAP_GRAVITY});
    if (spec && ph_spec_set_contact(spec, &contact) == PH_OK && add_walls(spec, h) && add_bodies(spec, h))
        ph_model_compile(spec, problems, &model);
    ph_spec_destroy(spec);
    return model;
}
