// The recorded bits on another platform: the golden scenes, as JSON, by the core alone.
//
//     portable SCENES GOLDEN
//
// SCENES: a folder with <scene>.json and the list scenes.txt; GOLDEN: one with <scheme>.txt. The last line is
// "N passed, N failed"; a run of one scene by one scheme is one of them.

#ifndef TEST_SOURCE_DIR
#define TEST_SOURCE_DIR "" // the folders are told by the caller
#endif
#include "golden.h"

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t length = 0, room = 1 << 22;
    char *text = file ? calloc(room, 1) : NULL;
    if (text) length = fread(text, 1, room - 1, file);
    if (file) fclose(file);
    if (text) text[length] = '\0';
    return text;
}

static const char *find_line(const char *recorded, const char *scene)
{
    const size_t length = strlen(scene);
    for (const char *line = recorded; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        if (strncmp(line, scene, length) == 0 && line[length] == ' ') return line + length + 1;
    }
    return NULL;
}

// The first step with other bits, from 1; 0: none; -1: refused, or not, against the record.
static int run(const char *path, const char *scheme, const char *recorded)
{
    ph_model *model = NULL;
    ph_sim *sim = NULL;
    ph_sim_def def = ph_default_sim();
    def.scheme = scheme;
    if (ph_model_read_file(path, NULL, 0, NULL, &model) != PH_OK) return -1;
    ph_state *state = ph_state_create(model);
    const bool taken = ph_sim_create(model, &def, &sim, NULL) == PH_OK, refused = strncmp(recorded, "refused", 7) == 0;
    char *at = (char *)recorded;
    const long steps = taken && !refused ? strtol(at, &at, 10) : 0;
    const double h = ph_model_run_settings(model)->step;
    int wrong = taken == refused ? -1 : 0;
    uint64_t digest = 0;
    for (long k = 0; k < steps && wrong == 0; k++) {
        if (ph_sim_step(sim, state, h, NULL) != PH_OK) wrong = (int)k + 1;
        digest = golden_digest(digest, state);
        if (strtoul(at, &at, 16) != (digest & 0xffff)) wrong = (int)k + 1;
    }
    if (steps > 0 && wrong == 0 && strtoull(at, NULL, 16) != digest) wrong = (int)steps;
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
    return wrong;
}

int main(int count, char **arguments)
{
    char path[1024], scene[64];
    int passed = 0, failed = 0;
    if (count < 3) return 2;
    snprintf(path, sizeof path, "%s/scenes.txt", arguments[1]);
    char *scenes = read_whole(path);
    for (int i = 0; i < ph_scheme_count(); i++) {
        const char *scheme = ph_scheme_get(i).name;
        snprintf(path, sizeof path, "%s/%s.txt", arguments[2], scheme);
        char *recorded = read_whole(path);
        for (const char *s = scenes; recorded && s && sscanf(s, "%63s", scene) == 1;) {
            const char *line = find_line(recorded, scene);
            snprintf(path, sizeof path, "%s/%s.json", arguments[1], scene);
            const int wrong = line ? run(path, scheme, line) : -2;
            passed += wrong == 0;
            failed += wrong != 0;
            if (wrong) printf("FAIL scene %s, scheme %s: step %d\n", scene, scheme, wrong);
            s = strchr(s, '\n');
            s += s != NULL;
        }
        free(recorded);
    }
    free(scenes);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
