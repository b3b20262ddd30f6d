// polhode view --live: a simulation that runs while the browser shows it.
//
// One thread does it all: step the model until it has caught up with the clock on the wall, send what the viewer should
// see, listen to what it wants. A frame holds the numbers that viewer/src/live.ts reads.
//
// Pulling at a body is a spring and damper between a point of the body and a point in the world. Its stiffness gives the
// whole model an acceleration that can be felt, and stays below what the step can resolve for the body alone.

#include "live.h"

#include "commands.h"
#include "interrupt.h"
#include "live_key.h"
#include "live_server.h"
#include "load.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SCALARS = 13, PER_BODY = 13, PER_CONTACT = 6, CONTACTS_MOST = 4096, STEPS_MOST = 100000, UNSEEN_MOST = 3 };
static const double FRAME_SECONDS = 1.0 / 60.0;
static const double PULL_RATE = 5.0;     // rad/s: of the whole model on the spring
static const double PULL_RESOLVED = 0.3; // (rate of the body on the spring * step)^2 at the most
static const double PULL_DAMPING = 0.4;  // of the critical one

typedef struct pull {
    int body; // PH_NONE: nothing is pulled
    ph_vec3 point, target;
    double stiffness, damping;
} pull;

typedef struct handle { // of one body
    const pull *pulling;
    int body;
} handle;

typedef struct live {
    ph_model *model;
    ph_state *state;
    ph_sim *sim;
    ph_observer *observer;
    handle *handles;
    pull pulling;
    live_server *server;
    char token[TOKEN_ROOM];
    char *page;
    unsigned char *frame; // room for the largest
    double step, speed, total_mass;
    bool paused;
    char message[512];
    double wall_start, time_start; // where clock and simulation met last
    double last_frame;
    int unseen; // frames that the viewer has not drawn yet
} live;

static double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- Pulling --------------------------------------------------------------------------------------------------------

static ph_vec3 turned(const ph_mat3 *R, ph_vec3 v)
{
    return (ph_vec3){R->m[0][0] * v.x + R->m[0][1] * v.y + R->m[0][2] * v.z,
                     R->m[1][0] * v.x + R->m[1][1] * v.y + R->m[1][2] * v.z,
                     R->m[2][0] * v.x + R->m[2][1] * v.y + R->m[2][2] * v.z};
}

static ph_vec3 cross(ph_vec3 a, ph_vec3 b)
{
    return (ph_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// f = k (target - p) - c p', at the point p
static void pull_at(const ph_body_motion *b, double time, void *user, ph_load *loads)
{
    const handle *h = user;
    const pull *p = h->pulling;
    (void)time;
    if (p->body != h->body) {
        return;
    }
    const ph_vec3 arm = turned(&b->rotation, p->point);
    const ph_vec3 turn = cross(turned(&b->rotation, b->angular_velocity), arm);
    const double k = p->stiffness, c = p->damping;
    const ph_vec3 force = {k * (p->target.x - b->position.x - arm.x) - c * (b->velocity.x + turn.x),
                           k * (p->target.y - b->position.y - arm.y) - c * (b->velocity.y + turn.y),
                           k * (p->target.z - b->position.z - arm.z) - c * (b->velocity.z + turn.z)};
    ph_load_add_force(loads, force, arm);
}

static void begin_pull(live *l, int body, ph_vec3 point, ph_vec3 target)
{
    const double mass = ph_model_body(l->model, body).mass;
    const double felt = l->total_mass * PULL_RATE * PULL_RATE;
    const double resolved = PULL_RESOLVED * mass / (l->step * l->step);
    const double k = felt < resolved ? felt : resolved;
    l->pulling = (pull){body, point, target, k, 2.0 * PULL_DAMPING * sqrt(k * mass)};
}

// ---- What the viewer sees -------------------------------------------------------------------------------------------

static void put_double(unsigned char **to, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 8; i++) {
        *(*to)++ = (unsigned char)(bits >> (8 * i));
    }
}

static void put_floats(unsigned char **to, const double *x, int count)
{
    for (int k = 0; k < count; k++) {
        const float f = (float)x[k];
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        for (int i = 0; i < 4; i++) {
            *(*to)++ = (unsigned char)(bits >> (8 * i));
        }
    }
}

// Contacts of the last step: how many there are and how many follow, then the point and the force of each.
static void put_contacts(unsigned char **to, const ph_state *state)
{
    int count;
    const ph_contact *c = ph_state_contacts(state, &count);
    const int sent = count < CONTACTS_MOST ? count : CONTACTS_MOST;
    put_floats(to, (const double[2]){count, sent}, 2);
    for (int i = 0; i < sent; i++) {
        put_floats(to, (const double *)&c[i].point, 3);
        put_floats(to, (const double *)&c[i].force, 3);
    }
}

static void send_frame(live *l)
{
    unsigned char *to = l->frame;
    ph_measures m;
    ph_observer_measure(l->observer, l->state, &m);
    const double scalars[SCALARS] = {ph_state_time(l->state),
                                     m.kinetic,
                                     m.potential,
                                     m.work,
                                     m.total,
                                     m.position_violation,
                                     m.velocity_violation,
                                     m.linear.x,
                                     m.linear.y,
                                     m.linear.z,
                                     m.angular.x,
                                     m.angular.y,
                                     m.angular.z};
    for (int i = 0; i < SCALARS; i++) {
        put_double(&to, scalars[i]);
    }
    for (int b = 0; b < ph_model_bodies(l->model); b++) {
        put_floats(&to, (const double *)&ph_state_positions(l->state)[b], 3);
        put_floats(&to, (const double *)&ph_state_orientations(l->state)[b], 4);
        put_floats(&to, (const double *)&ph_state_velocities(l->state)[b], 3);
        put_floats(&to, (const double *)&ph_state_angular_velocities(l->state)[b], 3);
    }
    put_contacts(&to, l->state);
    live_server_send_bytes(l->server, l->frame, (size_t)(to - l->frame));
    l->last_frame = wall_clock();
    l->unseen++;
}

// Messages are our own sentences; quotes and control characters in them (names of bodies) are left out.
static void send_state(live *l, bool reset)
{
    char text[800], message[sizeof l->message];
    size_t n = 0;
    for (const char *c = l->message; *c; c++) {
        if (*c != '"' && *c != '\\' && (unsigned char)*c >= 0x20) {
            message[n++] = *c;
        }
    }
    message[n] = '\0';
    snprintf(text, sizeof text, "{\"paused\":%s,\"speed\":%.6g,\"reset\":%s,\"message\":\"%s\"}",
             l->paused ? "true" : "false", l->speed, reset ? "true" : "false", message);
    live_server_send_text(l->server, text);
}

static void on_joined(void *user)
{
    live *l = user;
    l->pulling.body = PH_NONE;
    l->unseen = 0;
    send_state(l, true);
    send_frame(l);
}

// ---- The simulation -------------------------------------------------------------------------------------------------

static void meet_clock(live *l)
{
    l->wall_start = wall_clock();
    l->time_start = ph_state_time(l->state);
}

// False when the step failed: then the viewer is told why.
static bool make_step(live *l)
{
    ph_step_report report;
    if (ph_sim_step(l->sim, l->state, l->step, &report) == PH_OK) {
        return true;
    }
    ph_step_report_format(&report, l->model, l->message, sizeof l->message);
    l->paused = true;
    send_state(l, false);
    return false;
}

// Steps until the simulation has caught up, or for one frame: a model that is too slow falls behind the clock.
static void advance(live *l)
{
    const double begin = wall_clock();
    const double goal = l->time_start + l->speed * (begin - l->wall_start);
    bool good = true;
    while (good && ph_state_time(l->state) + 0.5 * l->step < goal) {
        good = make_step(l);
        if (wall_clock() - begin > FRAME_SECONDS) {
            meet_clock(l);
            break;
        }
    }
}

// How long nothing happens, in milliseconds.
static int idle_time(const live *l)
{
    if (l->paused || !live_server_has_viewer(l->server)) {
        return 200;
    }
    const double wait = l->last_frame + FRAME_SECONDS - wall_clock();
    return wait > 0.0 ? (int)ceil(1e3 * wait) : 0;
}

// A viewer that cannot keep up gets fewer frames, not late ones.
static void show(live *l)
{
    if (l->unseen < UNSEEN_MOST) {
        send_frame(l);
    } else {
        l->last_frame = wall_clock();
    }
}

static void run_loop(live *l)
{
    while (!was_interrupted()) {
        live_server_poll(l->server, idle_time(l));
        if (!live_server_has_viewer(l->server)) {
            meet_clock(l); // nobody looks: nothing moves
        } else if (!l->paused && wall_clock() - l->last_frame >= FRAME_SECONDS) {
            advance(l);
            show(l);
        }
    }
}

// ---- Commands of the viewer -----------------------------------------------------------------------------------------

// `count` numbers behind the word, all finite, and nothing else.
static bool read_numbers(const char *text, double *to, int count)
{
    for (int i = 0; i < count; i++) {
        char *end;
        to[i] = strtod(text, &end);
        if (end == text || !isfinite(to[i])) {
            return false;
        }
        text = end;
    }
    return *text == '\0';
}

static void command_play(live *l, const char *rest)
{
    (void)rest;
    l->paused = false;
    l->message[0] = '\0';
    meet_clock(l);
    send_state(l, false);
}

// The viewer may have missed the last frames: it is shown where the simulation stands.
static void command_pause(live *l, const char *rest)
{
    (void)rest;
    const bool ran = !l->paused;
    l->paused = true;
    send_state(l, false);
    if (ran) {
        send_frame(l);
    }
}

static void command_step(live *l, const char *rest)
{
    double count;
    if (!read_numbers(rest, &count, 1) || count < 1.0 || count > STEPS_MOST) {
        return;
    }
    l->paused = true;
    l->message[0] = '\0';
    for (int i = 0; i < (int)count && make_step(l); i++) {}
    send_state(l, false);
    send_frame(l);
}

static void command_speed(live *l, const char *rest)
{
    double speed;
    if (read_numbers(rest, &speed, 1) && speed >= 1e-4 && speed <= 1e4) {
        l->speed = speed;
        meet_clock(l);
        send_state(l, false);
    }
}

static void command_reset(live *l, const char *rest)
{
    (void)rest;
    ph_state_reset(l->state);
    l->message[0] = '\0';
    l->pulling.body = PH_NONE;
    meet_clock(l);
    send_state(l, true);
    send_frame(l);
}

static void command_drag(live *l, const char *rest)
{
    double n[7];
    if (!read_numbers(rest, n, 7) || n[0] < 0.0 || n[0] >= ph_model_bodies(l->model) || n[0] != floor(n[0]) ||
        ph_model_body(l->model, (int)n[0]).fixed) {
        return;
    }
    begin_pull(l, (int)n[0], (ph_vec3){n[1], n[2], n[3]}, (ph_vec3){n[4], n[5], n[6]});
}

static void command_seen(live *l, const char *rest)
{
    (void)rest;
    l->unseen = 0;
}

static void command_release(live *l, const char *rest)
{
    (void)rest;
    l->pulling.body = PH_NONE;
}

static void on_command(const char *text, void *user)
{
    static const struct {
        const char *word;
        void (*act)(live *, const char *rest);
    } known[] = {{"play", command_play},       {"pause", command_pause}, {"step", command_step},
                 {"speed", command_speed},     {"reset", command_reset}, {"drag", command_drag},
                 {"release", command_release}, {"seen", command_seen}};
    const size_t length = strcspn(text, " ");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].word) == length && strncmp(text, known[i].word, length) == 0) {
            known[i].act(user, text + length);
        }
    }
}

// ---- Setting up -----------------------------------------------------------------------------------------------------

// A handle on every body, so that each can be pulled.
static bool add_handles(live *l, ph_spec *spec, int bodies)
{
    l->handles = calloc((size_t)bodies + 1, sizeof *l->handles);
    for (int i = 0; l->handles && i < bodies; i++) {
        ph_callback_def def = ph_default_callback();
        l->handles[i] = (handle){&l->pulling, i};
        def.body = i;
        def.force = pull_at;
        def.user = &l->handles[i];
        if (!ph_model_body(l->model, i).fixed && ph_spec_add_callback(spec, &def) < 0) {
            return false;
        }
    }
    return l->handles != NULL;
}

// The model is compiled once as it is, to report its mistakes and count its bodies, and once with the handles.
static bool load(live *l, const char *path, const live_options *options)
{
    ph_spec *spec = load_spec(path, &options->settings);
    bool good = spec && ph_model_compile(spec, NULL, &l->model) == PH_OK;
    if (spec && !good) {
        ph_model_destroy(load_model(path, &options->settings)); // says what is wrong
    }
    const int bodies = good ? ph_model_bodies(l->model) : 0;
    if (good && add_handles(l, spec, bodies)) {
        ph_model_destroy(l->model);
        l->model = NULL;
        good = ph_model_compile(spec, NULL, &l->model) == PH_OK;
    }
    ph_spec_destroy(spec);
    for (int i = 0; good && i < bodies; i++) {
        const ph_body_info info = ph_model_body(l->model, i);
        l->total_mass += info.fixed ? 0.0 : info.mass;
    }
    return good;
}

static int prepare(live *l, const char *path, const live_options *options)
{
    if (!load(l, path, options)) {
        return EXIT_USAGE;
    }
    const ph_run_settings *settings = ph_model_run_settings(l->model);
    ph_error error;
    l->step = options->run.step > 0.0 ? options->run.step : settings->step;
    if (!(l->step > 0.0)) {
        print_error("%s: no step is given, neither by --step nor by the model", path);
        return EXIT_USAGE;
    }
    const ph_status status = ph_sim_create(l->model, &options->run.sim, &l->sim, &error);
    if (status != PH_OK) {
        print_error("%s: %s", path, error.text);
        return exit_status_of(status);
    }
    l->frame =
        malloc(8 * SCALARS + 4 * PER_BODY * (size_t)ph_model_bodies(l->model) + 4 * (2 + PER_CONTACT * CONTACTS_MOST));
    l->state = ph_state_create(l->model);
    if (!l->frame || !l->state || ph_observer_create(l->model, &l->observer) != PH_OK) {
        print_error("%s", ph_status_text(PH_OUT_OF_MEMORY));
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

static int open_server(live *l, const live_options *options)
{
    const char *scheme = options->run.sim.scheme ? options->run.sim.scheme : ph_model_run_settings(l->model)->scheme;
    size_t length = 0;
    ph_error error;
    if (!make_token(l->token)) {
        print_error("this system gives no random numbers");
        return EXIT_FAILED;
    }
    if (ph_page_live(l->model, scheme ? scheme : "rattlie", l->step, l->token, &l->page, &length, &error) != PH_OK) {
        print_error("%s", error.text);
        return EXIT_FAILED;
    }
    const live_server_def def = {.port = options->port,
                                 .token = l->token,
                                 .page = l->page,
                                 .page_length = length,
                                 .joined = on_joined,
                                 .command = on_command,
                                 .user = l};
    l->server = live_server_create(&def);
    if (!l->server) {
        print_error("no port on this machine: %s", strerror(errno));
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

int run_live(const char *path, const live_options *options)
{
    live l = {.speed = 1.0, .pulling = {.body = PH_NONE}};
    int result = prepare(&l, path, options);
    if (result == EXIT_DONE) {
        result = open_server(&l, options);
    }
    if (result == EXIT_DONE) {
        printf("http://127.0.0.1:%d/%s/\n", live_server_port(l.server), l.token);
        fflush(stdout);
        fprintf(stderr, "Open this address in a browser on this machine. Ctrl-C ends.\n");
        catch_interrupts();
        run_loop(&l);
    }
    live_server_destroy(l.server);
    ph_page_free(l.page);
    ph_observer_destroy(l.observer);
    ph_sim_destroy(l.sim);
    ph_state_destroy(l.state);
    ph_model_destroy(l.model);
    free(l.handles);
    free(l.frame);
    return result;
}
