// Trees of bodies: freedoms of every joint, and the factor against the whole matrix [M + C, B^T; B, 0].

#include "articulated_bench.h"

// ---- The forest -----------------------------------------------------------------------------------------------------

static void check_forest(const forest *f)
{
    int freedoms = 0;
    for (int i = 0; i < f->branch_count; i++) {
        const branch *b = &f->branches[i];
        const joint *j = b->joint < 0 ? NULL : &f->model->joints[b->joint];
        CHECK(b->parent < i);
        CHECK_EQ_INT(f->branch_of[b->moving], i);
        CHECK_EQ_INT(b->first, freedoms);
        CHECK_EQ_INT(b->motion.count, j ? 6 - joint_own_rows(j) : 6);
        if (j) CHECK((b->turned ? j->a : j->b) == b->body && (b->turned ? j->b : j->a) == b->parent_body);
        if (b->parent >= 0)
            CHECK(f->branches[b->parent].body == b->parent_body && f->branches[b->parent].end >= b->end);
        freedoms += b->motion.count;
    }
    CHECK_EQ_INT(f->freedom_count, freedoms);
}

TEST(forest_of_trees)
{
    for (int n = 0; n < 40; n++) {
        const robot_options o = {.bodies = 1 + test_random_index(12), .on_world = n % 2, .motors = n % 3};
        bench b;
        open_bench(robot_make(&o), &b);
        check_forest(&b.forest);
        CHECK_EQ_INT(b.forest.closing_count, 0);
        if (o.on_world || o.bodies > 1) CHECK_EQ_INT(b.forest.branch_count, o.bodies);
        close_bench(&b);
    }
}

static int add_link(ph_spec *spec, const char *name, double x, double y)
{
    ph_body_def def = ph_default_body();
    def.name = name;
    def.mass = 1.0;
    def.inertia = ph_diag(ph_vec(0.1, 0.1, 0.1));
    def.position = ph_vec(x, y, 0.0);
    return ph_spec_add_body(spec, &def);
}

static void add_hinge(ph_spec *spec, const char *name, int a, int b, double x, double y)
{
    ph_joint_def def = ph_default_joint();
    def.name = name;
    def.type = "revolute";
    def.body_a = a;
    def.body_b = b;
    def.has_anchor = def.has_axis = true;
    def.anchor = ph_vec(x, y, 0.0);
    def.axis = ph_vec(0.0, 0.0, 1.0);
    ph_spec_add_joint(spec, &def);
}

// A rod between two arms in the world, as a distance joint: it has the fewest rows, and closes the loop. Both arms are trees,
// and one group.
TEST(the_joint_with_the_fewest_rows_closes_a_loop)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_joint_def rod = ph_default_joint();
    add_link(spec, "one", 0.0, 0.5);
    add_link(spec, "two", 1.0, 0.5);
    add_link(spec, "apart", 5.0, 0.5);
    rod.name = "rod";
    rod.type = "distance";
    rod.body_a = 0;
    rod.body_b = 1;
    rod.has_anchor_a = rod.has_anchor_b = true;
    ph_spec_add_joint(spec, &rod);
    add_hinge(spec, "first", PH_WORLD, 0, 0.0, 0.0);
    add_hinge(spec, "second", 1, PH_WORLD, 1.0, 0.0);
    bench b;
    open_bench(robot_compile(spec), &b);
    const forest *f = &b.forest;
    check_forest(f);
    CHECK_EQ_INT(f->tree_count, 2);
    CHECK_EQ_INT(f->group_count, 1);
    CHECK_EQ_INT(f->closing_count, 1);
    CHECK_EQ_INT(f->closing[0], 0);
    CHECK_EQ_INT(f->groups[0].tree_count, 2);
    CHECK_EQ_INT(f->groups[0].closing_count, 1);
    CHECK_EQ_INT(f->branch_of[2], -1);
    close_bench(&b);
}

// A chain of nine that floats: the fifth is its root, and nothing is deeper than four.
TEST(a_free_tree_has_its_root_in_the_middle)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    static const char *const joints[] = {"ja", "jb", "jc", "jd", "je", "jf", "jg", "jh", "ji"};
    ph_spec *spec = ph_spec_create(NULL);
    for (int i = 0; i < 9; i++) add_link(spec, names[i], i, 0.0);
    for (int i = 1; i < 9; i++) add_hinge(spec, joints[i], i - 1, i, i - 0.5, 0.0);
    bench b;
    open_bench(robot_compile(spec), &b);
    check_forest(&b.forest);
    CHECK_EQ_INT(b.forest.branches[0].body, 4);
    for (int i = 0; i < 9; i++) CHECK(b.forest.branches[i].depth <= 4);
    close_bench(&b);
}

// ---- Freedoms -------------------------------------------------------------------------------------------------------

// Takes branch i of a random pair one random step along its freedoms.
static void step_pair(bench *b, double size, double *steps)
{
    const branch *child = &b->forest.branches[b->forest.branch_count - 1];
    const joint *j = &b->model->joints[0];
    ph_state *s = b->state;
    pose_pair at = {s->orientation[j->a], s->orientation[j->b], s->position[j->a], s->position[j->b]};
    const relation from = relation_between(j, &child->motion, &at);
    for (int k = 0; k < freedoms_listed(&child->motion); k++) steps[k] = test_uniform(-size, size);
    const relation to = relation_step(j, &child->motion, &from, steps);
    if (child->turned) {
        relation_put_a(j, &to, &child->motion, &at);
        s->orientation[j->a] = at.q_a, s->position[j->a] = at.x_a;
    } else {
        relation_put_b(j, &to, &child->motion, &at);
        s->orientation[j->b] = at.q_b, s->position[j->b] = at.x_b;
    }
}

static double worst_residual(const bench *b)
{
    const joint *j = &b->model->joints[0];
    double phi[JOINT_ROWS_MAX], worst = 0.0;
    joint_residual(j, &b->node.motion, phi);
    for (int r = 0; r < j->row_count; r++) worst = ph_max(worst, fabs(phi[r]));
    return worst;
}

// Steps of any length stay on the joint, move its coordinates by what they say, and the coordinates are those of the engine.
static void walk(bench *b)
{
    const joint *j = &b->model->joints[0];
    for (int n = 0; n < 20; n++) {
        double before[JOINT_COORDINATES_MAX], steps[FREEDOMS_MAX];
        for (int k = 0; k < j->coordinate_count; k++) before[k] = joint_coordinate(j, &b->node.motion, k);
        step_pair(b, n < 10 ? 0.3 : 1e-3, steps);
        place(b);
        CHECK(worst_residual(b) <= 5e-15);
        for (int k = 0; k < j->coordinate_count; k++) {
            const double now = joint_coordinate(j, &b->node.motion, k);
            const bool angle = j->coordinates[k].kind != COORDINATE_SLIDE;
            const double change = angle ? nearest_turn(now - before[k]) : now - before[k];
            CHECK_NEAR(change, steps[k], 2e-14);
            CHECK_NEAR(relation_coordinate(j, &b->tree.relations[b->forest.branch_count - 1], k, now), now, 2e-14);
        }
    }
}

// B S = 0, and where there are coordinates their rates are the numbers before the columns.
static void check_columns(bench *b)
{
    const int i = b->forest.branch_count - 1;
    const branch *child = &b->forest.branches[i];
    const joint *j = &b->model->joints[0];
    double B[2 * 6 * JOINT_ROWS_MAX];
    joint_jacobian(j, &(motion){.frames = b->node.frames}, B);
    const int slot = child->turned ? j->slot_a : j->slot_b;
    for (int k = 0; k < child->motion.count; k++) {
        const spatial *S = &b->tree.S[child->first + k];
        const ph_vec3 turn = ph_tmul(b->tree.frames[i].R, spatial_turn(S)), move = spatial_move(S);
        const double v[6] = {turn.x, turn.y, turn.z, move.x, move.y, move.z};
        for (int r = 0; r < j->row_count; r++) {
            double sum = 0.0;
            for (int c = 0; c < 6; c++) sum += B[6 * (slot * j->row_count + r) + c] * v[c];
            CHECK_NEAR(sum, 0.0, 2e-15);
        }
        b->node.twists[child->body] = (ph_twist){turn, move};
        for (int c = 0; c < j->coordinate_count; c++)
            CHECK_NEAR(joint_rate(j, &b->node.motion, c), c == k ? 1.0 : 0.0, 5e-15);
        b->node.twists[child->body] = (ph_twist){ph_zero3(), ph_zero3()};
    }
}

TEST(freedoms_of_every_joint)
{
    for (int type = 0; joint_types[type]; type++) {
        if (joint_types[type]->keys & (JOINT_GEAR | JOINT_ROLLING | JOINT_VELOCITIES | JOINT_OF)) continue;
        for (int n = 0; n < 12; n++) {
            const robot_options o = {.bodies = 1 + n % 2, .on_world = n % 2 == 0, .only = joint_types[type]->name};
            bench b;
            open_bench(robot_make(&o), &b);
            place(&b);
            check_columns(&b);
            walk(&b);
            place(&b);
            check_columns(&b);
            close_bench(&b);
        }
    }
}

// ---- The factor -----------------------------------------------------------------------------------------------------

// The whole matrix, dense: [M + sum C s s^T, B^T; B, 0] over the bodies and all rows.
static double *whole_matrix(const bench *b, int *size)
{
    const ph_model *model = b->model;
    const int v = model->velocity_count, n = v + model->row_count;
    double *A = dense_make(n, n);
    for (int k = 0; k < model->moving_count; k++) {
        const body_kind *kind = model->bodies[model->moving[k]].kind;
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) A[(6 * k + r) * n + 6 * k + c] = kind->J.m[r][c];
            A[(6 * k + 3 + r) * n + 6 * k + 3 + r] = kind->mass;
        }
    }
    for (int j = 0; j < model->joint_count; j++) {
        const joint *it = &model->joints[j];
        const double *B = b->node.B + b->kkt.joints[j].B;
        for (int s = 0; s < it->body_count; s++)
            for (int r = 0; r < it->row_count; r++)
                for (int c = 0; c < 6; c++) {
                    const int row = v + it->first_row + r, column = 6 * model->bodies[it->bodies[s]].moving + c;
                    A[row * n + column] = A[column * n + row] = B[6 * (s * it->row_count + r) + c];
                }
    }
    *size = n;
    return A;
}

// w with rate of freedom k of branch i = w . v, from differences of `up`: the freedoms are coordinates on the joints.
static void add_soft(const bench *b, double *A, int n)
{
    const forest *f = &b->forest;
    for (int i = 0; i < f->branch_count; i++) {
        const joint *j = f->branches[i].joint < 0 ? NULL : &b->model->joints[f->branches[i].joint];
        if (!j || j->coordinate_count == 0 || f->branches[i].motion.driven) continue;
        const double C = b->tree.soft[f->branches[i].first];
        const geometry g = joint_geometry(j, b->node.frames);
        const gradient w = coordinate_gradient(j, &g, j->coordinates[0]);
        double row[2][6];
        const ph_vec3 parts[2][2] = {{ph_tmul(*g.R_a, w.alpha_a), ph_neg(w.u_b)}, {ph_tmul(*g.R_b, w.alpha_b), w.u_b}};
        for (int s = 0; s < 2; s++) {
            row[s][0] = parts[s][0].x, row[s][1] = parts[s][0].y, row[s][2] = parts[s][0].z;
            row[s][3] = parts[s][1].x, row[s][4] = parts[s][1].y, row[s][5] = parts[s][1].z;
        }
        const int at[2] = {b->model->bodies[j->a].moving, b->model->bodies[j->b].moving};
        for (int s = 0; s < 2; s++)
            for (int t = 0; t < 2; t++)
                for (int r = 0; r < 6 && at[s] >= 0 && at[t] >= 0; r++)
                    for (int c = 0; c < 6; c++) A[(6 * at[s] + r) * n + 6 * at[t] + c] += C * row[s][r] * row[t][c];
    }
}

// Largest difference of the velocities of both, in parts of the largest velocity.
static double compare_velocities(const bench *b, const double *x)
{
    double worst = 0.0, size = 0.0;
    for (int i = 0; i < b->forest.branch_count; i++) {
        const branch *it = &b->forest.branches[i];
        const ph_vec3 turn = ph_tmul(b->tree.frames[i].R, spatial_turn(&b->tree.twist[i]));
        const ph_vec3 move = spatial_move(&b->tree.twist[i]);
        const double v[6] = {turn.x, turn.y, turn.z, move.x, move.y, move.z}, *y = x + 6 * it->moving;
        for (int c = 0; c < 6; c++) {
            worst = ph_max(worst, fabs(v[c] - y[c]));
            size = ph_max(size, fabs(y[c]));
        }
    }
    return worst / ph_max(size, 1.0); // velocities given to the bodies are of order 1
}

static double worst_rate(const bench *b, const double *rhs)
{
    double worst = 0.0;
    for (int i = 0; i < b->forest.branch_count; i++)
        b->node.twists[b->forest.branches[i].body] =
            (ph_twist){ph_tmul(b->tree.frames[i].R, spatial_turn(&b->tree.twist[i])), spatial_move(&b->tree.twist[i])};
    for (int j = 0; j < b->model->joint_count; j++) {
        const joint *it = &b->model->joints[j];
        const double *B = b->node.B + b->kkt.joints[j].B;
        for (int r = 0; r < it->row_count; r++) {
            double sum = -rhs[b->model->velocity_count + it->first_row + r];
            for (int s = 0; s < it->body_count; s++) {
                const ph_twist *v = &b->node.twists[it->bodies[s]];
                const double w[6] = {v->omega.x, v->omega.y, v->omega.z, v->v.x, v->v.y, v->v.z};
                for (int c = 0; c < 6; c++) sum += B[6 * (s * it->row_count + r) + c] * w[c];
            }
            worst = ph_max(worst, fabs(sum));
        }
    }
    return worst;
}

// Random momenta into both; both solve.
static void check_solve(bench *b, double tolerance)
{
    int n;
    set_soft(b);
    place(b);
    double *A = whole_matrix(b, &n), *rhs = dense_make(n, 1), *x = dense_make(n, 1);
    add_soft(b, A, n);
    set_drives(b, rhs);
    for (int i = 0; i < b->forest.branch_count; i++) {
        const branch *it = &b->forest.branches[i];
        const body_kind *kind = b->model->bodies[it->body].kind;
        const ph_vec3 angular = ph_mul(kind->J, robot_vector(3.0)), linear = ph_scale(kind->mass, robot_vector(2.0));
        articulated_put_momentum(&b->tree, i, angular, linear);
        const double p[6] = {angular.x, angular.y, angular.z, linear.x, linear.y, linear.z};
        memcpy(rhs + 6 * it->moving, p, sizeof p);
    }
    memcpy(x, rhs, sizeof(double) * (size_t)n);
    for (int g = 0; g < b->forest.group_count; g++) loops_set_constants(&b->loops, g);
    for (int t = 0; t < b->forest.tree_count; t++) articulated_down(&b->tree, t, b->z);
    for (int g = 0; g < b->forest.group_count; g++) loops_onto(&b->loops, g, NULL, b->z);
    for (int t = 0; t < b->forest.tree_count; t++) articulated_up(&b->tree, t, b->z);
    CHECK(dense_solve(A, x, n));
    CHECK_NEAR(compare_velocities(b, x), 0.0, tolerance);
    CHECK(worst_rate(b, rhs) <= 1e-13);
    free(A), free(rhs), free(x);
}

TEST(the_factor_is_that_of_the_whole_matrix)
{
    for (int n = 0; n < 200; n++) {
        const robot_options o = {
            .bodies = 2 + test_random_index(14), .on_world = n % 2, .motors = n % 3, .ratio = 10.0};
        bench b;
        open_bench(robot_make(&o), &b);
        check_solve(&b, 2e-12);
        close_bench(&b);
    }
}

// Closed by rods, planes and balls: freedoms, rows and velocities of the whole.
TEST(loops_in_the_coordinates_of_trees)
{
    int closed = 0;
    for (int n = 0; n < 100; n++) {
        const robot_options o = {
            .bodies = 6 + test_random_index(10), .on_world = n % 2, .motors = n % 3, .ratio = 4.0, .loops = 1 + n % 3};
        bench b;
        open_bench(robot_make(&o), &b);
        place(&b);
        if (b.model->rank == b.model->row_count) {
            CHECK_EQ_INT(b.loops.groups[0].rank, b.loops.groups[0].row_count);
            check_solve(&b, 1e-10);
            closed++;
        }
        close_bench(&b);
    }
    CHECK(closed > 50);
}

// A plane four-bar has one freedom and fifteen rows in its loop, of which it needs two; tilted by any angle.
static void check_four_bar(double tilt)
{
    static const double x[5] = {0.0, 0.0, 0.5, 0.5, 0.0}, y[5] = {0.0, 0.4, 0.4, 0.0, 0.0};
    static const char *const names[] = {"a", "b", "c"}, *const joints[] = {"j0", "j1", "j2", "j3"};
    const ph_quat turn = ph_quat_from_axis_angle(ph_vec(1.0, 2.0, 0.5), tilt);
    ph_spec *spec = ph_spec_create(NULL);
    for (int i = 0; i < 3; i++) {
        ph_body_def def = ph_default_body();
        def.name = names[i];
        def.mass = 1.0;
        def.inertia = ph_diag(ph_vec(1e-3, 0.02, 0.02));
        def.position = ph_quat_rotate(turn, ph_vec(0.5 * (x[i] + x[i + 1]), 0.5 * (y[i] + y[i + 1]), 0.0));
        def.orientation = turn;
        ph_spec_add_body(spec, &def);
    }
    for (int i = 0; i < 4; i++) {
        ph_joint_def def = ph_default_joint();
        def.name = joints[i];
        def.type = "revolute";
        def.body_a = i - 1;
        def.body_b = i == 3 ? PH_WORLD : i;
        def.has_anchor = def.has_axis = true;
        def.anchor = ph_quat_rotate(turn, ph_vec(x[i], y[i], 0.0));
        def.axis = ph_quat_rotate(turn, ph_vec(0.0, 0.0, 1.0));
        ph_spec_add_joint(spec, &def);
    }
    bench b;
    open_bench(robot_compile(spec), &b);
    place(&b);
    CHECK_EQ_INT(b.loops.groups[0].row_count, 5);
    CHECK_EQ_INT(b.loops.groups[0].rank, 2);
    close_bench(&b);
}

TEST(redundant_rows_of_a_loop_are_left_out)
{
    for (int n = 0; n < 200; n++)
        check_four_bar(n == 0 ? 0.0 : n < 20 ? 1e-16 * pow(10.0, n) : test_uniform(-3.0, 3.0));
}

// A step of any rates leaves the joints where they fit, and the centre of mass where the velocities say; loops are closed again
// with the basis of the beginning.
TEST(a_step_along_the_freedoms)
{
    for (int n = 0; n < 100; n++) {
        const robot_options o = {.bodies = 2 + test_random_index(10), .on_world = n % 2};
        bench b;
        open_bench(robot_make(&o), &b);
        place(&b);
        ph_vec3 before = ph_zero3(), rate = ph_zero3(), after = ph_zero3();
        double mass = 0.0;
        for (int k = 0; k < b.forest.freedom_count; k++) b.z[k] = test_uniform(-1.0, 1.0);
        articulated_up(&b.tree, 0, b.z);
        for (int i = 0; i < b.forest.branch_count; i++) {
            const int body = b.forest.branches[i].body;
            const double m = b.model->bodies[body].kind->mass;
            mass += m;
            before = ph_madd(before, m, b.state->position[body]);
            rate = ph_madd(rate, m, spatial_move(&b.tree.twist[i]));
        }
        advance_begin(&b.advance, 0, 0.01, b.tree.rate, b.tree.twist, b.state->position, b.state->orientation);
        advance_put(&b.advance, 0, b.state->position, b.state->orientation);
        place(&b);
        for (int i = 0; i < b.forest.branch_count; i++) {
            const int body = b.forest.branches[i].body;
            after = ph_madd(after, b.model->bodies[body].kind->mass, b.state->position[body]);
        }
        double phi[JOINT_ROWS_MAX], worst = 0.0;
        for (int j = 0; j < b.model->joint_count; j++) {
            joint_residual(&b.model->joints[j], &b.node.motion, phi);
            for (int r = 0; r < b.model->joints[j].row_count; r++) worst = ph_max(worst, fabs(phi[r]));
        }
        CHECK(worst <= 5e-15);
        if (!o.on_world) CHECK(ph_norm(ph_sub(after, ph_madd(before, 0.01, rate))) <= 1e-14 * mass);
        close_bench(&b);
    }
}

// For one joint type at a time the matrices are better, and so is the agreement.
TEST(the_factor_for_every_joint)
{
    for (int type = 0; joint_types[type]; type++) {
        if (joint_types[type]->keys & (JOINT_GEAR | JOINT_ROLLING | JOINT_VELOCITIES | JOINT_OF)) continue;
        for (int n = 0; n < 8; n++) {
            const robot_options o = {.bodies = 3, .on_world = n % 2, .only = joint_types[type]->name};
            bench b;
            open_bench(robot_make(&o), &b);
            check_solve(&b, 1e-13);
            close_bench(&b);
        }
    }
}

// A light link between heavy ones.
TEST(masses_far_apart)
{
    for (int n = 0; n < 50; n++) {
        const robot_options o = {.bodies = 8, .on_world = n % 2, .ratio = 1e8, .hinges = true};
        bench b;
        open_bench(robot_make(&o), &b);
        place(&b);
        for (int i = 0; i < b.forest.branch_count; i++) {
            const body_kind *kind = b.model->bodies[b.forest.branches[i].body].kind;
            articulated_put_momentum(&b.tree, i, ph_mul(kind->J, robot_vector(1.0)),
                                     ph_scale(kind->mass, robot_vector(1.0)));
        }
        articulated_down(&b.tree, 0, b.z);
        articulated_up(&b.tree, 0, b.z);
        double *none = dense_make(b.model->velocity_count + b.model->row_count, 1), size = 0.0;
        for (int i = 0; i < b.forest.branch_count; i++)
            for (int d = 0; d < 6; d++) size = ph_max(size, fabs(b.tree.twist[i].v[d]));
        CHECK(worst_rate(&b, none) <= 4e-15 * size);
        free(none);
        close_bench(&b);
    }
}
