// One model, several schemes: what each keeps in 50 s of the spatial double pendulum, as a table and as a figure.
//
//     03_compare [FOLDER]     where the figure goes; default: here
#include <polhode/polhode.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    ph_model *model;
    if (ph_model_read_file("examples/double_pendulum.yaml", NULL, 0, NULL, &model) != PH_OK) return 2;

    const char *const trials[] = {"rattlie", "lgvi", "lie-alpha:rho=0.9", "rk4"};
    ph_compare_def def = ph_default_compare();
    def.trials = trials;
    def.trial_count = 4;
    def.reference = "none";
    def.step = 4e-3;

    ph_comparison *all;
    ph_error error;
    if (ph_compare(model, &def, &all, &error) != PH_OK) return fprintf(stderr, "%s\n", error.text), 1;
    printf("largest errors          energy [J]  momentum  position [m]  velocity [m/s]\n");
    for (int i = 0; i < all->trial_count; i++) {
        const ph_summary *s = &all->trials[i].summary;
        printf("%-20s %13.3f %9.0e %13.0e %15.0e\n", all->trials[i].name, s->energy_max_abs_error, s->angular_max_error,
               s->position_violation_max, s->velocity_violation_max);
    }

    char path[512];
    snprintf(path, sizeof path, "%s/energy.svg", argc > 1 ? argv[1] : ".");
    ph_plot *plot = ph_comparison_plot(all, PH_FIGURE_ENERGY);
    if (ph_plot_write(plot, path, &error) != PH_OK) return fprintf(stderr, "%s\n", error.text), 1;
    ph_plot_destroy(plot);
    ph_comparison_destroy(all);
    ph_model_destroy(model);
}
