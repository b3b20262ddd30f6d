// The contact problem of a step of `moreau`, for other solvers and for files: all contacts in rows, joints held in one matrix,
// whatever path would have solved it.
#include "schemes/moreau.h"

#include "base/error.h"

#include <string.h>

// What a friction problem of files cannot hold.
static const char *find_stranger(const delassus *d)
{
    if (d->stop_count > 0) return "a limit or dry friction of a joint";
    for (int i = 0; i < d->contact_count; i++) {
        if (d->contacts[i].count != 3) return "rolling or spinning friction";
        if (d->contacts[i].softness > 0.0) return "compliance";
    }
    return NULL;
}

static void put_frames(const moreau *m, double *to)
{
    const delassus *d = &m->delassus;
    for (int i = 0; i < d->contact_count; i++, to += 12) {
        const ph_vec3 rows[4] = {contacts_at(contacts_of(m), i).point, d->contacts[i].axes[0], d->contacts[i].axes[1],
                                 d->contacts[i].axes[2]};
        for (int k = 0; k < 4; k++) to[3 * k] = rows[k].x, to[3 * k + 1] = rows[k].y, to[3 * k + 2] = rows[k].z;
    }
}

static ph_status copy_matrix(const ph_cone_matrix *N, ph_cone_matrix **to, ph_error *error)
{
    const int entries = N->start[N->rows];
    int *row = mem_alloc_array(NULL, (size_t)entries, sizeof *row);
    if (!row) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    for (int r = 0; r < N->rows; r++)
        for (int k = N->start[r]; k < N->start[r + 1]; k++) row[k] = r;
    const ph_status status = ph_cone_matrix_create(N->rows, entries, row, N->column, N->value, to, error);
    mem_free(NULL, row);
    return status;
}

static ph_status copy_problem(moreau *m, ph_fc_problem *fc, ph_error *error)
{
    delassus *d = &m->delassus;
    const size_t n = (size_t)d->contact_count;
    const ph_cone_operator N = delassus_operator(d);
    const ph_cone_matrix *matrix = N.matrix(N.self);
    fc->contacts = d->contact_count;
    fc->cones = mem_alloc_array(NULL, n, sizeof *fc->cones);
    fc->q = mem_alloc_array(NULL, 3 * n, sizeof *fc->q);
    fc->frames = mem_alloc_array(NULL, 12 * n, sizeof *fc->frames);
    if (!fc->cones || !fc->q || !fc->frames || !matrix) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    memcpy(fc->cones, d->cones, n * sizeof *fc->cones);
    memcpy(fc->q, m->rows.q, 3 * n * sizeof *fc->q);
    put_frames(m, fc->frames);
    return copy_matrix(matrix, &fc->matrix, error);
}

static ph_status make_rows(moreau *m, ph_state *state, double h, ph_error *error)
{
    ph_status status = moreau_begin(m, state, h);
    if (status == PH_OK) status = moreau_path_rows.begin(m);
    if (status != PH_OK) return error_set(error, status, "the step cannot begin: %s", ph_status_text(status));
    if (m->delassus.row_count > 0) moreau_set_q(m);
    const char *stranger = find_stranger(&m->delassus);
    return stranger ? error_set(error, PH_NOT_SUPPORTED, "the step has more than contacts with friction: %s", stranger)
                    : PH_OK;
}

ph_status moreau_problem(void *self, const ph_state *given, double h, ph_fc_problem **problem, ph_error *error)
{
    moreau *m = self;
    struct moreau_trees *trees = m->trees;
    const bool may_part = m->both.may;
    ph_state *state = ph_state_create(m->model);
    ph_fc_problem *fc = mem_alloc(NULL, sizeof *fc);
    ph_status status = state && fc ? ph_state_copy(state, given) : PH_OUT_OF_MEMORY;
    if (fc) *fc = (ph_fc_problem){0};
    if (status != PH_OK) error_set(error, status, "out of memory");
    m->trees = NULL; // joints in one matrix, and all contacts there
    m->both.may = m->rebounds.scaled = false;
    if (status == PH_OK) status = make_rows(m, state, h, error);
    if (status == PH_OK) status = copy_problem(m, fc, error);
    m->trees = trees;
    m->both.may = may_part;
    ph_state_destroy(state);
    if (status == PH_OK)
        *problem = fc;
    else
        ph_fc_destroy(fc);
    return status;
}
