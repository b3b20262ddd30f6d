// Checkpoints: loaded, and stepped from. The first byte chooses: whether the checksum is made right, so that what lies
// behind it is reached; which scheme goes on; whether a whole run is continued.

#include "fuzz.h"

#include "base/bytes.h"
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const char *const scheme_names[] = {"rattlie", "bliedf2", "lie-alpha", "lgvi-del", "clifford", "matrix-rattle"};
enum { SCHEMES = sizeof scheme_names / sizeof *scheme_names };

// Made once: a fuzzer has no use for making it a million times.
static struct {
    ph_model *model;
    ph_state *state, *start;
    ph_sim *sims[SCHEMES];
    char path[64];
} here;

static void prepare(void)
{
    here.model = scene_pendulum();
    here.state = ph_state_create(here.model);
    here.start = ph_state_create(here.model);
    for (int i = 0; i < SCHEMES; i++) {
        ph_sim_def def = ph_default_sim();
        def.scheme = scheme_names[i];
        MUST(ph_sim_create(here.model, &def, &here.sims[i], NULL) == PH_OK);
    }
    snprintf(here.path, sizeof here.path, "/dev/shm/polhode-fuzz-%ld", (long)getpid());
}

// Magic, version, lengths, fingerprint and checksum as they must be.
static void make_right(uint8_t *bytes, size_t size)
{
    byte_writer w = {.to = bytes};
    put_bytes(&w, "PHCHECK\n", 8);
    put_u32(&w, 1);
    w.length += 4;
    put_u64(&w, size);
    put_u64(&w, ph_model_fingerprint(here.model));
    w.length = size - 8;
    put_u64(&w, bytes_crc(0, bytes, size - 8));
}

static void step_from(int choice)
{
    for (int k = 0; k < 2; k++) {
        if (ph_sim_step(here.sims[choice % SCHEMES], here.state, 1e-3, NULL) == PH_OK) {
            const ph_vec3 x = ph_state_positions(here.state)[1];
            MUST(isfinite(x.x) && isfinite(x.y) && isfinite(x.z)); // no step succeeds into nothing
        }
    }
}

static void run_from(const uint8_t *bytes, size_t size, int choice)
{
    FILE *file = fopen(here.path, "wb");
    MUST(file && fwrite(bytes, 1, size, file) == size);
    fclose(file);
    ph_run_def def = ph_default_run();
    ph_summary summary;
    def.sim.scheme = scheme_names[choice % SCHEMES];
    def.step = 1e-3;
    def.until = 3e-3;
    def.checkpoint = here.path;
    def.resume = true;
    ph_state_copy(here.state, here.start);
    ph_run(here.model, here.state, &def, &summary, NULL);
    unlink(here.path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!here.model) {
        prepare();
    }
    if (size < 1) {
        return 0;
    }
    const int choice = data[0];
    uint8_t *bytes = malloc(size);
    memcpy(bytes, data + 1, size - 1);
    size--;
    if (choice & 1 && size >= 48) {
        make_right(bytes, size);
    }
    ph_state_copy(here.state, here.start);
    const ph_status status = ph_state_load_memory(here.state, bytes, size, NULL);
    if (status == PH_OK) {
        if (choice & 2) {
            run_from(bytes, size, choice >> 2);
        } else {
            step_from(choice >> 2);
        }
    }
    free(bytes);
    return 0;
}
