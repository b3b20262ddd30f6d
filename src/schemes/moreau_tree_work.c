// Work of what acts on trees in `moreau`: rows, and motors that prescribe a coordinate.
#include "schemes/moreau_trees.h"

// ---- Rows -----------------------------------------------------------------------------------------------------------

// Of rows from `first` on.
static double item_work(const moreau *m, int i, int first)
{
    const path_item *item = &m->trees->paths.items[i];
    double u[CONTACT_ROWS_MAX], work = 0.0;
    paths_velocity(&m->trees->paths, item, u);
    for (int r = first; r < item->rows; r++)
        work += 0.5 * m->rows.g[item->row + r] * (m->rows.raw[item->row + r] + u[r]);
    return work;
}

// Of contacts, limits and dry friction, g . (u + u+)/2; rows of drives are counted with these.
double trees_row_work(moreau *m)
{
    const moreau_trees *t = m->trees;
    double work = 0.0, friction = 0.0;
    for (int i = 0; i < held_contacts(m)->count; i++) {
        work += item_work(m, i, 0);
        friction += item_work(m, i, 1);
    }
    for (int n = 0; n < t->stop_count; n++) {
        if (t->stops[n].item < 0) continue;
        work += item_work(m, t->stops[n].item, 0);
        friction += item_work(m, t->stops[n].item, t->stops[n].kind == STOP_FRICTION ? 0 : 1);
    }
    work += t->lift;
    m->now.work = (contact_work){friction, work - friction};
    return work;
}

// ---- Motors ---------------------------------------------------------------------------------------------------------

// Momenta with the impulses of all rows.
void trees_put_everything(moreau *m)
{
    moreau_trees *t = m->trees;
    paths *p = &t->paths;
    trees_put_momenta(m);
    for (int i = 0; i < held_contacts(m)->count; i++)
        paths_apply_contact(p, &t->contacts[i], m->rows.g + p->items[i].row);
    for (int n = 0; n < t->stop_count; n++) {
        const tree_stop *s = &t->stops[n];
        const double sign = s->kind == STOP_HIGH ? -1.0 : 1.0;
        if (s->item >= 0) paths_apply_coordinate(p, s->along, s->coordinate, sign * m->rows.g[p->items[s->item].row]);
    }
    for (int n = 0; n < t->drive_count; n++) {
        const tree_drive *d = &t->drives[n];
        if (d->item >= 0) paths_apply_coordinate(p, d->joint, d->coordinate, m->rows.g[p->items[d->item].row]);
        if (d->motor_item >= 0)
            paths_apply_coordinate(p, d->joint, d->coordinate, m->rows.g[p->items[d->motor_item].row]);
    }
    springs_apply(m, m->rows.g);
}

static double closing_motor_work(const moreau *m, int group, const double *lambda)
{
    const moreau_trees *t = m->trees;
    const loop_group *l = &t->loops.groups[group];
    double work = 0.0;
    for (int r = 0; r < l->row_count; r++) {
        const joint *j = &m->model->joints[l->rows[r].joint];
        if (j->motor && l->rows[r].row == joint_motor_row(j))
            work += lambda[r] * joint_motor_target(j, &m->node.motion).rate;
    }
    return work;
}

// Of what holds a motor's coordinate to its target: the impulse that its joint hands on, I V - p with everything else in the
// momenta, times the mean of its rates. `put`: momenta as they were given to the solve whose z and twists stand.
double trees_motor_work(moreau *m, void (*put)(moreau *))
{
    moreau_trees *t = m->trees;
    double work = 0.0;
    if (m->model->motor_count == 0) return 0.0;
    put(m);
    for (int k = 0; k < t->forest.tree_count; k++) articulated_down(&t->tree, k, t->scratch);
    if (t->loops.row_count > 0) put(m);
    for (int g = 0; g < t->forest.group_count; g++) {
        if (!loops_has(&t->loops, g)) continue;
        loops_multipliers(&t->loops, g, t->scratch, t->paths.z, t->phi);
        work += closing_motor_work(m, g, t->phi);
        loops_apply(&t->loops, g, t->phi);
    }
    for (int k = 0; k < t->forest.tree_count && t->loops.row_count > 0; k++) articulated_down(&t->tree, k, t->scratch);
    for (int n = 0; n < t->motor_count; n++) {
        const int i = t->motors[n];
        const double impulse = articulated_transmitted(&t->tree, i, &t->tree.drive_column[i]);
        work += 0.5 * impulse * (t->motor_before[i] + t->motor_rate[i]);
    }
    return work;
}
