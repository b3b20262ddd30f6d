// See motion.h.

#include "motion.h"

#include "base/system.h"
#include "terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 1000, PATH_ROOM = 4096 };

static ph_status record(const ph_model *model, ph_sim *sim, ph_state *state, ph_observer *observer,
                        ph_result_writer *writer, double step, long long steps, const double *inputs, ph_error *error)
{
    const int count = ph_model_inputs(model);
    const long long every = steps / FRAMES + 1;
    ph_step_report report = {0};
    ph_status status = ph_result_append(writer, state, observer, error);
    for (long long n = 0; n < steps && status == PH_OK; n++) {
        for (int k = 0; inputs && k < count; k++) ph_state_inputs(state)[k] = inputs[n * count + k];
        status = ph_sim_step(sim, state, step, &report);
        if (status != PH_OK) ph_step_report_format(&report, model, error->text, sizeof error->text);
        if (status == PH_OK && ((n + 1) % every == 0 || n + 1 == steps))
            status = ph_result_append(writer, state, observer, error);
    }
    return status;
}

static bool make_result(const ph_model *model, const char *scheme, double step, long long steps, const double *inputs,
                        const char *path)
{
    ph_error error = {0};
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_result_writer *writer = NULL;
    def.scheme = scheme;
    const ph_result_def result = {
        .path = path, .scheme = scheme ? scheme : "rattlie", .step = step, .rows = FRAMES + 2};
    ph_state *state = ph_state_create(model);
    ph_observer *observer = NULL;
    system_remove(path); // one of an earlier run
    ph_status status = state ? ph_observer_create(model, &observer) : PH_OUT_OF_MEMORY;
    if (status == PH_OK) status = ph_sim_create(model, &def, &sim, &error);
    if (status == PH_OK) status = ph_result_create(model, &result, &writer, &error);
    if (status == PH_OK) status = record(model, sim, state, observer, writer, step, steps, inputs, &error);
    if (writer && ph_result_close(writer, status == PH_OK ? &error : NULL) != PH_OK && status == PH_OK) status = PH_IO;
    ph_observer_destroy(observer);
    ph_state_destroy(state);
    ph_sim_destroy(sim);
    if (status != PH_OK) print_error("%s", error.text[0] ? error.text : ph_status_text(status));
    return status == PH_OK;
}

bool write_motion(const ph_model *model, const char *scheme, double step, long long steps, const double *inputs,
                  const char *folder, text_list *written)
{
    char result[PATH_ROOM], path[PATH_ROOM];
    const char *results[1] = {result};
    ph_page_def def = ph_default_page();
    ph_error error = {0};
    if (!ph_page_supported()) return true;
    snprintf(result, sizeof result, "%s/motion.h5", folder);
    snprintf(path, sizeof path, "%s/page.html", folder);
    if (!make_result(model, scheme, step, steps, inputs, result)) return false;
    written->texts[written->count++] = "motion.h5";
    def.results = results;
    def.result_count = 1;
    def.folder = "/"; // the result is our own, of a moment ago
    if (ph_page_write(path, &def, NULL, &error) != PH_OK) {
        print_error("%s", error.text);
        return false;
    }
    written->texts[written->count++] = "page.html";
    return true;
}

bool write_text_file(const char *folder, const char *name, const char *text, text_list *written)
{
    char path[PATH_ROOM], part[PATH_ROOM + 8];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(part, sizeof part, "%s.part", path);
    FILE *file = system_stream(part, "w");
    bool good = file && fputs(text, file) >= 0;
    if (file) good = fclose(file) == 0 && good;
    good = good && system_rename(part, path);
    if (!good) print_error("cannot write '%s': %s", path, strerror(errno));
    if (good && written && written->count < TEXT_LIST_MAX) written->texts[written->count++] = name;
    return good;
}
