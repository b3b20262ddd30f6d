// Geoms as shapes. What cannot move lies on fixed bodies.

#include "io/robot/build.h"
#include "io/robot/mesh.h"
#include "math/quat.h"

// The fixed body for geoms of a body that cannot move.
static int fixed_body(builder *b, int i)
{
    robot *r = b->r;
    robot_body *body = &r->bodies[i];
    if (body->index != PH_NONE) {
        return body->index;
    }
    ph_body_def def = ph_default_body();
    const char *name = i == ROBOT_WORLD            ? "ground"
                       : body->name && *body->name ? body->name
                                                   : robot_printf(r, "body%d", i);
    def.name = build_name(b, &b->bodies, name, false, body->node);
    def.fixed = true;
    def.position = body->world.p;
    def.orientation = body->world.q;
    body->index = ph_spec_add_body(b->spec, &def);
    r->out_of_memory |= body->index < 0;
    if (body->index >= 0) b->body_nodes[body->index] = body->node;
    if (i == ROBOT_WORLD) b->ground = body->index;
    return body->index;
}

// The corners of its hull; false when it has none.
static bool hull_points(robot *r, const robot_geom *g, ph_shape_def *shape)
{
    ph_vec3 *points;
    shape->type = "hull";
    shape->data_rows = mesh_corners(r, g->mesh, !shape->collide, &points);
    shape->data_columns = 3;
    shape->data = points ? &points->x : NULL;
    return shape->data_rows > 3;
}

static bool field_shape(const robot_geom *g, ph_shape_def *s)
{
    s->type = "heightfield";
    s->size = (ph_vec3){2.0 * g->size.x, 2.0 * g->size.y, g->size.z};
    s->data = g->heights;
    s->data_rows = g->rows;
    s->data_columns = g->columns;
    return true;
}

static bool set_shape(robot *r, const robot_geom *g, ph_shape_def *s)
{
    switch (g->kind) {
    case GEOM_PLANE:
        s->type = "plane";
        s->size = ph_quat_rotate(s->orientation, (ph_vec3){0, 0, 1});
        s->orientation = ph_quat_identity();
        return true;
    case GEOM_SPHERE:
        s->type = "sphere";
        s->radius = g->size.x;
        return s->radius > 0.0;
    case GEOM_CAPSULE:
    case GEOM_CYLINDER:
        s->type = g->kind == GEOM_CAPSULE ? "capsule" : "cylinder";
        s->radius = g->size.x;
        s->length = 2.0 * g->size.y;
        return s->radius > 0.0 && s->length > 0.0;
    case GEOM_BOX:
        s->type = "box";
        s->size = ph_scale(2.0, g->size);
        return s->size.x > 0.0 && s->size.y > 0.0 && s->size.z > 0.0;
    case GEOM_ELLIPSOID:
        s->type = "ellipsoid";
        s->size = g->size;
        return s->size.x > 0.0 && s->size.y > 0.0 && s->size.z > 0.0;
    case GEOM_MESH:
        return g->mesh && hull_points(r, g, s);
    default:
        return field_shape(g, s);
    }
}

static bool surface_moves(const robot *r, const robot_geom *g)
{
    return (g->kind == GEOM_PLANE || g->kind == GEOM_FIELD) && r->bodies[g->body].carrier != ROBOT_WORLD;
}

static void add_shape(builder *b, const robot_geom *g)
{
    robot *r = b->r;
    const int carrier = r->bodies[g->body].carrier;
    const bool seen_only = g->contact_type == 0 && g->contact_with == 0;
    if (surface_moves(r, g)) {
        robot_leave_out(r, g->node, NULL, "a plane or height field on a body that moves");
        return;
    }
    const int body = carrier == ROBOT_WORLD ? fixed_body(b, g->body) : r->bodies[carrier].index;
    const pose at = carrier == ROBOT_WORLD ? g->local : pose_mul(build_in_carrier(r, g->body), g->local);
    ph_shape_def s = ph_default_shape();
    s.position = at.p;
    s.orientation = at.q;
    s.collide = !seen_only;
    s.group = g->group;
    s.friction = g->condim == 1 ? 0.0 : g->friction[0];
    s.spinning_friction = g->condim >= 4 ? g->friction[1] : 0.0;
    s.rolling_friction = g->condim >= 6 ? g->friction[2] : 0.0;
    s.color = g->color[0] ? g->color : NULL;
    if (body < 0) {
        return;
    }
    if (!set_shape(r, g, &s)) {
        if (seen_only) {
            robot_note(r, g->node, "a shape for the eye without volume is not shown");
        } else {
            robot_leave_out(r, g->node, NULL, "a shape without volume does not collide");
        }
        return;
    }
    r->out_of_memory |= ph_spec_add_shape(b->spec, body, &s) < 0;
}

void build_ground(builder *b)
{
    fixed_body(b, ROBOT_WORLD);
}

void build_shapes(builder *b)
{
    for (int i = 0; i < b->r->geoms_count; i++) {
        add_shape(b, &b->r->geoms[i]);
    }
}
