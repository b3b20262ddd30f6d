// Checkpoints. All numbers little end first:
//
//     8    "PHCHECK\n"
//     u32  version
//     u32  bytes of the run's part
//     u64  bytes of the file
//     u64  fingerprint of the model
//     u32  1: the state was edited since the last step
//     str  name of the scheme that wrote the history, or empty           (str: u32 length, bytes)
//     the parts of the state (state_arrays): u64 count, then that many doubles
//     u32  contacts, then each of them: bodies, shapes (u32), feature (u64), 13 doubles
//     the run's part (run_checkpoint.c)
//     u64  CRC-64 of everything before

#include "run/checkpoint.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "model/fingerprint.h"
#include "model/state.h"
#include "schemes/scheme.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHECKPOINT_VERSION = 2, MAGIC_BYTES = 8, HEAD_BYTES = MAGIC_BYTES + 4 + 4 + 8, SCHEME_ROOM = 64 };
enum { CONTACT_BYTES = 4 * 4 + 8 + 13 * 8, CONTACTS_MAX = 1 << 23 };
static const char magic[MAGIC_BYTES + 1] = "PHCHECK\n";

uint64_t ph_model_fingerprint(const ph_model *model)
{
    return model ? model_fingerprint(model) : 0;
}

// ---- Writing --------------------------------------------------------------------------------------------------------

static const char *owner_name(const ph_state *state)
{
    const ph_scheme *owner = state->history_owner;
    return owner ? owner->name : "";
}

// state_arrays serves reading too and so gives pointers to write to; here they are only read.
static void find_parts(const ph_state *state, state_array parts[STATE_ARRAYS])
{
    state_arrays((ph_state *)state, parts);
}

static void put_contact(byte_writer *w, const ph_contact *c)
{
    put_u32(w, (uint32_t)c->body_a);
    put_u32(w, (uint32_t)c->body_b);
    put_u32(w, (uint32_t)c->shape_a);
    put_u32(w, (uint32_t)c->shape_b);
    put_u64(w, c->feature);
    put_doubles(w, &c->point.x, 3);
    put_doubles(w, &c->normal.x, 3);
    put_doubles(w, &c->force.x, 3);
    put_doubles(w, &c->torque.x, 3);
    put_double(w, c->gap);
}

// Schemes without memory never take `touched` away: it says then that there is no history, not that somebody wrote to the state.
enum { STATE_AS_LEFT, STATE_EDITED, STATE_WITHOUT_HISTORY };

static uint32_t how_left(const ph_state *state)
{
    if (!state->touched) return STATE_AS_LEFT;
    return state_was_edited(state) ? STATE_EDITED : STATE_WITHOUT_HISTORY;
}

static void put_state(byte_writer *w, const ph_state *state)
{
    state_array parts[STATE_ARRAYS];
    find_parts(state, parts);
    put_u32(w, how_left(state));
    put_string(w, owner_name(state));
    for (int i = 0; i < STATE_ARRAYS; i++) {
        put_u64(w, parts[i].count);
        put_doubles(w, parts[i].numbers, parts[i].count);
    }
    put_u32(w, (uint32_t)state_contact_count(state));
    for (int i = 0; i < state_contact_count(state); i++) {
        const ph_contact contact = state_contact(state, i);
        put_contact(w, &contact);
    }
}

static size_t saved_size(const ph_state *state, size_t run_bytes)
{
    byte_writer w = {0};
    put_state(&w, state);
    return HEAD_BYTES + 8 + w.length + run_bytes + 8;
}

static void save(const ph_state *state, const void *run, size_t run_bytes, void *memory)
{
    byte_writer w = {.to = memory};
    put_bytes(&w, magic, MAGIC_BYTES);
    put_u32(&w, CHECKPOINT_VERSION);
    put_u32(&w, (uint32_t)run_bytes);
    put_u64(&w, saved_size(state, run_bytes));
    put_u64(&w, model_fingerprint(state->model));
    put_state(&w, state);
    put_bytes(&w, run, run_bytes);
    put_u64(&w, bytes_crc(0, memory, w.length));
}

static ph_status write_file(const char *path, const void *memory, size_t bytes, ph_error *error)
{
    output_file file;
    ph_status status = output_file_open(&file, path, false, error);
    if (status != PH_OK) {
        return status;
    }
    status = output_file_append(&file, memory, bytes, error);
    status = status != PH_OK ? status : output_file_sync(&file, error);
    status = status != PH_OK ? status : output_file_publish(&file, error);
    status = status != PH_OK ? status : output_file_sync_folder(&file, error);
    const ph_status closed = output_file_close(&file, status == PH_OK ? error : NULL);
    return status != PH_OK ? status : closed;
}

ph_status checkpoint_write(const char *path, const ph_state *state, const void *run, size_t run_bytes, ph_error *error)
{
    const ph_allocator *allocator = &state->model->allocator;
    const size_t bytes = saved_size(state, run_bytes);
    void *memory = mem_alloc(allocator, bytes);
    if (!memory) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    save(state, run, run_bytes, memory);
    const ph_status status = write_file(path, memory, bytes, error);
    mem_free(allocator, memory);
    return status;
}

// ---- Reading --------------------------------------------------------------------------------------------------------

// Where bytes come from, for messages.
typedef struct source {
    const char *quote, *name; // "'", path; or "", "the saved state"
    ph_error *error;
} source;

static ph_status refuse(const source *s, const char *reason)
{
    return error_set(s->error, PH_IO, "cannot load %s%s%s: %s", s->quote, s->name, s->quote, reason);
}

static bool find_owner(const char *name, const void **owner)
{
    const int index = *name ? ph_scheme_find(name) : PH_NONE;
    *owner = index >= 0 ? schemes[index] : NULL;
    return !*name || index >= 0;
}

static bool all_finite(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(numbers[i])) {
            return false;
        }
    }
    return true;
}

static bool turns_are_units(const ph_state *state)
{
    for (size_t i = 0; i < model_places(state->model); i++) {
        const ph_quat q = state->orientation[i];
        if (!(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) < 1e-6)) {
            return false;
        }
    }
    return true;
}

static bool is_shape(const ph_model *model, int body, int shape)
{
    const bool known = body >= 0 && body < model->body_count;
    return known ? shape >= 0 && shape < model->bodies[body].kind->shape_count : body == PH_WORLD;
}

static bool get_contact(byte_reader *r, const ph_model *model, ph_contact *c)
{
    double numbers[13];
    c->body_a = (int)get_u32(r);
    c->body_b = (int)get_u32(r);
    c->shape_a = (int)get_u32(r);
    c->shape_b = (int)get_u32(r);
    c->feature = get_u64(r);
    get_doubles(r, numbers, 13);
    memcpy(&c->point, numbers, sizeof c->point);
    memcpy(&c->normal, numbers + 3, sizeof c->normal);
    memcpy(&c->force, numbers + 6, sizeof c->force);
    memcpy(&c->torque, numbers + 9, sizeof c->torque);
    c->gap = numbers[12];
    return all_finite(numbers, 13) && is_shape(model, c->body_a, c->shape_a) && is_shape(model, c->body_b, c->shape_b);
}

static ph_status get_contacts(byte_reader *r, const source *s, ph_state *state)
{
    const uint32_t count = get_u32(r);
    if (r->short_of || count > (r->length - r->at) / CONTACT_BYTES) {
        return refuse(s, "it does not fit the model");
    }
    if (!state_reserve_contacts(state, (int)count)) {
        return error_set(s->error, PH_OUT_OF_MEMORY, "out of memory");
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!get_contact(r, state->model, &state->contacts[i])) {
            return refuse(s, "a contact in it cannot be");
        }
    }
    state_set_contacts(state, (int)count, 0);
    return PH_OK;
}

// Numbers in the history of a state: some schemes ask for more than there is room for at first.
static uint64_t most_history(const ph_state *state)
{
    return (uint64_t)state->history_size + (uint64_t)HISTORY_MOST_PER_BODY * model_places(state->model);
}

static ph_status get_state(byte_reader *r, const source *s, ph_state *state)
{
    state_array parts[STATE_ARRAYS];
    char scheme[SCHEME_ROOM];
    state_arrays(state, parts);
    const uint32_t left = get_u32(r);
    state->touched = left != STATE_AS_LEFT;
    get_string(r, scheme, sizeof scheme);
    if (!find_owner(scheme, &state->history_owner)) {
        return error_set(s->error, PH_IO, "cannot load %s%s%s: this program has no scheme '%s'", s->quote, s->name,
                         s->quote, scheme);
    }
    const ph_scheme *owner = state->history_owner;
    state->stops_act = owner && (owner->traits & PH_HAS_CONTACT) != 0;
    for (int i = 0; i < STATE_ARRAYS; i++) {
        const uint64_t count = get_u64(r);
        if (i == STATE_HISTORY && count > parts[i].count && count >= (uint64_t)state->history_size &&
            count <= most_history(state)) {
            if (!state_extend_history(state, (int)count)) return error_set(s->error, PH_OUT_OF_MEMORY, "out of memory");
            state_arrays(state, parts);
        }
        if (count != parts[i].count || r->short_of) {
            return refuse(s, "it does not fit the model");
        }
        get_doubles(r, parts[i].numbers, parts[i].count);
        if (!all_finite(parts[i].numbers, parts[i].count)) {
            return refuse(s, "a number in it is not finite");
        }
    }
    state_forget_wishes(state);
    state_keep_left(state);
    state->left_known = left != STATE_EDITED; // what an edited state was before is not in the file
    return turns_are_units(state) ? get_contacts(r, s, state) : refuse(s, "an orientation in it is no rotation");
}

static ph_status check_head(byte_reader *r, const source *s, uint32_t *run_bytes)
{
    char begin[MAGIC_BYTES];
    if (!get_bytes(r, begin, MAGIC_BYTES) || memcmp(begin, magic, MAGIC_BYTES) != 0) {
        return refuse(s, "it is not a checkpoint");
    }
    const uint32_t version = get_u32(r);
    if (!r->short_of && version != CHECKPOINT_VERSION) {
        return error_set(s->error, PH_IO, "cannot load %s%s%s: it has version %u of the format, this program reads %d",
                         s->quote, s->name, s->quote, version, CHECKPOINT_VERSION);
    }
    *run_bytes = get_u32(r);
    if (get_u64(r) != r->length || r->short_of || r->length < HEAD_BYTES + 16) {
        return refuse(s, "it is cut off, or something follows it");
    }
    byte_reader end = {.from = r->from, .length = r->length, .at = r->length - 8};
    return get_u64(&end) == bytes_crc(0, r->from, r->length - 8) ? PH_OK : refuse(s, "it is damaged: wrong checksum");
}

// `run` NULL: of no interest.
static ph_status load(const void *memory, size_t bytes, const source *s, ph_state *state, unsigned char *run,
                      size_t *run_bytes)
{
    byte_reader r = {.from = memory, .length = bytes};
    uint32_t of_run = 0;
    ph_status status = check_head(&r, s, &of_run);
    if (status != PH_OK) {
        return status;
    }
    if (get_u64(&r) != model_fingerprint(state->model)) {
        return refuse(s, "it belongs to another model, or this one was changed since");
    }
    status = get_state(&r, s, state);
    if (status != PH_OK) {
        return status;
    }
    if (r.length - r.at != of_run + (size_t)8 || of_run > CHECKPOINT_RUN_MAX) {
        return refuse(s, "it does not fit the model");
    }
    if (run) {
        get_bytes(&r, run, of_run);
        *run_bytes = of_run;
    }
    return PH_OK;
}

// Loads into a new state first, so that a file that is refused changes nothing.
static ph_status load_whole(const void *memory, size_t bytes, const source *s, ph_state *state, unsigned char *run,
                            size_t *run_bytes)
{
    ph_state *loaded = ph_state_create(state->model);
    if (!loaded) {
        return error_set(s->error, PH_OUT_OF_MEMORY, "out of memory");
    }
    ph_status status = load(memory, bytes, s, loaded, run, run_bytes);
    if (status == PH_OK) {
        status = ph_state_copy(state, loaded);
    }
    ph_state_destroy(loaded);
    return status;
}

// Larger files cannot belong to the model.
static size_t largest_size(const ph_state *state)
{
    const size_t history = sizeof(double) * (size_t)most_history(state);
    return saved_size(state, CHECKPOINT_RUN_MAX) + SCHEME_ROOM + history + (size_t)CONTACTS_MAX * CONTACT_BYTES;
}

static ph_status cannot_read(const char *path, int code, ph_error *error)
{
    return error_set(error, code == ENOENT ? PH_NOT_FOUND : PH_IO, "cannot read '%s': %s", path, strerror(code));
}

// A regular file of at most `largest` bytes.
static ph_status open_file(const char *path, size_t largest, FILE **file, size_t *bytes, ph_error *error)
{
    system_facts facts;
    *file = system_stream(path, "rb");
    if (!*file) {
        return cannot_read(path, errno, error);
    }
    if (system_look_at(fileno(*file), &facts) && facts.kind == SYSTEM_FILE && (uintmax_t)facts.bytes <= largest) {
        *bytes = (size_t)facts.bytes;
        return PH_OK;
    }
    fclose(*file);
    return error_set(error, PH_IO, "cannot load '%s': it is not a checkpoint of this model", path);
}

ph_status checkpoint_read(const char *path, ph_state *state, unsigned char run[CHECKPOINT_RUN_MAX], size_t *run_bytes,
                          ph_error *error)
{
    const ph_allocator *allocator = &state->model->allocator;
    const source s = {"'", path, error};
    FILE *file = NULL;
    size_t bytes = 0;
    ph_status status = open_file(path, largest_size(state), &file, &bytes, error);
    if (status != PH_OK) {
        return status;
    }
    unsigned char *memory = mem_alloc(allocator, bytes);
    if (!memory) {
        status = error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    } else if (fread(memory, 1, bytes, file) != bytes) {
        status = ferror(file) ? cannot_read(path, EIO, error) : refuse(&s, "it became shorter while it was read");
    } else {
        status = load_whole(memory, bytes, &s, state, run, run_bytes);
    }
    fclose(file);
    mem_free(allocator, memory);
    return status;
}

// ---- The public calls -----------------------------------------------------------------------------------------------

static ph_status misused(const char *call, ph_error *error)
{
    return error_set(error, PH_BAD_ARGUMENT, "%s needs a state and a place", call);
}

ph_status ph_state_save(const ph_state *state, const char *path, ph_error *error)
{
    return state && path ? checkpoint_write(path, state, NULL, 0, error) : misused("ph_state_save", error);
}

ph_status ph_state_load(ph_state *state, const char *path, ph_error *error)
{
    return state && path ? checkpoint_read(path, state, NULL, NULL, error) : misused("ph_state_load", error);
}

size_t ph_state_saved_size(const ph_state *state)
{
    return state ? saved_size(state, 0) : 0;
}

ph_status ph_state_save_memory(const ph_state *state, void *memory, size_t size, ph_error *error)
{
    if (!state || !memory) {
        return misused("ph_state_save_memory", error);
    }
    if (size != saved_size(state, 0)) {
        return error_set(error, PH_BAD_ARGUMENT, "the saved state has %zu bytes, not %zu", saved_size(state, 0), size);
    }
    save(state, NULL, 0, memory);
    return PH_OK;
}

ph_status ph_state_load_memory(ph_state *state, const void *memory, size_t size, ph_error *error)
{
    const source s = {"", "the saved state", error};
    return state && memory ? load_whole(memory, size, &s, state, NULL, NULL) : misused("ph_state_load_memory", error);
}
