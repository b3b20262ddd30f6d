// The Delassus operator: products, blocks and matrix agree, and joints are felt exactly.
#include "contact_case.h"

#include "contact/delassus.h"
#include "model/model.h"

typedef struct setup {
    rig r;
    arena *memory;
    kkt kkt;
    node node;
    detector *found;
    delassus d;
} setup;

static bool setup_open(setup *s, contact_case c, double h, int steps)
{
    s->r = case_open(c);
    if (!rig_step(&s->r, h, steps)) return false;
    const ph_model *model = s->r.model;
    s->memory = arena_create(NULL);
    bool ok =
        kkt_create(model, KKT_DECOUPLED, s->memory, &s->kkt) && node_create(model, &s->kkt, s->memory, &s->node) &&
        delassus_create(model, &s->kkt, &s->node, s->memory, &s->d) && detector_create(model, &s->found, NULL) == PH_OK;
    node_set_frames(model, s->r.state->position, s->r.state->orientation, &s->node);
    node_set_twists(model, s->r.state->angular_velocity, s->r.state->velocity, &s->node);
    node_set_jacobian(model, &s->kkt, &s->node);
    const poses at = poses_of_frames(s->node.frames);
    const movement moving = movement_of_twists(s->node.twists);
    ok = ok && node_factor_mass(model, &s->kkt, &s->node) && detector_run(s->found, &at, &moving, h) == PH_OK;
    delassus_begin(&s->d);
    for (int k = 0; ok && k < s->found->found.count; k++) {
        const pair_surface surface = contacts_surface(&s->found->found, &s->found->found.list[k]);
        ok = delassus_add_contact(&s->d, &s->found->found.list[k], &surface, 1e-5 * k);
    }
    return CHECK(ok && delassus_end(&s->d) && s->d.row_count > 0);
}

static void setup_close(setup *s)
{
    delassus_destroy(&s->d);
    detector_destroy(s->found);
    arena_destroy(s->memory);
    rig_close(&s->r);
}

// N from products with unit vectors, from the matrix and from diagonal blocks.
static void check_entries(setup *s)
{
    delassus *d = &s->d;
    const int n = d->row_count;
    const ph_cone_operator N = delassus_operator(d);
    const ph_cone_matrix *M = N.matrix(N.self);
    double *x = calloc((size_t)n, sizeof *x), *all = malloc(sizeof *all * (size_t)n * (size_t)n), largest = 0.0;
    if (!CHECK(M != NULL)) return;
    for (int c = 0; c < n; c++) {
        x[c] = 1.0;
        N.apply(N.self, x, all + (size_t)c * (size_t)n);
        x[c] = 0.0;
        largest = fmax(largest, fabs(all[(size_t)c * (size_t)n + (size_t)c]));
    }
    double apart = 0.0, skew = 0.0, outside = 0.0, blocks = 0.0;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) skew = fmax(skew, fabs(all[r * n + c] - all[c * n + r]));
    for (int r = 0; r < n; r++) {
        for (int e = M->start[r]; e < M->start[r + 1]; e++) {
            apart = fmax(apart, fabs(M->value[e] - all[M->column[e] * n + r]));
            all[M->column[e] * n + r] = 0.0;
            CHECK(e == M->start[r] || M->column[e] > M->column[e - 1]);
        }
    }
    for (int k = 0; k < n * n; k++) outside = fmax(outside, fabs(all[k]));
    for (int i = 0; i < d->contact_count; i++) {
        double block[36];
        const contact_rows *c = &d->contacts[i];
        N.diagonal(N.self, c->first, c->count, block);
        for (int e = M->start[c->first]; e < M->start[c->first + 1]; e++)
            if (M->column[e] >= c->first && M->column[e] < c->first + c->count)
                blocks = fmax(blocks, fabs(block[M->column[e] - c->first] - M->value[e]));
    }
    CHECK(apart <= 1e-12 * largest);
    CHECK(skew <= 1e-12 * largest);
    CHECK(outside <= 1e-12 * largest);
    CHECK(blocks <= 1e-12 * largest);
    free(all);
    free(x);
}

TEST(free_bodies)
{
    NEEDS_YAML;
    setup s = {0};
    if (setup_open(&s, (contact_case){"pile.yaml", PH_LAW_COULOMB, NULL, {{0}}, 0.0}, 0.005, 2)) check_entries(&s);
    setup_close(&s);
}

TEST(joined_bodies)
{
    NEEDS_YAML;
    setup s = {0};
    if (setup_open(&s, (contact_case){"chain.yaml", PH_LAW_COULOMB, NULL, {{0}}, 0.0}, 0.002, 100)) check_entries(&s);
    setup_close(&s);
}

// What an impulse does to a chain keeps its joints: B M~^-1 D g = 0.
TEST(impulses_do_not_open_joints)
{
    NEEDS_YAML;
    setup s = {0};
    if (setup_open(&s, (contact_case){"chain.yaml", PH_LAW_COULOMB, NULL, {{0}}, 0.0}, 0.002, 100)) {
        const ph_model *model = s.r.model;
        screw *wrench = calloc((size_t)model->moving_count, sizeof *wrench);
        double *g = malloc(sizeof *g * (size_t)s.d.row_count), most = 0.0, fastest = 0.0;
        for (int r = 0; r < s.d.row_count; r++) g[r] = test_uniform(-1.0, 1.0);
        delassus_gather(&s.d, g, wrench);
        memset(s.kkt.x, 0, sizeof(double) * (size_t)s.kkt.lu.x_count);
        for (int k = 0; k < model->moving_count; k++)
            node_put_vectors(kkt_body_x(&s.kkt, k), ph_tmul(s.node.frames[model->moving[k]].R, wrench[k].angular),
                             wrench[k].linear);
        delassus_solve(&s.d);
        for (int j = 0; j < model->joint_count; j++) {
            const joint *joint = &model->joints[j];
            for (int r = 0; r < joint->row_count; r++) {
                double rate = 0.0;
                for (int b = 0; b < joint->body_count; b++) {
                    const double *B = s.node.B + s.kkt.joints[j].B + 6 * (b * joint->row_count + r);
                    const double *v = kkt_body_x(&s.kkt, model->bodies[joint->bodies[b]].moving);
                    for (int c = 0; c < 6; c++) rate += B[c] * v[c];
                    fastest = fmax(fastest, fabs(v[3]));
                }
                most = fmax(most, fabs(rate));
            }
        }
        CHECK(most <= 1e-13 * fastest);
        free(g);
        free(wrench);
    }
    setup_close(&s);
}
