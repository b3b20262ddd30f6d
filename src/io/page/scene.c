// The model as the page reads it (viewer/src/result.ts: Scene). Points of a body count from its centre of mass, since
// that is what results record.

#include "io/page/scene.h"

#include "joints/rolling.h"
#include "math/vec3.h"
#include "model/model.h"
#include "shapes/shape.h"

#include <string.h>

static void put_quat_member(page_text *t, const char *key, ph_quat q)
{
    put_key(t, key);
    put_numbers(t, (const double[4]){q.w, q.x, q.y, q.z}, 4, 9);
}

static void put_data(page_text *t, const ph_shape_def *shape)
{
    const size_t count = (size_t)shape->data_rows * (size_t)shape->data_columns;
    const bool heights = strcmp(shape->type, "heightfield") == 0;
    if (!shape->data) {
        return;
    }
    put_key(t, heights ? "heights" : "points");
    put_numbers(t, shape->data, count, 7);
    if (heights) {
        put_number_member(t, "rows", shape->data_rows);
        put_number_member(t, "columns", shape->data_columns);
    }
}

// Of types that the page does not know: the triangles of their surface, as those of a mesh.
static bool put_triangles(page_text *t, const ph_shape_def *shape)
{
    const shape_type *type = shape_type_find(shape->type);
    arena *memory = type && !type->on_page ? arena_create(NULL) : NULL;
    triangles s;
    bool out_of_memory = false;
    const bool made = memory && triangles_make(shape, 1.0, memory, &s, &out_of_memory);
    double *points = made ? arena_alloc_array(memory, 9 * (size_t)s.triangle_count, sizeof *points) : NULL;
    for (int k = 0; points && k < 9 * s.triangle_count; k++) {
        points[k] = (double)s.points[3 * s.corners[k / 3] + (uint32_t)(k % 3)];
    }
    if (points) {
        put_string_member(t, "type", "mesh");
        put_key(t, "points");
        put_numbers(t, points, 9 * (size_t)s.triangle_count, 7);
    }
    const bool put = points;
    arena_destroy(memory);
    return put;
}

static void put_shape(page_text *t, const ph_shape_def *shape, ph_vec3 com)
{
    put_text(t, "{");
    const bool turned = put_triangles(t, shape); // with its axis
    if (!turned) put_string_member(t, "type", shape->type);
    put_vec3_member(t, "position", ph_sub(shape->position, com));
    put_quat_member(t, "orientation", shape->orientation);
    put_vec3_member(t, "size", shape->size);
    put_number_member(t, "radius", shape->radius);
    put_number_member(t, "length", shape->length);
    put_vec3_member(t, "axis", turned ? ph_vec(0.0, 0.0, 1.0) : shape->axis);
    put_data(t, shape);
    if (shape->color) {
        put_string_member(t, "color", shape->color);
    }
    put_text(t, "}");
}

static void put_body(page_text *t, const body *b)
{
    put_text(t, "{");
    put_string_member(t, "name", b->name);
    put_key(t, "fixed");
    put_text(t, b->kind->fixed ? "true" : "false");
    put_number_member(t, "mass", b->kind->mass);
    put_number_member(t, "volume", b->kind->volume);
    put_key(t, "inertia");
    put_numbers(t, &b->kind->J.m[0][0], 9, 9);
    put_vec3_member(t, "com", b->kind->com);
    put_key(t, "shapes");
    put_text(t, "[");
    for (int i = 0; i < b->kind->shape_count; i++) {
        put_text(t, i ? "," : "");
        put_shape(t, &b->kind->shapes[i], b->kind->com);
    }
    put_text(t, "]}");
}

static int index_of(const ph_model *model, int body_index)
{
    return body_index < model->body_count ? body_index : PH_WORLD;
}

static ph_vec3 third_column(const ph_mat3 *E)
{
    return (ph_vec3){E->m[0][2], E->m[1][2], E->m[2][2]};
}

// What rolls: the page finds from it where the surfaces touch (viewer/src/tracks.ts).
static void put_touch(page_text *t, const joint *j)
{
    static const char *const surfaces[] = {
        [PH_SURFACE_PLANE] = "plane", [PH_SURFACE_SPHERE] = "sphere", [PH_SURFACE_CYLINDER] = "cylinder"};
    put_key(t, "touch");
    put_text(t, "{");
    put_string_member(t, "surface", surfaces[j->rolling->surface]);
    put_number_member(t, "side", j->rolling->side);
    put_number_member(t, "rho", j->rolling->rho);
    put_vec3_member(t, "squares", j->rolling->squares);
    put_key(t, "axes");
    put_text(t, "[");
    for (int k = 0; k < 3; k++) {
        put_text(t, k ? "," : "");
        put_numbers(t, (const double[3]){j->E_b.m[0][k], j->E_b.m[1][k], j->E_b.m[2][k]}, 3, 9);
    }
    put_text(t, "]}");
}

static void put_joint(page_text *t, const ph_model *model, const joint *j)
{
    put_text(t, "{");
    put_string_member(t, "name", j->name);
    put_string_member(t, "type", j->type->name);
    put_string_member(t, "mark", j->type->mark ? j->type->mark : "ball");
    put_string_member(t, "hold", j->type->hold ? j->type->hold : "knob");
    put_number_member(t, "a", index_of(model, j->a));
    put_number_member(t, "b", index_of(model, j->b));
    put_vec3_member(t, "anchor_a", j->s_a);
    put_vec3_member(t, "anchor_b", j->s_b);
    put_vec3_member(t, "axis_a", third_column(&j->E_a));
    put_vec3_member(t, "axis_b", third_column(&j->E_b));
    if (j->rolling) put_touch(t, j);
    put_text(t, "}");
}

static void put_force(page_text *t, const ph_model *model, const force *f)
{
    put_text(t, "{");
    put_string_member(t, "name", f->name);
    put_string_member(t, "type", f->type->name);
    put_string_member(t, "mark", f->type->mark);
    put_number_member(t, "a", index_of(model, f->a));
    put_number_member(t, "b", index_of(model, f->b));
    put_vec3_member(t, "point_a", f->s_a);
    put_vec3_member(t, "point_b", f->s_b);
    put_text(t, "}");
}

static void put_forces(page_text *t, const ph_model *model)
{
    bool follows = false;
    put_key(t, "forces");
    put_text(t, "[");
    for (int i = 0; i < model->force_count; i++) {
        const force *f = &model->forces[i];
        if (f->type->mark && !f->joint) { // of a tendon: its spans
            put_text(t, follows ? "," : "");
            put_force(t, model, f);
            follows = true;
        }
    }
    put_text(t, "]");
}

void put_scene(page_text *t, const ph_model *model)
{
    put_text(t, "{");
    put_vec3_member(t, "gravity", model->gravity);
    put_key(t, "contact");
    put_text(t, model->has_contact ? "true" : "false");
    put_key(t, "bodies");
    put_text(t, "[");
    for (int i = 0; i < model->body_count; i++) {
        put_text(t, i ? "," : "");
        put_body(t, &model->bodies[i]);
    }
    put_text(t, "]");
    put_key(t, "joints");
    put_text(t, "[");
    for (int i = 0; i < model->joint_count; i++) {
        put_text(t, i ? "," : "");
        put_joint(t, model, &model->joints[i]);
    }
    put_text(t, "]");
    put_forces(t, model);
    put_text(t, "}");
}

void put_bare_scene(page_text *t, const ph_result *result)
{
    put_text(t, "{\"gravity\":[0,0,0],\"bodies\":[");
    for (int i = 0; i < ph_result_bodies(result); i++) {
        put_text(t, i ? ",{" : "{");
        put_string_member(t, "name", ph_result_body(result, i));
        put_text(
            t,
            ",\"fixed\":false,\"mass\":1,\"volume\":0,\"inertia\":[0,0,0,0,0,0,0,0,0],\"com\":[0,0,0],\"shapes\":[]}");
    }
    put_text(t, "],\"joints\":[],\"forces\":[]}");
}
