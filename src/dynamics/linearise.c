#include "dynamics/linearise.h"

#include "forces/derivative.h"

typedef struct target {
    const ph_model *model;
    unsigned what;
    linearise_add add;
    void *user;
} target;

// From bodies of the model to those that move.
static void hand_on(void *user, int row, int column, const double *by_position, const double *by_velocity)
{
    const target *t = user;
    const int r = t->model->bodies[row].moving, c = t->model->bodies[column].moving;
    if (r >= 0 && c >= 0)
        t->add(t->user, r, c, t->what & LINEARISE_POSITION ? by_position : NULL,
               t->what & LINEARISE_VELOCITY ? by_velocity : NULL);
}

void linearise_force(const ph_model *model, const force *f, const motion *at, unsigned what, linearise_add add,
                     void *user)
{
    target t = {model, what, add, user};
    derivative to = {.position = (what & LINEARISE_POSITION) != 0,
                     .velocity = (what & LINEARISE_VELOCITY) != 0,
                     .rough = (what & LINEARISE_ROUGH) != 0,
                     .central = (what & LINEARISE_PRECISE) != 0,
                     .add = hand_on,
                     .user = &t};
    if (to.position || f->needs_velocity) f->type->derive(f, at, &to);
}

void linearise_forces(const ph_model *model, const motion *at, unsigned what, linearise_add add, void *user)
{
    for (int k = 0; k < model->force_count; k++) linearise_force(model, &model->forces[k], at, what, add, user);
}
