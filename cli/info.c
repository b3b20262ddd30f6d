// polhode info: what a model is made of and what it has at the start.

#include "commands.h"
#include "describe.h"
#include "json.h"
#include "load.h"
#include "options.h"
#include "statics.h"
#include "terminal.h"

#include "polhode/polhode.h"

#include <stdlib.h>

enum { SHOWN = 40 }; // lines of a table, unless all are asked for

typedef struct facts {
    const ph_model *model;
    ph_state *state;
    double mass; // of what can move
    ph_vec3 centre;
    ph_measures start;
    ph_symmetry symmetry;
    bool with_modes;
    ph_state *rest; // where the modes are
    mode_study modes;
} facts;

static bool find_facts(facts *f)
{
    ph_observer *observer = NULL;
    f->state = ph_state_create(f->model);
    if (!f->state || ph_observer_create(f->model, &observer) != PH_OK) return false;
    ph_observer_measure(observer, f->state, &f->start);
    ph_observer_destroy(observer);
    f->symmetry = ph_model_symmetry(f->model);
    ph_vec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < ph_model_bodies(f->model); i++) {
        const ph_body_info b = ph_model_body(f->model, i);
        const ph_vec3 x = ph_state_positions(f->state)[i];
        if (!b.fixed) {
            f->mass += b.mass;
            sum = (ph_vec3){sum.x + b.mass * x.x, sum.y + b.mass * x.y, sum.z + b.mass * x.z};
        }
    }
    if (f->mass > 0.0) f->centre = (ph_vec3){sum.x / f->mass, sum.y / f->mass, sum.z / f->mass};
    return true;
}

static const char *body_name(const ph_model *model, int body)
{
    return body >= 0 ? ph_model_body(model, body).name : "world";
}

// ---- For people -----------------------------------------------------------------------------------------------------

static int shown(int count, bool all)
{
    return all || count <= SHOWN ? count : SHOWN;
}

static void print_rest(int count, int printed)
{
    if (printed < count) printf("  ... and %d more (--all shows them)\n", count - printed);
}

static void print_bodies(const facts *f, bool all)
{
    const colours c = colours_of(stdout);
    const int count = ph_model_bodies(f->model), n = shown(count, all);
    printf("\n%s  %-20s %12s   %s%s\n", c.bold, "body", "mass [kg]", "centre of mass [m]", c.off);
    for (int i = 0; i < n; i++) {
        const ph_body_info b = ph_model_body(f->model, i);
        const ph_vec3 x = ph_state_positions(f->state)[i];
        if (b.fixed)
            printf("  %-20s %12s", b.name, "fixed");
        else
            printf("  %-20s %12.6g", b.name, b.mass);
        printf("   %.6g, %.6g, %.6g\n", x.x, x.y, x.z);
    }
    print_rest(count, n);
}

static void print_joints(const facts *f, bool all)
{
    const colours c = colours_of(stdout);
    const int count = ph_model_joints(f->model), n = shown(count, all);
    if (count == 0) return;
    printf("\n%s  %-20s %-14s %5s   %s%s\n", c.bold, "joint", "type", "rows", "between", c.off);
    for (int i = 0; i < n; i++) {
        const ph_joint_info j = ph_model_joint(f->model, i);
        printf("  %-20s %-14s %5d   %s and %s\n", j.name, j.type, j.rows, body_name(f->model, j.body_a),
               body_name(f->model, j.body_b));
    }
    print_rest(count, n);
}

static void print_redundant(const ph_model *model)
{
    const int rows = ph_model_rows(model), redundant = rows - ph_model_rank(model);
    if (redundant <= 0) return;
    printf("  %-22s %d: they repeat what other rows say already\n", "redundant rows", redundant);
    for (int i = 0; i < rows; i++) {
        int joint, row;
        if (ph_model_row_redundant(model, i, &joint, &row))
            printf("  %-22s joint %s, row %d\n", "", ph_model_joint(model, joint).name, row + 1);
    }
}

static void print_vector(const char *name, ph_vec3 v, const char *unit)
{
    printf("  %-22s %.6g, %.6g, %.6g %s\n", name, v.x, v.y, v.z, unit);
}

static void print_conserved(const ph_symmetry *symmetry)
{
    char text[DESCRIPTION_ROOM];
    const char *linear = describe_linear(symmetry), *angular = describe_angular(symmetry, text);
    if (linear) printf("  %-22s linear momentum %s\n", "conserved", linear);
    if (angular) printf("  %-22s angular momentum %s\n", linear ? "" : "conserved", angular);
}

static void print_facts(const facts *f, const char *title, bool all)
{
    const colours c = colours_of(stdout);
    printf("%s%s%s\n", c.bold, title, c.off);
    print_bodies(f, all);
    print_joints(f, all);
    printf("\n  %-22s %d (%d velocities, %d constraint rows of rank %d)\n", "degrees of freedom",
           ph_model_freedoms(f->model), ph_model_velocities(f->model), ph_model_rows(f->model),
           ph_model_rank(f->model));
    print_redundant(f->model);
    printf("  %-22s %d\n", "force elements", ph_model_forces(f->model));
    print_vector("gravity", ph_model_gravity(f->model), "m/s^2");
    printf("  %-22s %.6g kg\n", "moving mass", f->mass);
    print_vector("centre of mass", f->centre, "m");
    printf("  %-22s kinetic %.6g J, potential %.6g J\n", "energy at the start", f->start.kinetic, f->start.potential);
    print_vector("linear momentum", f->start.linear, "kg m/s");
    print_vector("angular momentum", f->start.angular, "kg m^2/s, about the origin");
    print_conserved(&f->symmetry);
    if (ph_model_freedoms(f->model) == 0 && ph_model_velocities(f->model) > 0) {
        printf("  %-22s %s\n", "mobility",
               "the joints leave no freedom: only motors that prescribe motion can move it");
    }
    if (f->with_modes) print_modes(f->model, &f->modes, all ? f->modes.set->count : SHOWN);
}

// ---- For programs ---------------------------------------------------------------------------------------------------

static void json_bodies(json *j, const facts *f)
{
    json_array(j, "bodies");
    for (int i = 0; i < ph_model_bodies(f->model); i++) {
        const ph_body_info b = ph_model_body(f->model, i);
        json_object(j, NULL);
        json_string(j, "name", b.name);
        json_bool(j, "fixed", b.fixed);
        json_number(j, "mass", b.mass);
        json_vec3(j, "position", ph_state_positions(f->state)[i]);
        json_end_object(j);
    }
    json_end_array(j);
}

static void json_joints(json *j, const facts *f)
{
    json_array(j, "joints");
    for (int i = 0; i < ph_model_joints(f->model); i++) {
        const ph_joint_info joint = ph_model_joint(f->model, i);
        json_object(j, NULL);
        json_string(j, "name", joint.name);
        json_string(j, "type", joint.type);
        json_array(j, "bodies");
        json_string(j, NULL, body_name(f->model, joint.body_a));
        json_string(j, NULL, body_name(f->model, joint.body_b));
        json_end_array(j);
        json_integer(j, "rows", joint.rows);
        json_integer(j, "coordinates", joint.coordinates);
        json_end_object(j);
    }
    json_end_array(j);
}

static void json_redundant(json *j, const ph_model *model)
{
    json_array(j, "redundant");
    for (int i = 0; i < ph_model_rows(model); i++) {
        int joint, row;
        if (ph_model_row_redundant(model, i, &joint, &row)) {
            json_object(j, NULL);
            json_string(j, "joint", ph_model_joint(model, joint).name);
            json_integer(j, "row", row + 1);
            json_end_object(j);
        }
    }
    json_end_array(j);
}

static void json_start(json *j, const facts *f)
{
    json_object(j, "energy");
    json_number(j, "kinetic", f->start.kinetic);
    json_number(j, "potential", f->start.potential);
    json_end_object(j);
    json_object(j, "momentum");
    json_vec3(j, "linear", f->start.linear);
    json_vec3(j, "angular", f->start.angular);
    json_end_object(j);
    char text[DESCRIPTION_ROOM];
    json_object(j, "conserved");
    json_string(j, "linear", describe_linear(&f->symmetry));
    json_string(j, "angular", describe_angular(&f->symmetry, text));
    json_end_object(j);
    json_number(j, "position_violation", f->start.position_violation);
    json_number(j, "velocity_violation", f->start.velocity_violation);
}

static void print_json(const facts *f, const char *title)
{
    json j = {.file = stdout};
    json_object(&j, NULL);
    json_string(&j, "model", title);
    json_bodies(&j, f);
    json_joints(&j, f);
    json_integer(&j, "forces", ph_model_forces(f->model));
    json_integer(&j, "velocities", ph_model_velocities(f->model));
    json_integer(&j, "rows", ph_model_rows(f->model));
    json_integer(&j, "rank", ph_model_rank(f->model));
    json_integer(&j, "freedoms", ph_model_freedoms(f->model));
    json_redundant(&j, f->model);
    json_vec3(&j, "gravity", ph_model_gravity(f->model));
    json_number(&j, "mass", f->mass);
    json_vec3(&j, "centre_of_mass", f->centre);
    json_start(&j, f);
    if (f->with_modes) json_modes(&j, f->model, f->rest, &f->modes);
    json_close(&j);
}

// ---- The command ----------------------------------------------------------------------------------------------------

static int show(const ph_model *model, const char *path, bool with_modes, bool as_json, bool all)
{
    facts f = {.model = model, .with_modes = with_modes};
    f.rest = with_modes ? ph_state_create(model) : NULL;
    int result = EXIT_DONE;
    if (!find_facts(&f) || (with_modes && !f.rest)) {
        print_error("%s", ph_status_text(PH_OUT_OF_MEMORY));
        result = EXIT_FAILED;
    } else if (with_modes) {
        result = find_modes(model, f.rest, path, &f.modes);
    }
    if (result == EXIT_DONE && as_json)
        print_json(&f, model_title(model, path));
    else if (result == EXIT_DONE)
        print_facts(&f, model_title(model, path), all);
    ph_modes_destroy(f.modes.set);
    ph_state_destroy(f.rest);
    ph_state_destroy(f.state);
    return result;
}

int command_info(int count, char **arguments)
{
    text_list settings = {0};
    bool as_json = false, all = false, with_modes = false;
    const option table[] = {
        MODEL_OPTIONS(&settings),
        {"all", 'a', OPTION_FLAG, &all, NULL, "list all bodies and joints of a large model"},
        {"modes", 'm', OPTION_FLAG, &with_modes, NULL, "small oscillations about the static equilibrium"},
        {"json", 0, OPTION_FLAG, &as_json, NULL, "print one JSON object in place of the tables"},
    };
    command_line line = {
        .usage = "info MODEL [OPTIONS]",
        .about = "Shows what a model is made of: bodies, joints, degrees of freedom, rows that are redundant, and its\n"
                 "mass, energy, momentum and conserved quantities at the start.",
        .examples = "  polhode info examples/double_pendulum.yaml\n"
                    "  polhode info examples/four_bar.yaml --modes\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .least = 1,
        .most = 1,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    const char *path = line.operands.texts[0];
    ph_model *model = load_model(path, &settings);
    if (!model) return EXIT_USAGE;
    const int result = show(model, path, with_modes, as_json, all);
    ph_model_destroy(model);
    return result;
}
