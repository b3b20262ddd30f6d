// polhode view: results, or a running simulation, in the browser.

#include "base/system.h"
#include "beside.h"
#include "commands.h"
#include "live.h"
#include "load.h"
#include "model_input.h"
#include "options.h"
#include "terminal.h"

#include "polhode/polhode.h"

#include <stdlib.h>
#include <string.h>

typedef struct view_options {
    const char *out, *folder, *core;
    double most_megabytes;
    bool quiet, live;
    live_options of_live;
} view_options;

// Results that are missing, damaged, of another kind or without frames are mistakes on the command line.
static int exit_status_of_page(ph_status status)
{
    return status == PH_IO || status == PH_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE;
}

static int write_page(const view_options *options, const text_list *results)
{
    ph_page_def def = ph_default_page();
    ph_page_report report;
    ph_error error;
    def.results = results->texts;
    def.result_count = results->count;
    def.folder = options->folder;
    if (options->most_megabytes > 0.0) {
        def.most_bytes = 1e6 * options->most_megabytes;
    }
    for (int i = 0; i < results->count; i++) {
        if (system_same_file(results->texts[i], options->out)) {
            print_error("--out: '%s' is one of the results", options->out);
            return EXIT_USAGE;
        }
    }
    const ph_status status = ph_page_write(options->out, &def, &report, &error);
    if (status != PH_OK) {
        print_error("%s", error.text);
        return exit_status_of_page(status);
    }
    if (report.bare > 0 && !options->quiet) {
        fprintf(
            stderr,
            "note: %d of %d results are shown without shapes: files that the model names are not below the folder of the\n"
            "      result (--folder DIRECTORY allows another)\n",
            report.bare, results->count);
    }
    if (!options->quiet) {
        printf("%s (%.3g MB): open it in a browser\n", options->out, 1e-6 * (double)report.bytes);
        if (report.stride > 1) {
            printf("It shows every %lld. recorded frame, so that it stays small; --size allows more.\n", report.stride);
        }
    }
    return EXIT_DONE;
}

// ---- A page that simulates ------------------------------------------------------------------------------------------

// Beside the program where it was built, in its library folder where it was installed.
static bool find_core(const view_options *options, char path[4096])
{
    static const char *const places[] = {"wasm/polhode.wasm", "../" POLHODE_LIBDIR "/polhode/polhode.wasm",
                                         "../lib/polhode/polhode.wasm", NULL};
    const char *named = options->core ? options->core : system_environment("POLHODE_WASM");
    if (named) {
        snprintf(path, 4096, "%s", named);
        return system_may(path, SYSTEM_READ);
    }
    if (find_beside(places, path)) return true;
    return *path = '\0', false;
}

static int write_simulator(const view_options *options, const char *model_path)
{
    char core[4096] = "";
    ph_page_simulator def = ph_default_simulator();
    ph_page_report report;
    ph_error error;
    if (!find_core(options, core)) {
        print_error("the core for browsers (polhode.wasm) is not there%s%s; where clang, lld, wasi-libc and "
                    "libclang-rt-14-dev-wasm32 are installed: cmake --build build/release --target polhode_wasm",
                    *core ? ": " : "", core);
        return EXIT_FAILED;
    }
    ph_model *model = load_model(model_path, &options->of_live.settings);
    if (!model) return EXIT_USAGE;
    def.core = core;
    def.scheme = options->of_live.run.sim.scheme;
    def.step = options->of_live.run.step;
    const ph_status status = ph_page_simulate(options->out, model, &def, &report, &error);
    ph_model_destroy(model);
    if (status != PH_OK) {
        print_error("%s", error.text);
        return exit_status_of(status);
    }
    if (!options->quiet) {
        printf("%s (%.3g MB): open it in a browser; it simulates there\n", options->out, 1e-6 * (double)report.bytes);
    }
    return EXIT_DONE;
}

// ---------------------------------------------------------------------------------------------------------------------

static int show(view_options *options, const text_list *operands)
{
    // A model has no motion to show yet: it runs now, or in the page that is written.
    const bool model = operands->count == 1 && is_model_name(operands->texts[0]);
    if (model && options->out && !options->live) return write_simulator(options, operands->texts[0]);
    if (!options->out) options->out = "page.html";
    if (!options->live && !model) {
        return write_page(options, operands);
    }
    if (operands->count > 1) {
        print_error("--live runs one model, and %d are given", operands->count);
        return EXIT_USAGE;
    }
    return run_live(operands->texts[0], &options->of_live);
}

int command_view(int count, char **arguments)
{
    view_options options = {.of_live = {.run = ph_default_run()}};
    live_options *live = &options.of_live;
    const option table[] = {
        {"out", 'o', OPTION_TEXT, &options.out, "FILE", "the page; default: page.html"},
        {"size", 0, OPTION_POSITIVE, &options.most_megabytes, "MB", "largest size of the page; default: 15"},
        {"folder", 0, OPTION_TEXT, &options.folder, "DIRECTORY", "read files of shapes from there too"},
        {"live", 'l', OPTION_FLAG, &options.live, NULL, "run a model now and show it in the browser"},
        {"scheme", 's', OPTION_TEXT, &live->run.sim.scheme, "NAME[:OPTIONS]", "models: integration scheme"},
        {"step", 0, OPTION_POSITIVE, &live->run.step, "SECONDS", "models: length of a time step"},
        {"set", 0, OPTION_LIST, &live->settings, "NAME=VALUE", "models: change a parameter or input"},
        {"set-joint", 0, OPTION_LIST, &live->settings, "JOINT.rate=VALUE",
         "start a joint at a rate, or at a JOINT.coordinate"},
        {"keyframe", 0, OPTION_KEYFRAME, &live->settings, "NAME", "start in a keyframe of the model"},
        ROBOT_OPTIONS(&live->settings),
        {"record", 0, OPTION_TEXT, &live->record, "FILE", "live: where recordings go; default: live.h5"},
        {"core", 0, OPTION_TEXT, &options.core, "FILE", "the core for browsers, polhode.wasm"},
        {"port", 0, OPTION_COUNT, &live->port, "N", "live: port on this machine; default: any free one"},
        {"quiet", 'q', OPTION_FLAG, &options.quiet, NULL, "print nothing but errors and the address"},
    };
    command_line line = {
        .usage = "view RESULT... [OPTIONS]\n       polhode view MODEL [-o PAGE] [OPTIONS]",
        .about =
            "Writes one HTML file that shows results in 3-D with plots, in any browser, without a network. Several\n"
            "results share one page, one over the other or side by side.\n"
            "A model, or whatever --live is given, runs now and the browser shows it: pause, speed, sliders for parameters and\n"
            "inputs, schemes, and pulling at bodies (Alt and drag). The server answers this machine alone. Ctrl-C ends it.\n"
            "A model with -o becomes a page that simulates by itself: one file, no server, the same bits.",
        .examples = "  polhode view pendulum.h5 -o pendulum.html\n"
                    "  polhode view rattlie.h5 rk4.h5 -o both.html\n"
                    "  polhode view examples/double_pendulum.yaml\n"
                    "  polhode view examples/double_pendulum.yaml -o try.html\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .least = 1,
        .most = TEXT_LIST_MAX,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) {
        return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    }
    return show(&options, &line.operands);
}
