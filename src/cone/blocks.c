// Sparse matrices given by entries or by rows, and their form as blocks between cones.

#include "cone/blocks.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

// ---- A matrix from entries ------------------------------------------------------------------------------------------

typedef struct entries {
    int rows;
    int *start, *column;
    double *value;
} entries;

static void entries_free(entries *e)
{
    mem_free(NULL, e->start);
    mem_free(NULL, e->column);
    mem_free(NULL, e->value);
    *e = (entries){0};
}

static bool entries_alloc(entries *e, int rows, size_t count)
{
    *e = (entries){.rows = rows};
    e->start = mem_alloc_array(NULL, (size_t)rows + 1, sizeof(int));
    e->column = mem_alloc_array(NULL, count, sizeof(int));
    e->value = mem_alloc_array(NULL, count, sizeof(double));
    if (e->start && e->column && e->value) return true;
    entries_free(e);
    return false;
}

// b <- a transposed. Done twice it sorts the columns of every row.
static bool transpose(const entries *a, entries *b)
{
    if (!entries_alloc(b, a->rows, (size_t)a->start[a->rows])) return false;
    for (int k = 0; k < a->start[a->rows]; k++) b->start[a->column[k] + 1]++;
    for (int i = 0; i < a->rows; i++) b->start[i + 1] += b->start[i];
    for (int i = 0; i < a->rows; i++) {
        for (int k = a->start[i]; k < a->start[i + 1]; k++) {
            const int at = b->start[a->column[k]]++;
            b->column[at] = i;
            b->value[at] = a->value[k];
        }
    }
    memmove(b->start + 1, b->start, (size_t)a->rows * sizeof(int));
    b->start[0] = 0;
    return true;
}

// Entry (i, j) with half its value at (i, j) and at (j, i), rows in the order of the entries.
static bool symmetric_entries(int rows, int count, const int *row, const int *column, const double *value, entries *e)
{
    if (!entries_alloc(e, rows, 2 * (size_t)count)) return false;
    for (int k = 0; k < count; k++) {
        e->start[row[k] + 1]++;
        e->start[column[k] + 1]++;
    }
    for (int i = 0; i < rows; i++) e->start[i + 1] += e->start[i];
    for (int k = 0; k < count; k++) {
        const int a = e->start[row[k]]++;
        const int b = e->start[column[k]]++;
        e->column[a] = column[k];
        e->column[b] = row[k];
        e->value[a] = e->value[b] = 0.5 * value[k];
    }
    memmove(e->start + 1, e->start, (size_t)rows * sizeof(int));
    e->start[0] = 0;
    return true;
}

// Adds up entries of equal place in rows with rising columns.
static void merge_equal(entries *e)
{
    int kept = 0;
    for (int i = 0, k = 0; i < e->rows; i++) {
        const int first = kept;
        for (; k < e->start[i + 1]; k++) {
            if (kept > first && e->column[kept - 1] == e->column[k]) {
                e->value[kept - 1] += e->value[k];
            } else {
                e->column[kept] = e->column[k];
                e->value[kept++] = e->value[k];
            }
        }
        e->start[i] = first;
    }
    e->start[e->rows] = kept;
}

static ph_status check_entries(int rows, int count, const int *row, const int *column, const double *value,
                               ph_error *error)
{
    if (rows < 0 || count < 0 || (count > 0 && (!row || !column || !value))) {
        return error_set(error, PH_BAD_ARGUMENT, "a matrix needs its rows and all of row, column and value");
    }
    for (int k = 0; k < count; k++) {
        if (row[k] < 0 || row[k] >= rows || column[k] < 0 || column[k] >= rows) {
            return error_set(error, PH_BAD_ARGUMENT, "entry %d of the matrix stands at (%d, %d), it has %d rows", k,
                             row[k], column[k], rows);
        }
        if (!isfinite(value[k])) return error_set(error, PH_NOT_FINITE, "entry %d of the matrix is not finite", k);
    }
    return PH_OK;
}

ph_status ph_cone_matrix_create(int rows, int count, const int *row, const int *column, const double *value,
                                ph_cone_matrix **matrix, ph_error *error)
{
    entries given = {0}, turned = {0}, sorted = {0};
    if (!matrix || (count > 0 && (!row || !column || !value))) {
        return error_set(error, PH_BAD_ARGUMENT, "ph_cone_matrix_create needs entries and a place for the matrix");
    }
    *matrix = NULL;
    const ph_status status = check_entries(rows, count, row, column, value, error);
    if (status != PH_OK) return status;
    bool ok = symmetric_entries(rows, count, row, column, value, &given);
    ok = ok && transpose(&given, &turned) && transpose(&turned, &sorted);
    entries_free(&given);
    entries_free(&turned);
    ph_cone_matrix *result = ok ? mem_alloc(NULL, sizeof *result) : NULL;
    if (!result) {
        entries_free(&sorted);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory for a matrix of %d rows", rows);
    }
    merge_equal(&sorted);
    *result = (ph_cone_matrix){rows, sorted.start, sorted.column, sorted.value};
    *matrix = result;
    return PH_OK;
}

void ph_cone_matrix_destroy(ph_cone_matrix *matrix)
{
    if (!matrix) return;
    mem_free(NULL, (void *)matrix->start);
    mem_free(NULL, (void *)matrix->column);
    mem_free(NULL, (void *)matrix->value);
    mem_free(NULL, matrix);
}

static const ph_cone_matrix *matrix_itself(void *self)
{
    return self;
}

ph_cone_operator ph_cone_matrix_operator(const ph_cone_matrix *matrix)
{
    return (ph_cone_operator){.self = (void *)matrix, .matrix = matrix_itself};
}

void cone_matrix_diagonal(const ph_cone_matrix *matrix, int first, int rows, double *block)
{
    memset(block, 0, (size_t)(rows * rows) * sizeof *block);
    for (int i = 0; i < rows; i++) {
        for (int k = matrix->start[first + i]; k < matrix->start[first + i + 1]; k++) {
            const int j = matrix->column[k] - first;
            if (j >= 0 && j < rows) block[rows * i + j] = matrix->value[k];
        }
    }
}

ph_status cone_matrix_check(const ph_cone_matrix *matrix, int rows, ph_error *error)
{
    if (matrix->rows != rows) {
        return error_set(error, PH_BAD_ARGUMENT, "the matrix has %d rows, the cones have %d", matrix->rows, rows);
    }
    if (rows > 0 && (!matrix->start || matrix->start[0] != 0)) {
        return error_set(error, PH_BAD_ARGUMENT, "the rows of the matrix must start at entry 0");
    }
    for (int i = 0; i < rows; i++) {
        if (matrix->start[i + 1] < matrix->start[i]) {
            return error_set(error, PH_BAD_ARGUMENT, "row %d of the matrix ends before it starts", i);
        }
        for (int k = matrix->start[i], last = -1; k < matrix->start[i + 1]; last = matrix->column[k++]) {
            if (matrix->column[k] <= last || matrix->column[k] >= rows) {
                return error_set(error, PH_BAD_ARGUMENT, "row %d of the matrix: columns must rise and be less than %d",
                                 i, rows);
            }
            if (!isfinite(matrix->value[k])) {
                return error_set(error, PH_NOT_FINITE, "row %d of the matrix has an entry that is not finite", i);
            }
        }
    }
    return PH_OK;
}

// ---- Blocks between cones -------------------------------------------------------------------------------------------

// Walks through the rows of cone i side by side, lowest cone of a column first: the columns of its blocks, rising. Counts
// only when `column` is NULL.
static int row_pattern(const ph_cone_workspace *w, const ph_cone_matrix *matrix, const int *cone_of, int i, int *column)
{
    const cone *c = &w->cones[i];
    int at[CONE_ROWS_MAX], count = 0;
    for (int r = 0; r < c->rows; r++) at[r] = matrix->start[c->first + r];
    for (int last = -1;;) {
        int next = last < i ? i : w->cone_count; // the diagonal block is always there
        for (int r = 0; r < c->rows; r++) {
            const int end = matrix->start[c->first + r + 1];
            while (at[r] < end && cone_of[matrix->column[at[r]]] <= last) at[r]++;
            if (at[r] < end && cone_of[matrix->column[at[r]]] < next) next = cone_of[matrix->column[at[r]]];
        }
        if (next == w->cone_count) return count;
        if (column) column[count] = next;
        count++;
        last = next;
    }
}

static bool make_pattern(ph_cone_workspace *w, const ph_cone_matrix *matrix, const int *cone_of)
{
    cone_blocks *b = &w->blocks;
    const size_t n = (size_t)w->cone_count;
    if (!cone_reserve(w, &b->start, &b->start_room, n + 1, sizeof(int))) return false;
    if (!cone_reserve(w, &b->diagonal, &b->diagonal_room, n, sizeof(int))) return false;
    b->start[0] = 0;
    for (int i = 0; i < w->cone_count; i++) b->start[i + 1] = b->start[i] + row_pattern(w, matrix, cone_of, i, NULL);
    const size_t count = (size_t)b->start[n];
    if (!cone_reserve(w, &b->column, &b->column_room, count, sizeof(int))) return false;
    if (!cone_reserve(w, &b->offset, &b->offset_room, count, sizeof(size_t))) return false;
    size_t values = 0;
    for (int i = 0; i < w->cone_count; i++) {
        row_pattern(w, matrix, cone_of, i, b->column + b->start[i]);
        for (int k = b->start[i]; k < b->start[i + 1]; k++) {
            b->offset[k] = values;
            values += (size_t)(w->cones[i].rows * w->cones[b->column[k]].rows);
            if (b->column[k] == i) b->diagonal[i] = k;
        }
    }
    if (!cone_reserve(w, &b->value, &b->value_room, values, sizeof(double))) return false;
    memset(b->value, 0, values * sizeof(double));
    return true;
}

// A block without its mirror image: the matrix is not symmetric.
static bool has_mirror(const cone_blocks *b, int i, int j)
{
    int low = b->start[j], high = b->start[j + 1] - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (b->column[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return b->column[low] == i; // every row has its diagonal block
}

static void fill_values(ph_cone_workspace *w, const ph_cone_matrix *matrix)
{
    cone_blocks *b = &w->blocks;
    for (int row = 0; row < w->rows; row++) {
        const int i = w->cone_of[row], r = row - w->cones[i].first;
        int block = b->start[i];
        for (int k = matrix->start[row]; k < matrix->start[row + 1]; k++) {
            const cone *c = &w->cones[w->cone_of[matrix->column[k]]];
            while (b->column[block] < w->cone_of[matrix->column[k]]) block++;
            b->value[b->offset[block] + (size_t)(r * c->rows + matrix->column[k] - c->first)] =
                w->scale[row] * matrix->value[k] * w->scale[matrix->column[k]];
        }
    }
}

ph_status cone_blocks_fill(ph_cone_workspace *w, const ph_cone_matrix *matrix, ph_error *error)
{
    const cone_blocks *b = &w->blocks;
    if (!cone_reserve(w, &w->cone_of, &w->cone_of_room, (size_t)w->rows, sizeof(int))) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory for %d rows", w->rows);
    }
    for (int i = 0; i < w->cone_count; i++) {
        for (int r = 0; r < w->cones[i].rows; r++) w->cone_of[w->cones[i].first + r] = i;
    }
    if (!make_pattern(w, matrix, w->cone_of)) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory for the matrix of %d cones", w->cone_count);
    }
    for (int i = 0; i < w->cone_count; i++) {
        for (int k = b->start[i]; k < b->start[i + 1]; k++) {
            if (!has_mirror(b, i, b->column[k])) {
                return error_set(error, PH_BAD_ARGUMENT, "the matrix is not symmetric: cones %d and %d", i,
                                 b->column[k]);
            }
        }
    }
    fill_values(w, matrix);
    return PH_OK;
}

void cone_blocks_row(const ph_cone_workspace *w, int i, const double *x, double *y)
{
    const cone_blocks *b = &w->blocks;
    const int rows = w->cones[i].rows;
    double sum[CONE_ROWS_MAX] = {0.0};
    for (int k = b->start[i]; k < b->start[i + 1]; k++) {
        const cone *c = &w->cones[b->column[k]];
        const double *A = b->value + b->offset[k], *z = x + c->first;
        if (rows == 3 && c->rows == 3) {
            for (int r = 0; r < 3; r++) sum[r] += A[3 * r] * z[0] + A[3 * r + 1] * z[1] + A[3 * r + 2] * z[2];
        } else {
            for (int r = 0; r < rows; r++) {
                for (int s = 0; s < c->rows; s++) sum[r] += A[c->rows * r + s] * z[s];
            }
        }
    }
    for (int r = 0; r < rows; r++) y[r] = sum[r];
}
