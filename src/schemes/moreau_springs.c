// Springs, dampers and bushings between bodies in `moreau`, where they are stiff: rows, solved with contacts.
//
// Along the coordinates s of an element (force_lines), with Newmark's rule for the spring and the damper at the end of the step, as
// joints have them (moreau_trees.h), its impulse is
//
//     g = given - A s'+,      A = h C + h^2/4 K,      given = h pull + h^2/4 K s'
//
// An eigenvector of A is a line on which nothing else of the element acts: a row with the compliance 1/eigenvalue. Elements that
// move their bodies little in a step stay forces: rows cost more, and take part in islands.
#include "schemes/moreau_trees.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// What the element may change of a velocity of its own in one step, at the most, and stay a force.
static const double WEAK = 0.05;

bool springs_create(moreau *m)
{
    const ph_model *model = m->model;
    moreau_trees *t = m->trees;
    size_t count = 0;
    for (int k = 0; k < model->force_count; k++) count += force_may_be_rows(&model->forces[k]);
    t->springs = arena_alloc_array(m->memory, count, sizeof *t->springs);
    t->springs_on = arena_alloc_array(m->memory, (size_t)model->moving_count, sizeof *t->springs_on);
    if (!t->springs || !t->springs_on) return false;
    for (int k = 0; k < model->force_count; k++) {
        const force *f = &model->forces[k];
        if (!force_may_be_rows(f)) continue;
        const int a = model->bodies[f->a].moving, b = model->bodies[f->b].moving;
        if (a >= 0) t->springs_on[a]++;
        if (b >= 0) t->springs_on[b]++;
        if (a >= 0 || b >= 0) t->springs[t->spring_count++] = (tree_spring){.force = f, .a = a, .b = b};
    }
    return true;
}

bool springs_has(const moreau *m, const force *f)
{
    for (int n = 0; n < m->trees->spring_count; n++)
        if (m->trees->springs[n].force == f) return m->trees->springs[n].count > 0;
    return false;
}

// ---- The step -------------------------------------------------------------------------------------------------------

static double along(const moreau *m, const ph_wrench *w, int body)
{
    const ph_twist *v = &m->node.twists[body];
    return ph_dot(w->torque, v->omega) + ph_dot(w->force, v->v);
}

// How far a unit impulse along line k moves its own velocity, if nothing but inertia holds the body; as often as it is pulled.
static double mobility(const moreau *m, int moving, const ph_wrench *w)
{
    if (moving < 0) return 0.0;
    const body_kind *kind = m->model->bodies[m->model->moving[moving]].kind;
    const double one = ph_norm2(w->force) / kind->mass + ph_dot(w->torque, ph_mul(kind->J_inverse, w->torque));
    return one * m->trees->springs_on[moving];
}

static double product(const double *A, int n, int row, const double *x)
{
    double sum = 0.0;
    for (int c = 0; c < n; c++) sum += A[row * n + c] * x[c];
    return sum;
}

// Lines of the eigenvectors of A, in which it moves its bodies by more than a little. Drag of what rests has none.
static void set_lines(const moreau *m, tree_spring *s, const force_lines *at, double h)
{
    const int n = at->count;
    const double quarter = 0.25 * h * h;
    double A[36], values[6], work[12], given[6], most = 0.0;
    for (int k = 0; k < n; k++) {
        s->rate[k] = along(m, &at->a[k], s->force->a) + along(m, &at->b[k], s->force->b);
        most = ph_max(most, mobility(m, s->a, &at->a[k]) + mobility(m, s->b, &at->b[k]));
    }
    for (int e = 0; e < n * n; e++) A[e] = h * at->C[e] + quarter * at->K[e];
    for (int k = 0; k < n; k++) given[k] = h * at->pull[k] + quarter * product(at->K, n, k, s->rate);
    if (n == 0 || !dense_eigen(A, n, values, work) || !(values[n - 1] * most > WEAK)) return;
    for (int k = 0; k < n; k++) {
        spring_line *line = &s->lines[s->count];
        if (!(values[k] > 1e-14 * values[n - 1])) continue;
        *line = (spring_line){.soft = values[k], .item = -1, .on = {.a = s->a, .b = s->b}};
        for (int i = 0; i < n; i++) {
            const double share = A[k * n + i];
            wrench_add(&line->on.on_a, share, &at->a[i]);
            wrench_add(&line->on.on_b, share, &at->b[i]);
            line->given += share * given[i];
            line->rate += share * s->rate[i];
            s->vectors[s->count * n + i] = share;
        }
        s->count++;
    }
}

void springs_set(moreau *m, double h)
{
    moreau_trees *t = m->trees;
    for (int n = 0; n < t->spring_count; n++) {
        tree_spring *s = &t->springs[n];
        force_lines at = {0};
        s->count = 0;
        if (!(h > 0.0)) continue; // backwards it is a force
        s->force->type->lines(s->force, &m->node.motion, &at);
        s->line_count = at.count;
        memcpy(s->C, at.C, sizeof s->C);
        set_lines(m, s, &at, h);
    }
}

bool springs_add_rows(moreau *m)
{
    moreau_trees *t = m->trees;
    const ph_cone any = {.kind = PH_CONE_FREE};
    for (int n = 0; n < t->spring_count; n++)
        for (int k = 0; k < t->springs[n].count; k++) {
            spring_line *line = &t->springs[n].lines[k];
            line->item = t->paths.item_count;
            if (!paths_add_line(&t->paths, &line->on, 1.0 / line->soft, &any)) return false;
        }
    return true;
}

void springs_set_rows(const moreau *m, double *bias, double *before, double *g)
{
    const moreau_trees *t = m->trees;
    for (int n = 0; n < t->spring_count; n++)
        for (int k = 0; k < t->springs[n].count; k++) {
            const spring_line *line = &t->springs[n].lines[k];
            const int r = t->paths.items[line->item].row;
            bias[r] = -line->given / line->soft;
            before[r] = line->rate;
            g[r] = line->given - line->soft * line->rate;
        }
}

void springs_apply(const moreau *m, const double *g)
{
    const moreau_trees *t = m->trees;
    for (int n = 0; n < t->spring_count; n++)
        for (int k = 0; k < t->springs[n].count; k++) {
            const spring_line *line = &t->springs[n].lines[k];
            paths_apply_line(&t->paths, &line->on, g[t->paths.items[line->item].row]);
        }
}

// Of dampers: -h s'+ . C (s' + s'+)/2, with s'+ from the impulses of the rows.
double springs_work(const moreau *m, double h, const double *g)
{
    const moreau_trees *t = m->trees;
    double work = 0.0;
    for (int n = 0; n < t->spring_count; n++) {
        const tree_spring *s = &t->springs[n];
        double after[6] = {0}, mean[6];
        for (int k = 0; k < s->count; k++) {
            const spring_line *line = &s->lines[k];
            const double rate = (line->given - g[t->paths.items[line->item].row]) / line->soft;
            for (int i = 0; i < s->line_count; i++) after[i] += s->vectors[k * s->line_count + i] * rate;
        }
        for (int i = 0; i < s->line_count; i++) mean[i] = 0.5 * (s->rate[i] + after[i]);
        for (int i = 0; i < s->line_count && s->count > 0; i++)
            work -= h * mean[i] * product(s->C, s->line_count, i, after);
    }
    return work;
}
