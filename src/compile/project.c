// The start, moved to where the joints meet.
//
// `initial: project`: positions by Newton steps of least mass-weighted length, (M, B^T; B, 0) (dq, lambda) = (0, -Phi);
// then the velocities to the nearest ones with B v = 0 in the same metric. Where Newton's method does not arrive, and where
// joints say their coordinates or rates, the start is assembled (dynamics/assemble.h): what is given is held.

#include "compile/compile.h"

#include "dynamics/assemble.h"
#include "math/so3.h"

#include <stdio.h>
#include <string.h>

static bool placement_at_start(compiler *c, placement *p)
{
    const ph_model *model = c->model;
    if (!placement_create(model, c->scratch, p)) {
        c->out_of_memory = true;
        return false;
    }
    for (size_t i = 0; i < model_places(model); i++) {
        const body *b = &model->bodies[i];
        p->position[i] = b->position;
        p->orientation[i] = b->start->orientation;
        p->velocity[i] = b->start->twist.v;
        p->angular_velocity[i] = b->start->twist.omega;
    }
    if (model->turn_count) {
        memcpy(p->turns, model->start_turns, (size_t)model->turn_count * sizeof *p->turns);
    }
    return true;
}

// ---- What was moved -------------------------------------------------------------------------------------------------

typedef struct largest {
    double size;
    const char *name; // of the body
} largest;

typedef struct moves {
    largest move, turn, change;
} moves;

static void note_move(largest *m, double size, const body *b)
{
    if (size > m->size) {
        *m = (largest){size, b->name};
    }
}

// Takes the start over and tells how far it is from the given one.
static moves take_over(compiler *c, const placement *p)
{
    moves m = {{0.0, "none"}, {0.0, "none"}, {0.0, "none"}};
    for (int k = 0; k < c->model->moving_count - c->model->rotor_count; k++) { // rotors follow the coordinates
        const int i = c->model->moving[k];
        const body *b = &c->model->bodies[i];
        const ph_quat relative = ph_quat_mul(ph_quat_conj(b->start->orientation), p->orientation[i]);
        note_move(&m.move, ph_norm(ph_sub(p->position[i], b->position)), b);
        note_move(&m.turn, ph_norm(ph_quat_log(relative)), b);
        note_move(&m.change, ph_norm(ph_sub(p->velocity[i], b->start->twist.v)), b);
        compile_place(c, i, p->position[i], p->orientation[i], (ph_twist){p->angular_velocity[i], p->velocity[i]});
    }
    return m;
}

// The joint whose rate was changed most by the move from `before` to `after`, among those that had one.
typedef struct rate_change {
    const joint *joint;
    double before, after;
} rate_change;

static double rate_in(const joint *j, const placement *p, frame *frames, ph_twist *twists)
{
    const int pair[2] = {j->a, j->b};
    for (int k = 0; k < 2; k++) {
        frames[pair[k]] = placement_frame(p, pair[k]);
        twists[pair[k]] = (ph_twist){p->angular_velocity[pair[k]], p->velocity[pair[k]]};
    }
    return joint_rate(j, &(motion){.frames = frames, .twists = twists}, 0);
}

static rate_change largest_rate_change(compiler *c, const placement *before, const placement *after)
{
    const size_t count = model_places(c->model);
    frame *frames = arena_alloc_array(c->scratch, count, sizeof *frames);
    ph_twist *twists = arena_alloc_array(c->scratch, count, sizeof *twists);
    rate_change found = {0};
    c->out_of_memory |= !frames || !twists;
    for (int i = 0; i < c->model->joint_count && frames && twists; i++) {
        const joint *j = &c->model->joints[i];
        if (j->coordinate_count != 1 || j->motor) {
            continue;
        }
        const rate_change here = {j, rate_in(j, before, frames, twists), rate_in(j, after, frames, twists)};
        const double change = fabs(here.after - here.before);
        if (change > 1e-3 * fabs(here.before) && here.before != 0.0 &&
            change > 1.1 * fabs(found.after - found.before)) {
            found = here;
        }
    }
    return found;
}

static void tell_projection(compiler *c, const moves *m, const rate_change *rate)
{
    char text[200] = "", hint[160] = "";
    if (m->move.size == 0.0 && m->turn.size == 0.0 && m->change.size == 0.0) {
        return; // it met them as it was
    }
    if (rate->joint) {
        snprintf(text, sizeof text, "; joint '%.60s' was given the rate %.4g and has %.4g", rate->joint->name,
                 rate->before, rate->after);
        snprintf(hint, sizeof hint, "rate: %.6g on joint '%.60s' holds it", rate->before, rate->joint->name);
    }
    remark(c, place_of("initial"), *hint ? hint : NULL,
           "the start was moved onto the constraints: at most %.3g m (%s), %.3g rad (%s), and %.3g m/s (%s) in "
           "velocity%s",
           m->move.size, m->move.name, m->turn.size, m->turn.name, m->change.size, m->change.name, text);
}

// ---- initial: project -----------------------------------------------------------------------------------------------

// From rough positions, with nothing given.
static bool search_assembly(compiler *c, const motion *at, placement *p)
{
    const size_t count = (size_t)c->model->coordinate_count + 1;
    double *nothing = arena_alloc_array(c->scratch, count, sizeof *nothing);
    assembly_report report;
    for (size_t k = 0; nothing && k < count; k++) {
        nothing[k] = (double)NAN;
    }
    const ph_status status = nothing ? assemble(c->model, at, nothing, nothing, p, &report) : PH_OUT_OF_MEMORY;
    c->out_of_memory |= status == PH_OUT_OF_MEMORY;
    return status == PH_OK;
}

void compile_projection(compiler *c)
{
    const ph_model *model = c->model;
    placement before, p;
    kkt system = {0};
    node at = {0};
    const double *inputs = compile_start_inputs(c);
    if (!inputs || !placement_at_start(c, &before) || !placement_at_start(c, &p) ||
        !kkt_create(model, KKT_DECOUPLED, c->scratch, &system) || !node_create(model, &system, c->scratch, &at)) {
        c->out_of_memory = true;
        return;
    }
    at.motion.inputs = inputs;
    if (node_project_position(model, &system, p.position, p.orientation, &at)) {
        node_project_velocity(model, &system, p.angular_velocity, p.velocity, &at);
    } else {
        placement_copy(model, &p, &before);
        if (!search_assembly(c, &at.motion, &p)) {
            return; // what is off is reported joint by joint
        }
    }
    const rate_change rate = largest_rate_change(c, &before, &p);
    const moves m = take_over(c, &p);
    tell_projection(c, &m, &rate);
}

// ---- Given coordinates and rates ------------------------------------------------------------------------------------

bool compile_gives_coordinates(const compiler *c)
{
    for (int i = 0; i < c->spec->joint_count; i++) {
        for (int k = 0; k < PH_JOINT_COORDINATES; k++) {
            if (c->spec->joints[i].has_coordinate[k]) {
                return true;
            }
        }
    }
    return false;
}

bool compile_gives_rates(const compiler *c)
{
    for (int i = 0; i < c->spec->joint_count; i++) {
        for (int k = 0; k < PH_JOINT_COORDINATES; k++) {
            if (c->spec->joints[i].has_rate[k]) {
                return true;
            }
        }
    }
    return false;
}

// By coordinate, NAN where nothing is given.
static bool list_given(compiler *c, double **coordinates, double **rates)
{
    const ph_model *model = c->model;
    const size_t count = (size_t)model->coordinate_count + 1;
    *coordinates = arena_alloc_array(c->scratch, count, sizeof **coordinates);
    *rates = arena_alloc_array(c->scratch, count, sizeof **rates);
    if (!*coordinates || !*rates) {
        return false;
    }
    for (int i = 0; i < model->joint_count; i++) {
        const ph_joint_def *def = &c->spec->joints[i];
        for (int k = 0; k < model->joints[i].coordinate_count; k++) {
            const int n = model->joints[i].first_coordinate + k;
            (*coordinates)[n] = def->has_coordinate[k] ? def->coordinate[k] : (double)NAN;
            (*rates)[n] = def->has_rate[k] ? def->rate[k] : (double)NAN;
        }
    }
    assemble_hand_on(model, *coordinates);
    assemble_hand_on(model, *rates);
    return true;
}

// "crank at 2, arm at 0.3", for messages.
typedef struct given_text {
    char text[160];
} given_text;

static given_text name_given(const ph_model *model, const double *values)
{
    given_text given = {""};
    size_t used = 0;
    for (int i = 0; i < model->joint_count; i++) {
        const joint *j = &model->joints[i];
        for (int k = 0; k < j->coordinate_count; k++) {
            if (isnan(values[j->first_coordinate + k])) {
                continue;
            }
            if (used + strlen(j->name) + 32 > sizeof given.text) {
                snprintf(given.text + used, sizeof given.text - used, " ...");
                return given;
            }
            used += (size_t)snprintf(given.text + used, sizeof given.text - used, "%s%s at %.4g", used ? ", " : "",
                                     j->name, values[j->first_coordinate + k]);
        }
    }
    return given;
}

static int first_given(const ph_spec *spec)
{
    for (int i = 0; i < spec->joint_count; i++) {
        for (int k = 0; k < PH_JOINT_COORDINATES; k++) {
            if (spec->joints[i].has_coordinate[k] || spec->joints[i].has_rate[k]) {
                return i;
            }
        }
    }
    return 0;
}

// In which of several ways the loops were closed.
static void tell_branch(compiler *c, place where, const moves *m, const assembly_report *report)
{
    const assembly_branch *branch = &report->branch;
    char ways[240] = "";
    if (branch->found > 1 && branch->joint >= 0) {
        snprintf(ways, sizeof ways,
                 "; they close in more than one way, taken is the one with joint '%.60s' at %.4g, "
                 "another has it at %.4g",
                 c->model->joints[branch->joint].name, branch->here, branch->there);
    }
    remark(c, where, *ways ? "positions of the bodies nearer to another way choose that one" : NULL,
           "the loops were closed%s: bodies moved by at most %.3g m (%s) and %.3g rad (%s)%s",
           report->way == ASSEMBLY_SEARCHED ? " from several starts" : "", m->move.size, m->move.name, m->turn.size,
           m->turn.name, ways);
}

static void tell_open(compiler *c, const double *coordinates, const assembly_report *report)
{
    const joint *j = &c->model->joints[report->positions.joint];
    const given_text given = name_given(c->model, coordinates);
    complain(c, place_of("joints[%d]", report->positions.joint),
             "is what is given within reach? positions of the bodies nearer to where it fits may help",
             "the joints cannot be assembled%s%s: joint '%s' stays open by %.3g%s, in the best of %d starts",
             *given.text ? " with " : "", given.text, j->name, fabs(report->positions.off),
             joint_row_is_length(j, report->positions.row) ? " m" : "", report->starts);
}

static void tell_rates(compiler *c, const double *rates, const assembly_report *report)
{
    const joint *j = &c->model->joints[report->velocities.joint];
    complain(c, place_of("joints[%d].rate", report->velocities.joint),
             "loops tie rates to each other: there are no more to give than freedoms",
             "joint '%s' cannot have the rate %.6g together with what else is given: it would have %.6g", j->name,
             rates[j->first_coordinate + report->velocities.row], report->rate_had);
}

void compile_given_start(compiler *c)
{
    ph_model *model = c->model;
    placement p;
    double *coordinates, *rates;
    assembly_report report;
    const double *inputs = compile_start_inputs(c);
    if (!inputs || !placement_at_start(c, &p) || !list_given(c, &coordinates, &rates)) {
        c->out_of_memory = true;
        return;
    }
    const motion at = {.inputs = inputs};
    const ph_status status = assemble(model, &at, coordinates, rates, &p, &report);
    c->out_of_memory |= status == PH_OUT_OF_MEMORY;
    if (status != PH_OK) {
        if (status == PH_NO_CONVERGENCE && report.rates_miss) {
            tell_rates(c, rates, &report);
        } else if (status == PH_NO_CONVERGENCE) {
            tell_open(c, coordinates, &report);
        }
        return;
    }
    const moves m = take_over(c, &p);
    if (model->turn_count) {
        memcpy(model->start_turns, p.turns, (size_t)model->turn_count * sizeof *p.turns);
    }
    if (report.way != ASSEMBLY_PLACED) {
        tell_branch(c, place_of("joints[%d]", first_given(c->spec)), &m, &report);
    }
    if (report.beyond_limit != PH_NONE) {
        remark(c, place_of("joints[%d].limits", report.beyond_limit), NULL, "joint '%s' starts beyond its limits",
               model->joints[report.beyond_limit].name);
    }
}
