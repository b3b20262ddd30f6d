// polhode export: a model as a functional mock-up unit.

#include "base/system.h"
#include "beside.h"
#include "commands.h"
#include "json.h"
#include "load.h"
#include "options.h"
#include "terminal.h"

#include "polhode/polhode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct export_options {
    ph_fmu_def def;
    const char *out, *runtime, *fmi;
    text_list settings, outputs;
    bool no_sources, json, quiet;
} export_options;

// ---- Binaries and sources -------------------------------------------------------------------------------------------

// Beside the program where it was built, below lib/ where it is installed.
static bool find_runtime(const export_options *options, char path[4096])
{
    static const char *const places[] = {"fmu", "../" POLHODE_LIBDIR "/polhode/fmu", "../lib/polhode/fmu", NULL};
    const char *named = options->runtime ? options->runtime : system_environment("POLHODE_FMU");
    if (named) {
        snprintf(path, 4096, "%s", named);
        return system_is_folder(path);
    }
    return find_beside(places, path);
}

// ---- The command ----------------------------------------------------------------------------------------------------

static int report(const char *path, const ph_fmu_report *r, const export_options *options)
{
    if (options->json) {
        json j = {.file = stdout};
        json_object(&j, NULL);
        json_string(&j, "written", path);
        json_integer(&j, "parameters", r->parameters);
        json_integer(&j, "inputs", r->inputs);
        json_integer(&j, "outputs", r->outputs);
        json_integer(&j, "binaries", r->binaries);
        json_integer(&j, "sources", r->source_files);
        json_integer(&j, "bytes", r->bytes);
        json_close(&j);
    } else if (!options->quiet) {
        printf("written %s: FMI %d.0, %d parameters, %d inputs, %d outputs, %d binaries, %d sources, %.3g MB\n", path,
               options->def.version, r->parameters, r->inputs, r->outputs, r->binaries, r->source_files,
               1e-6 * (double)r->bytes);
    }
    return EXIT_DONE;
}

static int write_fmu(const char *model_path, export_options *options)
{
    char runtime[4096] = "";
    ph_error error;
    ph_fmu_report done;
    if (!find_runtime(options, runtime)) {
        print_error(
            "the binaries that go into an FMU are not there%s%s; build them: cmake --build build/release --target "
            "polhode_fmu",
            *runtime ? ": " : "", runtime);
        return EXIT_FAILED;
    }
    ph_model *model = load_model(model_path, &options->settings);
    if (!model) return EXIT_USAGE;
    options->def.runtime = runtime;
    options->def.outputs = options->outputs.texts;
    options->def.output_count = options->outputs.count;
    options->def.sources = !options->no_sources;
    const ph_status status = ph_fmu_write(model, options->out, &options->def, &done, &error);
    ph_model_destroy(model);
    if (status != PH_OK) {
        print_error("%s", error.text);
        return status == PH_NOT_FOUND ? EXIT_USAGE : exit_status_of(status);
    }
    return report(options->out, &done, options);
}

static int start(const char *model, export_options *options)
{
    const size_t length = options->out ? strlen(options->out) : 0;
    if (!options->out) {
        print_error("-o FILE.fmu is missing: what is to be written?");
        return EXIT_USAGE;
    }
    if (length < 5 || strcasecmp(options->out + length - 4, ".fmu") != 0) {
        print_error("--out: '%s' does not end with .fmu, and nothing else is exported", options->out);
        return EXIT_USAGE;
    }
    if (options->fmi && strcmp(options->fmi, "2") != 0 && strcmp(options->fmi, "2.0") != 0 &&
        strcmp(options->fmi, "3") != 0 && strcmp(options->fmi, "3.0") != 0) {
        print_error("--fmi: '%s' is not written: 2 and 3 are", options->fmi);
        return EXIT_USAGE;
    }
    options->def.version = options->fmi && options->fmi[0] == '2' ? 2 : 3;
    return write_fmu(model, options);
}

int command_export(int count, char **arguments)
{
    export_options options = {.def = ph_default_fmu()};
    const option table[] = {
        {"out", 'o', OPTION_TEXT, &options.out, "FILE.fmu", "what is written"},
        {"fmi", 0, OPTION_TEXT, &options.fmi, "2|3", "version of the interface; default: 3"},
        {"output", 0, OPTION_LIST, &options.outputs, "NAME",
         "put out more than joint coordinates and rates: rod.position, energy, joints.A.force, contacts"},
        {"scheme", 's', OPTION_TEXT, &options.def.scheme, "NAME[:OPTIONS]", "integration scheme"},
        {"step", 0, OPTION_POSITIVE, &options.def.step, "SECONDS", "length of a time step"},
        {"no-sources", 0, OPTION_FLAG, &options.no_sources, NULL, "binaries alone: a smaller file"},
        {"runtime", 0, OPTION_TEXT, &options.runtime, "DIRECTORY", "take binaries and sources from there"},
        MODEL_OPTIONS(&options.settings),
        {"json", 0, OPTION_FLAG, &options.json, NULL, "print one JSON object"},
        {"quiet", 'q', OPTION_FLAG, &options.quiet, NULL, "print nothing but errors"},
    };
    command_line line = {
        .usage = "export MODEL -o FILE.fmu [OPTIONS]",
        .about =
            "Writes a model as a functional mock-up unit for co-simulation (FMI 2.0 or 3.0): parameters, inputs, joint\n"
            "coordinates and rates are its variables. It steps as polhode run does, to the same bits.",
        .examples = "  polhode export pendulum.yaml -o pendulum.fmu\n"
                    "  polhode export crane.yaml -o crane.fmu --fmi 2 --output load.position --output energy\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .least = 1,
        .most = 1,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    return start(line.operands.texts[0], &options);
}
