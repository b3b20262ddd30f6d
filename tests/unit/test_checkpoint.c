// Saved states and runs: what is continued ends in the same bits, what is damaged or belongs elsewhere is refused.

#include "rig.h"
#include "text_model.h"

#include "base/bytes.h"
#include "folder.h"
#include "model/state.h"
#include "scenes.h"

// ---- Models ---------------------------------------------------------------------------------------------------------

// All parts of a state have numbers in them.
static ph_model *make_model(double mass)
{
    return scene_driven(mass, PH_MOTOR_SPEED, "u*sin(3*t)");
}

static ph_model *make_free(double mass)
{
    ph_spec *spec = scene_start();
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, 0.0});
    ph_body_def body = ph_default_body();
    body.name = "body";
    body.mass = mass;
    body.inertia = (ph_mat3){{{1.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 2.5}}};
    body.angular_velocity = (ph_vec3){0.1, 3.0, 0.2};
    ph_spec_add_body(spec, &body);
    return scene_finish(spec);
}

// Two balls on a floor, one on the other.
static ph_model *make_contact(double mass)
{
    ph_spec *spec = scene_start();
    const ph_contact_settings contact = ph_default_contact();
    ph_shape_def plane = ph_default_shape(), sphere = ph_default_shape();
    plane.type = "plane";
    plane.size = (ph_vec3){0.0, 0.0, 1.0};
    sphere.type = "sphere";
    sphere.radius = 0.25;
    sphere.friction = 0.3;
    ph_spec_add_shape(spec, scene_fixed(spec, "floor", (ph_vec3){0.0, 0.0, 0.0}), &plane);
    for (int i = 0; i < 2; i++) {
        ph_body_def ball = ph_default_body();
        ball.name = i ? "upper" : "lower";
        ball.mass = mass;
        ball.inertia = (ph_mat3){{{0.1, 0.0, 0.0}, {0.0, 0.1, 0.0}, {0.0, 0.0, 0.1}}};
        ball.position = (ph_vec3){0.05 * i, 0.0, 0.251 + 0.48 * i};
        ball.velocity = (ph_vec3){0.3, 0.0, -0.2};
        ph_spec_add_shape(spec, ph_spec_add_body(spec, &ball), &sphere);
    }
    ph_spec_set_contact(spec, &contact);
    return scene_finish(spec);
}

typedef ph_model *(*maker)(double mass);

// A simulation, or NULL where the scheme does not take the model.
static ph_sim *make_sim(const ph_model *model, const char *scheme)
{
    ph_sim *sim = NULL;
    ph_sim_def def = ph_default_sim();
    def.scheme = scheme;
    const ph_status status = ph_sim_create(model, &def, &sim, NULL);
    CHECK(status == PH_OK || status == PH_NOT_SUPPORTED);
    return sim;
}

static bool same_state(ph_state *a, ph_state *b)
{
    state_array of_a[STATE_ARRAYS], of_b[STATE_ARRAYS];
    state_arrays(a, of_a);
    state_arrays(b, of_b);
    const size_t contacts = (size_t)a->contact_count * sizeof *a->contacts;
    bool same = a->touched == b->touched && a->history_owner == b->history_owner &&
                a->contact_count == b->contact_count &&
                (contacts == 0 || memcmp(a->contacts, b->contacts, contacts) == 0);
    for (int i = 0; i < STATE_ARRAYS; i++) {
        same = same && of_a[i].count == of_b[i].count &&
               (of_a[i].count == 0 || memcmp(of_a[i].numbers, of_b[i].numbers, of_a[i].count * sizeof(double)) == 0);
    }
    return same;
}

static void *save(const ph_state *state, size_t *size)
{
    *size = ph_state_saved_size(state);
    void *bytes = malloc(*size);
    CHECK_EQ_INT(ph_state_save_memory(state, bytes, *size, NULL), PH_OK);
    return bytes;
}

static void make_steps(ph_sim *sim, ph_state *state, int count)
{
    for (int k = 0; k < count; k++) {
        CHECK_EQ_INT(ph_sim_step(sim, state, 1e-3, NULL), PH_OK);
    }
}

// ---- States ---------------------------------------------------------------------------------------------------------

// Everything is made anew in between, the model too.
static bool check_round_trip(maker make, const char *scheme)
{
    ph_model *model = make(2.0), *again = make(2.0);
    ph_sim *sim = make_sim(model, scheme), *fresh = make_sim(again, scheme);
    ph_state *state = ph_state_create(model), *loaded = ph_state_create(again);
    if (sim) {
        size_t size;
        make_steps(sim, state, 57);
        CHECK(make != make_contact || state->contact_count > 0);
        void *bytes = save(state, &size);
        CHECK_EQ_INT(ph_state_load_memory(loaded, bytes, size, NULL), PH_OK);
        CHECK(same_state(state, loaded));
        make_steps(sim, state, 100);
        make_steps(fresh, loaded, 100);
        if (!CHECK(same_state(state, loaded))) {
            printf("  %s\n", scheme);
        }
        free(bytes);
    }
    const bool taken = sim != NULL;
    ph_state_destroy(state);
    ph_state_destroy(loaded);
    ph_sim_destroy(sim);
    ph_sim_destroy(fresh);
    ph_model_destroy(model);
    ph_model_destroy(again);
    return taken;
}

TEST(a_saved_state_continues_bit_for_bit_under_every_scheme)
{
    for (int i = 0; i < ph_scheme_count(); i++) {
        const char *scheme = ph_scheme_get(i).name;
        const bool jointed = check_round_trip(make_model, scheme), free_body = check_round_trip(make_free, scheme);
        const bool touching = check_round_trip(make_contact, scheme);
        CHECK(jointed || free_body);
        CHECK_EQ_INT(touching, (ph_scheme_get(i).traits & PH_HAS_CONTACT) != 0);
    }
}

// What a simulation remembers of a step is in the state, impacts included: a new one at each step of a rod that tumbles over a floor.
TEST(a_bouncing_body_continues_bit_for_bit_from_every_step)
{
    static const char *const schemes[] = {"rattlie-ns", "moreau"};
    NEEDS_YAML;
    for (int n = 0; n < 2; n++) {
        ph_model *model = text_model(
            "polhode: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  - {name: floor, fixed: true, shapes: [{type: plane, normal: z, friction: 1, restitution: 0.4}]}\n"
            "  - {name: rod, position: [0, 0, 0.5], orientation: {axis: [1, 0.4, 0.2], angle: 1}, velocity: [-0.5, 0.2, 0],\n"
            "     angular_velocity: [-2, 0.2, -3], shapes: [{type: capsule, radius: 0.1, length: 0.45, density: 2000,\n"
            "     friction: 1, restitution: 0.4}]}\ncontact: {}\n");
        ph_state *state = ph_state_create(model), *copy = ph_state_create(model);
        ph_sim *sim = make_sim(model, schemes[n]);
        int other = 0;
        for (int k = 0; k < 160 && sim; k++) {
            ph_sim *fresh = make_sim(model, schemes[n]);
            CHECK_EQ_INT(ph_state_copy(copy, state), PH_OK);
            CHECK_EQ_INT(ph_sim_step(sim, state, 5e-3, NULL), PH_OK);
            CHECK_EQ_INT(ph_sim_step(fresh, copy, 5e-3, NULL), PH_OK);
            other += memcmp(ph_state_velocities(state), ph_state_velocities(copy), 2 * sizeof(ph_vec3)) != 0;
            ph_sim_destroy(fresh);
        }
        if (!CHECK_EQ_INT(other, 0)) printf("  %s\n", schemes[n]);
        ph_sim_destroy(sim);
        ph_state_destroy(copy);
        ph_state_destroy(state);
        ph_model_destroy(model);
    }
}

// What rk4 leaves open between the bodies nobody has written: a state that drifted goes on after it was loaded.
TEST(a_state_that_drifted_from_its_joints_continues_too)
{
    rig r = rig_open(make_model(1.0), "rk4");
    ph_state *other = r.model ? ph_state_create(r.model) : NULL;
    if (!CHECK(other && r.sim) || !rig_step(&r, 5e-3, 400)) return;
    CHECK(rig_measure(&r).position_violation > 1e-8);
    size_t size;
    void *bytes = save(r.state, &size);
    CHECK_EQ_INT(ph_state_load_memory(other, bytes, size, NULL), PH_OK);
    CHECK_EQ_INT(ph_sim_step(r.sim, other, 5e-3, NULL), PH_OK);
    CHECK_EQ_INT(ph_sim_step(r.sim, r.state, 5e-3, NULL), PH_OK);
    CHECK(same_state(other, r.state));
    free(bytes);
    ph_state_destroy(other);
    rig_close(&r);
}

TEST(a_file_holds_the_same_as_memory)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.state");
    ph_model *model = make_model(2.0);
    ph_sim *sim = make_sim(model, "rattlie");
    ph_state *state = ph_state_create(model), *loaded = ph_state_create(model);
    make_steps(sim, state, 10);
    CHECK_EQ_INT(ph_state_save(state, path.text, NULL), PH_OK);
    make_steps(sim, state, 10);
    CHECK_EQ_INT(ph_state_save(state, path.text, NULL), PH_OK); // over the old one
    CHECK_EQ_INT(folder_count(&f), 1);
    CHECK_EQ_INT(ph_state_load(loaded, path.text, NULL), PH_OK);
    CHECK(same_state(state, loaded));
    ph_state_destroy(state);
    ph_state_destroy(loaded);
    ph_sim_destroy(sim);
    ph_model_destroy(model);
    folder_remove(&f);
}

TEST(an_edited_state_is_saved_as_such)
{
    ph_model *model = make_model(2.0);
    ph_sim *sim = make_sim(model, "bliedf2");
    ph_state *state = ph_state_create(model), *loaded = ph_state_create(model);
    size_t size;
    make_steps(sim, state, 10);
    ph_state_inputs(state)[0] = 1.5;
    ph_state_touch(state);
    void *bytes = save(state, &size);
    CHECK_EQ_INT(ph_state_load_memory(loaded, bytes, size, NULL), PH_OK);
    CHECK(same_state(state, loaded) && loaded->touched && loaded->inputs[0] == 1.5);
    free(bytes);
    ph_state_destroy(state);
    ph_state_destroy(loaded);
    ph_sim_destroy(sim);
    ph_model_destroy(model);
}

// ---- What is refused ------------------------------------------------------------------------------------------------

typedef struct saved {
    ph_model *model;
    ph_state *state, *untouched;
    unsigned char *bytes;
    size_t size;
} saved;

static saved saved_make(void)
{
    saved s = {.model = make_model(2.0)};
    s.state = ph_state_create(s.model);
    s.untouched = ph_state_create(s.model);
    ph_sim *sim = make_sim(s.model, "lie-alpha");
    make_steps(sim, s.state, 5);
    s.bytes = save(s.state, &s.size);
    ph_state_reset(s.state);
    ph_sim_destroy(sim);
    return s;
}

static void saved_free(saved *s)
{
    free(s->bytes);
    ph_state_destroy(s->state);
    ph_state_destroy(s->untouched);
    ph_model_destroy(s->model);
}

// Refused with a text that holds `part`, and nothing changes.
static bool is_refused(saved *s, size_t size, const char *part)
{
    ph_error error = {.text = ""};
    const ph_status status = ph_state_load_memory(s->state, s->bytes, size, &error);
    const bool refused = status == PH_IO && strstr(error.text, part) && same_state(s->state, s->untouched);
    if (!refused) {
        printf("  %s: %s\n", ph_status_name(status), error.text);
    }
    return refused;
}

static void set_checksum(saved *s)
{
    byte_writer w = {.to = s->bytes, .length = s->size - 8};
    put_u64(&w, bytes_crc(0, s->bytes, s->size - 8));
}

TEST(every_damaged_byte_is_found)
{
    saved s = saved_make();
    int missed = 0;
    for (size_t i = 0; i < s.size; i++) {
        s.bytes[i] ^= (unsigned char)(1u << (i % 8));
        missed += !is_refused(&s, s.size, "cannot load the saved state: ");
        s.bytes[i] ^= (unsigned char)(1u << (i % 8));
    }
    CHECK_EQ_INT(missed, 0);
    CHECK_EQ_INT(ph_state_load_memory(s.state, s.bytes, s.size, NULL), PH_OK);
    saved_free(&s);
}

TEST(a_part_of_a_file_is_refused)
{
    saved s = saved_make();
    int missed = 0;
    for (size_t size = 0; size < s.size; size++) {
        missed += !is_refused(&s, size, size < 8 ? "not a checkpoint" : "cut off");
    }
    CHECK_EQ_INT(missed, 0);
    saved_free(&s);
}

TEST(other_versions_schemes_and_numbers_are_refused_by_name)
{
    saved s = saved_make();
    s.bytes[8] = 7;
    CHECK(is_refused(&s, s.size, "version 7 of the format, this program reads 2"));
    s.bytes[8] = 2;
    unsigned char *name = s.bytes + 8 + 4 + 4 + 8 + 8 + 4 + 4;
    if (CHECK(memcmp(name, "lie-alpha", 9) == 0)) {
        name[0] = 'x';
        set_checksum(&s);
        CHECK(is_refused(&s, s.size, "no scheme 'xie-alpha'"));
        name[0] = 'l';
    }
    byte_writer w = {.to = s.bytes, .length = (size_t)(name - s.bytes) + 9 + 8};
    put_double(&w, (double)NAN); // the time
    set_checksum(&s);
    CHECK(is_refused(&s, s.size, "not finite"));
    saved_free(&s);
}

TEST(another_model_is_refused)
{
    saved s = saved_make();
    ph_model *heavier = make_model(2.5), *other = make_free(2.0);
    ph_state *of_heavier = ph_state_create(heavier), *of_other = ph_state_create(other);
    ph_error error;
    CHECK_EQ_INT(ph_state_load_memory(of_heavier, s.bytes, s.size, &error), PH_IO);
    CHECK(strstr(error.text, "another model"));
    CHECK_EQ_INT(ph_state_load_memory(of_other, s.bytes, s.size, &error), PH_IO);
    CHECK(strstr(error.text, "another model"));
    CHECK(ph_model_fingerprint(heavier) != ph_model_fingerprint(s.model));
    ph_state_destroy(of_heavier);
    ph_state_destroy(of_other);
    ph_model_destroy(heavier);
    ph_model_destroy(other);
    saved_free(&s);
}

TEST(misuse_and_missing_files)
{
    saved s = saved_make();
    const folder f = folder_make();
    const file_path none = folder_file(&f, "none"), inside = folder_file(&f, "no/folder");
    ph_error error;
    CHECK_EQ_INT(ph_state_load(s.state, none.text, &error), PH_NOT_FOUND);
    CHECK_EQ_INT(ph_state_load(s.state, f.path, &error), PH_IO);
    CHECK_EQ_INT(ph_state_save(s.state, f.path, &error), PH_IO);
    CHECK_EQ_INT(ph_state_save(s.state, inside.text, &error), PH_IO);
    CHECK_EQ_INT(ph_state_save_memory(s.state, s.bytes, s.size - 1, &error), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_state_save(NULL, none.text, &error), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_state_save(s.state, NULL, &error), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_state_load(NULL, none.text, &error), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_state_load(s.state, NULL, &error), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_state_load_memory(s.state, NULL, 10, &error), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_state_save_memory(NULL, s.bytes, 10, &error), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_state_saved_size(NULL), 0);
    CHECK_EQ_INT(ph_model_fingerprint(NULL), 0);
    CHECK(same_state(s.state, s.untouched));
    CHECK_EQ_INT(folder_count(&f), 0);
    folder_remove(&f);
    saved_free(&s);
}

TEST(checksum_is_the_published_one)
{
    CHECK(bytes_crc(0, "123456789", 9) == 0x995dc9bbdf1939fau); // CRC-64/XZ check value
    CHECK(bytes_crc(bytes_crc(0, "12345", 5), "6789", 4) == 0x995dc9bbdf1939fau);
}

// A checkpoint of one model cannot be resumed by another that rolls otherwise.
TEST(what_rolls_is_part_of_the_fingerprint)
{
    static const char *const joints[] = {
        "{name: j, type: rolling_sphere, bodies: [world, b], radius: 0.1}",
        "{name: j, type: rolling_sphere, bodies: [world, b], radius: 0.1, spin: 1}",
        "{name: j, type: generic_velocity, bodies: [world, b], rows: [{x: 1}]}",
        "{name: j, type: generic_velocity, bodies: [world, b], rows: [{x: 2}]}",
        "{name: j, type: generic_velocity, bodies: [world, b], rows: [{x: 2, equals: t}]}"};
    enum { COUNT = sizeof joints / sizeof *joints };
    uint64_t print[COUNT];
    for (int k = 0; k < COUNT; k++) {
        char text[400];
        snprintf(
            text, sizeof text,
            "polhode: 1\nbodies:\n  - {name: b, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.1]}\njoints:\n  - %s\n",
            joints[k]);
        ph_model *model = text_model(text);
        print[k] = ph_model_fingerprint(model);
        ph_model_destroy(model);
        for (int l = 0; l < k; l++)
            if (!CHECK(print[l] != print[k])) printf("  %s and %s\n", joints[l], joints[k]);
    }
}
