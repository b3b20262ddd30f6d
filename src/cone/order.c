// Elimination order of least approximate degree, on the quotient graph (Amestoy, Davis, Duff 1996).
//
// What is left of an eliminated node p is an element: the set L_p of later nodes that it couples. A node keeps a list of
// neighbours and, as ~e, of elements it belongs to. Eliminating p,
//
//     L_p = (neighbours of p) and (the L_e of its elements e, which p replaces),
//     degree of i in L_p ~ |neighbours of i| + |L_p without i| + sum over its other elements of |L_e without L_p|.
//
// Lists never grow: p takes the place of at least one entry. The L_p, kept one behind the other, are the pattern of the
// factor. Sizes count rows, not nodes.

#include "cone/factor.h"

#include <string.h>

typedef struct ordering {
    const cone_graph *graph;
    cone_factor *f;
    ph_cone_workspace *w;
    int *list, *length;                   // of a node: its part of a copy of graph->neighbour
    int *mark;                            // by node: stamp of the last L_p it was in
    int *outside, *seen;                  // by element: |L_e without L_p|, and the stamp for which it holds
    int *size;                            // by element: |L_e|; 0: absorbed
    int *first;                           // by element: place in the order, where f->later_start finds L_e
    int *head, *next, *previous, *degree; // buckets by degree; degree -1: eliminated
    int lowest, left;                     // lower bound of the degrees; rows not yet eliminated
} ordering;

static void leave_bucket(ordering *o, int i)
{
    if (o->previous[i] >= 0)
        o->next[o->previous[i]] = o->next[i];
    else
        o->head[o->degree[i]] = o->next[i];
    if (o->next[i] >= 0) o->previous[o->next[i]] = o->previous[i];
}

static void enter_bucket(ordering *o, int i, int degree)
{
    o->degree[i] = degree;
    o->previous[i] = -1;
    o->next[i] = o->head[degree];
    if (o->next[i] >= 0) o->previous[o->next[i]] = i;
    o->head[degree] = i;
    if (degree < o->lowest) o->lowest = degree;
}

// Adds node i to L_p, which grows at the end of f->later.
static bool add_later(ordering *o, int i, int stamp, int *end)
{
    if (o->degree[i] < 0 || o->mark[i] == stamp) return true;
    o->mark[i] = stamp;
    if (!cone_reserve(o->w, &o->f->later, &o->f->later_room, (size_t)*end + 1, sizeof(int))) return false;
    o->f->later[(*end)++] = i;
    return true;
}

static bool make_element(ordering *o, int p, int place)
{
    cone_factor *f = o->f;
    int end = f->later_start[place];
    const int stamp = place + 1;
    const int *entry = o->list + o->graph->start[p];
    for (int k = 0; k < o->length[p]; k++) {
        if (entry[k] >= 0) {
            if (!add_later(o, entry[k], stamp, &end)) return false;
            continue;
        }
        const int e = ~entry[k], at = o->first[e];
        if (!o->size[e]) continue;
        for (int l = f->later_start[at]; l < f->later_start[at + 1]; l++) {
            if (!add_later(o, f->later[l], stamp, &end)) return false;
        }
        o->size[e] = 0;
    }
    f->later_start[place + 1] = end;
    o->first[p] = place;
    o->size[p] = 0;
    for (int l = f->later_start[place]; l < end; l++) o->size[p] += o->graph->weight[f->later[l]];
    return true;
}

// |L_e without L_p| for all elements that meet L_p.
static void measure_outside(ordering *o, int place)
{
    const cone_factor *f = o->f;
    const int stamp = place + 1;
    for (int l = f->later_start[place]; l < f->later_start[place + 1]; l++) {
        const int i = f->later[l], *entry = o->list + o->graph->start[i];
        for (int k = 0; k < o->length[i]; k++) {
            const int e = ~entry[k];
            if (e < 0 || !o->size[e]) continue;
            if (o->seen[e] != stamp) {
                o->seen[e] = stamp;
                o->outside[e] = o->size[e];
            }
            o->outside[e] -= o->graph->weight[i];
        }
    }
}

// The list of i without what L_p says already, and its degree.
static int prune(ordering *o, int i, int p, int stamp)
{
    int *entry = o->list + o->graph->start[i], kept = 0, degree = o->size[p] - o->graph->weight[i];
    for (int k = 0; k < o->length[i]; k++) {
        if (entry[k] >= 0) {
            if (o->degree[entry[k]] < 0 || o->mark[entry[k]] == stamp) continue;
            degree += o->graph->weight[entry[k]];
        } else {
            const int e = ~entry[k];
            if (!o->size[e] || o->outside[e] == 0) continue; // an element inside L_p says nothing new
            degree += o->outside[e];
        }
        entry[kept++] = entry[k];
    }
    entry[kept++] = ~p;
    o->length[i] = kept;
    return degree < o->left - o->graph->weight[i] ? degree : o->left - o->graph->weight[i];
}

static bool eliminate(ordering *o, int p, int place)
{
    const cone_factor *f = o->f;
    leave_bucket(o, p);
    o->degree[p] = -1;
    o->left -= o->graph->weight[p];
    if (!make_element(o, p, place)) return false;
    measure_outside(o, place);
    for (int l = f->later_start[place]; l < f->later_start[place + 1]; l++) {
        const int i = f->later[l];
        leave_bucket(o, i);
        enter_bucket(o, i, prune(o, i, p, place + 1));
    }
    return true;
}

static bool ordering_start(ordering *o, ph_cone_workspace *w)
{
    cone_factor *f = w->factor;
    const cone_graph *g = &f->graph;
    const size_t n = (size_t)g->count, edges = (size_t)g->start[n], rows = (size_t)w->rows + 1;
    *o = (ordering){.graph = g, .f = f, .w = w, .left = w->rows, .lowest = w->rows};
    if (!cone_reserve(w, &f->work, &f->work_room, 9 * n + edges + rows, sizeof(int))) return false;
    int **arrays[] = {&o->length, &o->mark, &o->outside,  &o->seen,  &o->size,
                      &o->first,  &o->next, &o->previous, &o->degree};
    for (int k = 0; k < 9; k++) *arrays[k] = f->work + (size_t)k * n;
    o->list = f->work + 9 * n;
    o->head = o->list + edges;
    memset(f->work, 0, 9 * n * sizeof(int));
    memcpy(o->list, g->neighbour, edges * sizeof(int));
    for (size_t k = 0; k < rows; k++) o->head[k] = -1;
    for (int i = g->count - 1; i >= 0; i--) {
        int degree = 0;
        o->length[i] = g->start[i + 1] - g->start[i];
        for (int k = g->start[i]; k < g->start[i + 1]; k++) degree += g->weight[g->neighbour[k]];
        enter_bucket(o, i, degree);
    }
    return true;
}

// Node numbers in f->later become places, rising in every list: transposing the lists twice sorts them.
static bool sort_later(ph_cone_workspace *w)
{
    cone_factor *f = w->factor;
    const int n = f->graph.count, count = f->later_start[n];
    if (!cone_reserve(w, &f->work, &f->work_room, (size_t)count + 2 * (size_t)n + 2, sizeof(int))) return false;
    int *start = f->work, *at = start + n + 1, *earlier = at + n + 1;
    memset(start, 0, ((size_t)n + 1) * sizeof(int));
    for (int l = 0; l < count; l++) start[f->position[f->later[l]] + 1]++;
    for (int k = 0; k < n; k++) start[k + 1] += start[k];
    memcpy(at, start, ((size_t)n + 1) * sizeof(int));
    for (int k = 0; k < n; k++) {
        for (int l = f->later_start[k]; l < f->later_start[k + 1]; l++) earlier[at[f->position[f->later[l]]]++] = k;
    }
    memcpy(at, f->later_start, ((size_t)n + 1) * sizeof(int));
    for (int j = 0; j < n; j++) {
        for (int l = start[j]; l < start[j + 1]; l++) f->later[at[earlier[l]]++] = j;
    }
    return true;
}

bool cone_order_make(ph_cone_workspace *w)
{
    cone_factor *f = w->factor;
    const size_t n = (size_t)f->graph.count;
    ordering o;
    if (!cone_reserve(w, &f->order, &f->order_room, n, sizeof(int)) ||
        !cone_reserve(w, &f->position, &f->position_room, n, sizeof(int)) ||
        !cone_reserve(w, &f->later_start, &f->later_start_room, n + 1, sizeof(int)) || !ordering_start(&o, w)) {
        return false;
    }
    f->later_start[0] = 0;
    for (int place = 0; place < f->graph.count; place++) {
        while (o.head[o.lowest] < 0) o.lowest++;
        const int p = o.head[o.lowest];
        f->order[place] = p;
        f->position[p] = place;
        if (!eliminate(&o, p, place)) return false;
    }
    return sort_later(w);
}
