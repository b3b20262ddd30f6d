// polhode view: results, or a running simulation, in the browser.

#include "commands.h"
#include "live.h"
#include "load.h"
#include "model_input.h"
#include "options.h"
#include "terminal.h"

#include "polhode/polhode.h"

#include <string.h>
#include <sys/stat.h>

typedef struct view_options {
    const char *out, *folder;
    double most_megabytes;
    bool quiet, live;
    live_options of_live;
} view_options;

// Results that are missing, damaged, of another kind or without frames are mistakes on the command line.
static int exit_status_of_page(ph_status status)
{
    return status == PH_IO || status == PH_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat info_a, info_b;
    return stat(a, &info_a) == 0 && stat(b, &info_b) == 0 && info_a.st_dev == info_b.st_dev &&
           info_a.st_ino == info_b.st_ino;
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
        if (is_same_file(results->texts[i], options->out)) {
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

static int show(view_options *options, const text_list *operands)
{
    // A model has no motion to show yet: it runs now.
    const bool model = operands->count == 1 && !options->out && is_model_name(operands->texts[0]);
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
        {"scheme", 's', OPTION_TEXT, &live->run.sim.scheme, "NAME[:OPTIONS]", "live: integration scheme"},
        {"step", 0, OPTION_POSITIVE, &live->run.step, "SECONDS", "live: length of a time step"},
        {"set", 0, OPTION_LIST, &live->settings, "NAME=VALUE", "live: change a parameter or input of the model"},
        {"set-joint", 0, OPTION_LIST, &live->settings, "JOINT.rate=VALUE",
         "start a joint at a rate, or at a JOINT.coordinate"},
        {"keyframe", 0, OPTION_KEYFRAME, &live->settings, "NAME", "start in a keyframe of the model"},
        ROBOT_OPTIONS(&live->settings),
        {"port", 0, OPTION_COUNT, &live->port, "N", "live: port on this machine; default: any free one"},
        {"quiet", 'q', OPTION_FLAG, &options.quiet, NULL, "print nothing but errors and the address"},
    };
    command_line line = {
        .usage = "view RESULT... [OPTIONS]\n       polhode view MODEL [OPTIONS]",
        .about =
            "Writes one HTML file that shows results in 3-D with plots, in any browser, without a network. Several\n"
            "results share one page, one over the other or side by side.\n"
            "A model, or whatever --live is given, runs now and the browser shows it: pause, single steps, speed, and pulling at\n"
            "bodies (Alt and drag). The server answers this machine alone. Ctrl-C ends it.",
        .examples = "  polhode view pendulum.h5 -o pendulum.html\n"
                    "  polhode view rattlie.h5 rk4.h5 -o both.html\n"
                    "  polhode view examples/double_pendulum.yaml\n",
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
