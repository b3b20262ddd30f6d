#include "analysis/rest.h"

#include "dynamics/linearise.h"
#include "math/vec3.h"

#include <string.h>

bool rest_create(const ph_model *model, arena *memory, rest *rest)
{
    rest->model = model;
    rest->a = arena_alloc_array(memory, (size_t)model->velocity_count + 1, sizeof(double));
    rest->lambda = arena_alloc_array(memory, (size_t)model->row_count + 1, sizeof(double));
    return rest->a && rest->lambda && kkt_create(model, KKT_DECOUPLED, memory, &rest->mass) &&
           node_create(model, &rest->mass, memory, &rest->at);
}

void rest_solve(rest *rest)
{
    const ph_model *model = rest->model;
    kkt *mass = &rest->mass;
    node_set_forces(model, &rest->at);
    memset(mass->x, 0, sizeof(double) * (size_t)mass->lu.x_count);
    for (int k = 0; k < model->moving_count; k++) {
        const ph_wrench *Q = &rest->at.Q[model->moving[k]];
        node_put_vectors(kkt_body_x(mass, k), Q->torque, Q->force);
    }
    kkt_solve(mass);
    for (int k = 0; k < model->moving_count; k++)
        memcpy(rest->a + model->bodies[model->moving[k]].velocity, kkt_body_x(mass, k), 6 * sizeof(double));
    for (int j = 0; j < model->joint_count; j++)
        memcpy(rest->lambda + model->joints[j].first_row, kkt_joint_x(mass, j),
               sizeof(double) * (size_t)model->joints[j].row_count);
}

bool rest_move(rest *rest, ph_state *state)
{
    node_set_time(state, state->time, &rest->at);
    if (!node_project_position(rest->model, &rest->mass, state->position, state->orientation, &rest->at)) return false;
    node_set_jacobian(rest->model, &rest->mass, &rest->at);
    state_count_turns(state);
    rest_solve(rest);
    return true;
}

// ---- Derivatives ----------------------------------------------------------------------------------------------------

typedef struct target {
    rest_add add;
    void *user;
} target;

static void add_force(void *user, int row, int column, const double *by_position, const double *by_velocity)
{
    const target *t = user;
    double K[36], C[36];
    for (int e = 0; e < 36; e++) K[e] = -by_position[e], C[e] = -by_velocity[e];
    t->add(t->user, row, column, K, C);
}

static void add_joint(rest *rest, const joint *joint, rest_add add, void *user)
{
    const ph_model *model = rest->model;
    double K[JOINT_BODIES_MAX][JOINT_BODIES_MAX][36] = {{{0}}};
    joint_stiffness(joint, &rest->at.motion, rest->lambda + joint->first_row, K);
    for (int a = 0; a < joint->body_count; a++)
        for (int b = 0; b < joint->body_count; b++)
            add(user, model->bodies[joint->bodies[a]].moving, model->bodies[joint->bodies[b]].moving, K[a][b], NULL);
}

void rest_linearise(rest *rest, rest_add add, void *user)
{
    const ph_model *model = rest->model;
    node *at = &rest->at;
    const unsigned what = LINEARISE_POSITION | LINEARISE_VELOCITY | LINEARISE_PRECISE;
    linearise_forces(model, &at->motion, what, add_force, &(target){add, user});
    for (int j = 0; j < model->joint_count; j++) add_joint(rest, &model->joints[j], add, user);
}
