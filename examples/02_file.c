// Reads a model file, prints its mistakes if there are any, simulates it and records the motion.
//
//     02_file [FOLDER]     where the result goes; default: here
#include <polhode/polhode.h>
#include <stdio.h>

static int print_problems(const ph_problems *problems)
{
    char text[2048];
    for (int i = 0; i < ph_problems_count(problems); i++) {
        ph_problem_format(ph_problems_get(problems, i), text, sizeof text);
        puts(text);
    }
    return 2;
}

int main(int argc, char **argv)
{
    const ph_setting settings[] = {{"l", "0.8"}}; // rods of 80 cm
    ph_problems *problems = ph_problems_create();
    ph_model *model;
    if (ph_model_read_file("examples/double_pendulum.yaml", settings, 1, problems, &model) != PH_OK)
        return print_problems(problems);
    ph_problems_destroy(problems);

    char path[512];
    snprintf(path, sizeof path, "%s/pendulum.csv", argc > 1 ? argv[1] : "."); // pendulum.h5 would give HDF5
    ph_state *state = ph_state_create(model);
    ph_run_def def = ph_default_run(); // step and scheme are those of the file
    def.until = 10.0;
    def.out = path;
    def.every = 10;
    ph_summary s;
    ph_error error;
    if (ph_run(model, state, &def, &s, &error) != PH_OK) return fprintf(stderr, "%s\n", error.text), 1;
    printf("%lld steps with %s: energy error %.4f J of %.0f J, joints open by %.0e m; the motion is in %s\n", s.steps,
           s.scheme, s.energy_max_abs_error, s.energy_scale, s.position_violation_max, path);
    ph_state_destroy(state);
    ph_model_destroy(model);
}
