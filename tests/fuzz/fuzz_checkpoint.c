// Checkpoints: loaded, the run's part of them read, and one of 256 stepped from, for a step takes far longer than all the
// rest. The first byte chooses:
//
//     bit 0     the checksum is made right, so that what lies behind it is reached
//     bit 1     the bytes are the part of a run alone
//     bits 2-4  the scheme that goes on
//     bit 7     the model: a pendulum, or two balls on a hinge that touch a floor

#include "fuzz.h"

#include "base/bytes.h"
#include "run/run.h"
#include "scenes.h"

#include <math.h>

enum { SCHEMES = 8, HEAD = 32 };
static const char *const scheme_names[SCHEMES] = {"rattlie",  "bliedf2",       "lie-alpha", "lgvi-del",
                                                  "clifford", "matrix-rattle", "moreau",    "rattlie-ns"};

typedef struct place {
    ph_model *model;
    ph_state *state, *start;
    ph_sim *sims[SCHEMES];
} place;

static ph_model *touching_balls(void)
{
    ph_spec *spec = scene_start();
    ph_shape_def ball = ph_default_shape(), floor = ph_default_shape();
    ball.type = "sphere";
    ball.radius = 0.1;
    floor.type = "plane";
    floor.size = (ph_vec3){0.0, 0.0, 1.0};
    const ph_contact_settings contact = ph_default_contact();
    ph_spec_set_contact(spec, &contact);
    ph_spec_add_shape(spec, scene_fixed(spec, "floor", (ph_vec3){0.0, 0.0, 0.0}), &floor);
    const int a = scene_body(spec, "a", (ph_vec3){0.0, 0.0, 0.1}), b = scene_body(spec, "b", (ph_vec3){1.0, 0.0, 0.1});
    ph_spec_add_shape(spec, a, &ball);
    ph_spec_add_shape(spec, b, &ball);
    scene_axial(spec, "hinge", "revolute", a, b, (ph_vec3){0.5, 0.0, 0.1}, (ph_vec3){0.0, 1.0, 0.0});
    return scene_finish(spec);
}

// Made once: a fuzzer has no use for making it a million times.
static place *prepared(bool touching)
{
    static place places[2];
    place *here = &places[touching];
    if (here->model) {
        return here;
    }
    here->model = touching ? touching_balls() : scene_pendulum();
    MUST(here->model);
    here->state = ph_state_create(here->model);
    here->start = ph_state_create(here->model);
    for (int i = 0; i < SCHEMES; i++) {
        ph_sim_def def = ph_default_sim();
        def.scheme = scheme_names[i];
        ph_sim_create(here->model, &def, &here->sims[i], NULL); // not every scheme moves every model
    }
    return here;
}

// Magic, version, lengths, fingerprint and checksum as they must be.
static void make_right(const ph_model *model, uint8_t *bytes, size_t size)
{
    byte_writer w = {.to = bytes};
    put_bytes(&w, "PHCHECK\n", 8);
    put_u32(&w, 1);
    w.length += 4;
    put_u64(&w, size);
    put_u64(&w, ph_model_fingerprint(model));
    w.length = size - 8;
    put_u64(&w, bytes_crc(0, bytes, size - 8));
}

static void step_from(const place *here, int scheme)
{
    for (int k = 0; here->sims[scheme] && k < 2; k++) {
        if (ph_sim_step(here->sims[scheme], here->state, 1e-3, NULL) == PH_OK) {
            const ph_vec3 x = ph_state_positions(here->state)[1];
            MUST(isfinite(x.x) && isfinite(x.y) && isfinite(x.z)); // no step succeeds into nothing
        }
    }
}

static void load_run(const place *here, int scheme, const uint8_t *bytes, size_t size)
{
    ph_run_def def = ph_default_run();
    ph_error error = {.text = ""};
    ph_summary summary = {0};
    def.checkpoint = "a.ckpt";
    def.step = 1e-3;
    run r = {.model = here->model, .state = here->state, .def = &def, .summary = &summary, .error = &error};
    r.sim = here->sims[scheme];
    r.step = 1e-3;
    r.until = 3e-3;
    long long rows = 0;
    if (r.sim) {
        const ph_status status = run_load_bytes(&r, bytes, size, &rows);
        MUST(status == PH_OK ? r.done >= 0 && r.steps >= r.done && rows >= 0 : error.text[0] != 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) {
        return 0;
    }
    const int choice = data[0], scheme = choice >> 2 & 7;
    const place *here = prepared(choice >> 7);
    if (choice & 2) {
        load_run(here, scheme, data + 1, size - 1);
        return 0;
    }
    uint8_t *bytes = malloc(size);
    MUST(bytes);
    memcpy(bytes, data + 1, size - 1);
    if (choice & 1 && size - 1 >= HEAD + 8) {
        make_right(here->model, bytes, size - 1);
    }
    ph_state_copy(here->state, here->start);
    ph_error error = {.text = ""};
    if (ph_state_load_memory(here->state, bytes, size - 1, &error) != PH_OK) {
        MUST(error.text[0]);
    } else if (bytes_crc(0, bytes, size - 1) % 256 == 0) {
        step_from(here, scheme);
    }
    free(bytes);
    return 0;
}
