// The tops of Xu and Zhong (2014) as models, and the reference states in tests/reference/: computed with 25 digits by a
// Taylor series and by extrapolation, which agree to 1e-29.
#ifndef TESTS_PAPER_TOP_H
#define TESTS_PAPER_TOP_H

#include "test.h"

#include "json_reader.h"
#include "math/quat.h"
#include "polhode/polhode.h"

// m = 1 kg, l = 0.04 m, g = 9.8 m/s^2; the body frame has its origin, and its reference point, at the tip.
static const double TOP_ARM = 0.04, TOP_GRAVITY = 9.8;

typedef struct paper_top {
    double moments[3]; // about the tip
    ph_quat q;
    ph_vec3 omega;
} paper_top;

static inline paper_top paper_top_start(double tilt, double wx, double wy, double wz)
{
    return (paper_top){{0.002, 0.002, 0.0008}, {cos(0.5 * tilt), sin(0.5 * tilt), 0.0, 0.0}, {wx, wy, wz}};
}

static inline paper_top paper_start_1(void)
{
    return paper_top_start(M_PI / 6.0, 0.0, 0.0, 40.0 * M_PI);
}

static inline ph_model *paper_top_model(const paper_top *top, ph_reference reference)
{
    const double shift = TOP_ARM * TOP_ARM;
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def body = ph_default_body();
    body.name = "top";
    body.mass = 1.0;
    body.com = (ph_vec3){0.0, 0.0, TOP_ARM};
    body.reference = reference;
    body.inertia = ph_diag(ph_vec(top->moments[0] - shift, top->moments[1] - shift, top->moments[2]));
    body.orientation = top->q;
    body.angular_velocity = top->omega;
    body.velocity = ph_quat_rotate(top->q, ph_cross(top->omega, body.com));
    ph_joint_def tip = ph_default_joint();
    tip.name = "tip";
    tip.type = "ball";
    tip.body_a = PH_WORLD;
    tip.body_b = ph_spec_add_body(spec, &body);
    tip.has_anchor = true;
    ph_spec_add_joint(spec, &tip);
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -TOP_GRAVITY});
    ph_model *model = NULL;
    ph_problems *problems = ph_problems_create();
    ph_model_compile(spec, problems, &model);
    for (int i = 0; i < ph_problems_count(problems); i++) {
        printf("  %s\n", ph_problems_get(problems, i)->text);
    }
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    return model;
}

// A model, a state and a simulation of it.
typedef struct top_run {
    ph_model *model;
    ph_state *state;
    ph_sim *sim;
} top_run;

static inline top_run top_run_model(ph_model *model, const char *scheme)
{
    top_run run = {.model = model};
    ph_sim_def def = ph_default_sim();
    ph_error error;
    def.scheme = scheme;
    run.state = model ? ph_state_create(model) : NULL;
    if (run.state && ph_sim_create(run.model, &def, &run.sim, &error) != PH_OK) {
        printf("  %s\n", error.text);
    }
    CHECK(run.sim != NULL);
    return run;
}

static inline top_run top_run_start(const paper_top *top, ph_reference reference, const char *scheme)
{
    return top_run_model(paper_top_model(top, reference), scheme);
}

static inline void top_run_end(top_run *run)
{
    ph_sim_destroy(run->sim);
    ph_state_destroy(run->state);
    ph_model_destroy(run->model);
}

// Steps of h; false, with a failed check, when one of them fails.
static inline bool top_run_steps(top_run *run, double h, int steps)
{
    ph_step_report report = {0};
    for (int k = 0; k < steps && run->sim; k++) {
        if (ph_sim_step(run->sim, run->state, h, &report) != PH_OK) {
            char text[512];
            ph_step_report_format(&report, run->model, text, sizeof text);
            printf("  %s\n", text);
            return CHECK(false);
        }
    }
    return run->sim != NULL;
}

// z of the point of the axis on the unit sphere, eq (34)
static inline double axis_height(ph_quat q)
{
    return q.w * q.w - q.x * q.x - q.y * q.y + q.z * q.z;
}

// ---- Reference files ------------------------------------------------------------------------------------------------

// The file as text, to be freed; NULL and a failed check when it cannot be read.
static inline char *reference_read(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/reference/%s", TEST_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    char *text = file ? calloc(1, 1 << 16) : NULL;
    const size_t length = text ? fread(text, 1, (1 << 16) - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    CHECK(length > 0 && json_is_one_value(text));
    return text;
}

// One case of a file: names hold dots, so they are no paths.
static inline const char *reference_case(const char *text, const char *name)
{
    const char *at = json_walk(json_skip_space(text), name, strlen(name));
    CHECK(at != NULL);
    return at ? at : "";
}

// Numbers are strings there, with more digits than a double holds.
static inline double reference_number(const char *at, const char *path)
{
    const char *value = json_find(at, path);
    return value ? strtod(value + (*value == '"'), NULL) : (double)NAN;
}

static inline ph_vec3 reference_vector(const char *at, const char *path)
{
    char part[3][96];
    for (int i = 0; i < 3; i++) {
        snprintf(part[i], sizeof part[i], "%s.%d", path, i);
    }
    return (ph_vec3){reference_number(at, part[0]), reference_number(at, part[1]), reference_number(at, part[2])};
}

static inline ph_quat reference_quat(const char *at, const char *path)
{
    char w[96];
    snprintf(w, sizeof w, "%s.0", path);
    double part[4];
    for (int i = 0; i < 4; i++) {
        snprintf(w, sizeof w, "%s.%d", path, i);
        part[i] = reference_number(at, w);
    }
    return (ph_quat){part[0], part[1], part[2], part[3]};
}

static inline int reference_states(const char *at)
{
    int count = 0;
    for (char path[32]; snprintf(path, sizeof path, "states.%d", count), json_find(at, path); count++) {}
    return count;
}

// q up to its sign, omega relative to its size
static inline double reference_distance(const char *at, int index, const char *omega_name, ph_quat q, ph_vec3 omega)
{
    char path[64];
    snprintf(path, sizeof path, "states.%d.q", index);
    const ph_quat p = reference_quat(at, path);
    snprintf(path, sizeof path, "states.%d.%s", index, omega_name);
    const ph_vec3 w = reference_vector(at, path);
    const double sign = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0.0 ? -1.0 : 1.0;
    const ph_quat d = {sign * q.w - p.w, sign * q.x - p.x, sign * q.y - p.y, sign * q.z - p.z};
    const double apart = ph_quat_norm(d), turning = ph_norm(ph_sub(omega, w)) / ph_norm(w);
    return isnan(apart + turning) ? (double)NAN : apart > turning ? apart : turning;
}

#endif
