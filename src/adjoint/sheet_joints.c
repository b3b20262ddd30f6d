// Joints in a sheet: how their reactions B^T lambda, their rows Phi and the rates B V change with positions, and with where the frames of
// the joint lie in its bodies.
//
// A frame that moves in its body does to the joint what the body does that moves with it. So let g = (g_r | g_x) be the derivative of
// something by the rotation (body axes) and translation (world axes) of the body; s is the origin of the frame in it, and b = R^T g_x:
//
//     by s:  b          by e, a small rotation of the axes of the frame:  g_r - s x b
//
// But wrenches are taken about the centre of the body that stayed, in its axes, and its velocity is that of another point of the one that
// moved. With (t | R f) the wrench of the joint on this body, w its angular velocity and (B_r | R d) a row of B:
//
//     torque  + ds x f,   + e x t - (e x s) x f          rate  + ds.(d x w),   + e.(B_r x w - s x (d x w))
#include "adjoint/sheet.h"

#include "math/mat3.h"

#include <string.h>

// One body of a joint, and where the numbers of its frame are.
typedef struct end {
    int body, slot;
    ph_vec3 s, w;
    ph_mat3 R;
    int s_at, e_at; // numbers
} end;

static int ends_of(const elements *all, int j, const node *at, end ends[2])
{
    const joint *joint = &all->numbers->model->joints[j];
    const int first = all->numbers->joints + j * (int)(sizeof(joint_gradient) / sizeof(double));
    int count = 0;
    for (int k = 0; k < 2; k++) {
        const int body = k ? joint->b : joint->a, slot = k ? joint->slot_b : joint->slot_a;
        if (slot < 0) continue;
        ends[count++] = (end){body,
                              slot,
                              k ? joint->s_b : joint->s_a,
                              at->twists[body].omega,
                              at->frames[body].R,
                              first + 3 * k,
                              first + 6 + 3 * k};
    }
    return count;
}

static ph_vec3 vector(const double *x)
{
    return ph_vec(x[0], x[1], x[2]);
}

static void put_numbers(const elements *all, sheet *s, int row, int number, double scale, ph_vec3 v)
{
    const double x[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; i++)
        if (all->slot[number + i] >= 0) sheet_put_number(all, s, row, number + i, scale * x[i]);
}

// A row by the motion of one body, and by the frame in it: with what is added to the latter.
static void put_row(const elements *all, sheet *s, int row, double scale, const end *of, const double g[6],
                    ph_vec3 more_s, ph_vec3 more_e)
{
    const int q = 6 * all->numbers->model->bodies[of->body].moving;
    for (int i = 0; i < 6; i++) sheet_put(s, row, q + i, scale * g[i]);
    if (all->slot[of->s_at] < 0 && all->slot[of->s_at + 1] < 0 && all->slot[of->s_at + 2] < 0 &&
        all->slot[of->e_at] < 0 && all->slot[of->e_at + 1] < 0 && all->slot[of->e_at + 2] < 0)
        return;
    const ph_vec3 b = ph_tmul(of->R, vector(g + 3));
    put_numbers(all, s, row, of->s_at, scale, ph_add(b, more_s));
    put_numbers(all, s, row, of->e_at, scale, ph_add(ph_sub(vector(g), ph_cross(of->s, b)), more_e));
}

// ---- Reactions ------------------------------------------------------------------------------------------------------

static void wrench_of(const joint *joint, const double *B, int slot, const double *lambda, double wrench[6])
{
    memset(wrench, 0, 6 * sizeof(double));
    for (int r = 0; r < joint->row_count; r++)
        for (int c = 0; c < 6; c++) wrench[c] += lambda[r] * B[6 * (joint->row_count * slot + r) + c];
}

static void put_reactions(const elements *all, sheet *s, const kkt *to, const node *at, double scale, int j,
                          const double *lambda)
{
    const joint *joint = &all->numbers->model->joints[j];
    double K[JOINT_BODIES_MAX][JOINT_BODIES_MAX][36];
    end ends[2];
    const int count = ends_of(all, j, at, ends);
    for (int x = 0; x < count; x++)
        for (int y = 0; y < count; y++) memset(K[ends[x].slot][ends[y].slot], 0, 36 * sizeof(double));
    joint_stiffness(joint, &at->motion, lambda, K);
    for (int x = 0; x < count; x++) {
        double wrench[6];
        wrench_of(joint, at->B + to->joints[j].B, ends[x].slot, lambda, wrench);
        const ph_vec3 t = vector(wrench), f = ph_tmul(ends[x].R, vector(wrench + 3));
        const int first = to->body_x[all->numbers->model->bodies[ends[x].body].moving];
        for (int i = 0; i < 6; i++)
            for (int y = 0; y < count; y++) {
                const ph_vec3 unit = ph_vec(i == 0, i == 1, i == 2); // of torques; zero for forces
                const bool own = x == y;
                const ph_vec3 by_s = own ? ph_cross(f, unit) : ph_zero3();
                const ph_vec3 by_e = own ? ph_sub(ph_cross(t, unit), ph_cross(ends[x].s, by_s)) : ph_zero3();
                put_row(all, s, first + i, scale, &ends[y], &K[ends[x].slot][ends[y].slot][6 * i], by_s, by_e);
            }
    }
}

static pull_to pull_of(elements *all)
{
    return (pull_to){all->by_q, numbers_joints(all->numbers, all->by_numbers), all->numbers->model->joints};
}

static void pull_reactions(elements *all, sheet *s, const kkt *to, const node *at, double scale, int j,
                           const double *lambda)
{
    const ph_model *model = all->numbers->model;
    const joint *joint = &model->joints[j];
    const pull_to pull = pull_of(all);
    for (int i = 0; i < 6 * joint->body_count; i++) {
        const int body = joint->bodies[i / 6];
        *sheet_entry(&all->unit[body], i % 6) = 1.0;
        joint_pull(joint, &at->motion, NULL, lambda, all->unit, &pull);
        *sheet_entry(&all->unit[body], i % 6) = 0.0;
        sheet_take(all, &all->joints[j], s, to->body_x[model->bodies[body].moving] + i % 6, scale);
    }
}

void sheet_add_reactions(elements *all, sheet *s, const kkt *to, const node *at, double scale, const double *lambda)
{
    for (int j = 0; j < all->numbers->model->joint_count; j++) {
        const element *e = &all->joints[j];
        const double *own = lambda + all->numbers->model->joints[j].first_row;
        sheet_begin(e, s);
        if (e->by_frames)
            put_reactions(all, s, to, at, scale, j, own);
        else
            pull_reactions(all, s, to, at, scale, j, own);
        sheet_end(e, s);
    }
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

static void put_rows(const elements *all, sheet *s, const kkt *to, const node *at, double scale, int j)
{
    const joint *joint = &all->numbers->model->joints[j];
    end ends[2];
    const int count = ends_of(all, j, at, ends);
    for (int r = 0; r < joint->row_count; r++)
        for (int x = 0; x < count; x++)
            put_row(all, s, to->joints[j].x + r, scale, &ends[x],
                    at->B + to->joints[j].B + 6 * (joint->row_count * ends[x].slot + r), ph_zero3(), ph_zero3());
}

static void put_rates(elements *all, sheet *s, const kkt *to, const node *at, double scale, int j)
{
    const joint *joint = &all->numbers->model->joints[j];
    const pull_to pull = {all->by_q, NULL, NULL};
    end ends[2];
    const int count = ends_of(all, j, at, ends);
    for (int r = 0; r < joint->row_count; r++) {
        double one[JOINT_ROWS_MAX] = {0};
        one[r] = 1.0;
        joint_pull(joint, &at->motion, NULL, one, at->twists, &pull);
        for (int x = 0; x < count; x++) {
            const ph_wrench *by = &all->by_q[ends[x].body];
            const double g[6] = {by->torque.x, by->torque.y, by->torque.z, by->force.x, by->force.y, by->force.z};
            const double *B = at->B + to->joints[j].B + 6 * (joint->row_count * ends[x].slot + r);
            const ph_vec3 by_s = ph_cross(ph_tmul(ends[x].R, vector(B + 3)), ends[x].w);
            const ph_vec3 by_e = ph_sub(ph_cross(vector(B), ends[x].w), ph_cross(ends[x].s, by_s));
            put_row(all, s, to->joints[j].x + r, scale, &ends[x], g, by_s, by_e);
        }
        all->by_q[joint->a] = all->by_q[joint->b] = (ph_wrench){ph_zero3(), ph_zero3()};
    }
}

static void pull_rows(elements *all, sheet *s, const kkt *to, const node *at, double scale, int j, const ph_twist *w)
{
    const joint *joint = &all->numbers->model->joints[j];
    const pull_to pull = pull_of(all);
    for (int r = 0; r < joint->row_count; r++) {
        double one[JOINT_ROWS_MAX] = {0};
        one[r] = 1.0;
        joint_pull(joint, &at->motion, w ? NULL : one, w ? one : NULL, w, &pull);
        sheet_take(all, &all->joints[j], s, to->joints[j].x + r, scale);
    }
}

void sheet_add_rows(elements *all, sheet *s, const kkt *to, const node *at, double scale, const ph_twist *w)
{
    for (int j = 0; j < all->numbers->model->joint_count; j++) {
        const element *e = &all->joints[j];
        sheet_begin(e, s);
        if (!e->by_frames)
            pull_rows(all, s, to, at, scale, j, w);
        else if (w)
            put_rates(all, s, to, at, scale, j);
        else
            put_rows(all, s, to, at, scale, j);
        sheet_end(e, s);
    }
}
