// The Delassus operator where joints hold bodies: blocks of M~^-1 between those that contacts and stops act on, column by column.
#include "contact/delassus_parts.h"

#include "math/mat3.h"

#include <string.h>

// More blocks than this between joined bodies are not kept: 36 numbers each.
enum { BLOCKS_MOST = 40000 };

static int root_of(int *parent, int k)
{
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

void delassus_find_groups(const ph_model *model, delassus *d)
{
    int *parent = d->joined.held; // free until the first problem
    for (int k = 0; k < model->moving_count && model->joint_count > 0; k++) d->joined.group[k] = -1, parent[k] = k;
    for (int j = 0; j < model->joint_count; j++) {
        const joint *joint = &model->joints[j];
        const int first = joint->body_count ? root_of(parent, model->bodies[joint->bodies[0]].moving) : 0;
        for (int s = 1; s < joint->body_count; s++)
            parent[root_of(parent, model->bodies[joint->bodies[s]].moving)] = root_of(parent, first);
    }
    for (int j = 0; j < model->joint_count; j++)
        for (int s = 0; s < model->joints[j].body_count; s++) {
            const int k = model->bodies[model->joints[j].bodies[s]].moving, root = root_of(parent, k);
            if (d->joined.group[root] < 0) d->joined.group[root] = d->joined.group_count++;
            d->joined.group[k] = d->joined.group[root];
        }
}

// rhs - [M B^T; B 0] x, into x
static void subtract_product(delassus *d)
{
    const ph_model *model = d->model;
    kkt *kkt = d->kkt;
    memcpy(d->joined.sum, kkt->x, sizeof(double) * (size_t)kkt->lu.x_count);
    memcpy(kkt->x, d->joined.rhs, sizeof(double) * (size_t)kkt->lu.x_count);
    for (int k = 0; k < model->moving_count; k++) {
        const body *body = &model->bodies[model->moving[k]];
        const double *v = d->joined.sum + kkt->body_x[k];
        const ph_vec3 J = ph_mul(body->kind->J, ph_vec(v[0], v[1], v[2]));
        double *x = kkt_body_x(kkt, k);
        x[0] -= J.x, x[1] -= J.y, x[2] -= J.z;
        for (int c = 3; c < 6; c++) x[c] -= body->kind->mass * v[c];
    }
    for (int j = 0; j < model->joint_count; j++) {
        const joint *joint = &model->joints[j];
        const double *B = d->node->B + kkt->joints[j].B, *lambda = d->joined.sum + kkt->joints[j].x;
        double *rows = kkt_joint_x(kkt, j);
        for (int s = 0; s < joint->body_count; s++, B += 6 * joint->row_count) {
            const int k = model->bodies[joint->bodies[s]].moving;
            const double *v = d->joined.sum + kkt->body_x[k];
            node_add_transposed(B, joint->row_count, -1.0, lambda, kkt_body_x(kkt, k));
            for (int r = 0; r < joint->row_count; r++)
                for (int c = 0; c < 6; c++) rows[r] -= B[6 * r + c] * v[c];
        }
    }
}

void delassus_solve(delassus *d)
{
    kkt *kkt = d->kkt;
    memcpy(d->joined.rhs, kkt->x, sizeof(double) * (size_t)kkt->lu.x_count);
    kkt_solve(kkt);
    if (d->model->joint_count == 0 || d->damped) return;
    subtract_product(d);
    kkt_solve(kkt);
    for (int e = 0; e < kkt->lu.x_count; e++) kkt->x[e] += d->joined.sum[e];
}

// The joined bodies that something acts on, group by group.
static void list_held(delassus *d)
{
    const int bodies = d->model->moving_count;
    for (int g = 0; g < d->joined.group_count; g++) d->joined.groups[g].count = 0;
    for (int k = 0; k < bodies; k++) {
        const bool held = delassus_group(d, k) >= 0 && d->use_start[k + 1] > d->use_start[k];
        d->joined.held_at[k] = held ? d->joined.groups[d->joined.group[k]].count++ : -1;
    }
    size_t all = 0;
    for (int g = 0, first = 0; g < d->joined.group_count; first += d->joined.groups[g++].count) {
        d->joined.groups[g].first = first;
        d->joined.groups[g].blocks = all;
        all += (size_t)d->joined.groups[g].count * (size_t)d->joined.groups[g].count;
    }
    d->joined.has_all_blocks = all <= BLOCKS_MOST;
    for (int g = 0; g < d->joined.group_count && !d->joined.has_all_blocks; g++)
        d->joined.groups[g].blocks = (size_t)d->joined.groups[g].first;
    for (int k = 0; k < bodies; k++)
        if (d->joined.held_at[k] >= 0)
            d->joined.held[d->joined.groups[d->joined.group[k]].first + d->joined.held_at[k]] = k;
}

// Column c of the blocks of all bodies of the group of q with q, from the solution in kkt->x.
static void read_column(delassus *d, int q, int c)
{
    const joined_group *g = &d->joined.groups[d->joined.group[q]];
    for (int i = 0; i < g->count; i++) {
        const int p = d->joined.held[g->first + i];
        double *block = block_of(d, p, q);
        if (!block) continue;
        const double *v = kkt_body_x(d->kkt, p);
        const ph_vec3 turn = ph_mul(d->node->frames[d->model->moving[p]].R, ph_vec(v[0], v[1], v[2]));
        const double w[6] = {turn.x, turn.y, turn.z, v[3], v[4], v[5]};
        for (int r = 0; r < 6; r++) block[6 * r + c] = w[r];
    }
}

static void put_unit(delassus *d, int q, int c)
{
    double *x = kkt_body_x(d->kkt, q);
    if (c >= 3) {
        x[c] = 1.0;
        return;
    }
    const double *R = d->node->frames[d->model->moving[q]].R.m[c]; // row c: R^T e_c
    for (int k = 0; k < 3; k++) x[k] = R[k];
}

// One solve finds a column in every group at once: groups do not feel each other.
bool delassus_make_blocks(delassus *d)
{
    int most = 0;
    size_t all = 0;
    list_held(d);
    for (int g = 0; g < d->joined.group_count; g++) {
        const size_t n = (size_t)d->joined.groups[g].count;
        most = d->joined.groups[g].count > most ? d->joined.groups[g].count : most;
        all += d->joined.has_all_blocks ? n * n : n;
    }
    if (!RESERVE(d, joined.blocks, 36 * all + 1)) return false;
    for (int i = 0; i < 6 * most; i++) {
        memset(d->kkt->x, 0, sizeof(double) * (size_t)d->kkt->lu.x_count);
        for (int g = 0; g < d->joined.group_count; g++)
            if (i / 6 < d->joined.groups[g].count)
                put_unit(d, d->joined.held[d->joined.groups[g].first + i / 6], i % 6);
        delassus_solve(d);
        for (int g = 0; g < d->joined.group_count; g++)
            if (i / 6 < d->joined.groups[g].count)
                read_column(d, d->joined.held[d->joined.groups[g].first + i / 6], i % 6);
    }
    return true;
}

void delassus_solve_joined(delassus *d)
{
    kkt *kkt = d->kkt;
    memset(kkt->x, 0, sizeof(double) * (size_t)kkt->lu.x_count);
    for (int k = 0; k < d->model->moving_count; k++) {
        const ph_mat3 *R = &d->node->frames[d->model->moving[k]].R;
        if (d->joined.held_at[k] >= 0)
            node_put_vectors(kkt_body_x(kkt, k), ph_tmul(*R, d->wrench[k].angular), d->wrench[k].linear);
    }
    delassus_solve(d);
    for (int k = 0; k < d->model->moving_count; k++) {
        const ph_mat3 *R = &d->node->frames[d->model->moving[k]].R;
        const double *v = kkt_body_x(kkt, k);
        if (d->joined.held_at[k] < 0) continue;
        d->twist[k] = (screw){ph_mul(*R, ph_vec(v[0], v[1], v[2])), ph_vec(v[3], v[4], v[5])};
    }
}
