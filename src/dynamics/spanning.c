#include "dynamics/spanning.h"

#include <string.h>

// ---- Which joints carry ---------------------------------------------------------------------------------------------

typedef struct linker {
    const ph_model *model;
    int *group; // union of bodies that hang together; all that cannot move are the world's
} linker;

static int group_of(const linker *l, int body)
{
    while (l->group[body] != body) {
        l->group[body] = l->group[l->group[body]];
        body = l->group[body];
    }
    return body;
}

// Takes the joint for the forest unless it closes a loop. The world's group keeps its number.
static bool link(linker *l, const joint *j)
{
    const int a = group_of(l, j->a), b = group_of(l, j->b), world = group_of(l, l->model->body_count);
    if (j->gear || j->of || a == b) return false;
    l->group[a == world ? b : a] = a == world ? a : b;
    return true;
}

// Joints that hold more of the motion carry better: what they hold stays met.
static void choose_carriers(linker *l, const bool *first, bool *carries)
{
    const ph_model *model = l->model;
    for (int pass = 0; pass < 2; pass++)
        for (int rows = JOINT_ROWS_MAX; rows >= 0; rows--)
            for (int i = 0; i < model->joint_count; i++) {
                const joint *j = &model->joints[i];
                const int own = j->row_count - (j->motor != NULL);
                if (first[i] == (pass == 0) && own == rows && !carries[i]) carries[i] = link(l, j);
            }
}

// ---- The order ------------------------------------------------------------------------------------------------------

typedef struct neighbours { // of each body: joints that carry between it and others
    int *start;
    int *joints;
} neighbours;

static bool list_neighbours(const ph_model *model, const bool *carries, arena *scratch, neighbours *n)
{
    const int bodies = model->body_count + 1;
    n->start = arena_alloc_array(scratch, (size_t)bodies + 2, sizeof(int));
    n->joints = arena_alloc_array(scratch, 2 * (size_t)model->joint_count + 1, sizeof(int));
    if (!n->start || !n->joints) return false;
    for (int i = 0; i < model->joint_count; i++)
        if (carries[i]) n->start[model->joints[i].a + 2]++, n->start[model->joints[i].b + 2]++;
    for (int b = 0; b < bodies; b++) n->start[b + 2] += n->start[b + 1];
    for (int i = 0; i < model->joint_count; i++)
        if (carries[i]) {
            n->joints[n->start[model->joints[i].a + 1]++] = i;
            n->joints[n->start[model->joints[i].b + 1]++] = i;
        }
    return true;
}

// Everything that hangs on the bodies of `queue`, breadth first.
static void walk(const ph_model *model, const neighbours *n, bool *known, int *queue, int count, spanning *tree)
{
    for (int k = 0; k < count; k++) {
        const int body = queue[k];
        for (int e = n->start[body]; e < n->start[body + 1]; e++) {
            const joint *j = &model->joints[n->joints[e]];
            const int other = j->a == body ? j->b : j->a;
            if (known[other]) continue;
            known[other] = true;
            queue[count++] = other;
            tree->carried_by[n->joints[e]] = tree->count;
            tree->steps[tree->count++] = (spanning_step){n->joints[e], other, other == j->a};
        }
    }
}

// The heaviest body of each group, by the number of the group.
static void find_heaviest(const ph_model *model, const linker *l, int *heaviest)
{
    for (int b = 0; b <= model->body_count; b++) heaviest[b] = -1;
    for (int b = 0; b < model->body_count; b++) {
        int *so_far = &heaviest[group_of(l, b)];
        if (*so_far < 0 || model->bodies[b].kind->mass > model->bodies[*so_far].kind->mass) *so_far = b;
    }
}

// From the bodies that cannot move, then from the heaviest of each part that hangs on nothing.
static void order(const linker *l, const neighbours *n, bool *known, int *heaviest, int *queue, spanning *tree)
{
    const ph_model *model = l->model;
    int count = 0;
    for (int b = 0; b <= model->body_count; b++)
        if (model->bodies[b].kind->fixed) known[b] = true, queue[count++] = b;
    walk(model, n, known, queue, count, tree);
    find_heaviest(model, l, heaviest);
    for (int g = 0; g < model->body_count; g++) {
        const int root = heaviest[g];
        if (root < 0 || known[root]) continue;
        known[root] = true;
        queue[0] = root;
        walk(model, n, known, queue, 1, tree);
    }
}

bool spanning_create(const ph_model *model, const bool *first, arena *memory, spanning *tree)
{
    const size_t bodies = (size_t)model->body_count + 1, joints = (size_t)model->joint_count + 1;
    *tree = (spanning){.steps = arena_alloc_array(memory, bodies, sizeof *tree->steps),
                       .carried_by = arena_alloc_array(memory, joints, sizeof(int)),
                       .moved = arena_alloc_array(memory, bodies, sizeof(bool))};
    linker l = {model, arena_alloc_array(memory, bodies, sizeof(int))};
    bool *carries = arena_alloc_array(memory, joints, sizeof(bool));
    bool *known = arena_alloc_array(memory, bodies, sizeof(bool));
    int *queue = arena_alloc_array(memory, bodies, sizeof(int));
    int *heaviest = arena_alloc_array(memory, bodies, sizeof(int));
    neighbours n = {0};
    if (!placement_create(model, memory, &tree->before)) return false;
    if (!tree->steps || !tree->carried_by || !tree->moved || !l.group || !carries || !known || !queue || !heaviest)
        return false;
    for (int b = 0; b <= model->body_count; b++) l.group[b] = model->bodies[b].kind->fixed ? model->body_count : b;
    choose_carriers(&l, first, carries);
    for (int i = 0; i < model->joint_count; i++) {
        tree->carried_by[i] = -1;
        tree->closes_loops |= !carries[i] && joint_own_rows(&model->joints[i]) > 0;
    }
    if (!list_neighbours(model, carries, memory, &n)) return false;
    order(&l, &n, known, heaviest, queue, tree);
    return true;
}

// ---- Moving ---------------------------------------------------------------------------------------------------------

// The angles of a joint go on by the change, not by what is left of it after whole turns.
static void advance_turns(const joint *j, const double *change, double *turns)
{
    for (int k = 0; k < j->coordinate_count; k++)
        if (!coordinate_slides(j->coordinates[k])) turns[j->coordinates[k].turn] += change[k];
}

static bool changes(const joint *j, const double *change)
{
    for (int k = 0; k < j->coordinate_count; k++)
        if (change[k] != 0.0) return true;
    return false;
}

// A body turned about one of its points.
static frame turned_about(const frame *body, ph_vec3 s, ph_quat by)
{
    const ph_mat3 R = ph_mat_mul(ph_quat_to_mat(by), body->R);
    return (frame){R, ph_sub(frame_point(body, s), ph_mul(R, s))};
}

// How the body of a step moves: the joint keeps its rates. In the axes of a, the turn of b and the velocity of its origin
// relative to a stay what they were `before`.
static void carry_velocity(const joint *j, bool upward, const placement *before, placement *p)
{
    const ph_mat3 A0 = ph_quat_to_mat(before->orientation[j->a]), B0 = ph_quat_to_mat(before->orientation[j->b]);
    const ph_vec3 w_a0 = ph_mul(A0, before->angular_velocity[j->a]), w_b0 = ph_mul(B0, before->angular_velocity[j->b]);
    const ph_vec3 r_b0 = ph_mul(B0, j->s_b);
    const ph_vec3 arm0 = ph_add(ph_sub(before->position[j->b], before->position[j->a]), r_b0);
    const ph_vec3 v_b0 = ph_add(before->velocity[j->b], ph_cross(w_b0, r_b0));
    const ph_vec3 v_a0 = ph_add(before->velocity[j->a], ph_cross(w_a0, arm0));
    const ph_vec3 turn = ph_tmul(A0, ph_sub(w_b0, w_a0)), slide = ph_tmul(A0, ph_sub(v_b0, v_a0));

    const ph_mat3 A = ph_quat_to_mat(p->orientation[j->a]), B = ph_quat_to_mat(p->orientation[j->b]);
    const ph_vec3 w = ph_mul(A, turn), u = ph_mul(A, slide), r_b = ph_mul(B, j->s_b);
    const ph_vec3 arm = ph_add(ph_sub(p->position[j->b], p->position[j->a]), r_b);
    if (upward) {
        const ph_vec3 w_b = ph_mul(B, p->angular_velocity[j->b]), w_a = ph_sub(w_b, w);
        const ph_vec3 at_joint = ph_sub(ph_add(p->velocity[j->b], ph_cross(w_b, r_b)), u);
        p->angular_velocity[j->a] = ph_tmul(A, w_a);
        p->velocity[j->a] = ph_sub(at_joint, ph_cross(w_a, arm));
    } else {
        const ph_vec3 w_a = ph_mul(A, p->angular_velocity[j->a]), w_b = ph_add(w_a, w);
        const ph_vec3 at_joint = ph_add3(p->velocity[j->a], ph_cross(w_a, arm), u);
        p->angular_velocity[j->b] = ph_tmul(B, w_b);
        p->velocity[j->b] = ph_sub(at_joint, ph_cross(w_b, r_b));
    }
}

// What neither moves nor hangs on what moves keeps its bits.
void spanning_move(const ph_model *model, spanning *tree, const double *change, const ph_quat *twirl, placement *p)
{
    placement *before = &tree->before;
    placement_copy(model, before, p);
    memset(tree->moved, 0, ((size_t)model->body_count + 1) * sizeof *tree->moved);
    for (int k = 0; k < tree->count; k++) {
        const spanning_step *step = &tree->steps[k];
        const joint *j = &model->joints[step->joint];
        const double *by = change + j->first_coordinate;
        const int carrier = step->upward ? j->b : j->a;
        const bool twirled = twirl && j->coordinate_count == 0 && j->row_count <= 3;
        tree->moved[step->body] = tree->moved[carrier] || changes(j, by) || twirled;
        if (!tree->moved[step->body]) continue;
        const frame old = placement_frame(before, carrier), now = placement_frame(p, carrier);
        const frame body = placement_frame(before, step->body), seen = frame_relative(&old, &body);
        const frame along = frame_mul(&now, &seen); // it comes along with what carries it
        frame at = step->upward ? joint_move_a(j, &along, &now, by) : joint_move_b(j, &now, &along, by);
        if (twirled) at = turned_about(&at, step->upward ? j->s_a : j->s_b, twirl[step->body]);
        placement_put(p, step->body, &at);
        carry_velocity(j, step->upward, before, p);
        if (j->turn_count) advance_turns(j, by, p->turns + j->first_turn);
    }
    placement_count_turns(model, p);
}

void spanning_push(const ph_model *model, spanning *tree, const double *change, placement *p)
{
    const placement *before = &tree->before;
    placement_copy(model, &tree->before, p);
    for (int k = 0; k < tree->count; k++) {
        const spanning_step *step = &tree->steps[k];
        const joint *j = &model->joints[step->joint];
        const int child = step->body, carrier = step->upward ? j->b : j->a;
        const double sign = step->upward ? -1.0 : 1.0;
        const frame a = placement_frame(p, j->a), b = placement_frame(p, j->b);
        const frame *of_child = step->upward ? &a : &b, *of_carrier = step->upward ? &b : &a;
        ph_vec3 turn, slide;
        joint_relative_velocity(j, &a, &b, change + j->first_coordinate, &turn, &slide);
        // What the carrier has got more, at the place of the child.
        const ph_vec3 more =
            ph_mul(of_carrier->R, ph_sub(p->angular_velocity[carrier], before->angular_velocity[carrier]));
        const ph_vec3 carried = ph_add(ph_sub(p->velocity[carrier], before->velocity[carrier]),
                                       ph_cross(more, ph_sub(of_child->x, of_carrier->x)));
        const ph_vec3 from_origin = ph_sub(of_child->x, frame_point(&b, j->s_b));
        const ph_vec3 own = ph_add(slide, ph_cross(turn, from_origin));
        p->angular_velocity[child] =
            ph_add(p->angular_velocity[child], ph_tmul(of_child->R, ph_madd(more, sign, turn)));
        p->velocity[child] = ph_add(p->velocity[child], ph_madd(carried, sign, own));
    }
}
