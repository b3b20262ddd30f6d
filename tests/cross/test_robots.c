// Random machines with motors, limits and contact under `moreau`: do they gain energy, do the forces on each body balance, and does
// the step by trees agree with that by the one matrix of bodies and rows?
//
// POLHODE_ROBOTS and POLHODE_ROBOTS_FIRST choose how many and where to begin; bench/robots/random sets them.
// POLHODE_ROBOTS_SHOW=1 prints every step.

#include "test.h"

#include "random_machine.h"
#include "rig.h"

#define sleep sleep_of_bodies // unistd.h has another one
#include "schemes/moreau_trees.h"
#undef sleep

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 10) : otherwise;
}

static long machine_count(void)
{
    return setting("POLHODE_ROBOTS", 120);
}

static machine machine_at(long k)
{
    return machine_of((uint64_t)(setting("POLHODE_ROBOTS_FIRST", 1) + k));
}

static void tell(const machine *m, const char *what, double size)
{
    static const char *const grounds[] = {"nothing", "a plane", "a mesh", "a height field"};
    const struct {
        bool is;
        const char *word;
    } words[] = {{m->on_world, "on the world"}, {m->drives, "drives"}, {m->stops, "stops"},
                 {m->bounces, "bounces"},       {m->rolls, "rolls"},   {m->springs, "springs"},
                 {m->collides, "collides"},     {m->flies, "flies"}};
    printf("  seed %llu (%d bodies", (unsigned long long)m->seed, m->bodies);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (words[k].is) printf(", %s", words[k].word);
    printf(", %d loops, %d motors, above %s): %s %.3g\n", m->loops, m->motors, grounds[m->ground], what, size);
}

// NULL: motors turn a loop that cannot follow.
static ph_model *compile(const machine *m, double tolerance)
{
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    ph_spec *spec = machine_spec(m, tolerance);
    const bool ok = ph_model_compile(spec, problems, &model) == PH_OK;
    if (!CHECK(ok || (m->motors > 0 && m->loops > 0))) {
        tell(m, "refused", 0.0);
        for (int k = 0; k < ph_problems_count(problems); k++) printf("  %s\n", ph_problems_get(problems, k)->text);
    }
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    return model;
}

// ---- Energy ---------------------------------------------------------------------------------------------------------

// What a servo would give back: kp/2 x^2, and beyond what it can hold that torque times the rest of the way.
static double stored_in(const ph_joint_def *def, double q)
{
    const double x = fabs(q - def->motor_value.number), kp = def->motor_kp, max = def->motor_max;
    if (!(max > 0.0 && kp * x > max)) return 0.5 * kp * x * x;
    return max * x - 0.5 * max * max / kp;
}

static double energy(const rig *r)
{
    const ph_measures now = rig_measure(r);
    double sum = now.kinetic + now.potential;
    for (int j = 0; j < ph_model_joints(r->model); j++) {
        const ph_joint_def *def = r->model->joints[j].def;
        double q[PH_JOINT_COORDINATES] = {0};
        if (def->motor != PH_MOTOR_SERVO) continue;
        ph_observer_joint(r->observer, r->state, j, q, NULL);
        sum += stored_in(def, q[0]);
    }
    return sum;
}

typedef struct outcome {
    ph_status status;
    double kinetic, rise; // at the most; rise: of the energy above its start
    double unpaid, gain;  // likewise: what T + U - W has moved by, and what it has risen by
    double low, high;     // of the potential energy
    double overlap;       // at the most
    double joints;        // likewise, of their residuals
    int missed, steps;
} outcome;

static void show(const rig *r, const ph_step_report *report, int k)
{
    const ph_measures now = rig_measure(r);
    if (!setting("POLHODE_ROBOTS_SHOW", 0)) return;
    printf("%4d T %.4g U %.5g W %.4g with servos %.6g contacts %d residual %.2g overlap %.2g iterations %d\n", k,
           now.kinetic, now.potential, now.work, energy(r), report->contacts, report->contact_residual,
           report->penetration, report->contact_iterations);
}

static outcome run(rig *r, double h, int steps)
{
    outcome o = {.status = PH_OK};
    ph_step_report report = {0};
    const double start = energy(r), total = rig_measure(r).total;
    o.low = o.high = rig_measure(r).potential;
    for (int k = 0; k < steps; k++) {
        o.status = ph_sim_step(r->sim, r->state, h, &report);
        if (o.status != PH_OK) return o;
        const ph_measures now = rig_measure(r);
        show(r, &report, k);
        o.missed += (int)report.contact_missed;
        o.steps++;
        o.kinetic = ph_max(o.kinetic, now.kinetic);
        o.rise = ph_max(o.rise, energy(r) - start);
        o.unpaid = ph_max(o.unpaid, fabs(now.total - total));
        o.gain = ph_max(o.gain, now.total - total);
        o.low = fmin(o.low, now.potential);
        o.high = ph_max(o.high, now.potential);
        o.overlap = ph_max(o.overlap, report.penetration);
        o.joints = ph_max(o.joints, now.position_violation);
    }
    return o;
}

// No energy comes from anywhere but motors that prescribe a motion and the undoing of overlap at the start. What is left is the error
// of first order of the scheme, which is one of the kinetic energy. Loops that a motor drives past what they can reach
// have no motion to go on with.
TEST(machines_gain_no_energy)
{
    int missed = 0, steps = 0, stuck = 0;
    for (long k = 0; k < machine_count(); k++) {
        const machine m = machine_at(k);
        ph_model *model = compile(&m, 1e-10);
        if (!model) continue;
        rig r = rig_open(model, "moreau");
        const outcome o = run(&r, 0.002, 150);
        const bool has_source = m.motors > 0 || o.overlap > 1e-3;
        if (o.status != PH_OK && m.motors > 0 && m.loops > 0)
            stuck++;
        else if (!CHECK_EQ_INT(o.status, PH_OK))
            tell(&m, "steps made", o.steps);
        if (!CHECK(has_source || o.rise <= 0.03 * o.kinetic + 1e-12))
            tell(&m, "gains of its energy", o.rise / o.kinetic);
        const bool is_passive = !m.drives && !m.springs && m.motors == 0, counts = !m.springs && m.motors == 0;
        if (!CHECK(!is_passive || o.unpaid <= 0.1 * o.kinetic))
            tell(&m, "work that is not counted", o.unpaid / o.kinetic);
        const double turned = o.kinetic + o.high - o.low; // springs have no more than Newmark's rule gives them
        if (!CHECK(!counts || o.gain <= 0.12 * turned + 1e-12)) tell(&m, "gains beside its work", o.gain / turned);
        if (!CHECK(o.kinetic < 1e5)) tell(&m, "kinetic energy", o.kinetic);
        if (!CHECK(o.joints < 1e-9)) tell(&m, "joints off by", o.joints);
        if (o.missed > 0) tell(&m, "problems missed", o.missed);
        missed += o.missed;
        steps += o.steps;
        rig_close(&r);
    }
    printf("  %d steps, %d problems missed the tolerance, %d machines at the end of their reach\n", steps, missed,
           stuck);
    CHECK(missed <= steps / 5000);
    CHECK(stuck <= machine_count() / 100);
}

// ---- Newton and Euler -----------------------------------------------------------------------------------------------

typedef struct load { // on a body, world axes, about its centre of mass
    ph_vec3 force, torque;
} load;

static void push(const rig *r, load *loads, int body, ph_vec3 point, ph_vec3 force, ph_vec3 torque)
{
    if (body < 0 || body >= ph_model_bodies(r->model)) return;
    const ph_vec3 arm = ph_sub(point, ph_state_positions(r->state)[body]);
    loads[body].force = ph_add(loads[body].force, force);
    loads[body].torque = ph_add3(loads[body].torque, torque, ph_cross(arm, force));
}

static ph_vec3 place_of(const rig *r, int body, ph_vec3 s)
{
    if (body < 0 || body >= ph_model_bodies(r->model)) return s;
    return ph_add(ph_state_positions(r->state)[body], ph_quat_rotate(ph_state_orientations(r->state)[body], s));
}

static void push_pair(const rig *r, load *loads, int a, int b, ph_vec3 point, ph_wrench on_b)
{
    push(r, loads, b, point, on_b.force, on_b.torque);
    push(r, loads, a, point, ph_neg(on_b.force), ph_neg(on_b.torque));
}

static void add_contacts(const rig *r, load *loads)
{
    int count;
    const ph_contact *c = ph_state_contacts(r->state, &count);
    for (int k = 0; k < count; k++)
        push_pair(r, loads, c[k].body_a, c[k].body_b, c[k].point, (ph_wrench){c[k].torque, c[k].force});
}

// The law of a drive, as the manual has it, with the limits and the dry friction of the state.
static double drive_force_at(const rig *r, int j)
{
    const ph_joint_def *def = r->model->joints[j].def;
    double q[PH_JOINT_COORDINATES] = {0}, rate[PH_JOINT_COORDINATES] = {0};
    ph_observer_joint(r->observer, r->state, j, q, rate);
    double servo = def->motor_kp * (def->motor_value.number - q[0]) - def->motor_kd * rate[0];
    if (def->motor_max > 0.0) servo = fmin(fmax(servo, -def->motor_max), def->motor_max);
    const double *stop = r->state->stops + 3 * j;
    return (def->motor == PH_MOTOR_SERVO ? servo : 0.0) - def->stiffness * (q[0] - def->rest) - def->damping * rate[0] +
           stop[0] - stop[1] + stop[2];
}

static void add_joints(const rig *r, const ph_wrench *reactions, const frame *frames, load *loads)
{
    ph_wrench Q[ROBOT_BODIES_MAX + 2] = {0};
    for (int j = 0; j < ph_model_joints(r->model); j++) {
        const joint *it = &r->model->joints[j];
        const bool b_moves = r->model->bodies[it->b].moving >= 0;
        push_pair(r, loads, it->a, it->b, b_moves ? place_of(r, it->b, it->s_b) : place_of(r, it->a, it->s_a),
                  reactions[j]);
        if (it->coordinate_count > 0 && !it->motor) joint_push(it, frames, 0, drive_force_at(r, j), Q);
    }
    for (int i = 0; i < ph_model_bodies(r->model); i++) {
        loads[i].force = ph_add(loads[i].force, Q[i].force);
        loads[i].torque = ph_add(loads[i].torque, ph_mul(frames[i].R, Q[i].torque));
    }
}

// The spring of a model: along the line between its points, by its stretch and how fast that grows.
static void add_spring(const rig *r, const force *f, load *loads)
{
    const ph_vec3 a = place_of(r, f->a, f->s_a), b = place_of(r, f->b, f->s_b), d = ph_sub(b, a);
    const double length = ph_norm(d);
    const ph_vec3 n = ph_scale(1.0 / length, d);
    double rate = 0.0;
    for (int side = 0; side < 2; side++) {
        const int i = side ? f->b : f->a;
        if (i >= ph_model_bodies(r->model)) continue;
        const ph_vec3 spin =
            ph_quat_rotate(ph_state_orientations(r->state)[i], ph_state_angular_velocities(r->state)[i]);
        const ph_vec3 arm = ph_sub(side ? b : a, ph_state_positions(r->state)[i]);
        rate += (side ? 1.0 : -1.0) * ph_dot(n, ph_add(ph_state_velocities(r->state)[i], ph_cross(spin, arm)));
    }
    const double tension = f->stiffness * (length - f->rest) + f->damping * rate;
    push(r, loads, f->b, b, ph_scale(-tension, n), ph_zero3());
    push(r, loads, f->a, a, ph_scale(tension, n), ph_zero3());
}

// The largest of m a - F and J w' + w x J w - M, beside the largest load.
static double imbalance(const rig *r)
{
    ph_twist accelerations[ROBOT_BODIES_MAX + 2];
    ph_wrench reactions[2 * ROBOT_BODIES_MAX];
    frame frames[ROBOT_BODIES_MAX + 2] = {0};
    load loads[ROBOT_BODIES_MAX + 2] = {0};
    const int bodies = ph_model_bodies(r->model);
    double worst = 0.0, most = 0.0;
    if (!CHECK_EQ_INT(ph_observer_dynamics(r->observer, r->state, accelerations, reactions), PH_OK)) return HUGE_VAL;
    for (int i = 0; i < bodies; i++)
        frames[i] = (frame){ph_quat_to_mat(ph_state_orientations(r->state)[i]), ph_state_positions(r->state)[i]};
    frames[bodies].R = ph_identity();
    add_contacts(r, loads);
    add_joints(r, reactions, frames, loads);
    for (int k = 0; k < r->model->force_count; k++)
        if (r->model->forces[k].type->lines) add_spring(r, &r->model->forces[k], loads);
    for (int i = 0; i < bodies; i++) {
        const body *b = &r->model->bodies[i];
        if (b->moving < 0) continue;
        const ph_vec3 w = ph_state_angular_velocities(r->state)[i], Jw = ph_mul(b->kind->J, w);
        const ph_vec3 rate = ph_add(ph_mul(b->kind->J, accelerations[i].omega), ph_cross(w, Jw));
        const ph_vec3 force = ph_madd(loads[i].force, b->kind->mass, r->model->gravity);
        const ph_vec3 lift = ph_sub(ph_scale(b->kind->mass, accelerations[i].v), force);
        const ph_vec3 turn = ph_sub(ph_mul(frames[i].R, rate), loads[i].torque);
        worst = ph_max(worst, ph_max(ph_norm(lift), ph_norm(turn)));
        most = ph_max(most, ph_max(ph_norm(loads[i].force), ph_norm(loads[i].torque)));
    }
    return worst / (most + 1.0);
}

static bool has_rotors(const rig *r)
{
    return r->model->rotor_count > 0;
}

TEST(forces_on_each_body_balance)
{
    double worst = 0.0;
    for (long k = 0; k < machine_count(); k++) {
        const machine m = machine_at(k);
        ph_model *model = compile(&m, 1e-10);
        if (!model) continue;
        rig r = rig_open(model, "moreau");
        for (int part = 0; part < 4 && !has_rotors(&r); part++) {
            if (run(&r, 0.002, 30).status != PH_OK) break;
            const double off = imbalance(&r);
            if (!CHECK(off <= 1e-8)) tell(&m, "forces are off by", off);
            worst = ph_max(worst, off);
        }
        rig_close(&r);
    }
    printf("  forces balance to %.1e of the largest\n", worst);
}

// ---- The other path -------------------------------------------------------------------------------------------------

static moreau *open_moreau(const ph_model *model, bool trees)
{
    const scheme_settings settings = {
        .tolerance = 1e-14, .max_iterations = 30, .threads = 1, .options = {0.5, 0.0, trees}};
    void *self = NULL;
    CHECK_EQ_INT(scheme_moreau.create(model, &settings, &self, NULL), PH_OK);
    return self;
}

static bool make_step(moreau *m, ph_state *state, ph_step_report *report)
{
    *report = (ph_step_report){0};
    return scheme_moreau.step(m, state, 0.002, report) == PH_OK && !report->contact_missed;
}

static double row_impulse(const moreau *m, int item)
{
    return item >= 0 ? m->rows.g[m->trees->paths.items[item].row] : 0.0;
}

// What the drives of a step by trees gave, as inputs of the other model.
static void copy_torques(const moreau *m, double *inputs, const int *input_of)
{
    const moreau_trees *t = m->trees;
    for (int n = 0; n < t->drive_count; n++) {
        const tree_drive *d = &t->drives[n];
        if (!d->force || input_of[d->joint] < 0) continue;
        double impulse = row_impulse(m, d->item) + row_impulse(m, d->motor_item);
        if (d->branch >= 0) {
            const double rate = t->next_rate[d->freedom];
            impulse += d->given - d->soft * rate;
            if (d->motor_item < 0) impulse += d->motor_given - d->motor_soft * rate;
        }
        inputs[input_of[d->joint]] += impulse / m->now.h;
    }
}

// Has it asked for less than that overlap is undone, or for it without velocities, or left out a contact that joints keep from moving? The matrix
// does not.
static bool has_relented(const moreau *m)
{
    const paths *p = &m->trees->paths;
    if (m->trees->recovers) return true;
    for (int i = 0; i < contacts_of(m)->count; i++) {
        double N[CONTACT_ROWS_MAX * CONTACT_ROWS_MAX];
        paths_block(p, &p->items[i], &p->items[i], N);
        const bool overlaps = contacts_gap_at(contacts_of(m), i).gap < -1e-9;
        if (N[0] == 0.0 || (overlaps && m->rows.q[p->items[i].row] == 0.0)) return true;
    }
    return false;
}

// Where friction jams there are several solutions: from the one that was found the matrix has nothing to do, if it is one.
static void copy_forces(ph_state *to, const ph_state *from)
{
    int count;
    const ph_contact *contacts = ph_state_contacts(from, &count);
    if (!CHECK(state_reserve_contacts(to, count))) return;
    for (int i = 0; i < count; i++) to->contacts[i] = contacts[i];
    state_set_contacts(to, count, 0);
    memcpy(to->stops, from->stops, sizeof(double) * 3 * (size_t)from->model->joint_count);
    to->history_owner = from->history_owner;
    to->touched = false;
}

static void copy_motion(ph_state *to, const ph_state *from, int bodies)
{
    for (int i = 0; i < bodies; i++) {
        ph_state_positions(to)[i] = from->position[i];
        ph_state_orientations(to)[i] = from->orientation[i];
        ph_state_velocities(to)[i] = from->velocity[i];
        ph_state_angular_velocities(to)[i] = from->angular_velocity[i];
    }
    to->time = from->time;
    for (int k = 0; k < from->model->target_count; k++) to->targets[k] = from->targets[k];
    ph_state_touch(to);
}

// Velocities with all impulses, before bodies are placed: those are the answer of both.
static double difference(const moreau *a, const moreau *b)
{
    double worst = 0.0, most = 1.0;
    for (int k = 0; k < a->model->moving_count; k++) {
        if (body_is_rotor(&a->model->bodies[a->model->moving[k]])) continue;
        const screw *x = &a->bodies.after[k], *y = &b->bodies.after[k];
        worst = ph_max(worst, ph_max(ph_norm(ph_sub(x->linear, y->linear)), ph_norm(ph_sub(x->angular, y->angular))));
        most = ph_max(most, ph_max(ph_norm(x->linear), ph_norm(x->angular)));
    }
    return worst / most;
}

static void list_inputs(const ph_model *model, const ph_model *other, int *input_of)
{
    for (int j = 0; j < ph_model_joints(model); j++)
        input_of[j] = ph_model_find_input(other, model->joints[j].name + 1);
}

// Steps by trees, with drives; and of now and then one the same by the matrix, which is given the torques that these have found.
static double compare(const machine *m, int *compared)
{
    machine plain = *m;
    plain.torques = true;
    ph_model *models[2] = {compile(m, 1e-12), NULL};
    if (!models[0]) return 0.0;
    models[1] = compile(&plain, 1e-12);
    ph_state *states[2] = {ph_state_create(models[0]), ph_state_create(models[1])};
    moreau *sims[2] = {open_moreau(models[0], true), open_moreau(models[1], false)};
    ph_step_report report;
    double worst = 0.0;
    int input_of[2 * ROBOT_BODIES_MAX];
    list_inputs(models[0], models[1], input_of);
    for (int k = 0; k < 80; k++) {
        copy_motion(states[1], states[0], (int)model_places(models[0]));
        if (!make_step(sims[0], states[0], &report)) break;
        if (k % 8 != 0) continue;
        memset(ph_state_inputs(states[1]), 0, sizeof(double) * (size_t)ph_model_inputs(models[1]));
        copy_torques(sims[0], ph_state_inputs(states[1]), input_of);
        copy_forces(states[1], states[0]);
        if (has_relented(sims[0]) || !make_step(sims[1], states[1], &report)) continue;
        worst = ph_max(worst, difference(sims[0], sims[1]));
        ++*compared;
    }
    for (int k = 0; k < 2; k++) {
        scheme_moreau.destroy(sims[k]);
        ph_state_destroy(states[k]);
        ph_model_destroy(models[k]);
    }
    return worst;
}

TEST(trees_agree_with_the_whole_matrix)
{
    double worst = 0.0;
    int compared = 0;
    for (long k = 0; k < machine_count(); k++) {
        machine m = machine_at(k);
        m.springs = false; // rows of their own by trees, forces in the matrix
        m.bounces = false; // at their moments by trees alone
        const double off = compare(&m, &compared);
        if (!CHECK(off <= 1e-9)) tell(&m, "velocities differ by", off);
        worst = ph_max(worst, off);
    }
    printf("  %d steps compared, velocities agree to %.1e\n", compared, worst);
}
