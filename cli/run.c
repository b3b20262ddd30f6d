// polhode run: simulate a model, measure what is kept, record the motion.

#include "base/system.h"
#include "commands.h"
#include "describe.h"
#include "interrupt.h"
#include "json.h"
#include "load.h"
#include "options.h"
#include "progress.h"
#include "statics.h"
#include "summary.h"
#include "terminal.h"

#include "polhode/polhode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct run_options {
    ph_run_def def;
    text_list settings;
    bool json, quiet, statics;
    bool allow_energy_error;
} run_options;

// ---- Progress -------------------------------------------------------------------------------------------------------

static bool on_progress(const ph_progress *p, void *user)
{
    progress_tell(user, p->steps > 0 ? (double)p->step / (double)p->steps : (double)NAN,
                  "%.4g of %.4g s  energy error %.2g J  %.3gx real time", p->time, p->until, p->energy_error,
                  p->wall_s > 0.0 ? p->time / p->wall_s : 0.0);
    return !was_interrupted();
}

// ---- For people -----------------------------------------------------------------------------------------------------

static void label(const char *text)
{
    printf("  %-12s ", text);
}

static void print_energy(const ph_summary *s)
{
    const double taken = -(s->friction_work + s->impact_work);
    label("energy");
    printf("start %.6g J, end %.6g J\n", s->stored_initial, s->stored_final);
    if (s->work != 0.0 || taken != 0.0) {
        label("");
        printf("motors, dampers and applied forces did %.6g J", s->work);
        if (taken != 0.0) printf(", friction and impacts took %.6g J", taken);
        printf("\n");
    }
    label("");
    printf("largest error %.3g J", s->energy_max_abs_error);
    if (s->energy_scale > 0.0) {
        printf(", %.2g of the largest kinetic energy (%.4g J)", s->energy_max_abs_error / s->energy_scale,
               s->energy_scale);
    }
    printf("\n");
}

static void print_momentum(const ph_summary *s, const ph_model *model)
{
    const ph_symmetry symmetry = ph_model_symmetry(model);
    char text[DESCRIPTION_ROOM];
    const char *linear = describe_linear(&symmetry), *angular = describe_angular(&symmetry, text);
    if (linear) {
        label("momentum");
        printf("linear, %s: kept to %.2g kg m/s\n", linear, s->linear_max_error);
    }
    if (angular) {
        label(linear ? "" : "momentum");
        printf("angular, %s: kept to %.2g kg m^2/s\n", angular, s->angular_max_error);
    }
    if (!linear && !angular) {
        label("momentum");
        printf("this model conserves none\n");
    }
}

static void print_file(const char *path)
{
    system_facts info;
    if (path && system_look(path, &info)) {
        label("written");
        printf("%s (%.3g MB)\n", path, 1e-6 * (double)info.bytes);
    }
}

// Three digits, without an exponent for large numbers: 234567 -> 235000.
static void print_rounded(double x)
{
    const double unit = x >= 1000.0 ? pow(10.0, floor(log10(x)) - 2.0) : 0.0;
    if (unit > 0.0)
        printf("%.0f", unit * floor(x / unit + 0.5));
    else
        printf("%.3g", x);
}

static void print_solvers(const ph_summary *s)
{
    const char *between = "solved by ";
    for (int k = 0; k < PH_CONTACT_SOLVERS; k++) {
        if (s->contact_solver_steps[k] == 0) continue;
        if (*between != ',') label("");
        printf("%s%s (%lld steps)", between, ph_contact_solver_name(k), s->contact_solver_steps[k]);
        between = ", ";
    }
    if (*between == ',') printf("\n");
}

static void warn_of_misses(const ph_summary *s)
{
    const colours c = colours_of(stdout);
    if (100 * s->contact_missed > s->steps) {
        printf(
            "%swarning%s: in %lld of %lld steps contacts are not solved to their tolerance; see contact: {missed, tolerance, "
            "iterations}\n",
            c.red, c.off, s->contact_missed, s->steps);
    }
}

static void print_summary(const ph_summary *s, const ph_model *model, const char *title, const char *out)
{
    const colours c = colours_of(stdout);
    const double wall = s->wall_s > 0.0 ? s->wall_s : 1e-9;
    printf("%s%s%s\n\n", c.bold, title, c.off);
    label("scheme");
    printf("%s, %lld steps of %.6g s", s->scheme, s->steps, s->step);
    if (s->last_step > 0.0) printf(", the last one of %.6g s to end %s", s->last_step, s->event ? "there" : "in time");
    printf("\n");
    if (s->event) {
        label("stopped");
        printf("at t = %.9g s, where the expression to stop at crosses zero\n", s->time);
    }
    if (s->resumed > 0) {
        label("continued");
        printf("after %lld steps, at t = %.6g s\n", s->resumed, (double)s->resumed * s->step);
    }
    label("simulated");
    printf("%.6g s in %.3g s: ", s->time, s->wall_s);
    print_rounded(s->time / wall);
    printf(" times real time, ");
    print_rounded((double)s->steps / wall);
    printf(" steps/s\n");
    print_energy(s);
    print_momentum(s, model);
    if (ph_model_rows(model) > 0) {
        label("joints");
        printf("open by at most %.2g (positions), %.2g (velocities)\n", s->position_violation_max,
               s->velocity_violation_max);
    }
    label("rotations");
    printf("within %.2g of orthogonal\n", s->orthogonality_max);
    if (s->contacts_max > 0) {
        label("contact");
        printf("at most %d points, %.3g iterations per step, overlap %.2g m, residual %.2g m/s\n", s->contacts_max,
               s->contact_iterations_mean, s->penetration_max, s->contact_residual_max);
    }
    if (s->without_contact) {
        label("contact");
        printf(
            "none: bodies pass through each other, as the model has no key 'contact'; contact: {} lets them collide\n");
    }
    print_solvers(s);
    if (s->contacts_max > 0 || s->friction_work != 0.0) {
        label("");
        printf("friction took %.3g J, impacts %.3g J; largest gain in a step %.2g J\n", -s->friction_work,
               -s->impact_work, s->contact_gain_max);
    }
    if (s->contact_missed > 0) {
        label("");
        printf("%lld of %lld contact problems were not solved to their tolerance\n", s->contact_missed, s->steps);
    }
    label("solver");
    if (s->inner_steps > 0) {
        printf("%lld steps of its own, %lld rejected, %lld evaluations\n", s->inner_steps, s->rejections,
               s->evaluations);
    } else {
        printf("%.3g Newton iterations per step, at most %d\n", s->iterations_mean, s->iterations_max);
    }
    print_file(out);
    warn_of_misses(s);
}

// ---- For programs ---------------------------------------------------------------------------------------------------

static void json_bodies(json *j, const ph_model *model, ph_state *state)
{
    json_array(j, "bodies");
    for (int i = 0; i < ph_model_bodies(model); i++) {
        json_object(j, NULL);
        json_string(j, "name", ph_model_body(model, i).name);
        json_vec3(j, "position", ph_state_positions(state)[i]);
        json_quat(j, "orientation", ph_state_orientations(state)[i]);
        json_vec3(j, "velocity", ph_state_velocities(state)[i]);
        json_vec3(j, "angular_velocity", ph_state_angular_velocities(state)[i]);
        json_end_object(j);
    }
    json_end_array(j);
}

static void json_coordinates(json *j, ph_observer *observer, const ph_state *state, int joint, int count)
{
    double q[PH_JOINT_COORDINATES] = {0}, rates[PH_JOINT_COORDINATES] = {0};
    if (count > 0) ph_observer_joint(observer, state, joint, q, rates);
    json_array(j, "coordinates");
    for (int k = 0; k < count; k++) json_number(j, NULL, q[k]);
    json_end_array(j);
    json_array(j, "rates");
    for (int k = 0; k < count; k++) json_number(j, NULL, rates[k]);
    json_end_array(j);
}

// Where the reactions have no solution they are null.
static bool json_joints(json *j, const ph_model *model, const ph_state *state)
{
    const int count = ph_model_joints(model);
    ph_wrench *reactions = malloc(((size_t)count + 1) * sizeof *reactions);
    ph_observer *observer = NULL;
    if (!reactions || ph_observer_create(model, &observer) != PH_OK) {
        free(reactions);
        return false;
    }
    const ph_vec3 none = {(double)NAN, (double)NAN, (double)NAN};
    const bool known = ph_observer_dynamics(observer, state, NULL, reactions) == PH_OK;
    json_array(j, "joints");
    for (int i = 0; i < count; i++) {
        json_object(j, NULL);
        json_string(j, "name", ph_model_joint(model, i).name);
        json_vec3(j, "force", known ? reactions[i].force : none);
        json_vec3(j, "torque", known ? reactions[i].torque : none);
        json_coordinates(j, observer, state, i, ph_model_joint(model, i).coordinates);
        json_end_object(j);
    }
    json_end_array(j);
    ph_observer_destroy(observer);
    free(reactions);
    return true;
}

static bool print_json(const ph_summary *s, const ph_model *model, ph_state *state, const char *title,
                       const char *error)
{
    json j = {.file = stdout};
    json_object(&j, NULL);
    json_string(&j, "model", title);
    json_string(&j, "scheme", s->scheme);
    json_number(&j, "step", s->step);
    json_integer(&j, "steps", s->steps);
    json_number(&j, "last_step", s->last_step > 0.0 ? s->last_step : s->step);
    json_number(&j, "time", s->time);
    json_bool(&j, "event", s->event);
    json_number(&j, "wall_s", s->wall_s);
    json_summary(&j, s);
    json_object(&j, "final");
    json_bodies(&j, model, state);
    const bool good = json_joints(&j, model, state);
    json_end_object(&j);
    if (error) json_string(&j, "error", error);
    json_close(&j);
    return good;
}

// ---- The command ----------------------------------------------------------------------------------------------------

static bool same_file(const char *a, const char *b)
{
    return strcmp(a, b) == 0 || system_same_file(a, b);
}

// What stops a run before its first step is a mistake of the caller, also when it is a disk that is full.
static int exit_status_of_run(ph_status status, const ph_summary *summary)
{
    return status == PH_IO && summary->steps == 0 ? EXIT_USAGE : exit_status_of(status);
}

static int run_model(const ph_model *model, ph_state *state, const char *path, run_options *options)
{
    progress shown = progress_begin(!options->quiet);
    options->def.progress = on_progress;
    options->def.user = &shown;
    catch_interrupts();

    ph_summary summary;
    ph_error error = {.status = PH_OK};
    const ph_status status = ph_run(model, state, &options->def, &summary, &error);
    int result = exit_status_of_run(status, &summary);
    progress_wipe(&shown);
    const bool started = result != EXIT_USAGE;
    const char *title = model_title(model, path);
    if (started && options->json) {
        if (!print_json(&summary, model, state, title, status == PH_OK ? NULL : error.text)) {
            print_error("%s", ph_status_text(PH_OUT_OF_MEMORY));
            result = EXIT_FAILED;
        }
    } else if (started && !options->quiet) {
        print_summary(&summary, model, title, options->def.out);
    }
    if (status != PH_OK) {
        fflush(stdout);
        print_error("%s: %s", path, error.text);
    } else if (summary.energy_wrong && !options->allow_energy_error) {
        fflush(stdout);
        print_error(
            "%s: the energy error, %.3g J, exceeds the largest kinetic energy, %.3g J: this is not the motion of the "
            "model; try a smaller step (--allow-energy-error: go on all the same)",
            path, summary.energy_max_abs_error, summary.energy_scale);
        result = EXIT_FAILED;
    }
    return result;
}

static bool check_checkpoint(const char *path, const run_options *options)
{
    const ph_run_def *def = &options->def;
    if (!def->checkpoint) {
        if (def->resume) print_error("--resume needs --checkpoint FILE, where the run was saved");
        return !def->resume;
    }
    if (same_file(path, def->checkpoint)) {
        print_error("--checkpoint: '%s' is the model itself", def->checkpoint);
        return false;
    }
    if (def->out && same_file(def->out, def->checkpoint)) {
        print_error("--checkpoint and --out name the same file: '%s'", def->out);
        return false;
    }
    if (options->statics) {
        print_error("--statics finds where the model rests: there is no run to save in --checkpoint");
        return false;
    }
    return true;
}

static int load_and_run(const char *path, run_options *options)
{
    if (!check_checkpoint(path, options)) return EXIT_USAGE;
    if (options->def.out && same_file(path, options->def.out)) {
        print_error("--out: '%s' is the model itself", options->def.out);
        return EXIT_USAGE;
    }
    if (options->def.out && options->statics) {
        print_error("--statics finds where the model rests: there is no motion to record in --out");
        return EXIT_USAGE;
    }
    ph_model *model = load_model(path, &options->settings);
    if (!model) return EXIT_USAGE;
    ph_state *state = ph_state_create(model);
    int result = EXIT_FAILED;
    if (state) {
        result = options->statics ? run_statics(model, state, path, options->json, options->quiet)
                                  : run_model(model, state, path, options);
    } else {
        print_error("%s", ph_status_text(PH_OUT_OF_MEMORY));
    }
    ph_state_destroy(state);
    ph_model_destroy(model);
    return result;
}

int command_run(int count, char **arguments)
{
    run_options options = {.def = ph_default_run()};
    ph_run_def *def = &options.def;
    const option table[] = {
        {"device", 0, OPTION_TEXT, &def->sim.device, "NAME",
         "what steps heaps under moreau: cpu, or gpu where built in"},
        {"scheme", 's', OPTION_TEXT, &def->sim.scheme, "NAME[:OPTIONS]", "integration scheme (see 'polhode schemes')"},
        {"step", 0, OPTION_POSITIVE, &def->step, "SECONDS", "length of a time step"},
        {"until", 0, OPTION_POSITIVE, &def->until, "SECONDS", "end time"},
        {"stop-when", 0, OPTION_TEXT, &def->stop_when, "EXPRESSION",
         "stop where this crosses zero: of t, inputs, q.JOINT, qd.JOINT"},
        {"out", 'o', OPTION_TEXT, &def->out, "FILE", "record the motion: .h5 (HDF5) or .csv"},
        {"every", 0, OPTION_COUNT, &def->every, "N", "record every N-th step; first and last always"},
        {"measure-every", 0, OPTION_COUNT, &def->measure_every, "N",
         "measure every N-th step and what is recorded only: faster"},
        MODEL_OPTIONS(&options.settings),
        {"checkpoint", 0, OPTION_TEXT, &def->checkpoint, "FILE",
         "save the run there, so that --resume can continue it"},
        {"checkpoint-every", 0, OPTION_POSITIVE, &def->checkpoint_every, "SECONDS",
         "of real time between two checkpoints (10)"},
        {"resume", 0, OPTION_FLAG, &def->resume, NULL, "continue from the checkpoint, to the same bits"},
        {"threads", 0, OPTION_COUNT, &def->sim.threads, "N", "worker threads; the result does not depend on them"},
        {"allow-energy-error", 0, OPTION_FLAG, &options.allow_energy_error, NULL,
         "exit status 0 also when the energy error exceeds the kinetic energy"},
        {"allow-overlap", 0, OPTION_FLAG, &def->allow_overlap, NULL, "go on also when bodies begin deep in each other"},
        {"missed", 0, OPTION_NATURAL, &def->missed, "N",
         "stop when more contact problems than this miss their tolerance; 0: at the first"},
        {"statics", 0, OPTION_FLAG, &options.statics, NULL, "find where the model rests in place of its motion"},
        {"json", 0, OPTION_FLAG, &options.json, NULL, "print one JSON object in place of the table"},
        {"quiet", 'q', OPTION_FLAG, &options.quiet, NULL, "print no table and no progress"},
    };
    command_line line = {
        .usage = "run MODEL [OPTIONS]",
        .about = "Simulates a model and measures at every step what the scheme keeps: energy, momentum, joints.\n"
                 "What is not given here is taken from the model's run settings.",
        .examples = "  polhode run examples/double_pendulum.yaml\n"
                    "  polhode run pendulum.yaml --step 5e-4 --until 10 --out pendulum.h5 --every 10\n"
                    "  polhode run pendulum.yaml --set l=2 --set g=1.62 --json\n"
                    "  polhode run pendulum.yaml --until 1e6 --checkpoint p.ckpt --resume\n"
                    "  polhode run pendulum.yaml --stop-when q.hinge\n"
                    "  polhode run pendulum.yaml --statics\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .least = 1,
        .most = 1,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    return load_and_run(line.operands.texts[0], &options);
}
