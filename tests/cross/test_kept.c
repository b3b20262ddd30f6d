// The cross, what must be kept: random mechanisms (mechanism.h) by model file and by calls, there and back in time, and whether
// momenta change as forces, reactions and the work done say.
//
// POLHODE_CROSS_SEEDS and POLHODE_CROSS_FIRST choose how many and where to begin; bench/cross/run sets them.

#include "test.h"

#include "mechanism.h"
#include "polhode/polhode.h"

#include <stdlib.h>

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 10) : otherwise;
}

static ph_vec3 to(vec a)
{
    return (ph_vec3){(double)a.x, (double)a.y, (double)a.z};
}

static ph_spec *spec_of_text(const char *text, size_t length)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    CHECK_EQ_INT(ph_spec_read_text(text, length, "cross", NULL, 0, problems, &spec), PH_OK);
    ph_problems_destroy(problems);
    return spec;
}

static ph_model *model_of(ph_spec *spec) // takes the spec over
{
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_OK);
    for (int k = 0; k < ph_problems_count(problems); k++) printf("  %s\n", ph_problems_get(problems, k)->text);
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    return model;
}

static ph_model *model_of_file(const mechanism *g)
{
    return model_of(spec_of_text(g->text, g->length));
}

// ---- The same model by calls ----------------------------------------------------------------------------------------

static void add_bodies(const mechanism *g, ph_spec *spec)
{
    for (int i = 0; i < g->model.body_count; i++) {
        const ref_body *b = &g->model.bodies[i];
        ph_body_def def = ph_default_body();
        char name[8];
        snprintf(name, sizeof name, "b%d", i);
        def.name = name;
        def.mass = (double)b->mass;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) def.inertia.m[r][c] = (double)(&b->inertia.c[c].x)[r];
        def.com = to(g->com[i]);
        def.position = to(vsub(g->start.x[i], mvec(g->R[i], g->com[i])));
        const quat q = g->start.q[i];
        def.orientation = (ph_quat){(double)q.w, (double)q.x, (double)q.y, (double)q.z};
        def.velocity = to(g->start.v[i]);
        def.angular_velocity = to(mtvec(g->R[i], g->start.w[i]));
        ph_spec_add_body(spec, &def);
    }
}

static void set_motor(const ref_joint *j, ph_joint_def *def, char *text, size_t size)
{
    const ref_drive *d = &j->drive;
    if (d->amplitude != 0) {
        int n = snprintf(text, size, "%.17g*sin(%.17g*t + %.17g)", (double)d->amplitude, (double)d->frequency,
                         (double)d->phase);
        if (d->gain != 0) snprintf(text + n, size - (size_t)n, " + %.17g*q.j%d", (double)d->gain, d->other);
        def->motor = PH_MOTOR_TORQUE;
        def->motor_value.expression = text;
    }
    if (j->swing != 0) {
        snprintf(text, size, "%.17g*sin(%.17g*t)", (double)j->swing, (double)j->frequency);
        def->motor = PH_MOTOR_POSITION;
        def->motor_value.expression = text;
    }
}

static void set_places(const mechanism *g, int k, ph_joint_def *def)
{
    const ref_joint *j = &g->model.joints[k];
    def->body_a = j->a == WORLD ? PH_WORLD : j->a;
    def->body_b = j->b;
    if (strcmp(g->type[k], "distance") == 0) {
        def->has_anchor_a = def->has_anchor_b = true;
        def->anchor_a = to(file_point(g, j->a, j->s_a));
        def->anchor_b = to(file_point(g, j->b, j->s_b));
    } else {
        def->has_anchor = true;
        def->anchor = to(g->anchor[k]);
    }
    for (int i = 0; i < KINDS; i++)
        if (strcmp(g->type[k], joint_kinds[i].type) == 0) def->has_axis = joint_kinds[i].axis != NULL;
    def->axis = to(g->frame[k].c[2]);
    def->has_axis2 = strcmp(g->type[k], "universal") == 0 || strcmp(g->type[k], "slot") == 0;
    def->axis2 = to(g->frame[k].c[0]);
}

static void set_rolling(const mechanism *g, const ref_joint *j, ph_joint_def *def, char *text, size_t size)
{
    const bool turns = j->rolls[0].turns;
    snprintf(text, size, "%.17g*sin(%.17g*t)", (double)j->swing, (double)j->frequency);
    def->frame_b = turns;
    def->velocity_count = j->row_count;
    for (int i = 0; i < j->row_count; i++) {
        const vec linear = turns ? mvec(g->R[j->b], j->rolls[i].linear) : j->rolls[i].linear,
                  angular =
                      vadd(turns ? mvec(g->R[j->b], j->rolls[i].angular) : j->rolls[i].angular, (vec){0}); // no -0
        for (int c = 0; c < 6; c++)
            def->velocities[i].of[c].number = (double)(c < 3 ? (&linear.x)[c] : (&angular.x)[c - 3]);
        def->velocities[i].equals.expression = text;
    }
}

static void add_joints(const mechanism *g, ph_spec *spec)
{
    for (int k = 0; k < g->model.joint_count; k++) {
        const ref_joint *j = &g->model.joints[k];
        ph_joint_def def = ph_default_joint();
        char name[8], motor[200];
        snprintf(name, sizeof name, "j%d", k);
        def.name = name;
        def.type = g->type[k];
        if (strcmp(g->type[k], "gear") == 0) {
            def.gear_joint[0] = j->gear_i, def.gear_joint[1] = j->gear_j;
            def.ratio = (double)j->ratio;
        } else {
            set_places(g, k, &def);
            def.pitch = (double)j->pitch;
            def.stiffness = (double)j->drive.stiffness, def.rest = (double)j->drive.rest;
            def.damping = (double)j->drive.damping;
            if (j->drive.friction != 0)
                def.friction = (double)j->drive.friction, def.friction_speed = (double)j->drive.speed;
            if (strcmp(g->type[k], "generic_velocity") == 0)
                set_rolling(g, j, &def, motor, sizeof motor);
            else
                set_motor(j, &def, motor, sizeof motor);
        }
        CHECK_EQ_INT(ph_spec_add_joint(spec, &def), k);
    }
}

static void add_forces_of(const mechanism *g, ph_spec *spec)
{
    for (int k = 0; k < g->model.force_count; k++) {
        const ref_force *f = &g->model.forces[k];
        ph_force_def def = ph_default_force();
        char text[3][64];
        def.body_a = f->a == WORLD ? PH_WORLD : f->a;
        def.body_b = f->b;
        def.point_b = to(file_point(g, f->b, f->s_b));
        if (f->kind == SPRING) {
            def.type = "spring";
            def.point_a = to(file_point(g, f->a, f->s_a));
            def.stiffness = (double)f->stiffness, def.damping = (double)f->damping;
            def.has_length = true, def.length = (double)f->length;
        } else {
            def.type = "wrench";
            def.body_a = PH_WORLD;
            for (int i = 0; i < 3; i++) {
                snprintf(text[i], sizeof text[i], "%.17g*sin(%.17g*t)", (double)(&f->force.x)[i], (double)f->frequency);
                def.force[i].expression = text[i];
                def.torque[i].number = (double)(&f->torque.x)[i];
            }
        }
        CHECK(ph_spec_add_force(spec, &def) >= 0);
    }
}

static ph_model *model_of_calls(const mechanism *g)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_spec_set_gravity(spec, to(g->model.gravity));
    add_bodies(g, spec);
    add_joints(g, spec);
    add_forces_of(g, spec);
    return model_of(spec);
}

static ph_model *model_written_and_read(const mechanism *g, ph_model_format format)
{
    ph_spec *spec = spec_of_text(g->text, g->length);
    const char *text = NULL;
    ph_error error = {.text = ""};
    CHECK_EQ_INT(ph_spec_write_text(spec, format, &text, &error), PH_OK);
    ph_spec *again = text ? spec_of_text(text, strlen(text)) : NULL;
    ph_spec_destroy(spec);
    return model_of(again);
}

static ph_state *state_after(const ph_model *model, const char *scheme, double h, int steps)
{
    ph_state *state = ph_state_create(model);
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    def.scheme = scheme;
    ph_status status = ph_sim_create(model, &def, &sim, NULL);
    for (int k = 0; status == PH_OK && k < steps; k++) status = ph_sim_step(sim, state, h, NULL);
    ph_sim_destroy(sim);
    return state;
}

static bool same_bits(ph_state *a, ph_state *b, int bodies)
{
    const size_t n = (size_t)bodies;
    return memcmp(ph_state_positions(a), ph_state_positions(b), n * sizeof(ph_vec3)) == 0 &&
           memcmp(ph_state_orientations(a), ph_state_orientations(b), n * sizeof(ph_quat)) == 0 &&
           memcmp(ph_state_velocities(a), ph_state_velocities(b), n * sizeof(ph_vec3)) == 0 &&
           memcmp(ph_state_angular_velocities(a), ph_state_angular_velocities(b), n * sizeof(ph_vec3)) == 0;
}

// For python/tests/test_cross.py, in the folder that POLHODE_CROSS_WRITE names: the model as JSON, and where it went.
static void write_for_python(const mechanism *g, long seed, const char *scheme, ph_state *end)
{
    const char *folder = getenv("POLHODE_CROSS_WRITE"), *text = NULL;
    ph_spec *spec = folder ? spec_of_text(g->text, g->length) : NULL;
    char path[600];
    if (!spec || !end) return;
    snprintf(path, sizeof path, "%s/%ld.txt", folder, seed);
    FILE *file = fopen(path, "w");
    if (CHECK(file && ph_spec_write_text(spec, PH_MODEL_JSON, &text, NULL) == PH_OK)) {
        fprintf(file, "%s\n", scheme);
        for (int i = 0; i < g->model.body_count; i++) {
            const ph_vec3 x = ph_state_positions(end)[i], v = ph_state_velocities(end)[i],
                          w = ph_state_angular_velocities(end)[i];
            const ph_quat q = ph_state_orientations(end)[i];
            fprintf(file, "%a %a %a %a %a %a %a %a %a %a %a %a %a ", x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z,
                    w.x, w.y, w.z);
        }
        fprintf(file, "\n%s\n", text);
    }
    if (file) fclose(file);
    ph_spec_destroy(spec);
}

TEST(file_calls_and_what_is_written_of_it_are_the_same_model)
{
    static const char *const schemes[] = {"rattlie", "lie-alpha", "rkmk4", "moreau"};
    static mechanism g;
    const long first = setting("POLHODE_CROSS_FIRST", 1), count = setting("POLHODE_CROSS_SEEDS", 400) / 4;
    long same = 0, other = 0;
    for (long seed = first; seed < first + count; seed++) {
        if (!mechanism_make(&g, (uint64_t)seed)) continue;
        const char *scheme = schemes[seed % 4];
        ph_model *models[] = {model_of_file(&g), model_of_calls(&g), model_written_and_read(&g, PH_MODEL_YAML),
                              model_written_and_read(&g, PH_MODEL_JSON)};
        ph_state *states[4] = {NULL};
        bool all = true;
        for (int k = 0; k < 4; k++) {
            states[k] = models[k] ? state_after(models[k], scheme, 1e-3, 20) : NULL;
            all = all && states[k] && ph_model_fingerprint(models[k]) == ph_model_fingerprint(models[0]) &&
                  same_bits(states[0], states[k], g.model.body_count);
        }
        if (!all) printf("  seed %ld: file, calls, YAML and JSON differ under %s\n", seed, scheme);
        write_for_python(&g, seed, scheme, states[0]);
        same += all, other += !all;
        for (int k = 0; k < 4; k++) ph_state_destroy(states[k]), ph_model_destroy(models[k]);
    }
    printf("  %ld models have the same bits by file, by calls and after writing, %ld do not\n", same, other);
    CHECK_EQ_INT(other, 0);
    CHECK(same > count / 2);
}

// ---- There and back -------------------------------------------------------------------------------------------------

static bool is_smooth(const mechanism *g) // nothing that takes energy away, which backwards would be given
{
    for (int k = 0; k < g->model.joint_count; k++)
        if (g->model.joints[k].drive.damping != 0 || g->model.joints[k].drive.friction != 0) return false;
    for (int k = 0; k < g->model.force_count; k++)
        if (g->model.forces[k].damping != 0) return false;
    return true;
}

static double furthest(const mechanism *g, ph_state *a, ph_state *b)
{
    real most = 0;
    for (int i = 0; i < g->model.body_count; i++) {
        const ph_vec3 x = ph_state_positions(a)[i], y = ph_state_positions(b)[i];
        const ph_quat p = ph_state_orientations(a)[i], q = ph_state_orientations(b)[i];
        const real along = fabsl((real)p.w * q.w + (real)p.x * q.x + (real)p.y * q.y + (real)p.z * q.z);
        const vec d = {(real)x.x - y.x, (real)x.y - y.y, (real)x.z - y.z};
        most = fmaxl(most, fmaxl(vlen(d) / g->size, sqrtl(fmaxl(0, 2 - 2 * along))));
    }
    return (double)most;
}

// `steps` of length h and as many of -h.
static ph_status there_and_back(const ph_model *model, const char *scheme, double h, int steps, ph_state *state)
{
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    def.scheme = scheme;
    ph_status status = ph_sim_create(model, &def, &sim, NULL);
    for (int k = 0; status == PH_OK && k < 2 * steps; k++) status = ph_sim_step(sim, state, k < steps ? h : -h, NULL);
    ph_sim_destroy(sim);
    return status;
}

TEST(reversible_schemes_come_back_to_where_they_began)
{
    static mechanism g;
    const long first = setting("POLHODE_CROSS_FIRST", 1), count = setting("POLHODE_CROSS_SEEDS", 400) / 10;
    long back = 0, stopped = 0, lost = 0;
    for (long seed = first; seed < first + count; seed++) {
        if (!mechanism_make(&g, (uint64_t)seed) || !is_smooth(&g)) continue;
        ph_model *model = model_of_file(&g);
        for (int k = 0; model && k < ph_scheme_count(); k++) {
            const ph_scheme_info info = ph_scheme_get(k);
            if (!(info.traits & PH_TIME_REVERSIBLE) || info.traits & (PH_HAS_CONTACT | PH_OWN_STEPS) || info.order < 1)
                continue;
            ph_state *state = ph_state_create(model), *start = ph_state_create(model);
            const ph_status status = there_and_back(model, info.name, 2e-4, 50, state);
            const double off = furthest(&g, start, state);
            const bool good = off < 1e-7; // Newton's tolerance, grown by what the motion spreads
            stopped += status != PH_OK, back += status == PH_OK && good, lost += status == PH_OK && !good;
            if (status == PH_OK && !good) printf("  seed %ld, %s: comes back %.2g away\n", seed, info.name, off);
            ph_state_destroy(state);
            ph_state_destroy(start);
        }
        ph_model_destroy(model);
    }
    printf("  %ld runs come back, %ld stopped with a reason, %ld do not come back\n", back, stopped, lost);
    CHECK_EQ_INT(lost, 0);
    CHECK(back > 10 * stopped);
}

// ---- Balance --------------------------------------------------------------------------------------------------------

// The work of forces and motors against energy: T + U - W may move by what the order of the scheme allows.
static double energy_moved(const ph_model *model, const char *scheme, double h, double until, double *kinetic,
                           double *potential)
{
    ph_state *state = ph_state_create(model);
    ph_observer *observer = NULL;
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_measures start, now;
    def.scheme = scheme;
    ph_status status = ph_sim_create(model, &def, &sim, NULL);
    ph_observer_create(model, &observer);
    ph_observer_measure(observer, state, &start);
    *kinetic = start.kinetic, *potential = fabs(start.potential);
    const int steps = (int)(until / h + 0.5);
    for (int k = 0; status == PH_OK && k < steps; k++) {
        status = ph_sim_step(sim, state, h, NULL);
        ph_observer_measure(observer, state, &now);
        *kinetic = fmax(*kinetic, now.kinetic);
    }
    const double moved = status == PH_OK ? fabs(now.total - start.total) : -1.0;
    ph_observer_destroy(observer);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    return moved;
}

TEST(energy_moves_by_the_work_done)
{
    static const char *const schemes[] = {"rattlie",  "lgvi",    "rkmk4",       "lie-alpha", "quat-fem",
                                          "rattlie4", "bliedf2", "clifford-vi", "quat-fem-4"};
    enum { SCHEMES = sizeof schemes / sizeof *schemes };
    static mechanism g;
    const long first = setting("POLHODE_CROSS_FIRST", 1), count = setting("POLHODE_CROSS_SEEDS", 400) / 10;
    long balanced = 0, stopped = 0, open = 0;
    for (long seed = first; seed < first + count; seed++) {
        ph_model *model = mechanism_make(&g, (uint64_t)seed) ? model_of_file(&g) : NULL;
        const char *scheme = schemes[seed % SCHEMES];
        double kinetic, potential, coarse = -1.0, fine = -1.0;
        bool good = !model;
        int runs = 0; // in a row that came to their end
        // Until it falls as it must, or is next to nothing; explicit schemes with stiff dampers need steps below a microsecond.
        for (double h = 1e-3; !good && h > 1e-7; h *= 0.25) {
            coarse = fine;
            fine = energy_moved(model, scheme, h, 0.05, &kinetic, &potential);
            runs = fine >= 0.0 ? runs + 1 : 0;
            good = runs > 0 && (fine <= 1e-9 * kinetic + 1e-10 * potential ||
                                (runs > 1 && fine < 0.3 * coarse && fine < 0.02 * kinetic));
        }
        if (!model) continue;
        const bool wild = !good && runs < 3; // half a turn in a quarter of a millisecond
        balanced += good, stopped += wild, open += !good && !wild;
        if (!good && !wild)
            printf("  seed %ld, %s: %.3g J of %.3g J are not paid for, %.3g J with four times the step\n", seed, scheme,
                   fine, kinetic, coarse);
        ph_model_destroy(model);
    }
    printf("  the energy of %ld runs is paid for, %ld are too fast to tell, %ld are not\n", balanced, stopped, open);
    CHECK_EQ_INT(open, 0);
    CHECK(balanced > 10 * stopped);
}
