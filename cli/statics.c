// Static equilibrium and linear modes: tables and JSON. See statics.h.

#include "statics.h"

#include "commands.h"
#include "describe.h"
#include "load.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>

enum { COORDINATES_MAX = 8 };

static int settle(const ph_model *model, ph_state *state, const char *path, ph_statics_report *report)
{
    const ph_statics_def def = ph_default_statics();
    ph_error error;
    const ph_status status = ph_statics(model, state, &def, report, &error);
    if (status != PH_OK) print_error("%s: %s", path, error.text);
    return exit_status_of(status);
}

static const char *stability(const ph_statics_report *report)
{
    if (!report->stability_known) return "not asked whether it is stable: too many freedoms";
    return report->stable ? "stable" : "not stable";
}

// ---- Equilibrium ----------------------------------------------------------------------------------------------------

typedef struct joint_facts {
    ph_observer *observer;
    ph_wrench *reactions;
    bool known;
} joint_facts;

static bool joint_facts_make(const ph_model *model, const ph_state *state, joint_facts *f)
{
    f->reactions = malloc(((size_t)ph_model_joints(model) + 1) * sizeof *f->reactions);
    if (!f->reactions || ph_observer_create(model, &f->observer) != PH_OK) {
        free(f->reactions);
        print_error("%s", ph_status_text(PH_OUT_OF_MEMORY));
        return false;
    }
    f->known = ph_observer_dynamics(f->observer, state, NULL, f->reactions) == PH_OK;
    return true;
}

static void joint_facts_free(joint_facts *f)
{
    ph_observer_destroy(f->observer);
    free(f->reactions);
}

static void print_joint(const ph_model *model, const ph_state *state, const joint_facts *f, int i)
{
    const ph_joint_info joint = ph_model_joint(model, i);
    double q[COORDINATES_MAX] = {0.0};
    ph_observer_joint(f->observer, state, i, q, NULL);
    printf("  %-20s", joint.name);
    if (f->known) {
        const ph_wrench w = f->reactions[i];
        printf(" %10.4g %10.4g %10.4g  %10.4g %10.4g %10.4g ", w.force.x, w.force.y, w.force.z, w.torque.x, w.torque.y,
               w.torque.z);
    }
    for (int k = 0; k < joint.coordinates && k < COORDINATES_MAX; k++) printf(" %.6g", q[k]);
    printf("\n");
}

static void print_statics(const ph_model *model, ph_state *state, const ph_statics_report *report, const joint_facts *f)
{
    const colours c = colours_of(stdout);
    printf("  %-12s %d iterations, acceleration left %.2g of what the forces would cause\n", "equilibrium",
           report->iterations, report->residual);
    printf("  %-12s %s\n", "", stability(report));
    printf("  %-12s potential %.6g J at the start, %.6g J at rest\n\n", "energy", report->potential_start,
           report->potential);
    printf("%s  %-20s %-34s  %s%s\n", c.bold, "body", "centre of mass [m]", "orientation (w x y z)", c.off);
    for (int i = 0; i < ph_model_bodies(model); i++) {
        const ph_vec3 x = ph_state_positions(state)[i];
        const ph_quat q = ph_state_orientations(state)[i];
        printf("  %-20s %11.6g %11.6g %11.6g  %9.6f %9.6f %9.6f %9.6f\n", ph_model_body(model, i).name, x.x, x.y, x.z,
               q.w, q.x, q.y, q.z);
    }
    if (ph_model_joints(model) > 0) {
        printf("\n%s  %-20s %-34s %-34s %s%s\n", c.bold, "joint", "force on its second body [N]", "torque [Nm]",
               "coordinates [m, rad]", c.off);
    }
    for (int i = 0; i < ph_model_joints(model); i++) print_joint(model, state, f, i);
}

// ---- For programs ---------------------------------------------------------------------------------------------------

static void json_report(json *j, const ph_statics_report *report)
{
    json_object(j, "statics");
    json_integer(j, "iterations", report->iterations);
    json_number(j, "residual", report->residual);
    if (report->stability_known)
        json_bool(j, "stable", report->stable);
    else
        json_string(j, "stable", NULL);
    json_number(j, "potential_start", report->potential_start);
    json_number(j, "potential", report->potential);
    json_end_object(j);
}

static void json_bodies(json *j, const ph_model *model, ph_state *state)
{
    json_array(j, "bodies");
    for (int i = 0; i < ph_model_bodies(model); i++) {
        json_object(j, NULL);
        json_string(j, "name", ph_model_body(model, i).name);
        json_vec3(j, "position", ph_state_positions(state)[i]);
        json_quat(j, "orientation", ph_state_orientations(state)[i]);
        json_end_object(j);
    }
    json_end_array(j);
}

static void json_joints(json *j, const ph_model *model, const ph_state *state, const joint_facts *f)
{
    const ph_vec3 none = {(double)NAN, (double)NAN, (double)NAN};
    json_array(j, "joints");
    for (int i = 0; i < ph_model_joints(model); i++) {
        const ph_joint_info joint = ph_model_joint(model, i);
        double q[COORDINATES_MAX] = {0.0};
        ph_observer_joint(f->observer, state, i, q, NULL);
        json_object(j, NULL);
        json_string(j, "name", joint.name);
        json_array(j, "coordinates");
        for (int k = 0; k < joint.coordinates && k < COORDINATES_MAX; k++) json_number(j, NULL, q[k]);
        json_end_array(j);
        json_vec3(j, "force", f->known ? f->reactions[i].force : none);
        json_vec3(j, "torque", f->known ? f->reactions[i].torque : none);
        json_end_object(j);
    }
    json_end_array(j);
}

int run_statics(const ph_model *model, ph_state *state, const char *path, bool as_json, bool quiet)
{
    ph_statics_report report;
    joint_facts f = {0};
    const int status = settle(model, state, path, &report);
    if (status != EXIT_DONE) return status;
    if (!joint_facts_make(model, state, &f)) return EXIT_FAILED;
    if (as_json) {
        json j = {.file = stdout};
        json_object(&j, NULL);
        json_string(&j, "model", model_title(model, path));
        json_report(&j, &report);
        json_object(&j, "final");
        json_bodies(&j, model, state);
        json_joints(&j, model, state, &f);
        json_end_object(&j);
        json_close(&j);
    } else if (!quiet) {
        const colours c = colours_of(stdout);
        printf("%s%s%s\n\n", c.bold, model_title(model, path), c.off);
        print_statics(model, state, &report, &f);
    }
    joint_facts_free(&f);
    return EXIT_DONE;
}

// ---- Modes ----------------------------------------------------------------------------------------------------------

int find_modes(const ph_model *model, ph_state *state, const char *path, mode_study *study)
{
    const int result = settle(model, state, path, &study->report);
    if (result != EXIT_DONE) return result;
    ph_error error;
    const ph_status status = ph_modes(model, state, &study->set, &error);
    if (status != PH_OK) print_error("%s: %s", path, error.text);
    return exit_status_of(status);
}

static double size(ph_vec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

// The body with most of the kinetic energy of a mode.
static const char *main_body(const ph_model *model, const ph_mode *mode)
{
    const char *name = "";
    double most = -1.0;
    for (int i = 0; i < ph_model_bodies(model); i++) {
        const ph_body_info b = ph_model_body(model, i);
        const ph_vec3 w = mode->shape[i].omega;
        const double(*J)[3] = b.inertia.m;
        const double spin = w.x * (J[0][0] * w.x + J[0][1] * w.y + J[0][2] * w.z) +
                            w.y * (J[1][0] * w.x + J[1][1] * w.y + J[1][2] * w.z) +
                            w.z * (J[2][0] * w.x + J[2][1] * w.y + J[2][2] * w.z);
        const double v = size(mode->shape[i].v), energy = b.fixed ? -2.0 : b.mass * v * v + spin;
        if (energy > most) {
            most = energy;
            name = b.name;
        }
    }
    return name;
}

void print_modes(const ph_model *model, const mode_study *study, int most)
{
    const colours c = colours_of(stdout);
    const ph_mode_set *set = study->set;
    printf("\n%s  linear modes about the static equilibrium%s (%s)\n", c.bold, c.off, stability(&study->report));
    printf("%s  %4s %14s %14s %12s   %s%s\n", c.bold, "mode", "frequency [Hz]", "period [s]", "damping [%]",
           "moves most", c.off);
    for (int k = 0; k < set->count && k < most; k++) {
        const ph_mode *mode = &set->modes[k];
        printf("  %4d %14.8g", k + 1, mode->frequency);
        if (mode->frequency > 0.0)
            printf(" %14.8g %12.4g", 1.0 / mode->frequency, 100.0 * mode->damping);
        else
            printf(" %27s", mode->eigenvalue < 0.0 ? "falls away" : "neutral");
        printf("   %s\n", main_body(model, mode));
    }
    if (set->count > most) printf("  ... and %d more (--all shows them)\n", set->count - most);
    if (set->coupling > 0.01)
        printf("  damping couples the modes (%.2g of the largest): it is that of each mode alone\n", set->coupling);
    if (set->asymmetry > 1e-6) {
        printf("  the stiffness is not symmetric (%.2g of its size): forces have no potential, modes are approximate\n",
               set->asymmetry);
    }
}

void json_modes(json *j, const ph_model *model, ph_state *state, const mode_study *study)
{
    const ph_mode_set *set = study->set;
    json_report(j, &study->report);
    json_object(j, "equilibrium");
    json_bodies(j, model, state);
    json_end_object(j);
    json_array(j, "modes");
    for (int k = 0; k < set->count; k++) {
        const ph_mode *mode = &set->modes[k];
        json_object(j, NULL);
        json_number(j, "frequency", mode->frequency);
        json_number(j, "eigenvalue", mode->eigenvalue);
        json_number(j, "damping", mode->damping);
        json_number(j, "decay", mode->decay);
        json_array(j, "shape");
        for (int i = 0; i < ph_model_bodies(model); i++) {
            json_object(j, NULL);
            json_string(j, "name", ph_model_body(model, i).name);
            json_vec3(j, "rotation", mode->shape[i].omega);
            json_vec3(j, "translation", mode->shape[i].v);
            json_end_object(j);
        }
        json_end_array(j);
        json_end_object(j);
    }
    json_end_array(j);
    json_number(j, "stiffness_asymmetry", set->asymmetry);
    json_number(j, "damping_coupling", set->coupling);
}
