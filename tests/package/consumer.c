// What a program outside the project does first. Its own `suggest` must not collide with a name inside the library.
#include <polhode/polhode.h>

#include <stdio.h>

const char *suggest(void);

const char *suggest(void)
{
    return "mine";
}

// A result in HDF5, for which the library needs its helper.
static int write_result(const char *path)
{
    ph_body_def ball = ph_default_body();
    ph_model *model = NULL;
    ph_result_writer *writer = NULL;
    ph_error error = {.status = PH_OK};
    ph_spec *spec = ph_spec_create(NULL);
    const ph_result_def def = {.path = path, .scheme = "rattlie", .step = 0.1, .rows = 1};
    ball.name = "ball";
    ball.mass = 1.0;
    ball.inertia = (ph_mat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    ph_spec_add_body(spec, &ball);
    ph_status status = ph_model_compile(spec, NULL, &model);
    if (status == PH_OK) status = ph_result_create(model, &def, &writer, &error);
    if (status == PH_OK) status = ph_result_close(writer, &error);
    if (status != PH_OK) printf("%s\n", error.text);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
    return status != PH_OK;
}

int main(int count_of_arguments, char **arguments)
{
    if (count_of_arguments > 1) return write_result(arguments[1]);
    ph_problems *problems = ph_problems_create();
    const int count = ph_problems_count(problems);
    ph_problems_destroy(problems);
    printf("polhode %s: %s, %s\n", ph_version(), ph_status_text(PH_OK), suggest());
    return count;
}
