// ph_state: one block of memory. The struct stands first, its arrays follow, each on a cache line of its own.

#include "model/state.h"

#include "math/quat.h"

#include <math.h>
#include <string.h>

enum { LINE = 64, LEFT_PER_BODY = 13 };

// Reserves `bytes` in a block that is being laid out and returns their offset.
static size_t reserve(size_t *end, size_t count, size_t size)
{
    const size_t at = (*end + LINE - 1) / LINE * LINE;
    *end = at + count * size;
    return at;
}

// Lays the arrays out behind `state`. With state == NULL it only measures.
static size_t lay_out(const ph_model *model, ph_state *state)
{
    const size_t bodies = model_places(model), rows = (size_t)model->row_count;
    size_t end = sizeof *state;
    const size_t position = reserve(&end, bodies, sizeof(ph_vec3));
    const size_t orientation = reserve(&end, bodies, sizeof(ph_quat));
    const size_t velocity = reserve(&end, bodies, sizeof(ph_vec3));
    const size_t angular_velocity = reserve(&end, bodies, sizeof(ph_vec3));
    const size_t inputs = reserve(&end, model_inputs(model), sizeof(double));
    const size_t multipliers = reserve(&end, rows, sizeof(double));
    const size_t turns = reserve(&end, (size_t)model->turn_count, sizeof(double));
    const size_t targets = reserve(&end, (size_t)model->target_count, sizeof(double));
    const size_t stops = reserve(&end, 3 * (size_t)model->joint_count, sizeof(double));
    const size_t wishes = reserve(&end, 2 * (size_t)model->coordinate_count, sizeof(double));
    const size_t left = reserve(&end, rows ? LEFT_PER_BODY * bodies : 0, sizeof(double));
    if (state) {
        char *block = (char *)state;
        state->position = (void *)(block + position);
        state->orientation = (void *)(block + orientation);
        state->velocity = (void *)(block + velocity);
        state->angular_velocity = (void *)(block + angular_velocity);
        state->inputs = (void *)(block + inputs);
        state->multipliers = (void *)(block + multipliers);
        state->turns = (void *)(block + turns);
        state->targets = (void *)(block + targets);
        state->stops = (void *)(block + stops);
        state->wishes = (void *)(block + wishes);
        state->left = (void *)(block + left);
        state->bytes = end;
    }
    return end;
}

static void clear_history(ph_state *state)
{
    if (state->history) memset(state->history, 0, (size_t)state->history_size * sizeof *state->history);
}

static int plain_history(const ph_model *model)
{
    const int per_body = model->has_contact ? HISTORY_WITH_CONTACT : HISTORY_PER_BODY;
    const int beside = (int)model_inputs(model) + model->turn_count + model->target_count;
    return per_body * (int)model_places(model) + HISTORY_PER_ROW * model->row_count + beside;
}

bool state_reserve_history(ph_state *state)
{
    return state->history || state_extend_history(state, state->history_size);
}

bool state_extend_history(ph_state *state, int size)
{
    const ph_allocator *allocator = &state->model->allocator;
    const int before = state->history_size;
    size = size > before ? size : before;
    if (!state->history || size > state->history_room) {
        double *more = mem_alloc_array(allocator, (size_t)size, sizeof *more);
        state->growths++;
        if (!more) return false;
        if (state->history) memcpy(more, state->history, (size_t)before * sizeof *more);
        mem_free(allocator, state->history);
        state->history = more;
        state->history_room = size;
    } else if (size > before) {
        memset(state->history + before, 0, (size_t)(size - before) * sizeof *state->history);
    }
    state->history_size = size;
    return true;
}

size_t state_size(const ph_model *model)
{
    return lay_out(model, NULL);
}

bool state_settle(const ph_model *model, ph_state *state)
{
    memset(state, 0, sizeof *state);
    state->model = model;
    lay_out(model, state);
    state->history_size = plain_history(model);
    state->view = state_view_create(&model->allocator);
    if (!state->view || (!model->has_contact && !state_reserve_history(state))) {
        state_leave(state);
        return false;
    }
    ph_state_reset(state);
    return true;
}

void state_leave(ph_state *state)
{
    if (!state->model) return;
    state_free_contacts(state);
    mem_free(&state->model->allocator, state->history);
    state->history = NULL;
    state->history_room = 0;
    state->model = NULL;
}

size_t state_bytes_beside(const ph_state *state)
{
    const size_t history = (size_t)state->history_room * sizeof *state->history;
    const size_t balls = (size_t)state->ball_capacity * sizeof *state->balls;
    return history + balls + (size_t)state->contact_capacity * sizeof *state->contacts;
}

ph_state *ph_state_create(const ph_model *model)
{
    ph_state *state = model ? mem_alloc(&model->allocator, state_size(model)) : NULL;
    if (!state || state_settle(model, state)) return state;
    mem_free(&model->allocator, state);
    return NULL;
}

void ph_state_destroy(ph_state *state)
{
    if (!state) return;
    const ph_allocator allocator = state->model->allocator;
    state_leave(state);
    mem_free(&allocator, state);
}

ph_status ph_state_copy(ph_state *to, const ph_state *from)
{
    if (!to || !from || to->model != from->model) {
        return PH_BAD_ARGUMENT;
    }
    if (to == from) {
        return PH_OK;
    }
    if ((from->history && !state_extend_history(to, from->history_size)) || state_copy_contacts(to, from) != PH_OK) {
        return PH_OUT_OF_MEMORY;
    }
    if (!from->history) {
        mem_free(&to->model->allocator, to->history);
        to->history = NULL;
        to->history_room = 0;
    }
    const ph_state own = *to;
    memcpy(to, from, from->bytes);
    lay_out(to->model, to);
    to->contacts = own.contacts;
    to->contact_capacity = own.contact_capacity;
    to->balls = own.balls;
    to->ball_impulses.numbers = own.ball_impulses.numbers;
    to->ball_impulses.room = own.ball_impulses.room;
    to->ball_capacity = own.ball_capacity;
    to->ball_place = own.ball_place;
    to->view = own.view;
    to->growths = own.growths;
    to->history = own.history;
    to->history_room = own.history_room;
    if (to->history) {
        memcpy(to->history, from->history, (size_t)from->history_size * sizeof *to->history);
    }
    return PH_OK;
}

void ph_state_reset(ph_state *state)
{
    if (!state) return;
    const ph_model *model = state->model;
    for (size_t i = 0; i < model_places(model); i++) {
        const body *b = &model->bodies[i];
        state->position[i] = b->position;
        state->orientation[i] = b->start->orientation;
        state->velocity[i] = b->start->twist.v;
        state->angular_velocity[i] = b->start->twist.omega;
    }
    for (int i = 0; i < model->input_count; i++) {
        state->inputs[i] = model->inputs[i].start;
    }
    memset(state->inputs + model->input_count, 0, (size_t)model->held_count * sizeof *state->inputs);
    memcpy(state->turns, model->start_turns, (size_t)model->turn_count * sizeof *state->turns);
    for (int i = 0; i < model->joint_count; i++) {
        const joint *j = &model->joints[i];
        if (j->motor && j->motor->by_speed) {
            state->targets[j->motor->target] = j->motor->start;
        }
    }
    memset(state->multipliers, 0, (size_t)model->row_count * sizeof *state->multipliers);
    memset(state->stops, 0, 3 * (size_t)model->joint_count * sizeof *state->stops);
    clear_history(state);
    state_set_contacts(state, 0, 0);
    state->contact_solver = 0;
    state->contact_bound = 0.0;
    state->time = state->origin = state->target_time = 0.0;
    state->work = 0.0;
    state->contact_work = (contact_work){0};
    state->history_owner = NULL;
    state_forget_wishes(state);
    state_keep_left(state);
    ph_state_touch(state);
}

// ---- What the last step left ----------------------------------------------------------------------------------------

// The arrays in `left`, one behind the other: what they are in the state, and how many bytes.
typedef struct left_part {
    const void *now;
    size_t bytes;
} left_part;

static void left_parts(const ph_state *state, left_part parts[4])
{
    const size_t bodies = model_places(state->model);
    parts[0] = (left_part){state->position, bodies * sizeof *state->position};
    parts[1] = (left_part){state->orientation, bodies * sizeof *state->orientation};
    parts[2] = (left_part){state->velocity, bodies * sizeof *state->velocity};
    parts[3] = (left_part){state->angular_velocity, bodies * sizeof *state->angular_velocity};
}

void state_keep_left(ph_state *state)
{
    left_part parts[4];
    char *to = (char *)state->left;
    if (state->model->row_count == 0) return;
    left_parts(state, parts);
    for (int k = 0; k < 4; to += parts[k++].bytes) memcpy(to, parts[k].now, parts[k].bytes);
    state->left_time = state->time;
    state->left_known = true;
}

bool state_was_edited(const ph_state *state)
{
    left_part parts[4];
    const char *left = (const char *)state->left;
    if (!state->left_known || state->left_time != state->time) return true;
    left_parts(state, parts);
    for (int k = 0; k < 4; left += parts[k++].bytes)
        if (memcmp(left, parts[k].now, parts[k].bytes) != 0) return true;
    return false;
}

void state_forget_wishes(ph_state *state)
{
    for (int k = 0; k < 2 * state->model->coordinate_count; k++) state->wishes[k] = (double)NAN;
    state->wishing = false;
}

static frame frame_of(const ph_state *state, int i)
{
    return (frame){ph_quat_to_mat(state->orientation[i]), state->position[i]};
}

void state_advance_targets(ph_state *state)
{
    const ph_model *model = state->model;
    const motion at = {
        .time = state->time, .inputs = state->inputs, .targets = state->targets, .target_time = state->target_time};
    for (int i = 0; i < model->joint_count && model->target_count > 0; i++) {
        const joint *j = &model->joints[i];
        if (j->motor && j->motor->by_speed) {
            state->targets[j->motor->target] = joint_motor_target(j, &at).value;
        }
    }
    state->target_time = state->time;
}

void state_arrays(ph_state *state, state_array parts[STATE_ARRAYS])
{
    const ph_model *model = state->model;
    const size_t bodies = model_places(model);
    const state_array all[STATE_ARRAYS] = {
        {&state->time, 1},
        {&state->work, 1},
        {&state->contact_work.friction, 2},
        {&state->target_time, 1},
        {&state->origin, 1},
        {&state->position[0].x, 3 * bodies},
        {&state->orientation[0].w, 4 * bodies},
        {&state->velocity[0].x, 3 * bodies},
        {&state->angular_velocity[0].x, 3 * bodies},
        {state->inputs, model_inputs(model)},
        {state->multipliers, (size_t)model->row_count},
        {state->turns, (size_t)model->turn_count},
        {state->targets, (size_t)model->target_count},
        {state->stops, 3 * (size_t)model->joint_count},
        {&state->contact_bound, 1},
        {state->history, state->history ? (size_t)state->history_size : 0},
    };
    memcpy(parts, all, sizeof all);
}

void state_place_rotors(ph_state *state)
{
    const ph_model *model = state->model;
    for (int i = 0; i < model->joint_count && model->rotor_count > 0; i++) {
        joint j = model->joints[i];
        const frame frames[] = {frame_of(state, j.a), frame_of(state, j.b)};
        const ph_twist twists[] = {{state->angular_velocity[j.a], state->velocity[j.a]},
                                   {state->angular_velocity[j.b], state->velocity[j.b]}};
        const motion at = {.frames = frames, .twists = twists, .turns = state->turns};
        j.a = 0, j.b = 1;
        for (int n = 0; 3 * n < j.rotor_rows; n++) {
            const int r = j.bodies[j.slot_rotor + n];
            joint_place_rotor(&j, &at, n, &state->position[r], &state->velocity[r]);
        }
    }
}

void model_count_turns(const ph_model *model, const frame *frames, double *turns)
{
    for (int i = 0; i < model->joint_count && model->turn_count > 0; i++) {
        const joint *j = &model->joints[i];
        if (j->turn_count > 0) joint_count_turns(j, &frames[j->a], &frames[j->b], turns + j->first_turn);
    }
}

static void count_turns(ph_state *state)
{
    const ph_model *model = state->model;
    for (int i = 0; i < model->joint_count && model->turn_count > 0; i++) {
        const joint *j = &model->joints[i];
        if (j->turn_count == 0) continue;
        const frame a = frame_of(state, j->a), b = frame_of(state, j->b);
        joint_count_turns(j, &a, &b, state->turns + j->first_turn);
    }
}

void state_count_turns(ph_state *state)
{
    count_turns(state);
}

// Of the grids through `origin`, zero and the present time the first that the present time stands on.
static double find_origin(const ph_state *state, double h)
{
    const double try[2] = {state->origin, 0.0};
    for (int k = 0; k < 2; k++) {
        const double n = floor((state->time - try[k]) / h + 0.5);
        if (fabs(n) < 0x1p53 && try[k] + n * h == state->time) return try[k];
    }
    return state->time;
}

double state_time_after_steps(const ph_state *state, double h, long long count)
{
    const double origin = find_origin(state, h);
    return origin + (floor((state->time - origin) / h + 0.5) + (double)count) * h;
}

double state_time_after(const ph_state *state, double h)
{
    return state_time_after_steps(state, h, 1);
}

// Without its turns.
static void end_steps(ph_state *state, double h, long long count)
{
    const double after = state_time_after_steps(state, h, count);
    state->origin = find_origin(state, h);
    state->time = after;
}

void state_end_steps(ph_state *state, double h, long long count)
{
    end_steps(state, h, count);
    count_turns(state);
    state_advance_targets(state);
}

void state_end_step(ph_state *state, double h)
{
    state_end_steps(state, h, 1);
}

void state_end_step_at(ph_state *state, double h, const frame *frames, const double *turns)
{
    end_steps(state, h, 1);
    if (turns)
        memcpy(state->turns, turns, (size_t)state->model->turn_count * sizeof *turns);
    else
        model_count_turns(state->model, frames, state->turns);
    state_advance_targets(state);
}

double ph_state_time(const ph_state *state)
{
    return state ? state->time : 0.0;
}

void ph_state_set_time(ph_state *state, double time)
{
    if (!state) return;
    state->time = state->target_time = time;
    ph_state_touch(state);
}

ph_vec3 *ph_state_positions(ph_state *state)
{
    return state ? state->position : NULL;
}

ph_quat *ph_state_orientations(ph_state *state)
{
    return state ? state->orientation : NULL;
}

ph_vec3 *ph_state_velocities(ph_state *state)
{
    return state ? state->velocity : NULL;
}

ph_vec3 *ph_state_angular_velocities(ph_state *state)
{
    return state ? state->angular_velocity : NULL;
}

double *ph_state_inputs(ph_state *state)
{
    return state ? state->inputs : NULL;
}

void ph_state_touch(ph_state *state)
{
    if (state) state->touched = true;
}

double ph_state_work(const ph_state *state)
{
    return state ? state->work : 0.0;
}

void ph_state_contact_work(const ph_state *state, double *friction, double *impact)
{
    if (friction) *friction = state ? state->contact_work.friction : 0.0;
    if (impact) *impact = state ? state->contact_work.impact : 0.0;
}

const double *state_past(const ph_state *state, const void *owner)
{
    return state->touched || state->history_owner != owner ? NULL : state->history;
}

double *state_history(ph_state *state, const void *owner)
{
    if (!state_past(state, owner)) {
        clear_history(state);
        state->history_owner = owner;
        state->touched = false;
    }
    return state->history;
}
