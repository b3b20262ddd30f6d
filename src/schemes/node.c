#include "schemes/node.h"

#include "math/quat.h"

bool node_create(const ph_model *model, const kkt *kkt, arena *memory, node *node)
{
    const size_t bodies = (size_t)model->body_count + 1;
    node->frames = arena_alloc_array(memory, bodies, sizeof(frame));
    node->twists = arena_alloc_array(memory, bodies, sizeof(ph_twist));
    node->Q = arena_alloc_array(memory, bodies, sizeof(ph_wrench));
    node->B = arena_alloc_array(memory, (size_t)kkt->B_count + 1, sizeof(double));
    if (!node->frames || !node->twists || !node->Q || !node->B) return false;
    for (size_t b = 0; b < bodies; b++) node->frames[b] = model->bodies[b].start;
    return true;
}

void node_set_frames(const ph_model *model, const ph_vec3 *position, const ph_quat *orientation, node *node)
{
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        node->frames[b] = (frame){ph_quat_to_mat(orientation[b]), position[b]};
    }
}

void node_set_jacobian(const ph_model *model, const kkt *kkt, node *node)
{
    for (int j = 0; j < model->joint_count; j++) joint_jacobian(&model->joints[j], node->frames, node->B + kkt->joints[j].B);
}
