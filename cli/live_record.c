// Recording a live simulation. See live_record.h.
//
// The viewer says when, never where: the file is named by the command line.

#include "live_record.h"

#include "base/system.h"

#include <stdio.h>
#include <string.h>

static const double MOST_BYTES = 2e8; // of one file: room is taken for it at once, and given back at the end

// live.h5, then live-2.h5 and so on: nothing is written over.
static bool name_file(live_record *r)
{
    const char *dot = strrchr(r->path, '.');
    const int stem = (int)(dot ? dot - r->path : (long)strlen(r->path));
    for (int i = 1; i < 10000; i++) {
        char number[16] = "";
        if (i > 1) snprintf(number, sizeof number, "-%d", i);
        snprintf(r->current, sizeof r->current, "%.*s%s%s", stem, r->path, number, dot ? dot : ".h5");
        if (!system_may(r->current, SYSTEM_EXISTS)) return true;
    }
    return false;
}

static void begin(live_record *r, ph_live *simulation)
{
    const ph_model *model = ph_live_model(simulation);
    const double row = 8.0 * (30.0 + 14.0 * ph_model_bodies(model) + 12.0 * ph_model_joints(model));
    ph_result_def def = {.scheme = ph_live_scheme(simulation), .step = ph_live_step(simulation)};
    ph_error error = {.text = "no name is left for the file"};
    r->most = (long long)(MOST_BYTES / row) + 1;
    r->rows = 0;
    r->changed = true;
    def.path = r->current;
    def.rows = r->most;
    if (!name_file(r) || ph_result_create(model, &def, &r->writer, &error) != PH_OK) {
        r->writer = NULL;
        snprintf(r->message, sizeof r->message, "%.500s", error.text);
    }
}

void live_record_end(live_record *r)
{
    ph_error error = {.text = ""};
    if (!r->writer) return;
    ph_result_close(r->writer, &error);
    r->writer = NULL;
    r->changed = true;
    snprintf(r->message, sizeof r->message, "%.500s", error.text);
}

void live_record_toggle(live_record *r, ph_live *simulation)
{
    r->message[0] = '\0';
    if (r->writer)
        live_record_end(r);
    else
        begin(r, simulation);
}

void live_record_visit(live_record *r, const ph_state *state, ph_observer *observer, bool restarted)
{
    ph_error error = {.text = ""};
    if (!r->writer) return;
    if (restarted || r->rows == r->most || ph_result_append(r->writer, state, observer, &error) != PH_OK) {
        live_record_end(r);
        if (*error.text) snprintf(r->message, sizeof r->message, "%.500s", error.text);
        return;
    }
    r->rows++;
}

// Quotes and control characters in names are left out.
static void put_plain(char *to, const char *from, size_t room)
{
    size_t n = 0;
    for (; *from && n + 1 < room; from++) {
        if (*from != '"' && *from != '\\' && (unsigned char)*from >= 0x20) to[n++] = *from;
    }
    to[n] = '\0';
}

bool live_record_news(live_record *r, char text[RECORD_TEXT])
{
    char file[RECORD_PATH], message[512];
    if (!r->changed) return false;
    r->changed = false;
    put_plain(file, r->current, sizeof file);
    put_plain(message, r->message, sizeof message);
    snprintf(text, RECORD_TEXT, "{\"record\":{\"running\":%s,\"file\":\"%s\",\"rows\":%lld,\"message\":\"%s\"}}",
             r->writer ? "true" : "false", file, r->rows, message);
    return true;
}
