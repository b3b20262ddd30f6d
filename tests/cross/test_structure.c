// The cross, structure: random mechanisms (mechanism.h) under every scheme that promises it: the symplectic 2-form by finite
// differences, momentum of mechanisms that float, limits that hold, and the same bits for any number of threads.
//
// What is measured is computed here in long double from positions and velocities alone.
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

static vec of(ph_vec3 a)
{
    return (vec){a.x, a.y, a.z};
}

static quat of_quat(ph_quat q)
{
    return (quat){q.w, q.x, q.y, q.z};
}

// The model of a text, without gravity where `floats`; NULL: refused.
static ph_model *model_of(const char *text, size_t length, bool floats)
{
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    if (ph_spec_read_text(text, length, "cross", NULL, 0, NULL, &spec) == PH_OK) {
        if (floats) ph_spec_set_gravity(spec, (ph_vec3){0, 0, 0});
        ph_model_compile(spec, NULL, &model);
    }
    ph_spec_destroy(spec);
    CHECK(model);
    return model;
}

static ph_status run(const ph_model *model, const char *scheme, int threads, double h, int steps, ph_state *state)
{
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    def.scheme = scheme;
    def.threads = threads;
    ph_status status = ph_sim_create(model, &def, &sim, NULL);
    for (int k = 0; status == PH_OK && k < steps; k++) status = ph_sim_step(sim, state, h, NULL);
    ph_sim_destroy(sim);
    return status;
}

// Forces come from a potential, and nothing is prescribed.
static bool is_hamiltonian(const mechanism *g)
{
    for (int k = 0; k < g->model.joint_count; k++) {
        const ref_joint *j = &g->model.joints[k];
        if (j->drive.damping != 0 || j->drive.friction != 0 || j->drive.gain != 0 || j->swing != 0) return false;
        if (strcmp(g->type[k], "generic_velocity") == 0) return false;
    }
    for (int k = 0; k < g->model.force_count; k++)
        if (g->model.forces[k].damping != 0 || g->model.forces[k].kind == PUSH) return false;
    return true;
}

static bool promises(const ph_scheme_info *info, uint32_t trait)
{
    return info->traits & trait && !(info->traits & (PH_HAS_CONTACT | PH_OWN_STEPS)) && info->order > 0;
}

// ---- The 2-form -----------------------------------------------------------------------------------------------------

typedef struct tangent { // of one body: way, turn (body axes), change of velocity and of spin (body axes)
    vec way, turn, velocity, spin;
} tangent;

// The rotation vector of q0^-1 q.
static vec turn_between(quat a, quat b)
{
    const vec p = {-a.x, -a.y, -a.z}, r = {b.x, b.y, b.z};
    const real w = a.w * b.w - vdot(p, r);
    const vec v = vadd(vadd(vmul(a.w, r), vmul(b.w, p)), vcross(p, r));
    const real s = vlen(v), sign = w < 0 ? -1 : 1;
    return s > 0 ? vmul(2 * sign * atan2l(s, fabsl(w)) / s, v) : v;
}

static tangent between(ph_state *low, ph_state *middle, ph_state *high, int i, real eps)
{
    const real r = 1 / (2 * eps);
    const quat q = of_quat(ph_state_orientations(middle)[i]);
    return (tangent){vmul(r, vsub(of(ph_state_positions(high)[i]), of(ph_state_positions(low)[i]))),
                     vmul(r, vsub(turn_between(q, of_quat(ph_state_orientations(high)[i])),
                                  turn_between(q, of_quat(ph_state_orientations(low)[i])))),
                     vmul(r, vsub(of(ph_state_velocities(high)[i]), of(ph_state_velocities(low)[i]))),
                     vmul(r, vsub(of(ph_state_angular_velocities(high)[i]), of(ph_state_angular_velocities(low)[i])))};
}

// dx_a . m dv_b - dx_b . m dv_a + th_a . J dw_b - th_b . J dw_a + J w . (th_a x th_b); *scale: the sum of sizes.
static real two_form(const mechanism *g, ph_state *middle, const tangent *a, const tangent *b, real *scale)
{
    real sum = 0;
    *scale = 0;
    for (int i = 0; i < g->model.body_count; i++) {
        const ref_body *body = &g->model.bodies[i];
        const mat J = body->inertia;
        const real parts[] = {body->mass * vdot(a[i].way, b[i].velocity), -body->mass * vdot(b[i].way, a[i].velocity),
                              vdot(a[i].turn, mvec(J, b[i].spin)), -vdot(b[i].turn, mvec(J, a[i].spin)),
                              vdot(mvec(J, of(ph_state_angular_velocities(middle)[i])), vcross(a[i].turn, b[i].turn))};
        for (int k = 0; k < 5; k++) sum += parts[k], *scale += fabsl(parts[k]);
    }
    return sum;
}

static void disturb(mechanism *g, const tangent *along, real eps, ph_state *state)
{
    for (int i = 0; i < g->model.body_count; i++) {
        ph_vec3 *x = &ph_state_positions(state)[i], *v = &ph_state_velocities(state)[i],
                *w = &ph_state_angular_velocities(state)[i];
        ph_quat *q = &ph_state_orientations(state)[i];
        const vec dx = vmul(eps * g->size, along[i].way), dv = vmul(eps * g->size, along[i].velocity);
        const vec dw = vmul(eps, along[i].spin);
        const quat p = of_quat(*q), rate = quat_rate(p, mvec(quat_matrix(p), vmul(eps, along[i].turn)));
        const real n = sqrtl((p.w + rate.w) * (p.w + rate.w) + (p.x + rate.x) * (p.x + rate.x) +
                             (p.y + rate.y) * (p.y + rate.y) + (p.z + rate.z) * (p.z + rate.z));
        *x = (ph_vec3){(double)(x->x + dx.x), (double)(x->y + dx.y), (double)(x->z + dx.z)};
        *v = (ph_vec3){(double)(v->x + dv.x), (double)(v->y + dv.y), (double)(v->z + dv.z)};
        *w = (ph_vec3){(double)(w->x + dw.x), (double)(w->y + dw.y), (double)(w->z + dw.z)};
        *q = (ph_quat){(double)((p.w + rate.w) / n), (double)((p.x + rate.x) / n), (double)((p.y + rate.y) / n),
                       (double)((p.z + rate.z) / n)};
    }
    ph_state_touch(state);
}

enum { STATES = 5 }; // the middle, and both sides along two directions

typedef struct bundle {
    ph_state *state[STATES];
    tangent a[BODIES], b[BODIES];
} bundle;

// All on the joints. false: some could not be put there.
static bool bundle_make(mechanism *g, const ph_model *model, real eps, bundle *of_states)
{
    tangent along[2][BODIES];
    bool ok = true;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < g->model.body_count; i++)
            along[k][i] = (tangent){chance_vec(g, 1), chance_vec(g, 1), chance_vec(g, 1), chance_vec(g, 1)};
    for (int k = 0; k < STATES; k++) {
        of_states->state[k] = ph_state_create(model);
        if (k == 0) continue;
        disturb(g, along[(k - 1) / 2], k % 2 ? -eps : eps, of_states->state[k]);
        ok = ok && ph_state_project(of_states->state[k], NULL, NULL) == PH_OK;
    }
    return ok;
}

static real bundle_form(const mechanism *g, bundle *s, real eps, real *scale)
{
    for (int i = 0; i < g->model.body_count; i++) {
        s->a[i] = between(s->state[1], s->state[0], s->state[2], i, eps);
        s->b[i] = between(s->state[3], s->state[0], s->state[4], i, eps);
    }
    return two_form(g, s->state[0], s->a, s->b, scale);
}

static void bundle_free(bundle *s)
{
    for (int k = 0; k < STATES; k++) ph_state_destroy(s->state[k]);
}

// By how much ten steps change the 2-form, by its parts; negative: it could not be measured.
static double form_change(mechanism *g, const ph_model *model, const char *scheme, real eps)
{
    bundle s = {.state = {NULL}};
    const uint64_t seed = g->seed;
    real before = 0, after = 0, scale = 1, later = 1;
    bool ok = bundle_make(g, model, eps, &s);
    g->seed = seed; // the same directions for every scheme
    if (ok) before = bundle_form(g, &s, eps, &scale);
    for (int k = 0; k < STATES && ok; k++) ok = run(model, scheme, 1, 0.02, 10, s.state[k]) == PH_OK;
    if (ok) after = bundle_form(g, &s, eps, &later);
    bundle_free(&s);
    return ok ? (double)(fabsl(after - before) / fmaxl(scale, later)) : -1.0;
}

// Symplectic schemes keep it to what differences can tell; `lie-alpha`, which is not, shows that they can.
TEST(symplectic_schemes_keep_the_2_form)
{
    static mechanism g;
    const long first = setting("POLHODE_CROSS_FIRST", 1), count = setting("POLHODE_CROSS_SEEDS", 400) / 4;
    long kept = 0, lost = 0, left_out = 0, seen = 0, others = 0;
    for (long seed = first; seed < first + count; seed++) {
        if (!mechanism_make(&g, (uint64_t)seed) || !is_hamiltonian(&g)) continue;
        ph_model *model = model_of(g.text, g.length, false);
        for (int k = 0; model && k < ph_scheme_count(); k++) {
            const ph_scheme_info info = ph_scheme_get(k);
            const bool control = strcmp(info.name, "lie-alpha") == 0;
            if (!promises(&info, PH_SYMPLECTIC) && !control) continue;
            double change = form_change(&g, model, info.name, 1e-4L);
            for (real eps = 2e-5L; eps > 1e-7L && change > 1e-5 && !control;
                 eps /= 5) // shorter where motions part fast
                change = fmin(change, form_change(&g, model, info.name, eps));
            if (control) {
                others += change >= 0.0, seen += change > 1e-5;
                continue;
            }
            left_out += change < 0.0, kept += change >= 0.0 && change <= 1e-5, lost += change > 1e-5;
            if (change > 1e-5) printf("  seed %ld, %s: the 2-form changes by %.2g\n", seed, info.name, change);
        }
        ph_model_destroy(model);
    }
    printf("  %ld runs keep the 2-form, %ld do not, %ld were too wild to tell; lie-alpha loses it in %ld of %ld\n",
           kept, lost, left_out, seen, others);
    CHECK_EQ_INT(lost, 0);
    CHECK(kept > 5 * left_out && 4 * seen > others);
}

// ---- Momentum -------------------------------------------------------------------------------------------------------

static bool floats(const mechanism *g)
{
    for (int k = 0; k < g->model.joint_count; k++)
        if ((g->model.joints[k].a == WORLD && strcmp(g->type[k], "gear") != 0) ||
            strcmp(g->type[k], "generic_velocity") == 0)
            return false;
    for (int k = 0; k < g->model.force_count; k++)
        if (g->model.forces[k].kind == PUSH || g->model.forces[k].a == WORLD) return false;
    return true;
}

// Linear, and angular about the origin; *scale: sums of their parts, lengths by the size of the model.
static void momentum(const mechanism *g, ph_state *state, real p[6], real scale[2])
{
    for (int k = 0; k < 6; k++) p[k] = 0;
    scale[0] = scale[1] = 0;
    for (int i = 0; i < g->model.body_count; i++) {
        const vec x = of(ph_state_positions(state)[i]),
                  v = vmul(g->model.bodies[i].mass, of(ph_state_velocities(state)[i]));
        const vec spin = mvec(quat_matrix(of_quat(ph_state_orientations(state)[i])),
                              mvec(g->model.bodies[i].inertia, of(ph_state_angular_velocities(state)[i])));
        const vec L = vadd(vcross(x, v), spin);
        const real parts[6] = {v.x, v.y, v.z, L.x, L.y, L.z};
        for (int k = 0; k < 6; k++) p[k] += parts[k];
        scale[0] += vlen(v), scale[1] += vlen(x) * vlen(v) + vlen(spin);
    }
}

static double momentum_change(const mechanism *g, const ph_model *model, const char *scheme)
{
    ph_state *state = ph_state_create(model);
    real before[6], after[6], scale[2], later[2], worst = 0;
    momentum(g, state, before, scale);
    const ph_status status = run(model, scheme, 1, 5e-3, 40, state);
    momentum(g, state, after, later);
    for (int k = 0; k < 6; k++) worst = fmaxl(worst, fabsl(after[k] - before[k]) / fmaxl(scale[k / 3], later[k / 3]));
    ph_state_destroy(state);
    return status == PH_OK ? (double)worst : -1.0;
}

TEST(mechanisms_that_float_keep_their_momentum)
{
    static mechanism g;
    const long first = setting("POLHODE_CROSS_FIRST", 1), count = setting("POLHODE_CROSS_SEEDS", 400);
    long kept = 0, lost = 0, stopped = 0;
    for (long seed = first; seed < first + count; seed++) {
        if (!mechanism_make(&g, (uint64_t)seed) || !floats(&g)) continue;
        ph_model *model = model_of(g.text, g.length, true);
        for (int k = 0; model && k < ph_scheme_count(); k++) {
            const ph_scheme_info info = ph_scheme_get(k);
            if (!promises(&info, PH_KEEPS_MOMENTUM)) continue;
            const double change = momentum_change(&g, model, info.name);
            stopped += change < 0.0, kept += change >= 0.0 && change <= 1e-11, lost += change > 1e-11;
            if (change > 1e-11) printf("  seed %ld, %s: momentum changes by %.2g\n", seed, info.name, change);
        }
        ph_model_destroy(model);
    }
    printf("  %ld runs keep their momentum, %ld do not, %ld stopped with a reason\n", kept, lost, stopped);
    CHECK_EQ_INT(lost, 0);
    CHECK(kept > 10 * stopped);
}

// ---- Limits ---------------------------------------------------------------------------------------------------------

// Limits for joint k, put before the end of its line.
static bool limit_joint(mechanism *g, int k, double low, double high)
{
    char name[16], text[80];
    snprintf(name, sizeof name, "name: j%d,", k);
    char *line = strstr(g->text, name), *end = line ? strstr(line, "}\n") : NULL;
    const int n = snprintf(text, sizeof text, ", limits: [%.17g, %.17g]", low, high);
    if (!end || g->length + (size_t)n >= sizeof g->text) return false;
    memmove(end + n, end, strlen(end) + 1);
    memcpy(end, text, (size_t)n);
    g->length += (size_t)n;
    return true;
}

static double coordinate(const mechanism *g, ph_state *state, int joint)
{
    ref_state s = g->start;
    for (int i = 0; i < g->model.body_count; i++) {
        s.x[i] = of(ph_state_positions(state)[i]);
        s.q[i] = of_quat(ph_state_orientations(state)[i]);
    }
    return (double)coordinate_value(&s, &g->model.joints[joint]);
}

typedef struct limited {
    int joint;
    double low, high, way;
} limited;

// How far a coordinate is beyond its limits, by `way`.
static double beyond(const mechanism *g, ph_state *state, const limited *l)
{
    const double q = coordinate(g, state, l->joint);
    return fmax(0.0, fmax(l->low - q, q - l->high)) / l->way;
}

// The largest over a run; *touched: whether it came near one. Negative: it stopped.
static double passes(const mechanism *g, const ph_model *model, const char *scheme, double h, const limited *l,
                     bool *touched)
{
    ph_state *state = ph_state_create(model);
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    double most = 0.0;
    def.scheme = scheme;
    ph_status status = ph_sim_create(model, &def, &sim, NULL);
    for (int k = 0; status == PH_OK && k < 0.5 / h; k++) {
        status = ph_sim_step(sim, state, h, NULL);
        const double q = coordinate(g, state, l->joint);
        most = fmax(most, beyond(g, state, l));
        *touched = *touched || fmin(q - l->low, l->high - q) < 1e-3 * l->way;
    }
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    return status == PH_OK ? most : -1.0;
}

// Nothing may prescribe a motion beyond the limits.
static bool choose_limits(mechanism *g, limited *l)
{
    for (int k = 0; k < g->model.joint_count; k++)
        if (g->model.joints[k].swing != 0 || strcmp(g->type[k], "generic_velocity") == 0) return false;
    for (int k = 0; k < g->model.joint_count; k++) {
        const ref_joint *j = &g->model.joints[k];
        if (j->coordinate == NO_COORDINATE || j->pitch != 0) continue;
        const double way = j->coordinate == SLIDE ? (double)g->size : 1.0;
        *l = (limited){k, -way * chance(g, 0.05, 0.3), way * chance(g, 0.05, 0.3), way};
        return limit_joint(g, k, l->low, l->high);
    }
    return false;
}

// No coordinate passes a limit by more than what a step overlooks where loops are fast: shorter steps overlook less.
TEST(limits_hold)
{
    static const char *const schemes[] = {"moreau", "rattlie-ns"};
    static mechanism g;
    const long first = setting("POLHODE_CROSS_FIRST", 1), count = setting("POLHODE_CROSS_SEEDS", 400) / 4;
    long held = 0, passed = 0, stopped = 0, touches = 0;
    for (long seed = first; seed < first + count; seed++) {
        limited l;
        if (!mechanism_make(&g, (uint64_t)seed) || !choose_limits(&g, &l)) continue;
        ph_model *model = model_of(g.text, g.length, false);
        for (int k = 0; model && k < 2; k++) {
            bool touched = false;
            double most = passes(&g, model, schemes[k], 2e-3, &l, &touched);
            for (double h = 5e-4; h > 3e-5 && !(most >= 0.0 && most <= 1e-3); h *= 0.25)
                most = passes(&g, model, schemes[k], h, &l, &touched);
            stopped += most < 0.0, held += most >= 0.0 && most <= 1e-3, passed += most > 1e-3, touches += touched;
            if (most > 1e-3) printf("  seed %ld, %s: j%d is %.2g beyond its limit\n", seed, schemes[k], l.joint, most);
            if (most < 0.0) printf("  seed %ld, %s: stopped\n", seed, schemes[k]);
        }
        ph_model_destroy(model);
    }
    printf("  %ld runs keep to their limits (%ld came to one), %ld pass them, %ld stopped with a reason\n", held,
           touches, passed, stopped);
    CHECK_EQ_INT(passed, 0);
    CHECK(held > 10 * stopped && 4 * touches > held);
}

// ---- Threads --------------------------------------------------------------------------------------------------------

TEST(same_bits_for_any_number_of_threads)
{
    static mechanism g;
    const long first = setting("POLHODE_CROSS_FIRST", 1), count = setting("POLHODE_CROSS_SEEDS", 400) / 20;
    long same = 0, other = 0;
    for (long seed = first; seed < first + count; seed++) {
        ph_model *model = mechanism_make(&g, (uint64_t)seed) ? model_of(g.text, g.length, false) : NULL;
        for (int k = 0; model && k < ph_scheme_count(); k++) {
            const char *scheme = ph_scheme_get(k).name;
            ph_state *a = ph_state_create(model), *b = ph_state_create(model);
            const ph_status one = run(model, scheme, 1, 1e-3, 10, a), three = run(model, scheme, 3, 1e-3, 10, b);
            const size_t bytes = sizeof(ph_vec3) * (size_t)g.model.body_count;
            const bool equal = one == three && memcmp(ph_state_positions(a), ph_state_positions(b), bytes) == 0 &&
                               memcmp(ph_state_angular_velocities(a), ph_state_angular_velocities(b), bytes) == 0;
            same += equal, other += !equal;
            if (!equal) printf("  seed %ld, %s: three threads give other bits\n", seed, scheme);
            ph_state_destroy(a);
            ph_state_destroy(b);
        }
        ph_model_destroy(model);
    }
    printf("  %ld runs have the same bits by one thread and by three, %ld have not\n", same, other);
    CHECK_EQ_INT(other, 0);
}
