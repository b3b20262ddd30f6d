// What tools/golden is made of: makes the recorded digests, and prints every number of a run.
//
//     golden_tool make SCHEME               the lines of tests/golden/SCHEME.txt
//     golden_tool schemes                   names of all schemes
//     golden_tool scenes                    names of all scenes
//     golden_tool trace SCENE SCHEME        "step name value" of all numbers after all steps, in hexadecimal

#include "golden.h"

static const char *const part_names[STATE_ARRAYS] = {
    "time",  "work",       "target_time", "position", "orientation", "velocity",      "angular_velocity",
    "input", "multiplier", "turn",        "target",   "stop",        "contact_bound", "history"};

// "rod2 velocity y"
static void print_name(const ph_model *model, int part, size_t index)
{
    static const char axes[] = "xyz", turn[] = "wxyz";
    const int size = part == 4 ? 4 : 3;
    if (part >= 3 && part <= 6) {
        const size_t body = index / (size_t)size;
        const char *name = body < (size_t)model->body_count ? model->bodies[body].name : "world";
        printf("%s %s %c", name, part_names[part], (size == 4 ? turn : axes)[index % (size_t)size]);
    } else {
        printf("%s[%zu]", part_names[part], index);
    }
}

static void print_state(int step, ph_state *state)
{
    state_array parts[STATE_ARRAYS];
    state_arrays(state, parts);
    for (int i = 0; i < STATE_ARRAYS; i++) {
        for (size_t k = 0; k < parts[i].count; k++) {
            printf("%d ", step);
            print_name(state->model, i, k);
            printf(" %a\n", parts[i].numbers[k]);
        }
    }
}

static void print_contacts(int step, const ph_state *state)
{
    for (int i = 0; i < state_contact_count(state); i++) {
        const ph_contact c = state_contact(state, i);
        printf("%d contact[%d] %d %d %a %a %a %a\n", step, i, c.body_a, c.body_b, c.gap, c.force.x, c.force.y,
               c.force.z);
    }
}

static int trace(const char *scene, const char *scheme)
{
    golden_run run = golden_start(scene, scheme, 1);
    const bool taken = run.sim;
    for (int step = 0; taken && step <= GOLDEN_STEPS; step++) {
        print_state(step, run.state);
        print_contacts(step, run.state);
        if (!golden_step(&run)) {
            break;
        }
    }
    if (!taken) {
        printf("refused\n");
    }
    golden_end(&run);
    return 0;
}

int main(int count, char **words)
{
    const golden_scenes scenes = golden_find_scenes();
    if (count == 3 && strcmp(words[1], "make") == 0) {
        for (int i = 0; i < scenes.count; i++) {
            golden_write(stdout, scenes.names[i], words[2]);
        }
        return 0;
    }
    if (count == 2 && strcmp(words[1], "schemes") == 0) {
        for (int i = 0; i < ph_scheme_count(); i++) {
            printf("%s\n", ph_scheme_get(i).name);
        }
        return 0;
    }
    if (count == 2 && strcmp(words[1], "scenes") == 0) {
        for (int i = 0; i < scenes.count; i++) {
            printf("%s\n", scenes.names[i]);
        }
        return 0;
    }
    if (count == 4 && strcmp(words[1], "trace") == 0) {
        return trace(words[2], words[3]);
    }
    fprintf(stderr, "usage: golden_tool make SCHEME | schemes | scenes | trace SCENE SCHEME\n");
    return 2;
}
