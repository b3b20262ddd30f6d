// Building a tree: checks, principal frames, and the constant motors between them.

#include "base/error.h"
#include "base/memory.h"
#include "math/quat.h"
#include "tree/tree.h"

#include <string.h>

#define LINK_COOKIE 0x6c696e6bu
#define TRIANGLE_TOLERANCE 1e-12 // relative, of the triangle inequality of principal moments

ph_link_def ph_default_link(void)
{
    return (ph_link_def){.cookie = LINK_COOKIE, .parent = PH_WORLD, .axis = {0.0, 0.0, 1.0}};
}

// ---- Checks ---------------------------------------------------------------------------------------------------------

static bool finite_values(const double *values, int count)
{
    bool finite = true;
    for (int i = 0; i < count; i++) {
        finite = finite && isfinite(values[i]);
    }
    return finite;
}

static bool finite_link(const ph_link_def *def)
{
    return finite_values(&def->anchor.x, 3) && finite_values(&def->axis.x, 3) && isfinite(def->mass) &&
           isfinite(def->armature) && isfinite(def->pitch) && finite_values(&def->com.x, 3) &&
           finite_values(&def->inertia.m[0][0], 9);
}

static ph_status check_inertia(const ph_link_def *def, int index, ph_error *error)
{
    const ph_mat3 I = def->inertia;
    const double skew = ph_mat_norm(ph_mat_sub(I, ph_transpose(I)));
    ph_vec3 moments;
    ph_mat3 axes;
    ph_eig3(I, &moments, &axes);
    const double slack = TRIANGLE_TOLERANCE * ph_mat_norm(I);
    if (skew > slack) {
        return error_set(error, PH_BAD_MODEL, "link %d: its inertia is not symmetric", index);
    }
    if (moments.x < -slack || (!def->any_inertia && moments.x + moments.y < moments.z - slack)) {
        return error_set(error, PH_BAD_MODEL,
                         "link %d: no body has the principal moments %g, %g, %g: none may be negative, nor larger than "
                         "the sum of the other two",
                         index, moments.x, moments.y, moments.z);
    }
    return PH_OK;
}

static ph_status check_link(const ph_link_def *def, int index, ph_error *error)
{
    if (def->cookie != LINK_COOKIE) {
        return error_set(error, PH_BAD_ARGUMENT, "link %d does not come from ph_default_link()", index);
    }
    if (def->parent != PH_WORLD && (def->parent < 0 || def->parent >= index)) {
        return error_set(error, PH_BAD_MODEL, "link %d has the parent %d: it must be an earlier link or the world",
                         index, def->parent);
    }
    if ((unsigned)def->joint > PH_TREE_SCREW) {
        return error_set(error, PH_BAD_MODEL, "link %d: there is no joint %d", index, (int)def->joint);
    }
    if (!finite_link(def)) {
        return error_set(error, PH_NOT_FINITE, "link %d has a number that is not finite", index);
    }
    if (one_axis(def->joint) && ph_norm(def->axis) == 0.0) {
        return error_set(error, PH_BAD_MODEL, "link %d: its axis is the zero vector", index);
    }
    if (def->joint == PH_TREE_SCREW && def->pitch == 0.0) {
        return error_set(error, PH_BAD_MODEL, "link %d: a screw joint needs a pitch, in metres per radian", index);
    }
    if (def->mass < 0.0) {
        return error_set(error, PH_BAD_MODEL, "link %d has the mass %g", index, def->mass);
    }
    if (def->armature < 0.0) {
        return error_set(error, PH_BAD_MODEL, "link %d has the armature %g", index, def->armature);
    }
    return check_inertia(def, index, error);
}

static ph_status check_links(const ph_link_def *links, int count, ph_vec3 gravity, ph_error *error)
{
    if (count < 1) {
        return error_set(error, PH_BAD_ARGUMENT, "a tree of %d links", count);
    }
    if (!finite_values(&gravity.x, 3)) {
        return error_set(error, PH_NOT_FINITE, "gravity is not finite");
    }
    for (int i = 0; i < count; i++) {
        const ph_status status = check_link(&links[i], i, error);
        if (status) {
            return status;
        }
    }
    return PH_OK;
}

// ---- Memory: one block ----------------------------------------------------------------------------------------------

static int screw_count(ph_tree_joint type)
{
    return type == PH_TREE_FREE ? 6 : type == PH_TREE_BALL ? 3 : 1;
}

static int coordinate_count(ph_tree_joint type)
{
    return type == PH_TREE_FREE ? 7 : type == PH_TREE_BALL ? 4 : 1;
}

// Hands out room for `count` elements behind *used, on its own cache lines; with base NULL it only counts.
static void *take(char *base, size_t *used, int count, size_t size)
{
    void *room = base ? base + *used : NULL;
    *used += ((size_t)count * size + 63) / 64 * 64;
    return room;
}

static size_t lay_out(ph_tree *tree, char *base)
{
    size_t used = 0;
    const int links = tree->link_count + 1, blocks = tree->block_count;
    take(base, &used, 1, sizeof *tree);
    tree->joints = take(base, &used, tree->joint_count, sizeof *tree->joints);
    tree->parents = take(base, &used, links, sizeof *tree->parents);
    tree->carriers = take(base, &used, links, sizeof *tree->carriers);
    tree->K0 = take(base, &used, blocks, sizeof *tree->K0);
    tree->K1 = take(base, &used, blocks, sizeof *tree->K1);
    tree->home_screws = take(base, &used, blocks, sizeof *tree->home_screws);
    tree->bodies = take(base, &used, blocks, sizeof *tree->bodies);
    tree->x = take(base, &used, blocks, sizeof *tree->x);
    tree->y = take(base, &used, blocks, sizeof *tree->y);
    tree->local = take(base, &used, blocks, sizeof *tree->local);
    tree->motors = take(base, &used, blocks, sizeof *tree->motors);
    tree->screws = take(base, &used, blocks, sizeof *tree->screws);
    tree->velocities = take(base, &used, blocks, sizeof *tree->velocities);
    tree->carried = take(base, &used, blocks, sizeof *tree->carried);
    tree->accelerations = take(base, &used, blocks, sizeof *tree->accelerations);
    tree->inertias = take(base, &used, blocks, sizeof *tree->inertias);
    tree->forces = take(base, &used, blocks, sizeof *tree->forces);
    tree->gathered = take(base, &used, links, sizeof *tree->gathered);
    tree->articulated = take(base, &used, links, sizeof *tree->articulated);
    tree->load = take(base, &used, links, sizeof *tree->load);
    tree->U = take(base, &used, links, sizeof *tree->U);
    tree->D_inverse = take(base, &used, links, sizeof *tree->D_inverse);
    tree->rest = take(base, &used, links, sizeof *tree->rest);
    tree->armature = take(base, &used, links, sizeof *tree->armature);
    return used;
}

static ph_tree *allocate(const ph_link_def *links, int count, const ph_allocator *allocator)
{
    ph_tree sizes = {.joint_count = count};
    for (int i = 0; i < count; i++) {
        sizes.link_count += screw_count(links[i].joint);
        sizes.coordinate_count += coordinate_count(links[i].joint);
    }
    sizes.block_count = (sizes.link_count + LANES) / LANES;
    char *block = mem_alloc(allocator, lay_out(&sizes, NULL));
    ph_tree *tree = (ph_tree *)block;
    if (tree) {
        *tree = sizes;
        lay_out(tree, block);
        tree->allocator = allocator ? *allocator : (ph_allocator){0};
    }
    return tree;
}

// ---- Links ----------------------------------------------------------------------------------------------------------

static ph_motor translator(ph_vec3 t)
{
    return ph_motor_make(ph_quat_identity(), t);
}

// Screw k of a joint, at home in the inertial frame.
static ph_twist home_screw(const ph_link_def *def, int k)
{
    static const ph_vec3 unit[] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    switch (def->joint) {
    case PH_TREE_REVOLUTE:
        return ph_line_make(def->anchor, ph_unit(def->axis));
    case PH_TREE_PRISMATIC:
        return (ph_twist){ph_zero3(), ph_unit(def->axis)};
    case PH_TREE_SCREW: {
        const ph_twist line = ph_line_make(def->anchor, ph_unit(def->axis));
        return (ph_twist){line.omega, ph_madd(line.v, def->pitch, line.omega)};
    }
    default:
        return k < 3 ? ph_line_make(def->anchor, unit[k]) : (ph_twist){ph_zero3(), unit[k - 3]};
    }
}

// K0 and K1 of the one link of a one-axis joint, `back` the inverse of the parent's home; the lead of a screw is apart.
static void set_local(ph_tree *tree, tree_joint *joint, const ph_link_def *def, ph_motor back)
{
    ph_twist s = home_screw(def, 0);
    if (def->joint == PH_TREE_SCREW) {
        s.v = ph_madd(s.v, -def->pitch, s.omega);
        const ph_twist lead = {ph_zero3(), ph_scale(def->pitch, s.omega)};
        joint->lead = ph_move_twist(ph_motor_conj(joint->home), lead).v;
    }
    const ph_motor screw = {{0.0, s.omega.x, s.omega.y, s.omega.z}, {0.0, s.v.x, s.v.y, s.v.z}};
    LANE_SET(motor, tree->K0, joint->first_link, ph_motor_mul(back, joint->home));
    LANE_SET(motor, tree->K1, joint->first_link, ph_motor_mul(ph_motor_mul(back, screw), joint->home));
}

static void set_links(ph_tree *tree, const tree_joint *joint, const ph_link_def *def, int parent, ph_vec3 moments)
{
    const int last = last_link(joint);
    for (int i = joint->first_link; i <= last; i++) {
        const ph_twist s = home_screw(def, i - joint->first_link);
        tree->parents[i] = i == joint->first_link ? parent : i - 1;
        tree->carriers[i] = i == last ? parent : i;
        tree->armature[i] = def->armature;
        tree->x[i / LANES][i % LANES] = 1.0;
        LANE_SET(motor, tree->K0, i, ph_motor_identity());
        LANE_SET(twist, tree->home_screws, i, ph_move_twist(ph_motor_conj(joint->home), s));
    }
    lane_body *body = &tree->bodies[last / LANES];
    body->mass[last % LANES] = def->mass;
    body->moments[0][last % LANES] = moments.x;
    body->moments[1][last % LANES] = moments.y;
    body->moments[2][last % LANES] = moments.z;
}

static void set_joint(ph_tree *tree, const ph_link_def *def, int index)
{
    tree_joint *joint = &tree->joints[index];
    const tree_joint *before = index > 0 ? joint - 1 : NULL;
    const tree_joint *parent = def->parent == PH_WORLD ? NULL : &tree->joints[def->parent];
    ph_mat3 axes;
    ph_vec3 moments;
    ph_eig3(def->inertia, &moments, &axes);
    joint->type = def->joint;
    joint->first_link = before ? before->first_link + before->link_count : 1;
    joint->link_count = screw_count(def->joint);
    joint->first_coordinate = before ? before->first_coordinate + coordinate_count(before->type) : 0;
    joint->home = ph_motor_make(ph_quat_from_mat(axes), def->com);
    const ph_motor back = parent ? ph_motor_conj(parent->home) : ph_motor_identity();
    joint->left = ph_motor_mul(back, translator(def->anchor));
    joint->right = ph_motor_mul(translator(ph_neg(def->anchor)), joint->home);
    set_links(tree, joint, def, parent ? last_link(parent) : 0, moments);
    if (joint->link_count == 1) {
        set_local(tree, joint, def, back);
    }
}

ph_status ph_tree_create(const ph_link_def *links, int count, ph_vec3 gravity, const ph_allocator *allocator,
                         ph_tree **tree, ph_error *error)
{
    if (!tree || (!links && count > 0)) {
        return error_set(error, PH_BAD_ARGUMENT, "ph_tree_create needs links and a place for the tree");
    }
    *tree = NULL;
    const ph_status status = check_links(links, count, gravity, error);
    if (status) {
        return status;
    }
    ph_tree *made = allocate(links, count, allocator);
    if (!made) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory for a tree of %d links", count);
    }
    made->gravity = gravity;
    LANE_SET(motor, made->motors, 0, ph_motor_identity());
    for (int i = 0; i < count; i++) {
        set_joint(made, &links[i], i);
    }
    *tree = made;
    return PH_OK;
}

void ph_tree_destroy(ph_tree *tree)
{
    if (tree) {
        const ph_allocator allocator = tree->allocator;
        mem_free(&allocator, tree);
    }
}

// ---- Sizes and coordinates ------------------------------------------------------------------------------------------

int ph_tree_links(const ph_tree *tree)
{
    return tree ? tree->joint_count : 0;
}

int ph_tree_coordinates(const ph_tree *tree)
{
    return tree ? tree->coordinate_count : 0;
}

int ph_tree_velocities(const ph_tree *tree)
{
    return tree ? tree->link_count : 0;
}

int ph_tree_first_coordinate(const ph_tree *tree, int link)
{
    return tree && link >= 0 && link < tree->joint_count ? tree->joints[link].first_coordinate : PH_NONE;
}

int ph_tree_first_velocity(const ph_tree *tree, int link)
{
    return tree && link >= 0 && link < tree->joint_count ? tree->joints[link].first_link - 1 : PH_NONE;
}
