// How the numbers of a compiled model change with parameters: central differences between compiled models, extrapolated.
//
// D(s) = (N(theta + s) - N(theta - s)) / 2s has an error in even powers of s. From s, s/2, s/4 ... Neville's scheme takes
// away one power after the other; of all that it gives, each number keeps the value that changed least from one level to the
// next. Numbers that are linear in a parameter are right at the first level. Where there are models on one side only, as of a damping
// that is zero, D(s) = (N(theta + s) - N(theta)) / s has all powers of s.
#include "adjoint/parameters.h"
#include "adjoint/adjoint.h"

#include "base/error.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEVELS = 5 };

typedef struct maker {
    ph_parameter_model make;
    void *user;
    int index;
    double value;
    int side; // 0: both; 1, -1: above, below
} maker;

// D(s) into x. false: no such model; *problem says why.
static bool difference(const numbers *n, const maker *m, double s, double *x, char *problem)
{
    ph_error error = {0};
    const char *why = NULL;
    const double up = m->side < 0 ? m->value : m->value + s, down = m->side > 0 ? m->value : m->value - s;
    ph_model *plus = m->make(m->index, up, m->user, &error);
    ph_model *minus = plus ? m->make(m->index, down, m->user, &error) : NULL;
    const bool made = plus && minus;
    const bool alike = made && numbers_difference(n, plus, minus, 1.0 / (up - down), x, &why);
    ph_model_destroy(plus);
    ph_model_destroy(minus);
    if (!alike) snprintf(problem, PARAMETER_PROBLEM, "%.500s", made ? why : error.text);
    return alike;
}

// Neville's scheme of one number; rows[level] are the differences. Returns the value, and what it is uncertain by.
static double extrapolate(double *const *rows, int k, double ratio, double *uncertain)
{
    double last[LEVELS], best = rows[0][k], error = fabs(rows[1][k] - rows[0][k]);
    last[0] = rows[0][k];
    for (int level = 1; level < LEVELS; level++) {
        double now[LEVELS], power = ratio;
        now[0] = rows[level][k];
        for (int i = 1; i <= level; i++, power *= ratio) {
            now[i] = now[i - 1] + (now[i - 1] - last[i - 1]) / (power - 1.0);
            const double change = fmax(fabs(now[i] - now[i - 1]), fabs(now[i] - last[i - 1]));
            if (change < error) error = change, best = now[i];
        }
        memcpy(last, now, sizeof last);
    }
    *uncertain = error;
    return best;
}

// From levels that begin with step s. Keeps what is less uncertain than what was found before.
static bool look(const numbers *n, const maker *m, double s, double *const *rows, parameter *p)
{
    for (int level = 0; level < LEVELS; level++)
        if (!difference(n, m, ldexp(s, -level), rows[level], p->problem)) return false;
    const double ratio = m->side == 0 ? 4.0 : 2.0;
    double error = 0.0, size = 0.0, uncertain;
    for (int k = 0; k < n->count; k++) {
        size = fmax(size, fabs(extrapolate(rows, k, ratio, &uncertain)));
        error = fmax(error, uncertain);
    }
    error = size > 0.0 ? error / size : 0.0;
    if (error >= p->error) return true;
    p->error = error;
    p->idle = size == 0.0;
    for (int k = 0; k < n->count; k++) p->direction[k] = extrapolate(rows, k, ratio, &uncertain);
    return true;
}

// Wide steps have little rounding; near a singular place, or where the model allows no more, shorter ones are better.
static void search(const numbers *n, const maker *m, double *const *rows, parameter *p)
{
    double s = m->value != 0.0 ? 0.125 * fabs(m->value) : 0.125;
    for (int trial = 0; trial < 8 && p->error > 1e-12; trial++, s *= 0.25) look(n, m, s, rows, p);
}

static void find(const numbers *n, const maker *m, double *const *rows, parameter *p)
{
    char problem[PARAMETER_PROBLEM]; // that of both sides is told
    p->error = (double)INFINITY;
    search(n, m, rows, p);
    memcpy(problem, p->problem, sizeof problem);
    for (int side = 1; side >= -1 && p->error == (double)INFINITY; side -= 2) {
        maker one = *m;
        one.side = side;
        search(n, &one, rows, p);
    }
    memcpy(p->problem, problem, sizeof problem);
    if (p->error < (double)INFINITY)
        p->problem[0] = '\0';
    else
        p->direction = NULL, p->error = 0.0;
}

// A number of the compiled model by itself.
static bool find_number(const numbers *n, const char *name, parameter *p)
{
    double value;
    memset(p->direction, 0, sizeof(double) * (size_t)n->count);
    return name && numbers_direction(n, name, &value, p->direction);
}

bool ph_model_number(const ph_model *model, const char *name, double *value)
{
    if (!model || !name || !value) return false;
    arena *memory = arena_create(&model->allocator);
    numbers n;
    const bool found = memory && numbers_create(model, memory, &n) && numbers_direction(&n, name, value, NULL);
    arena_destroy(memory);
    return found;
}

ph_status ph_parameters_create(const ph_model *model, int count, const ph_parameter *list, ph_parameter_model make,
                               void *user, ph_parameters **parameters, ph_error *error)
{
    if (!model || count < 1 || !list || !make || !parameters)
        return error_set(error, PH_BAD_ARGUMENT, "ph_parameters_create needs a model, values and a function");
    *parameters = NULL;
    arena *memory = arena_create(&model->allocator);
    ph_parameters *p = memory ? arena_alloc(memory, sizeof *p) : NULL;
    if (p) *p = (ph_parameters){.memory = memory, .count = count};
    bool ok = p && numbers_create(model, memory, &p->numbers);
    ok = ok && (p->list = arena_alloc_array(memory, (size_t)count, sizeof *p->list));
    double *rows[LEVELS] = {0};
    for (int k = 0; ok && k < LEVELS; k++)
        ok = (rows[k] = arena_alloc_array(memory, (size_t)p->numbers.count, sizeof(double)));
    for (int k = 0; ok && k < count; k++) {
        ok = (p->list[k].direction = arena_alloc_array(memory, (size_t)p->numbers.count, sizeof(double)));
        if (ok && !(list[k].number && find_number(&p->numbers, list[k].name, &p->list[k])))
            find(&p->numbers, &(maker){make, user, k, list[k].value, 0}, rows, &p->list[k]);
    }
    if (!ok) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *parameters = p;
    return PH_OK;
}

void ph_parameters_destroy(ph_parameters *p)
{
    if (p) arena_destroy(p->memory);
}

const char *ph_parameters_problem(const ph_parameters *p, int k)
{
    if (!p || k < 0 || k >= p->count) return "there is no such parameter";
    return p->list[k].direction ? NULL : p->list[k].problem;
}

double ph_parameters_error(const ph_parameters *p, int k)
{
    return p && k >= 0 && k < p->count ? p->list[k].error : 0.0;
}

bool ph_parameters_idle(const ph_parameters *p, int k)
{
    return p && k >= 0 && k < p->count && p->list[k].direction && p->list[k].idle;
}

void ph_adjoint_parameters(const ph_adjoint *a, const ph_parameters *p, double *gradient)
{
    for (int k = 0; a && p && gradient && k < p->count; k++) {
        const double *d = p->list[k].direction;
        double sum = 0.0;
        for (int i = 0; d && i < p->numbers.count && i < a->sweep.numbers.count; i++)
            sum += d[i] * a->sweep.gradient[i];
        gradient[k] = d ? sum : (double)NAN;
    }
}
