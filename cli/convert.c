// polhode convert: results as other files, models in the other format.

#include "base/system.h"
#include "commands.h"
#include "json.h"
#include "load.h"
#include "options.h"
#include "terminal.h"

#include "polhode/polhode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct convert_options {
    ph_convert_def def;
    int every;
    const char *folder;
    text_list settings;
    bool resolve, json, quiet;
} convert_options;

static bool ends_with(const char *text, const char *const *endings)
{
    const size_t length = strlen(text);
    for (; *endings; endings++) {
        const size_t n = strlen(*endings);
        if (length > n && strcasecmp(text + length - n, *endings) == 0) return true;
    }
    return false;
}

static const char *const model_endings[] = {".yaml", ".yml", ".json", NULL};
static const char *const robot_endings[] = {".xml", ".mjcf", ".urdf", ".sdf", ".world", NULL};
static const char *const result_endings[] = {".h5", ".hdf5", ".csv", NULL};
static const char *const output_endings[] = {".csv", ".npz", ".glb", NULL};

static int report(const char *path, long long rows, const convert_options *options)
{
    system_facts about;
    const double bytes = system_look(path, &about) ? (double)about.bytes : (double)NAN;
    if (options->json) {
        json j = {.file = stdout};
        json_object(&j, NULL);
        json_string(&j, "written", path);
        if (rows > 0) json_integer(&j, "rows", rows);
        json_number(&j, "bytes", bytes);
        json_close(&j);
    } else if (!options->quiet && rows > 0) {
        printf("written %s: %lld rows, %.3g MB\n", path, rows, 1e-6 * bytes);
    } else if (!options->quiet) {
        printf("written %s\n", path);
    }
    return EXIT_DONE;
}

// ---- Results --------------------------------------------------------------------------------------------------------

static int convert_result(const char *from, const char *to, convert_options *options)
{
    ph_error error;
    ph_convert_report done;
    ph_result *result = load_result(from);
    if (!result) return EXIT_USAGE;
    options->def.every = options->every;
    ph_status status = ph_result_allow_folder(result, options->folder, &error);
    if (status == PH_OK) status = ph_result_convert(result, to, &options->def, &done, &error);
    ph_result_destroy(result);
    if (status != PH_OK) {
        print_error("%s", error.text);
        return exit_status_of(status);
    }
    if (done.left_out > 0 && !options->quiet)
        fprintf(stderr, "note: %d shapes were left out: their triangles are not known\n", done.left_out);
    if (done.bare && !options->quiet) {
        fprintf(stderr,
                "note: written without shapes: files that the model names are not below the folder of the result\n"
                "      (--folder DIRECTORY allows another)\n");
    }
    return report(to, done.rows, options);
}

// ---- Models ---------------------------------------------------------------------------------------------------------

// Word for word, unless numbers are asked for.
static int convert_model(const char *from, const char *to, const convert_options *options)
{
    const bool resolve = options->resolve || options->settings.count > 0;
    ph_model *model =
        load_model(from, &options->settings); // so that mistakes are found here and not by the next reader
    if (!model) return EXIT_USAGE;
    ph_model_destroy(model);
    ph_problems *problems = ph_problems_create();
    ph_error error;
    ph_spec *spec = NULL;
    ph_status status;
    if (resolve) {
        spec = load_spec(from, &options->settings);
        status = spec ? ph_spec_write_file(spec, to, &error) : PH_BAD_MODEL;
        ph_spec_destroy(spec);
    } else {
        status = ph_model_file_convert(from, to, problems, &error);
        print_problems(problems);
    }
    ph_problems_destroy(problems);
    if (status != PH_OK) {
        print_error("%s", error.text);
        return exit_status_of(status);
    }
    // Files of shapes are named relative to the model's folder, and may not be there.
    model = load_model(to, NULL);
    ph_model_destroy(model);
    if (!model) {
        print_error("'%s' is written, but cannot be read where it is", to);
        return EXIT_FAILED;
    }
    return report(to, 0, options);
}

// A robot has no parameters: what is written are numbers.
static int convert_robot(const char *from, const char *to, const convert_options *options)
{
    ph_spec *spec = load_spec(from, &options->settings);
    ph_error error;
    if (!spec) return EXIT_USAGE;
    const ph_status status = ph_spec_write_file(spec, to, &error);
    ph_spec_destroy(spec);
    if (status != PH_OK) {
        print_error("%s", error.text);
        return exit_status_of(status);
    }
    ph_model *model = load_model(to, NULL); // what the compiler finds, it finds here
    ph_model_destroy(model);
    return model ? report(to, 0, options) : EXIT_USAGE;
}

// ---- The command ----------------------------------------------------------------------------------------------------

static bool same_file(const char *a, const char *b)
{
    return strcmp(a, b) == 0 || system_same_file(a, b);
}

static int convert(const char *from, const char *to, convert_options *options)
{
    if (same_file(from, to))
        print_error("'%s' would be written over itself", to);
    else if (ends_with(from, result_endings) && ends_with(to, output_endings))
        return convert_result(from, to, options);
    else if (ends_with(from, model_endings) && ends_with(to, model_endings))
        return convert_model(from, to, options);
    else if (ends_with(from, robot_endings) && ends_with(to, model_endings))
        return convert_robot(from, to, options);
    else if (ends_with(from, result_endings))
        print_error("a result becomes .csv, .npz or .glb: '%s' is none of them", to);
    else if (ends_with(from, model_endings) || ends_with(from, robot_endings))
        print_error("a model becomes .yaml or .json: '%s' is neither", to);
    else
        print_error("'%s' is neither a result (.h5, .csv) nor a model (.yaml, .json, .xml, .urdf, .sdf)", from);
    return EXIT_USAGE;
}

int command_convert(int count, char **arguments)
{
    convert_options options = {.def = ph_default_convert()};
    const option table[] = {
        {"every", 0, OPTION_COUNT, &options.every, "N", "results: write every N-th row; first and last always"},
        {"from", 0, OPTION_NUMBER, &options.def.from, "SECONDS", "results: leave out what was before"},
        {"to", 0, OPTION_NUMBER, &options.def.to, "SECONDS", "results: leave out what came after"},
        {"folder", 0, OPTION_TEXT, &options.folder, "DIRECTORY", "results: read files of shapes from there too"},
        {"resolve", 0, OPTION_FLAG, &options.resolve, NULL, "models: parameters and expressions become numbers"},
        {"set", 0, OPTION_LIST, &options.settings, "NAME=VALUE", "models: change a parameter or input (resolves)"},
        {"set-joint", 0, OPTION_LIST, &options.settings, "JOINT.rate=VALUE",
         "start a joint at a rate, or at a JOINT.coordinate"},
        {"keyframe", 0, OPTION_KEYFRAME, &options.settings, "NAME", "start in a keyframe of the model"},
        ROBOT_OPTIONS(&options.settings),
        {"json", 0, OPTION_FLAG, &options.json, NULL, "print one JSON object"},
        {"quiet", 'q', OPTION_FLAG, &options.quiet, NULL, "print nothing but errors"},
    };
    command_line line = {
        .usage = "convert FROM TO [OPTIONS]",
        .about =
            "Turns a result into CSV, NumPy (.npz) or animated 3-D (.glb, glTF 2.0), a model from YAML to JSON and\n"
            "back, or a robot (MJCF, URDF, SDF) into a model. The endings of the two files say what is meant.",
        .examples = "  polhode convert out.h5 out.csv\n"
                    "  polhode convert out.h5 out.glb --every 16\n"
                    "  polhode convert out.h5 out.npz --from 1 --to 2\n"
                    "  polhode convert pendulum.yaml pendulum.json\n"
                    "  polhode convert pendulum.yaml longer.yaml --set l=2\n"
                    "  polhode convert robot.xml robot.yaml --strict\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .least = 2,
        .most = 2,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    return convert(line.operands.texts[0], line.operands.texts[1], &options);
}
