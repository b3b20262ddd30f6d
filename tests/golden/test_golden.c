// The same input gives the same bits: digests of whole runs against those of the repository, which every compiler, every
// level of optimisation and every machine must meet. tools/golden shows where two builds part, and makes the files anew
// after a change that is meant to change bits.

#include "rig.h"

#include "golden.h"

// What the file says of a scene: the text behind its name, to be freed; NULL when there is none.
static char *find_line(const char *scheme, const char *scene)
{
    char path[512], *line = NULL, *found = NULL;
    size_t room = 0;
    golden_path(path, sizeof path, scheme);
    FILE *file = fopen(path, "r");
    const size_t length = strlen(scene);
    while (file && !found && getline(&line, &room, file) >= 0) {
        if (strncmp(line, scene, length) == 0 && line[length] == ' ') {
            found = strdup(line + length + 1);
        }
    }
    free(line);
    if (file) {
        fclose(file);
    }
    return found;
}

static bool has_file(const char *scheme)
{
    char path[512];
    golden_path(path, sizeof path, scheme);
    return access(path, R_OK) == 0;
}

// The first step whose digest is not the recorded one, from 1; 0 when all agree.
static int compare(const char *recorded, const uint64_t *digests, int steps)
{
    char *at = (char *)recorded;
    const long expected = strtol(at, &at, 10);
    for (int k = 0; k < steps && k < expected; k++) {
        if (strtoul(at, &at, 16) != (digests[k] & 0xffff)) {
            return k + 1;
        }
    }
    if (steps != expected) {
        return steps + 1;
    }
    return steps && strtoull(at, NULL, 16) != digests[steps - 1] ? steps : 0;
}

static void check_scene(const char *scheme, const char *scene)
{
    uint64_t digests[GOLDEN_STEPS] = {0};
    const int steps = golden_digests(scene, scheme, 1, GOLDEN_STEPS, digests);
    char *recorded = find_line(scheme, scene);
    const bool refused = recorded && strncmp(recorded, "refused", 7) == 0;
    const int first = !recorded || refused || steps < 0 ? -(refused == (steps < 0)) : compare(recorded, digests, steps);
    if (!CHECK(recorded && (refused ? steps < 0 : first == 0))) {
        printf("  scene %s, scheme %s: ", scene, scheme);
        if (!recorded) {
            printf("not recorded yet: tools/golden make %s\n", scheme);
        } else if (refused || steps < 0) {
            printf("the scheme %s the scene\n", steps < 0 ? "no longer takes" : "now takes");
        } else {
            printf("other bits from step %d on; tools/golden diff BUILD_A BUILD_B shows which number\n", first);
        }
    }
    free(recorded);
}

TEST(every_scheme_gives_the_recorded_bits_on_every_scene)
{
    NEEDS_YAML;
    const golden_scenes scenes = golden_find_scenes();
    int without = 0;
    CHECK(scenes.count >= 9);
    for (int i = 0; i < ph_scheme_count(); i++) {
        const char *scheme = ph_scheme_get(i).name;
        if (!has_file(scheme)) {
            printf("  %s has no recorded bits: tools/golden make %s\n", scheme, scheme);
            without++;
            continue;
        }
        for (int k = 0; k < scenes.count; k++) {
            check_scene(scheme, scenes.names[k]);
        }
    }
    if (without) {
        SKIP("a scheme has no recorded bits yet");
    }
}

TEST(the_number_of_threads_changes_no_bit)
{
    NEEDS_YAML;
    static const int threads[] = {2, 3, 4, 8};
    enum { STEPS = 25 };
    const golden_scenes scenes = golden_find_scenes();
    for (int i = 0; i < ph_scheme_count(); i++) {
        const char *scheme = ph_scheme_get(i).name;
        for (int k = 0; k < scenes.count; k++) {
            uint64_t one[STEPS] = {0}, many[STEPS] = {0};
            const int steps = golden_digests(scenes.names[k], scheme, 1, STEPS, one);
            for (int n = 0; n < 4 && steps >= 0; n++) {
                CHECK_EQ_INT(golden_digests(scenes.names[k], scheme, threads[n], STEPS, many), steps);
                if (!CHECK(memcmp(one, many, sizeof one) == 0)) {
                    printf("  scene %s, scheme %s, %d threads\n", scenes.names[k], scheme, threads[n]);
                }
            }
        }
    }
}
