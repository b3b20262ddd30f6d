#include "linalg/ordering.h"

#include <stdlib.h>
#include <string.h>

typedef struct neighbours {
    int count, capacity;
    int *node;
} neighbours;

typedef struct ordering {
    const block_graph *graph;
    neighbours *adjacent; // what is left of the graph, with fill
    neighbours *attached; // by body: constraints that act on it, without fill
    int *bodies_left;     // by constraint: bodies it acts on that are not yet eliminated
    bool *released;       // by constraint: a body that hung on it alone is gone
    bool *done;
    int *next, *previous, *head; // buckets of eligible nodes by degree
    int *bucket;                 // where a node stands, or -1
    bool failed;
} ordering;

// True when it was not there before.
static bool add_to(ordering *o, neighbours *list, int other)
{
    for (int k = 0; k < list->count; k++)
        if (list->node[k] == other) return false;
    if (!mem_reserve(NULL, &list->node, &list->capacity, list->count + 1, sizeof(int))) {
        o->failed = true;
        return false;
    }
    list->node[list->count++] = other;
    return true;
}

static void add_neighbour(ordering *o, int node, int other)
{
    add_to(o, &o->adjacent[node], other);
}

static void attach(ordering *o, int body, int constraint)
{
    o->bodies_left[constraint] += add_to(o, &o->attached[body], constraint);
}

static void remove_neighbour(ordering *o, int node, int other)
{
    neighbours *list = &o->adjacent[node];
    for (int k = 0; k < list->count; k++)
        if (list->node[k] == other) {
            list->node[k] = list->node[--list->count];
            return;
        }
}

static void leave_bucket(ordering *o, int node)
{
    if (o->bucket[node] < 0) return;
    if (o->previous[node] >= 0)
        o->next[o->previous[node]] = o->next[node];
    else
        o->head[o->bucket[node]] = o->next[node];
    if (o->next[node] >= 0) o->previous[o->next[node]] = o->previous[node];
    o->bucket[node] = -1;
}

// Puts the node in front of the bucket of its degree: last in, first out, which walks along chains.
static void enter_bucket(ordering *o, int node)
{
    leave_bucket(o, node);
    const bool eligible = !o->graph->is_constraint[node] || o->released[node] || o->bodies_left[node] == 0;
    if (o->done[node] || !eligible) return;
    const int degree = o->adjacent[node].count;
    o->bucket[node] = degree;
    o->previous[node] = -1;
    o->next[node] = o->head[degree];
    if (o->next[node] >= 0) o->previous[o->next[node]] = node;
    o->head[degree] = node;
}

static bool ordering_start(ordering *o, const block_graph *graph)
{
    const size_t n = (size_t)graph->node_count;
    *o = (ordering){.graph = graph};
    o->adjacent = mem_alloc_array(NULL, n + 1, sizeof *o->adjacent);
    o->attached = mem_alloc_array(NULL, n + 1, sizeof *o->attached);
    o->bodies_left = mem_alloc_array(NULL, n + 1, sizeof(int));
    o->released = mem_alloc_array(NULL, n + 1, sizeof(bool));
    o->done = mem_alloc_array(NULL, n + 1, sizeof(bool));
    o->next = mem_alloc_array(NULL, n + 1, sizeof(int));
    o->previous = mem_alloc_array(NULL, n + 1, sizeof(int));
    o->head = mem_alloc_array(NULL, n + 1, sizeof(int));
    o->bucket = mem_alloc_array(NULL, n + 1, sizeof(int));
    if (!o->adjacent || !o->attached || !o->bodies_left || !o->released || !o->done || !o->next || !o->previous ||
        !o->head || !o->bucket)
        return false;
    for (int e = 0; e < graph->edge_count; e++) {
        const int a = graph->edges[e][0], b = graph->edges[e][1];
        add_neighbour(o, a, b);
        add_neighbour(o, b, a);
        if (graph->is_constraint[a] && !graph->is_constraint[b]) attach(o, b, a);
        if (graph->is_constraint[b] && !graph->is_constraint[a]) attach(o, a, b);
    }
    for (int k = 0; k <= graph->node_count; k++) o->head[k] = o->bucket[k] = -1;
    for (int k = graph->node_count - 1; k >= 0; k--) enter_bucket(o, k);
    return !o->failed;
}

static void ordering_end(ordering *o)
{
    for (int k = 0; o->adjacent && k < o->graph->node_count; k++) mem_free(NULL, o->adjacent[k].node);
    for (int k = 0; o->attached && k < o->graph->node_count; k++) mem_free(NULL, o->attached[k].node);
    void *blocks[] = {o->adjacent, o->attached, o->bodies_left, o->released, o->done,
                      o->next,     o->previous, o->head,        o->bucket};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) mem_free(NULL, blocks[k]);
}

static void eliminate(ordering *o, int node)
{
    const neighbours *list = &o->adjacent[node];
    const bool is_body = !o->graph->is_constraint[node];
    int constraints = 0;
    for (int k = 0; k < list->count; k++) constraints += o->graph->is_constraint[list->node[k]];
    leave_bucket(o, node);
    o->done[node] = true;
    // A constraint may meet further bodies by fill: those do not count, or it would be held back for ever.
    for (int k = 0; k < o->attached[node].count; k++) o->bodies_left[o->attached[node].node[k]]--;
    for (int k = 0; k < list->count; k++) {
        const int other = list->node[k];
        remove_neighbour(o, other, node);
        if (is_body && constraints == 1 && o->graph->is_constraint[other]) o->released[other] = true;
        for (int l = 0; l < list->count; l++)
            if (l != k) add_neighbour(o, other, list->node[l]);
    }
    for (int k = 0; k < list->count; k++) enter_bucket(o, list->node[k]);
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

bool block_order_make(const block_graph *graph, arena *memory, block_order *result)
{
    const int n = graph->node_count;
    ordering o;
    bool ok = ordering_start(&o, graph);
    result->order = arena_alloc_array(memory, (size_t)n + 1, sizeof(int));
    result->later_start = arena_alloc_array(memory, (size_t)n + 1, sizeof(int));
    result->closes_loop = arena_alloc_array(memory, (size_t)n + 1, sizeof(bool));
    ok = ok && result->order && result->later_start && result->closes_loop;
    int lowest = 0, total = 0;
    for (int k = 0; ok && k < n; k++) {
        while (o.head[lowest] < 0)
            lowest++; // always found: bodies are eligible, and without bodies all constraints are
        const int node = o.head[lowest];
        result->order[k] = node;
        result->closes_loop[k] = graph->is_constraint[node] && !o.released[node];
        total += o.adjacent[node].count;
        eliminate(&o, node);
        ok = !o.failed;
        lowest = 0;
    }
    // An eliminated node keeps its list: those are its later nodes.
    int *position = mem_alloc_array(NULL, (size_t)n + 1, sizeof(int));
    result->later = arena_alloc_array(memory, (size_t)total + 1, sizeof(int));
    ok = ok && position && result->later;
    for (int k = 0; ok && k < n; k++) position[result->order[k]] = k;
    for (int k = 0, at = 0; ok && k < n; k++) {
        const neighbours *list = &o.adjacent[result->order[k]];
        for (int l = 0; l < list->count; l++) result->later[at + l] = position[list->node[l]];
        qsort(result->later + at, (size_t)list->count, sizeof(int), ascending);
        at += list->count;
        result->later_start[k + 1] = at;
    }
    mem_free(NULL, position);
    ordering_end(&o);
    return ok;
}
