// The bits of whole runs: every scene of tests/golden/scenes under every scheme, a digest after every step.
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include "base/bytes.h"
#include "model/state.h"
#include "polhode/polhode.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GOLDEN_STEPS = 200, GOLDEN_SCENES_MAX = 64, GOLDEN_NAME = 64 };

// ---- Scenes ---------------------------------------------------------------------------------------------------------

typedef struct golden_scenes {
    int count;
    char names[GOLDEN_SCENES_MAX][GOLDEN_NAME]; // without ".yaml", sorted
} golden_scenes;

static inline int golden_by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static inline golden_scenes golden_find_scenes(void)
{
    golden_scenes scenes = {0};
    DIR *folder = opendir(TEST_SOURCE_DIR "/tests/golden/scenes");
    for (struct dirent *entry; folder && (entry = readdir(folder)) && scenes.count < GOLDEN_SCENES_MAX;) {
        const char *dot = strstr(entry->d_name, ".yaml");
        if (dot && dot - entry->d_name < GOLDEN_NAME) {
            snprintf(scenes.names[scenes.count++], GOLDEN_NAME, "%.*s", (int)(dot - entry->d_name), entry->d_name);
        }
    }
    if (folder) {
        closedir(folder);
    }
    qsort(scenes.names, (size_t)scenes.count, GOLDEN_NAME, golden_by_name);
    return scenes;
}

static inline ph_model *golden_read(const char *scene)
{
    char path[512];
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    snprintf(path, sizeof path, "%s/tests/golden/scenes/%s.yaml", TEST_SOURCE_DIR, scene);
    ph_model_read_file(path, NULL, 0, problems, &model);
    for (int i = 0; i < ph_problems_count(problems); i++) {
        printf("  %s: %s\n", scene, ph_problems_get(problems, i)->text);
    }
    ph_problems_destroy(problems);
    return model;
}

// ---- Runs -----------------------------------------------------------------------------------------------------------

typedef struct golden_run {
    ph_model *model;
    ph_state *state;
    ph_sim *sim; // NULL: the scheme does not take the model
} golden_run;

static inline golden_run golden_start(const char *scene, const char *scheme, int threads)
{
    golden_run run = {.model = golden_read(scene)};
    ph_sim_def def = ph_default_sim();
    def.scheme = scheme;
    def.threads = threads;
    if (run.model) {
        run.state = ph_state_create(run.model);
        ph_sim_create(run.model, &def, &run.sim, NULL);
    }
    return run;
}

static inline void golden_end(golden_run *run)
{
    ph_sim_destroy(run->sim);
    ph_state_destroy(run->state);
    ph_model_destroy(run->model);
}

// One step; false when it fails, which is a result like any other.
static inline bool golden_step(golden_run *run)
{
    const double step = ph_model_run_settings(run->model)->step;
    return ph_sim_step(run->sim, run->state, step, NULL) == PH_OK;
}

_Static_assert(sizeof(ph_contact) == 128, "a contact has no padding, which would have any bits");

// Everything the state holds, the scheme's memory included.
static inline uint64_t golden_digest(uint64_t digest, ph_state *state)
{
    state_array parts[STATE_ARRAYS];
    state_reserve_history(state); // one that no scheme has asked for is zero
    state_arrays(state, parts);
    for (int i = 0; i < STATE_ARRAYS; i++) {
        if (i == STATE_CONTACT_WORK && state->contact_work.friction == 0.0 && state->contact_work.impact == 0.0)
            continue;
        digest = bytes_crc(digest, parts[i].numbers, parts[i].count * sizeof(double));
    }
    for (int i = 0; i < state_contact_count(state); i++) {
        const ph_contact contact = state_contact(state, i);
        digest = bytes_crc(digest, &contact, sizeof contact); // no padding
    }
    return digest;
}

// Digests of the states after 1, 2, ... steps; returns how many steps succeeded, -1 where the scheme does not take the
// scene.
static inline int golden_digests(const char *scene, const char *scheme, int threads, int steps, uint64_t *digests)
{
    golden_run run = golden_start(scene, scheme, threads);
    int done = run.sim ? 0 : -1;
    uint64_t digest = 0;
    while (run.sim && done < steps && golden_step(&run)) {
        digests[done++] = digest = golden_digest(digest, run.state);
    }
    golden_end(&run);
    return done;
}

// ---- Files ----------------------------------------------------------------------------------------------------------

// tests/golden/<scheme>.txt: a line "scene steps d1 d2 ..." for each scene, the last 16 bits of each digest; the whole
// of the last digest at its end. "scene refused" where the scheme does not take it.
static inline void golden_path(char *path, size_t size, const char *scheme)
{
    snprintf(path, size, "%s/tests/golden/%s.txt", TEST_SOURCE_DIR, scheme);
}

static inline void golden_write(FILE *file, const char *scene, const char *scheme)
{
    uint64_t digests[GOLDEN_STEPS] = {0};
    const int steps = golden_digests(scene, scheme, 1, GOLDEN_STEPS, digests);
    if (steps < 0) {
        fprintf(file, "%s refused\n", scene);
        return;
    }
    fprintf(file, "%s %d", scene, steps);
    for (int k = 0; k < steps; k++) {
        fprintf(file, " %04x", (unsigned)(digests[k] & 0xffff));
    }
    fprintf(file, " %016llx\n", (unsigned long long)(steps ? digests[steps - 1] : 0));
}

#endif
