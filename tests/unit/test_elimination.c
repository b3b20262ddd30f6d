// Elimination in joint coordinates against the matrix of all rows, which is written another way: one solve each, for every joint
// type that it knows, bodies as a or as b of their joints, free and fixed roots, driven joints, two configurations, loops.
#include "chain_kinds.h"
#include "rig.h"

#include "base/memory.h"
#include "dynamics/node.h"
#include "joints/chain.h"
#include "math/mat3.h"
#include "model/spec.h"
#include "random_vector.h"

static const char *const TYPES[] = {"ball",  "revolute", "prismatic", "cylindrical",   "universal",
                                    "fixed", "distance", "planar",    "point_on_line", "point_on_plane",
                                    "screw", "generic",  CHAIN_KINDS};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES, BODIES = 7, ROTORS = 3 * BODIES, ROWS = 6 * BODIES + ROTORS };

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static void add_joint(ph_spec *spec, const char *type, bool driven, int i, ph_vec3 from, ph_vec3 to)
{
    char name[16];
    const bool apart = is(type, "distance"), turned = i % 3 == 1;
    const int parent = i == 0 ? PH_WORLD : (i - 1) / 2;
    ph_joint_def def = ph_default_joint();
    snprintf(name, sizeof name, "j%d", i);
    def.name = name;
    def.type = type;
    def.body_a = turned ? i : parent;
    def.body_b = turned ? parent : i;
    def.has_anchor = !apart && !is_chain(type);
    def.anchor = ph_scale(0.5, ph_add(from, to));
    def.has_anchor_a = def.has_anchor_b = apart;
    def.anchor_a = def.body_a == PH_WORLD ? from : ph_zero3();
    def.has_axis = !apart && !is(type, "ball") && !is(type, "fixed") && !is_chain(type);
    def.axis = random_vector(1.0);
    def.has_axis2 = is(type, "universal");
    def.axis2 = ph_cross(def.axis, ph_vec(0.3, 0.5, -0.7));
    def.pitch = is(type, "screw") ? 0.05 : 0.0;
    const bool lock[6] = {true, false, true, true, true, false};
    if (is(type, "generic")) memcpy(def.lock, lock, sizeof lock);
    if (driven) def.motor = PH_MOTOR_POSITION, def.motor_value.expression = "0.05*(1 - cos(2*t))";
    if (is_chain(type)) set_chain(&def, type);
    CHECK(ph_spec_add_joint(spec, &def) >= 0);
}

// Each coordinate of joint i turns a rotor; one that is named beside its joint has a joint of its own for that.
static void add_rotors(ph_spec *spec, int i)
{
    ph_joint_def *def = &spec->joints[i];
    const bool one = is(def->type, "revolute") || is(def->type, "prismatic") || is(def->type, "screw") ||
                     is(def->type, "point_on_line");
    const int count = is(def->type, "chain") ? def->motion_count
                      : is(def->type, "cylindrical") || is(def->type, "universal") || is(def->type, "generic") ? 2
                      : is(def->type, "planar")                                                                ? 3
                                                                                                               : 0;
    if (one) def->armature = test_uniform(0.01, 0.3);
    for (int k = 0; k < count && k < 3; k++) {
        char name[16];
        ph_joint_def own = ph_default_joint();
        snprintf(name, sizeof name, "r%d-%d", i, k);
        own.name = name;
        own.type = "coordinate";
        own.of_joint = i;
        own.of_coordinate = k;
        own.armature = test_uniform(0.01, 0.3);
        CHECK(ph_spec_add_joint(spec, &own) >= 0);
    }
}

// Ties the last body to the world, by a joint of few rows.
static void close_loop(ph_spec *spec, const char *type, ph_vec3 place)
{
    ph_joint_def def = ph_default_joint();
    def.name = "loop";
    def.type = type;
    def.body_a = PH_WORLD;
    def.body_b = BODIES - 1;
    def.has_anchor = !is(type, "distance");
    def.anchor = ph_add(place, ph_vec(0.1, 0.0, 0.2));
    def.has_anchor_a = def.has_anchor_b = is(type, "distance");
    def.anchor_a = ph_vec(1.0, 2.0, 3.0);
    def.has_axis = is(type, "point_on_plane") || is(type, "point_on_line");
    def.armature = is(type, "point_on_line") ? 0.2 : 0.0;
    def.axis = ph_vec(0.3, 0.5, -0.7);
    CHECK(ph_spec_add_joint(spec, &def) >= 0);
}

// A tree of bodies on joints of one type; `other` hangs in between. Without a root its first body is free. `loop`: type of the
// joint that closes one, or NULL. `rotors`: in every coordinate.
static ph_model *make_any(const char *type, const char *other, bool driven, bool root, const char *loop, bool rotors)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_vec3 place[BODIES];
    for (int i = 0; i < BODIES; i++) {
        char name[16];
        ph_body_def body = ph_default_body();
        snprintf(name, sizeof name, "b%d", i);
        body.name = name;
        body.mass = test_uniform(0.5, 2.0);
        body.inertia = ph_diag(ph_vec(test_uniform(0.02, 0.03), test_uniform(0.02, 0.03), test_uniform(0.02, 0.03)));
        body.position = place[i] = ph_add(i == 0 ? ph_zero3() : place[(i - 1) / 2], random_vector(0.5));
        body.angular_velocity = ph_zero3();
        CHECK(ph_spec_add_body(spec, &body) >= 0);
    }
    for (int i = root ? 0 : 1; i < BODIES; i++)
        add_joint(spec, i % 2 == 0 ? type : other, driven && i % 2 == 0, i,
                  i == 0 ? ph_vec(0.1, 0.2, 0.3) : place[(i - 1) / 2], place[i]);
    for (int i = 0, count = spec->joint_count; i < count && rotors; i++) add_rotors(spec, i);
    if (loop) close_loop(spec, loop, place[BODIES - 1]);
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_spec_destroy(spec);
    return model;
}

static ph_model *make_loop(const char *type, const char *other, bool driven, bool root, const char *loop)
{
    return make_any(type, other, driven, root, loop, false);
}

static ph_model *make_model(const char *type, const char *other, bool driven, bool root)
{
    return make_loop(type, other, driven, root, NULL);
}

typedef struct pair {
    const ph_model *model;
    arena *memory;
    kkt kkt;
    node here, there;
    ph_mat3 A[BODIES + ROTORS], T[BODIES + ROTORS];
    double *right, *rows;
} pair;

// The configuration after 0.1 s.
static void move_on(const ph_model *model, node *at)
{
    ph_state *state = ph_state_create(model);
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, NULL), PH_OK);
    CHECK_EQ_INT(ph_sim_advance(sim, state, 1e-3, 100, NULL), PH_OK);
    node_set_frames(model, state->position, state->orientation, at);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
}

static pair pair_make(const ph_model *model, bool apart)
{
    pair p = {.model = model, .memory = arena_create(NULL)};
    CHECK(kkt_create(model, KKT_DECOUPLED, p.memory, &p.kkt));
    CHECK(node_create(model, &p.kkt, p.memory, &p.here) && node_create(model, &p.kkt, p.memory, &p.there));
    if (apart) move_on(model, &p.there);
    node_set_jacobian(model, &p.kkt, &p.here);
    node_set_jacobian(model, &p.kkt, &p.there);
    p.right = arena_alloc_array(p.memory, (size_t)p.kkt.lu.x_count, sizeof(double));
    p.rows = arena_alloc_array(p.memory, (size_t)p.kkt.lu.x_count, sizeof(double));
    for (int i = 0; i < p.kkt.lu.x_count; i++) p.right[i] = test_uniform(-1.0, 1.0);
    for (int k = 0; k < model->moving_count; k++) {
        const double lean = apart ? 0.1 : 0.0;
        p.A[k] = ph_mat_madd(model->bodies[model->moving[k]].kind->J, 0.01 * lean, ph_hat(random_vector(1.0)));
        p.T[k] = ph_mat_madd(ph_identity(), lean, ph_hat(random_vector(1.0)));
        for (int c = 0; c < 3 && body_is_rotor(&model->bodies[model->moving[k]]); c++)
            p.right[p.kkt.body_x[k] + c] = 0.0; // nothing turns a rotor
    }
    return p;
}

static void solve_by_rows(pair *p)
{
    const ph_model *model = p->model;
    for (int k = 0; k < model->moving_count; k++)
        node_put_body(kkt_body(&p->kkt, k), &p->A[k], model->bodies[model->moving[k]].kind->mass);
    for (int j = 0; j < model->joint_count; j++) {
        const joint *it = &model->joints[j];
        double lower[6 * JOINT_ROWS_MAX * JOINT_BODIES_MAX];
        for (int k = 0; k < it->body_count; k++)
            for (int r = 0; r < it->row_count; r++) {
                const double *B = p->there.B + p->kkt.joints[j].B + 6 * (k * it->row_count + r);
                const ph_vec3 turn = ph_tmul(p->T[model->bodies[it->bodies[k]].moving], ph_vec(B[0], B[1], B[2]));
                node_put_vectors(lower + 6 * (k * it->row_count + r), turn, ph_vec(B[3], B[4], B[5]));
            }
        kkt_set_joint(&p->kkt, j, p->here.B + p->kkt.joints[j].B, 0.5, lower);
    }
    memcpy(p->kkt.x, p->right, sizeof(double) * (size_t)p->kkt.lu.x_count);
    CHECK(kkt_factor(&p->kkt));
    kkt_solve(&p->kkt);
    memcpy(p->rows, p->kkt.x, sizeof(double) * (size_t)p->kkt.lu.x_count);
}

static void solve_by_tree(pair *p)
{
    const ph_model *model = p->model;
    node_set_grips(&p->kkt, &p->here, NULL);
    node_set_grips(&p->kkt, &p->there, NULL);
    elimination_place(p->kkt.tree, &p->here.grips, &p->there.grips, 0.5);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        elimination_put_body(p->kkt.tree, k, &p->A[k], model->bodies[b].kind->mass, &p->T[k], &p->there.frames[b]);
    }
    if (p->kkt.closing) closing_put(p->kkt.closing, 0.5, p->here.B, p->there.B, p->T, sizeof *p->T);
    memcpy(p->kkt.x, p->right, sizeof(double) * (size_t)p->kkt.lu.x_count);
    CHECK(kkt_factor_tree(&p->kkt));
    kkt_solve(&p->kkt);
}

static void check_pair(pair p, const char *what)
{
    double off = 0.0, size = 0.0;
    if (CHECK(p.kkt.tree)) {
        solve_by_rows(&p);
        solve_by_tree(&p);
        for (int i = 0; i < p.kkt.lu.x_count; i++) {
            size = fmax(size, fabs(p.rows[i]));
            off = fmax(off, fabs(p.rows[i] - p.kkt.x[i]));
        }
    }
    if (!CHECK(off <= 1e-10 * size)) printf("  %s: %g of %g\n", what, off, size);
    arena_destroy(p.memory);
}

static void check_model(ph_model *model, bool apart, const char *what)
{
    if (!model) return;
    check_pair(pair_make(model, apart), what);
    ph_model_destroy(model);
}

TEST(solves_as_the_matrix_of_all_rows_does)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        for (int way = 0; way < 4; way++) {
            check_model(make_model(TYPES[i], TYPES[(i + 1) % TYPE_COUNT], false, way & 1), way & 2, TYPES[i]);
            check_model(make_model(TYPES[i], "ball", false, way & 1), way & 2, TYPES[i]);
        }
}

// Which directions across a line are taken is no matter: here it runs along an axis of the world, there a little beside it, so that
// they are others, a right angle away.
TEST(directions_across_a_line_may_be_others_there)
{
    ph_spec *spec = ph_spec_create(NULL);
    for (int i = 0; i < BODIES; i++) {
        char name[16];
        ph_body_def body = ph_default_body();
        snprintf(name, sizeof name, "b%d", i);
        body.name = name;
        body.mass = 1.0 + i;
        body.inertia = ph_diag(ph_vec(0.02, 0.03, 0.025));
        body.position = ph_vec(0.0, 0.5 * (i + 1), 0.0);
        CHECK(ph_spec_add_body(spec, &body) >= 0);
        add_joint(spec, "distance", false, i, ph_zero3(), body.position);
    }
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_spec_destroy(spec);
    if (!model) return;
    pair p = pair_make(model, false);
    for (int b = 0; b < BODIES; b++) p.there.frames[b].x.x += 1e-12 * (b + 1) * (b + 2);
    node_set_jacobian(model, &p.kkt, &p.there);
    check_pair(p, "distance");
    ph_model_destroy(model);
}

// In a step everything may turn by up to half a turn together, which the joints do not notice: what is free then lies elsewhere.
TEST(freedoms_may_turn_away)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        for (int k = 1; k < 4; k++) {
            ph_model *model = make_model(TYPES[i], TYPES[(i + 3) % TYPE_COUNT], false, false);
            if (!model) continue;
            pair p = pair_make(model, false);
            const ph_mat3 turn = ph_quat_to_mat(ph_quat_from_axis_angle(ph_unit(random_vector(1.0)), 0.8 * k));
            for (int b = 0; b < BODIES; b++) {
                frame *f = &p.there.frames[b];
                *f = (frame){ph_mat_mul(turn, f->R), ph_mul(turn, f->x)};
            }
            node_set_jacobian(model, &p.kkt, &p.there);
            check_pair(p, TYPES[i]);
            ph_model_destroy(model);
        }
}

// Where the middle one of three turns brings the others onto one line the pose has no coordinates: singular, as it is by rows.
TEST(a_chain_without_coordinates_is_singular)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def body = ph_default_body();
    ph_joint_def def = ph_default_joint();
    ph_model *model = NULL;
    body.name = "body", def.name = "chain";
    body.mass = 1.0;
    body.inertia = ph_diag(ph_vec(0.02, 0.03, 0.025));
    CHECK(ph_spec_add_body(spec, &body) >= 0);
    def.type = "chain";
    def.body_a = PH_WORLD;
    def.body_b = 0;
    def.motion_count = 3;
    for (int k = 0; k < 3; k++)
        def.motions[k] =
            (ph_chain_motion){.axis = ph_vec(k == 0, k == 1, k == 2), .point = ph_vec(0.1 * k, 0.2, 0.3 * k)};
    CHECK(ph_spec_add_joint(spec, &def) >= 0);
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_spec_destroy(spec);
    if (!model) return;
    pair p = pair_make(model, false);
    const joint *j = &model->joints[0];
    for (int far = 0; far < 2; far++) {
        double at[CHAIN_MOTIONS] = {0};
        at[j->chain->free[1]] = far ? 1.57079632679489661923 : 1.0;
        chain_look look;
        chain_place(j->chain, at, &look);
        const frame zero = {j->E_a, j->s_a}, b = frame_mul(&zero, &look.pose);
        p.here.frames[0].R = ph_mat_mul(b.R, ph_transpose(j->E_b));
        p.here.frames[0].x = ph_sub(b.x, ph_mul(p.here.frames[0].R, j->s_b));
        node_set_grips(&p.kkt, &p.here, NULL);
        node_put_tree(model, &p.kkt, &p.here);
        CHECK_EQ_INT(elimination_factor(p.kkt.tree), !far);
    }
    arena_destroy(p.memory);
    ph_model_destroy(model);
}

TEST(loops_are_rows_on_top_of_the_tree)
{
    static const char *const loops[] = {"ball", "distance", "point_on_plane"};
    for (int i = 0; i < 3; i++)
        for (int way = 0; way < 4; way++) {
            check_model(make_loop("ball", "universal", false, way & 1, loops[i]), way & 2, loops[i]);
            check_model(make_loop("revolute", "ball", false, way & 1, loops[i]), way & 2, loops[i]);
        }
}

// Rotors in every coordinate of joints of any type, on a free or a fixed root.
TEST(rotors_stand_in_the_pivots_of_their_joints)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        for (int way = 0; way < 4; way++) {
            const char *other = TYPES[(i + 1 + way) % TYPE_COUNT];
            check_model(make_any(TYPES[i], other, false, way & 1, NULL, true), way & 2, TYPES[i]);
            if (is(TYPES[i], "fixed")) continue; // the loop would close on itself
            check_model(make_any(TYPES[i], "ball", false, way & 1, "distance", true), way & 2, TYPES[i]);
        }
}

TEST(rotors_of_closing_joints_are_rows_on_top_of_the_tree)
{
    for (int way = 0; way < 4; way++) {
        ph_model *model = make_any("ball", "revolute", false, way & 1, "point_on_line", true);
        if (!model) return;
        CHECK(model->joints[model->joint_count - 1].rotor_rows == 1);
        check_model(model, way & 2, "point_on_line");
    }
}

// What rows do to bodies, and bodies to rows, by grips and by the Jacobian; `rotors`: of rotors, too.
static void check_pulls(bool rotors)
{
    for (int i = 0; i < TYPE_COUNT; i++) {
        ph_model *model = make_any(TYPES[i], "universal", is(TYPES[i], "screw") && !rotors, true, NULL, rotors);
        pair p = pair_make(model, false);
        elimination *e = p.kkt.tree;
        double lambda[ROWS], rates[JOINT_ROWS_MAX];
        ph_twist v[BODIES + 1 + ROTORS] = {0};
        ph_wrench pull[BODIES + 1 + ROTORS] = {0};
        for (int r = 0; r < model->row_count; r++) lambda[r] = test_uniform(-1.0, 1.0);
        for (int b = 0; b < BODIES; b++) v[b] = (ph_twist){random_vector(1.0), random_vector(1.0)};
        for (int n = 0; n < model->rotor_count; n++) v[BODIES + 1 + n].v.x = test_uniform(-1.0, 1.0);
        node_set_grips(&p.kkt, &p.here, NULL);
        elimination_pull(e, &p.here.grips, lambda);
        for (int j = 0; j < model->joint_count; j++) {
            const joint *it = &model->joints[j];
            if (it->row_count == 0) continue;
            const limb *l = elimination_limb(e, j);
            const ph_vec3 slide = v[elimination_rotor_body(e, j, l->body)].v;
            elimination_rates(e, &p.here.grips, j, &v[l->body], &v[l->parent_body], slide.x, rates);
            for (int k = 0; k < it->body_count; k++)
                for (int r = 0; r < it->row_count; r++) {
                    const double *B = p.here.B + p.kkt.joints[j].B + 6 * (k * it->row_count + r);
                    const ph_vec3 turn = ph_vec(B[0], B[1], B[2]), move = ph_vec(B[3], B[4], B[5]);
                    const int b = it->bodies[k];
                    rates[r] -= ph_dot(turn, v[b].omega) + ph_dot(move, v[b].v);
                    pull[b].torque = ph_madd(pull[b].torque, lambda[it->first_row + r], turn);
                    pull[b].force = ph_madd(pull[b].force, lambda[it->first_row + r], move);
                }
            for (int r = 0; r < it->row_count; r++) CHECK_NEAR(rates[r], 0.0, 1e-13);
        }
        for (int b = 0; b < BODIES; b++) {
            const limb *l = &e->limbs[e->limb_of[model->bodies[b].moving]];
            const ph_vec3 turn = ph_tmul(p.here.frames[b].R, four_vec(l->z.turn));
            CHECK_NEAR(ph_max_abs(ph_sub(turn, pull[b].torque)), 0.0, 1e-13);
            CHECK_NEAR(ph_max_abs(ph_sub(four_vec(l->z.move), pull[b].force)), 0.0, 1e-13);
        }
        for (int n = 0; n < model->rotor_count; n++)
            CHECK_NEAR(e->rotors[n].slide, pull[e->rotors[n].body].force.x, 1e-15);
        CHECK(!rotors || model->rotor_count > 0);
        arena_destroy(p.memory);
        ph_model_destroy(model);
    }
}

TEST(grips_pull_as_rows_do)
{
    check_pulls(false);
    check_pulls(true);
}

TEST(prescribed_coordinates_are_rows)
{
    static const char *const driven[] = {"revolute", "prismatic", "screw", "point_on_line"};
    for (int i = 0; i < 4; i++)
        for (int way = 0; way < 4; way++)
            check_model(make_model(driven[i], "universal", true, way & 1), way & 2, driven[i]);
}

// What holds a coordinate beside inertia: c g g^T on the bodies, g the gradient of the coordinate.
TEST(softness_is_a_product_of_gradients)
{
    ph_model *model = make_model("revolute", "ball", false, true);
    pair p = pair_make(model, false);
    const joint *j = &model->joints[2];
    joint_line line;
    joint_line_at(j, &p.here.motion, 0, &line);
    solve_by_tree(&p);
    double before = 0.0, after = 0.0, rate = 0.0;
    for (int round = 0; round < 2; round++) {
        const double *a = kkt_body_x(&p.kkt, model->bodies[j->a].moving),
                     *b = kkt_body_x(&p.kkt, model->bodies[j->b].moving);
        rate = ph_dot(line.a.torque, ph_vec(a[0], a[1], a[2])) + ph_dot(line.a.force, ph_vec(a[3], a[4], a[5])) +
               ph_dot(line.b.torque, ph_vec(b[0], b[1], b[2])) + ph_dot(line.b.force, ph_vec(b[3], b[4], b[5]));
        *(round == 0 ? &before : &after) = rate;
        if (round > 0) break;
        solve_by_tree(&p); // fills the matrix again
        elimination_place(p.kkt.tree, &p.here.grips, &p.here.grips, 0.5);
        for (int k = 0; k < model->moving_count; k++) {
            const int at = model->moving[k];
            elimination_put_body(p.kkt.tree, k, &p.A[k], model->bodies[at].kind->mass, NULL, &p.here.frames[at]);
        }
        elimination_soften(p.kkt.tree, 2, 0, 1e9);
        memcpy(p.kkt.x, p.right, sizeof(double) * (size_t)p.kkt.lu.x_count);
        CHECK(kkt_factor_tree(&p.kkt));
        kkt_solve(&p.kkt);
    }
    CHECK(fabs(before) > 0.1);
    CHECK(fabs(after) < 1e-7 * fabs(before)); // as stiff as if it were locked
    arena_destroy(p.memory);
    ph_model_destroy(model);
}
