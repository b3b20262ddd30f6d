// polhode plot: quantities of results as a figure.

#include "base/system.h"
#include "commands.h"
#include "figure.h"
#include "json.h"
#include "load.h"
#include "near_file.h"
#include "options.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct plot_options {
    figure_options figure;
    const char *out, *folder;
    bool list, xy, json, quiet;
} plot_options;

// ---- The list -------------------------------------------------------------------------------------------------------

static bool same_but_part(const ph_curve *a, const ph_curve *b)
{
    const size_t length = strlen(a->name) - strlen(a->part);
    return *a->part && *b->part && strlen(b->name) - strlen(b->part) == length &&
           strncmp(a->name, b->name, length) == 0 && strcmp(a->unit, b->unit) == 0;
}

static size_t count_letters(const char *text)
{
    size_t count = 0;
    for (; *text; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

// Components on one line: "rod.position.{x,y,z}".
static int print_group(const ph_curves *curves, int first)
{
    const ph_curve c = ph_curves_get(curves, first);
    const int count = ph_curves_count(curves);
    int end = first + 1, width = 0;
    for (ph_curve next; end < count && (next = ph_curves_get(curves, end), same_but_part(&c, &next)); end++) {}
    if (end == first + 1) {
        width = printf("  %s", c.name);
    } else {
        width = printf("  %.*s{", (int)(strlen(c.name) - strlen(c.part)), c.name);
        for (int i = first; i < end; i++) width += printf("%s%s", i > first ? "," : "", ph_curves_get(curves, i).part);
        width += printf("}");
    }
    const int unit = 8 + (int)(strlen(c.unit) - count_letters(c.unit));
    printf("%*s %-*s %s\n", width < 44 ? 44 - width : 1, "", unit, c.unit, c.what);
    return end;
}

static void print_list(const source_list *sources)
{
    const colours c = colours_of(stdout);
    for (int i = 0; i < sources->count; i++) {
        const source *s = &sources->list[i];
        printf("%s%s%s: %lld rows\n\n", c.bold, ph_result_path(s->result), c.off, ph_result_rows(s->result));
        for (int k = 0; k < ph_curves_count(s->curves);) k = print_group(s->curves, k);
    }
}

static void print_json_list(const source_list *sources)
{
    json j = {.file = stdout};
    json_object(&j, NULL);
    json_array(&j, "results");
    for (int i = 0; i < sources->count; i++) {
        const source *s = &sources->list[i];
        json_object(&j, NULL);
        json_string(&j, "file", ph_result_path(s->result));
        json_integer(&j, "rows", ph_result_rows(s->result));
        json_array(&j, "quantities");
        for (int k = 0; k < ph_curves_count(s->curves); k++) {
            const ph_curve c = ph_curves_get(s->curves, k);
            json_object(&j, NULL);
            json_string(&j, "name", c.name);
            json_string(&j, "unit", c.unit);
            json_end_object(&j);
        }
        json_end_array(&j);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_close(&j);
}

// ---- The command ----------------------------------------------------------------------------------------------------

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), n = strlen(ending);
    return length > n && strcasecmp(text + length - n, ending) == 0;
}

static bool is_result(const char *text)
{
    return ends_with(text, ".h5") || ends_with(text, ".hdf5") || ends_with(text, ".csv") ||
           system_may(text, SYSTEM_EXISTS);
}

static void split_operands(const text_list *operands, text_list *results, text_list *quantities)
{
    for (int i = 0; i < operands->count; i++) {
        text_list *to = is_result(operands->texts[i]) ? results : quantities;
        to->texts[to->count++] = operands->texts[i];
    }
}

static bool check_options(const plot_options *options, const text_list *results, const text_list *quantities)
{
    const char *log = options->figure.log;
    if (options->list && results->count > 0) return true;
    if (results->count == 0) {
        print_error("a result is missing: '%s' is no file (polhode plot RESULT... QUANTITY... -o FILE)",
                    quantities->texts[0]);
        hint_near_file(quantities->texts[0]);
    } else if (quantities->count == 0) {
        print_error("a quantity is missing, such as energy.error: 'polhode plot %s --list' shows what there is",
                    results->texts[0]);
    } else if (!options->out) {
        print_error("--out is missing: where is the figure written? FILE.svg, FILE.pdf or FILE.png");
    } else if (!ends_with(options->out, ".svg") && !ends_with(options->out, ".pdf") &&
               !ends_with(options->out, ".png")) {
        print_error("--out: '%s' ends neither with .svg, .pdf nor .png", options->out);
    } else if (log && strcmp(log, "x") != 0 && strcmp(log, "y") != 0 && strcmp(log, "xy") != 0) {
        print_error("--log: '%s' is none of x, y, xy", log);
    } else if (options->xy && options->figure.against) {
        print_error("--xy and --against both say what the x axis is");
    } else if (options->xy && quantities->count < 2) {
        print_error("--xy needs two quantities: X Y");
    } else {
        return true;
    }
    return false;
}

static int draw(const source_list *sources, text_list *quantities, plot_options *options)
{
    if (options->xy) {
        options->figure.against = quantities->texts[0];
        quantities->count--;
        memmove(quantities->texts, quantities->texts + 1, (size_t)quantities->count * sizeof quantities->texts[0]);
    } else if (!options->figure.against) {
        options->figure.against = "time";
    }
    ph_plot *plot = make_figure(sources, quantities, &options->figure);
    if (!plot) return EXIT_USAGE;
    ph_error error;
    const ph_status status = ph_plot_write(plot, options->out, &error);
    ph_plot_destroy(plot);
    if (status != PH_OK) {
        print_error("%s", error.text);
        return exit_status_of(status);
    }
    if (options->json) {
        json j = {.file = stdout};
        json_object(&j, NULL);
        json_string(&j, "written", options->out);
        json_close(&j);
    } else if (!options->quiet) {
        printf("written %s\n", options->out);
    }
    return EXIT_DONE;
}

static int plot_results(text_list *results, text_list *quantities, plot_options *options)
{
    source_list sources;
    int status = EXIT_USAGE;
    if (sources_open(&sources, results->texts, results->count, options->folder)) {
        if (options->list) {
            (options->json ? print_json_list : print_list)(&sources);
            status = EXIT_DONE;
        } else {
            status = draw(&sources, quantities, options);
        }
    }
    sources_close(&sources);
    return status;
}

int command_plot(int count, char **arguments)
{
    plot_options options = {.figure = {.from = (double)NAN, .to = (double)NAN}};
    figure_options *figure = &options.figure;
    const option table[] = {
        {"out", 'o', OPTION_TEXT, &options.out, "FILE", "where the figure goes: .svg, .pdf or .png"},
        {"list", 'l', OPTION_FLAG, &options.list, NULL, "what quantities the results have"},
        {"xy", 0, OPTION_FLAG, &options.xy, NULL, "the first quantity is the x axis of the others"},
        {"against", 0, OPTION_TEXT, &figure->against, "QUANTITY", "the x axis; default: time"},
        {"log", 0, OPTION_TEXT, &figure->log, "AXES", "x, y or xy: logarithmic axes (of absolute values)"},
        {"equal", 0, OPTION_FLAG, &figure->equal, NULL, "one unit of x is as long as one of y"},
        {"panels", 0, OPTION_FLAG, &figure->apart, NULL, "every quantity given in a panel of its own"},
        {"from", 0, OPTION_NUMBER, &figure->from, "SECONDS", "leave out what was before"},
        {"to", 0, OPTION_NUMBER, &figure->to, "SECONDS", "leave out what came after"},
        {"folder", 0, OPTION_TEXT, &options.folder, "DIRECTORY", "read files of shapes from there too"},
        {"title", 0, OPTION_TEXT, &figure->title, "TEXT", "above the figure; default: model, scheme and step"},
        {"width", 0, OPTION_POSITIVE, &figure->width, "N", "of the figure; default: 720"},
        {"height", 0, OPTION_POSITIVE, &figure->height, "N", "of each panel; default: 320, of three or more 160"},
        {"json", 0, OPTION_FLAG, &options.json, NULL, "print one JSON object"},
        {"quiet", 'q', OPTION_FLAG, &options.quiet, NULL, "print nothing but errors"},
    };
    command_line line = {
        .usage = "plot RESULT... QUANTITY... -o FILE [OPTIONS]",
        .about = "Draws quantities of results over time, or against each other. Quantities of one unit share a panel;\n"
                 "several results are laid over each other. X:Y draws Y against X. A vector without a component,\n"
                 "such as joints.A.force, is drawn as its components.",
        .examples = "  polhode plot out.h5 --list\n"
                    "  polhode plot out.h5 energy.error -o energy.svg\n"
                    "  polhode plot out.h5 joints.A.reaction stress.rod.mises -o loads.svg\n"
                    "  polhode plot out.h5 rod2.position.x:rod2.position.z --equal -o path.png\n"
                    "  polhode plot rattlie.h5 rk4.h5 violation.position --log y -o joints.svg\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .least = 1,
        .most = TEXT_LIST_MAX,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    text_list results = {0}, quantities = {0};
    split_operands(&line.operands, &results, &quantities);
    return check_options(&options, &results, &quantities) ? plot_results(&results, &quantities, &options) : EXIT_USAGE;
}
