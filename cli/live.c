// polhode view --live: a simulation that runs while the browser shows it.
//
// One thread does it all: step the model until it has caught up with the clock on the wall (ph_live), send what the viewer
// should see, listen to what it wants.

#include "live.h"

#include "base/clock.h"
#include "commands.h"
#include "interrupt.h"
#include "live_key.h"
#include "live_record.h"
#include "live_server.h"
#include "load.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNSEEN_MOST = 3 };
static const double FRAME_SECONDS = 1.0 / 60.0;

typedef struct live {
    ph_model *model;
    ph_live *simulation;
    live_server *server;
    live_record record;
    char token[TOKEN_ROOM];
    char *page;
    double last_frame;
} live;

// ---- What the viewer sees -------------------------------------------------------------------------------------------

static void send_frame(live *l)
{
    size_t bytes;
    const void *frame = ph_live_frame(l->simulation, &bytes);
    live_server_send_bytes(l->server, frame, bytes);
    l->last_frame = clock_seconds();
}

static void send_news(live *l)
{
    const char *news = ph_live_news(l->simulation);
    if (news) live_server_send_text(l->server, news);
    char text[RECORD_TEXT];
    if (live_record_news(&l->record, text)) live_server_send_text(l->server, text);
}

static void on_joined(void *user)
{
    live *l = user;
    ph_live_command(l->simulation, "release");
    ph_live_command(l->simulation, "seen");
    ph_live_news(l->simulation);
    live_server_send_text(l->server, ph_live_describe(l->simulation));
    l->record.changed = true;
    send_news(l);
    send_frame(l);
}

// The viewer may have missed the last frames: what it asks for is shown at once.
static void on_command(const char *text, void *user)
{
    live *l = user;
    const bool was_paused = ph_live_paused(l->simulation);
    if (strcmp(text, "record") == 0) {
        live_record_toggle(&l->record, l->simulation);
    } else {
        ph_live_command(l->simulation, text);
    }
    send_news(l);
    const bool stopped = ph_live_paused(l->simulation) && !was_paused;
    if (stopped || (ph_live_paused(l->simulation) && strcmp(text, "seen") != 0 && strcmp(text, "pause") != 0)) {
        send_frame(l);
    }
}

// ---- The simulation -------------------------------------------------------------------------------------------------

// How long nothing happens, in milliseconds.
static int idle_time(const live *l)
{
    if (ph_live_paused(l->simulation) || !live_server_has_viewer(l->server)) {
        return 200;
    }
    const double wait = l->last_frame + FRAME_SECONDS - clock_seconds();
    return wait > 0.0 ? (int)ceil(1e3 * wait) : 0;
}

// A viewer that cannot keep up gets fewer frames, not late ones.
static void show(live *l)
{
    if (ph_live_unseen(l->simulation) < UNSEEN_MOST) {
        send_frame(l);
    } else {
        l->last_frame = clock_seconds();
    }
}

// Nobody looks: nothing moves, and the clock is met where it then is.
static void run_loop(live *l)
{
    double waited = 0.0;
    while (!was_interrupted()) {
        const double begin = clock_seconds();
        live_server_poll(l->server, idle_time(l));
        if (!live_server_has_viewer(l->server)) {
            waited += clock_seconds() - begin;
        } else if (!ph_live_paused(l->simulation) && clock_seconds() - l->last_frame >= FRAME_SECONDS) {
            ph_live_advance(l->simulation, clock_seconds() - waited, FRAME_SECONDS);
            send_news(l);
            show(l);
        }
    }
}

static void on_step(const ph_state *state, ph_observer *observer, bool restarted, void *user)
{
    live *l = user;
    live_record_visit(&l->record, state, observer, restarted);
}

// ---- Setting up -----------------------------------------------------------------------------------------------------

static int prepare(live *l, const char *path, const live_options *options)
{
    ph_live_def def = ph_default_live();
    ph_error error;
    l->model = load_model(path, &options->settings);
    if (!l->model) return EXIT_USAGE;
    def.scheme = options->run.sim.scheme;
    def.step = options->run.step;
    def.visit = on_step;
    def.user = l;
    l->record.path = options->record ? options->record : "live.h5";
    const ph_status status = ph_live_create(l->model, &def, &l->simulation, &error);
    if (status != PH_OK) print_error("%s: %s", path, error.text);
    return exit_status_of(status);
}

static int open_server(live *l, const live_options *options)
{
    size_t length = 0;
    ph_error error;
    if (!make_token(l->token)) {
        print_error("this system gives no random numbers");
        return EXIT_FAILED;
    }
    if (ph_page_live(l->model, ph_live_scheme(l->simulation), ph_live_step(l->simulation), l->token, &l->page, &length,
                     &error) != PH_OK) {
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
    live l = {0};
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
    live_record_end(&l.record);
    live_server_destroy(l.server);
    ph_page_free(l.page);
    ph_live_destroy(l.simulation);
    ph_model_destroy(l.model);
    return result;
}
