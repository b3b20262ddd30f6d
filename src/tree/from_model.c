// The tree of a compiled model: bodies become links at the model's start, joints are followed outwards from the world.

#include "base/error.h"
#include "base/memory.h"
#include "joints/types.h"
#include "math/mat3.h"
#include "model/model.h"
#include "polhode/clifford_generated.h"
#include "polhode/tree.h"

typedef struct builder {
    const ph_model *model;
    int *links;        // of each body: PH_WORLD where it cannot move, PH_NONE while it has none
    bool *followed;    // joints
    ph_link_def *defs; // count
    int count;
} builder;

static ph_inertia body_inertia(const body *body)
{
    const ph_mat3 R = body_turn(body);
    return ph_inertia_make(body->kind->mass, body->position, ph_mat_mult(ph_mat_mul(R, body->kind->J), R));
}

// Writes mass, centre of mass and inertia of N into a link.
static void set_inertia(ph_link_def *def, ph_inertia N)
{
    def->mass = N.mass;
    def->com = ph_scale(1.0 / N.mass, N.moment);
    const ph_inertia C = ph_cl_pose_inertia((ph_pose){ph_identity(), ph_neg(def->com)}, N);
    def->inertia = (ph_mat3){{{C.I[0], C.I[3], C.I[4]}, {C.I[3], C.I[1], C.I[5]}, {C.I[4], C.I[5], C.I[2]}}};
}

static void add_link(builder *b, int body, ph_link_def def)
{
    set_inertia(&def, body_inertia(&b->model->bodies[body]));
    def.any_inertia = true; // which the model has checked
    b->links[body] = b->count;
    b->defs[b->count++] = def;
}

// A body that is fixed to another shares its link.
static void weld(builder *b, int body, int link)
{
    b->links[body] = link;
    if (link >= 0) {
        ph_link_def *def = &b->defs[link];
        const ph_inertia N = ph_inertia_make(def->mass, def->com, def->inertia);
        set_inertia(def, ph_inertia_add(N, body_inertia(&b->model->bodies[body])));
    }
}

static bool joint_of_tree(const joint_type *type, ph_tree_joint *joint)
{
    *joint = type == &joint_revolute    ? PH_TREE_REVOLUTE
             : type == &joint_prismatic ? PH_TREE_PRISMATIC
             : type == &joint_screw     ? PH_TREE_SCREW
                                        : PH_TREE_BALL;
    return *joint != PH_TREE_BALL || type == &joint_ball;
}

// Follows a joint from a body that has a link to one that has none.
static ph_status follow(builder *b, const joint *j, ph_error *error)
{
    const bool forwards = b->links[j->a] != PH_NONE;
    const int parent = forwards ? j->a : j->b, child = forwards ? j->b : j->a;
    const frame at = body_frame(&b->model->bodies[j->a]);
    ph_link_def def = ph_default_link();
    def.parent = b->links[parent];
    if (j->type == &joint_fixed) {
        weld(b, child, b->links[parent]);
    } else if (joint_of_tree(j->type, &def.joint)) {
        def.anchor = ph_add(at.x, ph_mul(at.R, j->s_a));
        // The coordinate is the motion of b relative to a: seen from b it goes the other way.
        def.axis = ph_scale(forwards ? 1.0 : -1.0, ph_mul(at.R, ph_mat_col(j->E_a, 2)));
        def.pitch = j->pitch;
        def.armature = joint_root(j, 0) * joint_root(j, 0);
        add_link(b, child, def);
    } else {
        return error_set(error, PH_NOT_SUPPORTED,
                         "joint %s is of type %s: a tree has revolute, prismatic, screw, ball and fixed joints",
                         j->name, j->type->name);
    }
    return PH_OK;
}

// Follows joints until nothing new is reached.
static ph_status follow_joints(builder *b, ph_error *error)
{
    bool more = true;
    while (more) {
        more = false;
        for (int i = 0; i < b->model->joint_count; i++) {
            const joint *j = &b->model->joints[i];
            const bool has_a = b->links[j->a] != PH_NONE, has_b = b->links[j->b] != PH_NONE;
            if (b->followed[i] || (!has_a && !has_b)) {
                continue;
            }
            if (has_a && has_b) {
                return error_set(error, PH_NOT_SUPPORTED, "joint %s closes a loop", j->name);
            }
            const ph_status status = follow(b, j, error);
            if (status) {
                return status;
            }
            b->followed[i] = more = true;
        }
    }
    return PH_OK;
}

// Outwards from the world; what it does not hold is free, and holds what hangs on it.
static ph_status build(builder *b, ph_error *error)
{
    const ph_model *model = b->model;
    for (int i = 0; i <= model->body_count; i++) {
        b->links[i] = i == model->body_count || model->bodies[i].kind->fixed ? PH_WORLD : PH_NONE;
    }
    ph_status status = follow_joints(b, error);
    for (int i = 0; !status && i < model->body_count; i++) {
        if (b->links[i] == PH_NONE) {
            ph_link_def def = ph_default_link();
            def.joint = PH_TREE_FREE;
            def.anchor = model->bodies[i].position;
            add_link(b, i, def);
            status = follow_joints(b, error);
        }
    }
    return status;
}

ph_status ph_tree_from_model(const ph_model *model, ph_tree **tree, int *links, ph_error *error)
{
    if (!model || !tree) {
        return error_set(error, PH_BAD_ARGUMENT, "ph_tree_from_model needs a model and a place for the tree");
    }
    *tree = NULL;
    arena *memory = arena_create(&model->allocator);
    builder b = {.model = model};
    if (memory) {
        b.links = arena_alloc_array(memory, (size_t)model->body_count + 1, sizeof *b.links);
        b.followed = arena_alloc_array(memory, (size_t)model->joint_count, sizeof *b.followed);
        b.defs = arena_alloc_array(memory, (size_t)model->body_count, sizeof *b.defs);
    }
    ph_status status = b.links && b.followed && b.defs
                           ? build(&b, error)
                           : error_set(error, PH_OUT_OF_MEMORY, "out of memory for the tree of a model");
    if (!status) {
        status = ph_tree_create(b.defs, b.count, model->gravity, &model->allocator, tree, error);
    }
    for (int i = 0; !status && links && i < model->body_count; i++) {
        links[i] = b.links[i];
    }
    arena_destroy(memory);
    return status;
}
