// The cross, contact: random scenes of bodies that fall on a slope and on each other, some on joints with limits, friction and
// dampers.
//
//     no scene stops, and none gains energy                            both schemes, all shapes
//     forces move the bodies, and follow Signorini's and Coulomb's law  moreau, spheres with any inertia
//     one thread gives the bits of three                               moreau
//
// The laws are checked here in long double from states and recorded forces alone: nothing of the engine's solvers is in it.
//
// POLHODE_CROSS_SEEDS and POLHODE_CROSS_FIRST choose how many and where to begin; bench/cross/run sets them.

#include "test.h"

#include "polhode/polhode.h"
#include "reference.h"

#include <stdarg.h>
#include <stdlib.h>

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 10) : otherwise;
}

// ---- Scenes ---------------------------------------------------------------------------------------------------------

enum { MOST = 8 };

typedef struct scene {
    uint64_t seed;
    char text[1 << 14];
    size_t length;
    bool balls;  // spheres alone, without joints and restitution: for the laws
    bool bounce; // there is restitution
    int count;
    double mu, step;
    ph_vec3 place[MOST];
} scene;

static double chance(scene *s, double low, double high)
{
    s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(s->seed >> 11) * 0x1p-53;
}

static int pick(scene *s, int count)
{
    return (int)chance(s, 0, count) % count;
}

__attribute__((format(printf, 2, 3))) static void say(scene *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(s->text + s->length, sizeof s->text - s->length, format, list);
    va_end(list);
    s->length += n > 0 ? (size_t)n : 0;
}

static void say_vector(scene *s, const char *key, double x, double y, double z)
{
    say(s, ", %s: [%.6g, %.6g, %.6g]", key, x, y, z);
}

static void say_shape(scene *s, double restitution)
{
    static const char *const types[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid", "cone"};
    const int type = s->balls ? 0 : pick(s, 6);
    const double r = chance(s, 0.05, 0.2), l = chance(s, 0.1, 0.4);
    say(s, ", shapes: [{type: %s, friction: %.4g, restitution: %.4g", types[type], s->mu, restitution);
    if (!s->balls) say(s, ", density: %.4g", 300.0 * pow(10.0, chance(s, 0, 1)));
    if (type == 1) say_vector(s, "size", l, chance(s, 0.1, 0.4), chance(s, 0.1, 0.4));
    if (type == 4) say_vector(s, "radii", r, chance(s, 0.05, 0.2), chance(s, 0.05, 0.2));
    if (type != 1 && type != 4) say(s, ", radius: %.6g", type == 2 ? 0.5 * r : r);
    if (type == 2 || type == 3 || type == 5) say(s, ", length: %.6g", l);
    if (!s->balls && chance(s, 0, 1) < 0.1) say(s, ", rolling_friction: %.3g", chance(s, 1e-4, 3e-3));
    say(s, "}]}\n");
}

static void say_body(scene *s, int i, double restitution)
{
    s->place[i] = (ph_vec3){chance(s, -0.3, 0.3), chance(s, -0.3, 0.3), 0.5 + 0.5 * i + chance(s, 0, 0.1)};
    if (s->balls) s->place[i].x *= 0.3, s->place[i].y *= 0.3; // a heap
    say(s, "  - {name: b%d", i);
    say_vector(s, "position", s->place[i].x, s->place[i].y, s->place[i].z);
    say(s, ", orientation: {axis: [%.4g, %.4g, 1], angle: %.4g}", chance(s, -1, 1), chance(s, -1, 1), chance(s, 0, 3));
    say_vector(s, "angular_velocity", chance(s, -5, 5), chance(s, -5, 5), chance(s, -5, 5));
    say_vector(s, "velocity", chance(s, -1, 1), chance(s, -1, 1), chance(s, -3, 1));
    if (s->balls) {
        say(s, ", mass: %.6g", pow(10.0, chance(s, -1, 1)));
        say_vector(s, "inertia", chance(s, 0.02, 0.03), chance(s, 0.02, 0.03), chance(s, 0.02, 0.03));
    }
    say_shape(s, restitution);
}

static void say_joint(scene *s, int i)
{
    static const char *const types[] = {"ball", "revolute", "revolute", "universal"};
    const int type = pick(s, 4);
    const ph_vec3 a = s->place[i - 1], b = s->place[i];
    say(s, "  - {name: j%d, type: %s, bodies: [b%d, b%d]", i, types[type], i - 1, i);
    say_vector(s, "anchor", 0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z));
    if (type == 3) say(s, ", axis: x, axis2: y");
    if (type == 1 || type == 2) {
        say_vector(s, "axis", chance(s, -1, 1), chance(s, -1, 1), 1);
        if (pick(s, 2)) say(s, ", limits: [%.4g, %.4g]", chance(s, -1, -0.1), chance(s, 0.1, 1));
        if (pick(s, 3) == 0) say(s, ", friction: %.4g", chance(s, 0.01, 0.3));
        if (pick(s, 3) == 0) say(s, ", damping: %.4g", chance(s, 0.01, 0.3));
    }
    say(s, "}\n");
}

static void make_scene(scene *s, long seed, bool balls)
{
    static const double frictions[] = {0, 0.1, 0.3, 0.6, 1}, restitutions[] = {0, 0, 0, 0.3, 0.6, 1},
                        steps[] = {1e-3, 2e-3, 5e-3};
    *s = (scene){.seed = (uint64_t)seed * 0x9E3779B97F4A7C15u + 777, .balls = balls};
    for (int k = 0; k < 4; k++) chance(s, 0, 1);
    s->mu = frictions[pick(s, 5)];
    s->step = steps[pick(s, 3)];
    const double e = balls ? 0.0 : restitutions[pick(s, 6)];
    s->bounce = e > 0.0;
    s->count = balls ? 2 + pick(s, MOST - 1) : 1 + pick(s, 6);
    say(s,
        "polhode: 1\ngravity: [0, 0, -9.81]\ninitial: project\nbodies:\n  - {name: floor, fixed: true, shapes: "
        "[{type: plane, normal: [%.4g, %.4g, 1], friction: %.4g, restitution: %.4g}]}\n",
        chance(s, -0.2, 0.2), chance(s, -0.2, 0.2), s->mu, e);
    for (int i = 0; i < s->count; i++) say_body(s, i, e);
    bool any = false;
    for (int i = 1; i < s->count && !balls && pick(s, 2); i++) {
        if (!any) say(s, "joints:\n");
        any = true;
        say_joint(s, i);
    }
    say(s, "contact: {tolerance: 1e-9}\n");
}

typedef struct play {
    ph_model *model;
    ph_state *state;
    ph_sim *sim;
    ph_observer *observer;
} play;

static bool open_scene(const scene *s, const char *scheme, int threads, play *p)
{
    ph_sim_def def = ph_default_sim();
    ph_spec *spec = NULL;
    def.scheme = scheme;
    def.threads = threads;
    *p = (play){NULL};
    if (ph_spec_read_text(s->text, s->length, "scene", NULL, 0, NULL, &spec) == PH_OK)
        ph_model_compile(spec, NULL, &p->model);
    ph_spec_destroy(spec);
    p->state = p->model ? ph_state_create(p->model) : NULL;
    return CHECK(p->state && ph_sim_create(p->model, &def, &p->sim, NULL) == PH_OK &&
                 ph_observer_create(p->model, &p->observer) == PH_OK);
}

static void close_scene(play *p)
{
    ph_observer_destroy(p->observer);
    ph_sim_destroy(p->sim);
    ph_state_destroy(p->state);
    ph_model_destroy(p->model);
}

// ---- Energy ---------------------------------------------------------------------------------------------------------

static vec of(ph_vec3 a)
{
    return (vec){a.x, a.y, a.z};
}

static mat turn_of(ph_state *state, int body)
{
    const ph_quat q = ph_state_orientations(state)[body];
    return quat_matrix((quat){q.w, q.x, q.y, q.z});
}

static mat inertia_of(const ph_model *model, int body)
{
    const ph_mat3 J = ph_model_body(model, body).inertia;
    mat m;
    for (int c = 0; c < 3; c++) m.c[c] = (vec){J.m[0][c], J.m[1][c], J.m[2][c]};
    return m;
}

// T + U; bodies start at rest high above the ground, so that what there is at the start is the scale.
static real energy(const play *p)
{
    real sum = 0;
    for (int b = 1; b < ph_model_bodies(p->model); b++) {
        const real m = ph_model_body(p->model, b).mass;
        const vec v = of(ph_state_velocities(p->state)[b]), w = of(ph_state_angular_velocities(p->state)[b]);
        sum += m * vdot(v, v) / 2 + vdot(w, mvec(inertia_of(p->model, b), w)) / 2 +
               m * 9.81L * of(ph_state_positions(p->state)[b]).z;
    }
    return sum;
}

typedef struct outcome {
    ph_status status;
    double gain; // the largest rise of T + U above its lowest so far, by what there was at the start
} outcome;

static outcome fall(const scene *s, const char *scheme)
{
    play p;
    outcome o = {PH_OK, 0.0};
    if (!open_scene(s, scheme, 1, &p)) return o;
    const real start = energy(&p);
    real least = start;
    const int steps = (int)(1.0 / s->step);
    for (int k = 0; k < steps && o.status == PH_OK; k++) {
        o.status = ph_sim_step(p.sim, p.state, s->step, NULL);
        const real now = energy(&p);
        o.gain = fmax(o.gain, (double)((now - least) / start));
        least = now < least ? now : least;
    }
    close_scene(&p);
    return o;
}

// What comes out of another body under `moreau` leaves it at the recovery speed, 0.6 m/s: 0.18 J/kg of the 5 J/kg or more at the start.
TEST(scenes_do_not_stop_and_gain_nothing)
{
    static const char *const schemes[] = {"moreau", "rattlie-ns"};
    static const double most[] = {0.036, 1e-3};
    static scene s;
    const long first = setting("POLHODE_CROSS_FIRST", 1), count = setting("POLHODE_CROSS_SEEDS", 400) / 10;
    long good = 0, stopped = 0, gained = 0;
    for (long seed = first; seed < first + count; seed++) {
        make_scene(&s, seed, false);
        for (int k = 0; k < 2; k++) {
            const outcome o = fall(&s, schemes[k]);
            const bool gains = o.status == PH_OK && o.gain > most[k];
            good += o.status == PH_OK && !gains, stopped += o.status != PH_OK, gained += gains;
            if (o.status != PH_OK) printf("  seed %ld, %s: %s\n", seed, schemes[k], ph_status_text(o.status));
            if (gains) printf("  seed %ld, %s: gains %.2g of its energy\n", seed, schemes[k], o.gain);
            if ((gains || o.status != PH_OK) && setting("POLHODE_CROSS_SHOW", 0)) printf("%s", s.text);
        }
    }
    printf("  %ld scenes fall to rest, %ld stop, %ld gain energy\n", good, stopped, gained);
    CHECK_EQ_INT(stopped, 0);
    CHECK_EQ_INT(gained, 0);
}

// ---- The laws -------------------------------------------------------------------------------------------------------

typedef struct moment { // a body before a step
    vec x, v, w;        // w: body axes
    mat R;
} moment;

static vec solve3(mat A, vec b) // columns, by Cramer's rule
{
    const real det = vdot(A.c[0], vcross(A.c[1], A.c[2]));
    return (vec){vdot(b, vcross(A.c[1], A.c[2])) / det, vdot(A.c[0], vcross(b, A.c[2])) / det,
                 vdot(A.c[0], vcross(A.c[1], b)) / det};
}

// Euler's equations over h by the implicit midpoint rule, without torques.
static vec free_spin(mat J, vec w, real h)
{
    vec next = w;
    for (int k = 0; k < 100; k++) {
        const vec m = vmul(0.5L, vadd(w, next));
        next = vsub(w, vmul(h, solve3(J, vcross(m, mvec(J, m)))));
    }
    return next;
}

// What docs/schemes/moreau.md calls spins: up to (h w)^2 of a body's energy of rotation is taken out of its spin, which keeps its axis.
// Recorded forces and the laws are those before. The spin w as it was then, where that is what explains the difference.
static vec before_brake(vec w, vec now, real h)
{
    const real kept = vdot(now, w) / (vdot(w, w) + 1e-300L), turn2 = h * h * vdot(w, w);
    const bool same_axis = vlen(vsub(now, vmul(kept, w))) < 1e-10L;
    return same_axis && kept < 1 && 1 - kept * kept <= fminl(1, turn2) + 1e-12L ? w : now;
}

// m (v+ - v) = h (m g + F) and J (w+ - w_free) = h R^T T, by what gravity does in a step: the worst body. *spin: velocities of turning by
// body, body axes, for which the laws hold.
static real imbalance(const play *p, const scene *s, const moment *before, vec *spin)
{
    vec force[MOST + 1] = {{0}}, torque[MOST + 1] = {{0}};
    int count;
    const ph_contact *c = ph_state_contacts(p->state, &count);
    for (int i = 0; i < count; i++)
        for (int side = 0; side < 2; side++) {
            const int b = side ? c[i].body_b : c[i].body_a;
            if (b < 1) continue;
            const vec f = vmul(side ? 1 : -1, of(c[i].force));
            force[b] = vadd(force[b], f);
            torque[b] = vadd(torque[b], vcross(vsub(of(c[i].point), before[b].x), f));
        }
    real worst = 0;
    const real h = s->step;
    for (int b = 1; b <= s->count; b++) {
        const real m = ph_model_body(p->model, b).mass;
        const mat J = inertia_of(p->model, b);
        const vec v = vadd(before[b].v, vmul(h, vadd((vec){0, 0, -9.81L}, vmul(1 / m, force[b]))));
        const vec w = vadd(free_spin(J, before[b].w, h), vmul(h, solve3(J, mtvec(before[b].R, torque[b]))));
        spin[b] = before_brake(w, of(ph_state_angular_velocities(p->state)[b]), h);
        worst = fmaxl(worst, vlen(vsub(of(ph_state_velocities(p->state)[b]), v)));
        worst = fmaxl(worst, 0.1L * vlen(vsub(spin[b], w)));
    }
    return worst;
}

// Velocity of a body's point after the step, with the arms of its beginning.
static vec velocity_at(const play *p, const moment *before, const vec *spin, int b, vec point)
{
    if (b < 1) return (vec){0};
    const vec w = mvec(before[b].R, spin[b]);
    return vadd(of(ph_state_velocities(p->state)[b]), vcross(w, vsub(point, before[b].x)));
}

// How far a contact is from its laws, m/s. What it gives up of each: F_n >= 0, u_n + gap/h >= 0, one of them zero, |F_t| <= mu F_n,
// and -F_t along u_t with all of mu F_n where it slides. Forces as the velocities they give to the lighter body.
static real breach(const play *p, const scene *s, const moment *before, const vec *spin, const ph_contact *c)
{
    const real h = s->step, recovery = 0.6L;
    const vec n = of(c->normal), f = of(c->force), at = of(c->point);
    real mass = HUGE_VALL;
    for (int side = 0; side < 2; side++) {
        const int b = side ? c->body_b : c->body_a;
        if (b >= 1) mass = fminl(mass, ph_model_body(p->model, b).mass);
    }
    const vec u = vsub(velocity_at(p, before, spin, c->body_b, at), velocity_at(p, before, spin, c->body_a, at));
    const real fn = h * vdot(n, f) / mass, un = vdot(n, u) + fmaxl(c->gap / h, -recovery);
    const vec ft = vsub(vmul(h / mass, f), vmul(fn, n)), ut = vsub(u, vmul(vdot(n, u), n));
    real worst = fmaxl(fmaxl(-fn, -un), fminl(fn, un));
    worst = fmaxl(worst, vlen(ft) - s->mu * fn);
    const real slip = vlen(ut); // sliding: ft = -mu fn ut/slip; else any: the smaller of both misses
    if (slip > 0) worst = fmaxl(worst, fminl(slip, vlen(vadd(ft, vmul(s->mu * fn / slip, ut)))));
    return worst;
}

static void look(const play *p, const scene *s, moment *to)
{
    for (int b = 1; b <= s->count; b++)
        to[b] = (moment){of(ph_state_positions(p->state)[b]), of(ph_state_velocities(p->state)[b]),
                         of(ph_state_angular_velocities(p->state)[b]), turn_of(p->state, b)};
}

typedef struct laws {
    real imbalance, breach;
    long contacts;
} laws;

static laws follow(const scene *s)
{
    play p;
    moment before[MOST + 1];
    vec spin[MOST + 1] = {{0}};
    laws l = {0, 0, 0};
    if (!open_scene(s, "moreau", 1, &p)) return l;
    for (int k = 0; k < 1.0 / s->step; k++) {
        int count;
        look(&p, s, before);
        if (!CHECK_EQ_INT(ph_sim_step(p.sim, p.state, s->step, NULL), PH_OK)) break;
        const ph_contact *c = ph_state_contacts(p.state, &count);
        l.imbalance = fmaxl(l.imbalance, imbalance(&p, s, before, spin));
        for (int i = 0; i < count; i++) l.breach = fmaxl(l.breach, breach(&p, s, before, spin, &c[i]));
        l.contacts += count;
    }
    close_scene(&p);
    return l;
}

TEST(forces_follow_the_laws_of_contact)
{
    static scene s;
    const long first = setting("POLHODE_CROSS_FIRST", 1), count = setting("POLHODE_CROSS_SEEDS", 400) / 10;
    long good = 0, bad = 0, contacts = 0;
    double worst_balance = 0.0, worst_law = 0.0;
    for (long seed = first; seed < first + count; seed++) {
        make_scene(&s, seed, true);
        const laws l = follow(&s);
        const bool holds = l.imbalance < 1e-10L && l.breach < 1e-6L; // m/s
        good += holds, bad += !holds, contacts += l.contacts;
        worst_balance = fmax(worst_balance, (double)l.imbalance), worst_law = fmax(worst_law, (double)l.breach);
        if (!holds) printf("  seed %ld: balance %.2Lg m/s, laws %.2Lg m/s\n", seed, l.imbalance, l.breach);
    }
    printf("  %ld scenes with %ld contacts follow the laws, %ld do not; balance %.1e, laws %.1e m/s\n", good, contacts,
           bad, worst_balance, worst_law);
    CHECK_EQ_INT(bad, 0);
    CHECK(contacts > 100 * count);
}

// ---- Threads --------------------------------------------------------------------------------------------------------

TEST(scenes_have_the_same_bits_for_any_number_of_threads)
{
    static scene s;
    const long first = setting("POLHODE_CROSS_FIRST", 1), count = setting("POLHODE_CROSS_SEEDS", 400) / 40;
    long other = 0;
    for (long seed = first; seed < first + count; seed++) {
        play one, three;
        make_scene(&s, seed, false);
        if (!open_scene(&s, "moreau", 1, &one) || !open_scene(&s, "moreau", 3, &three)) return;
        for (int k = 0; k < 0.6 / s.step; k++) {
            ph_sim_step(one.sim, one.state, s.step, NULL);
            ph_sim_step(three.sim, three.state, s.step, NULL);
        }
        const size_t bytes = sizeof(ph_vec3) * (size_t)(s.count + 1);
        const bool same = memcmp(ph_state_positions(one.state), ph_state_positions(three.state), bytes) == 0;
        other += !same;
        if (!same) printf("  seed %ld: three threads give other bits\n", seed);
        close_scene(&one);
        close_scene(&three);
    }
    CHECK_EQ_INT(other, 0);
}
