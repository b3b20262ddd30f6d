#include "linalg/ordering.h"

typedef struct neighbours {
    int count, capacity;
    int *node;
} neighbours;

typedef struct ordering {
    const block_graph *graph;
    const ph_allocator *allocator;
    neighbours *adjacent; // what is left of the graph, with fill
    neighbours *attached; // by body: constraints that act on it, without fill
    int *bodies_left;     // by constraint: bodies it acts on that are not yet eliminated
    bool *released;       // by constraint: a body that hung on it alone is gone
    bool *done;
    int *next, *previous, *head; // buckets of eligible nodes by degree and depth
    int *bucket;                 // where a node stands, or -1
    int lowest;                  // no bucket below has a node
    int *mark, stamp;            // mark[i] == stamp: node i has been met
    bool failed;
} ordering;

// ---- Lists ----------------------------------------------------------------------------------------------------------

static void append(ordering *o, neighbours *list, int other)
{
    if (mem_reserve(o->allocator, &list->node, &list->capacity, list->count + 1, sizeof(int)))
        list->node[list->count++] = other;
    else
        o->failed = true;
}

// True when it was not there before.
static bool append_new(ordering *o, neighbours *list, int other)
{
    for (int k = 0; k < list->count; k++)
        if (list->node[k] == other) return false;
    append(o, list, other);
    return true;
}

static void attach(ordering *o, int body, int constraint)
{
    o->bodies_left[constraint] += append_new(o, &o->attached[body], constraint);
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

// Adds to the neighbours of `node` all of `list` but itself.
static void join(ordering *o, int node, const neighbours *list)
{
    neighbours *mine = &o->adjacent[node];
    o->stamp++;
    o->mark[node] = o->stamp;
    for (int k = 0; k < mine->count; k++) o->mark[mine->node[k]] = o->stamp;
    for (int k = 0; k < list->count; k++)
        if (o->mark[list->node[k]] != o->stamp) append(o, mine, list->node[k]);
}

// ---- Buckets --------------------------------------------------------------------------------------------------------

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

enum { DEPTHS = 16 }; // told apart

static int bucket_of(const ordering *o, int node)
{
    const int depth = o->graph->depth ? o->graph->depth[node] : 0;
    return DEPTHS * o->adjacent[node].count + (depth < DEPTHS ? depth : DEPTHS - 1);
}

// Puts the node in front of its bucket: last in, first out, which walks along chains.
static void enter_bucket(ordering *o, int node)
{
    leave_bucket(o, node);
    const bool eligible = !o->graph->is_constraint[node] || o->released[node] || o->bodies_left[node] == 0;
    if (o->done[node] || !eligible) return;
    const int bucket = bucket_of(o, node);
    o->bucket[node] = bucket;
    o->previous[node] = -1;
    o->next[node] = o->head[bucket];
    if (o->next[node] >= 0) o->previous[o->next[node]] = node;
    o->head[bucket] = node;
    if (bucket < o->lowest) o->lowest = bucket;
}

// ---- Elimination ----------------------------------------------------------------------------------------------------

static bool allocate(ordering *o, arena *scratch)
{
    const size_t n = (size_t)o->graph->node_count;
    o->adjacent = arena_alloc_array(scratch, n, sizeof *o->adjacent);
    o->attached = arena_alloc_array(scratch, n, sizeof *o->attached);
    o->released = arena_alloc_array(scratch, n, sizeof(bool));
    o->done = arena_alloc_array(scratch, n, sizeof(bool));
    o->head = arena_alloc_array(scratch, DEPTHS * (n + 1), sizeof(int));
    int **by_node[] = {&o->bodies_left, &o->next, &o->previous, &o->bucket, &o->mark};
    bool ok = o->adjacent && o->attached && o->released && o->done && o->head;
    for (size_t k = 0; ok && k < sizeof by_node / sizeof *by_node; k++)
        ok = (*by_node[k] = arena_alloc_array(scratch, n, sizeof(int)));
    return ok;
}

static void start(ordering *o)
{
    const block_graph *graph = o->graph;
    for (int e = 0; e < graph->edge_count; e++) {
        const int a = graph->edges[e][0], b = graph->edges[e][1];
        append(o, &o->adjacent[a], b);
        append(o, &o->adjacent[b], a);
        if (graph->is_constraint[a] && !graph->is_constraint[b]) attach(o, b, a);
        if (graph->is_constraint[b] && !graph->is_constraint[a]) attach(o, a, b);
    }
    for (int k = 0; k < graph->node_count; k++) { // no neighbour twice
        neighbours *list = &o->adjacent[k];
        int count = 0;
        o->stamp++;
        for (int l = 0; l < list->count; l++) {
            if (o->mark[list->node[l]] == o->stamp) continue;
            o->mark[list->node[l]] = o->stamp;
            list->node[count++] = list->node[l];
        }
        list->count = count;
    }
    for (int k = 0; k < graph->node_count; k++) o->bucket[k] = -1;
    for (int k = 0; k < DEPTHS * (graph->node_count + 1); k++) o->head[k] = -1;
    for (int k = graph->node_count - 1; k >= 0; k--) enter_bucket(o, k);
}

static void eliminate(ordering *o, int node)
{
    const neighbours *list = &o->adjacent[node];
    const bool is_body = !o->graph->is_constraint[node] && !(o->graph->is_rotor && o->graph->is_rotor[node]);
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
        join(o, other, list);
    }
    for (int k = 0; k < list->count; k++) enter_bucket(o, list->node[k]);
}

// Eliminates all nodes, least degree first. Returns how many neighbours they had when they went.
static int run(ordering *o, int *order)
{
    int total = 0;
    for (int k = 0; !o->failed && k < o->graph->node_count; k++) {
        while (o->head[o->lowest] < 0)
            o->lowest++; // always found: bodies are eligible, and without bodies all constraints are
        const int node = o->head[o->lowest];
        order[k] = node;
        total += o->adjacent[node].count;
        eliminate(o, node);
    }
    return total;
}

// An eliminated node keeps its list: those are its later nodes. They come out ascending by listing first, for each node, those
// before it.
static bool list_later(const ordering *o, int total, arena *scratch, block_order *result)
{
    const int n = o->graph->node_count;
    int *start = arena_alloc_array(scratch, (size_t)n + 2, sizeof(int)), *next = result->later_start;
    int *before = arena_alloc_array(scratch, (size_t)total, sizeof(int)), *position = o->mark;
    if (!start || !before) return false;
    for (int k = 0; k < n; k++) position[result->order[k]] = k;
    for (int k = 0; k < n; k++) {
        const neighbours *list = &o->adjacent[k];
        for (int l = 0; l < list->count; l++) start[position[list->node[l]] + 2]++;
    }
    for (int k = 0; k < n; k++) start[k + 2] += start[k + 1];
    for (int k = 0; k < n; k++) {
        const neighbours *list = &o->adjacent[result->order[k]];
        for (int l = 0; l < list->count; l++) before[start[position[list->node[l]] + 1]++] = k;
        next[k + 1] = next[k] + list->count;
    }
    int *at = start + 1; // where the next later node of k goes
    for (int k = 0, i = 0; k < n; k++) {
        for (const int end = at[k]; i < end; i++) result->later[next[before[i]]++] = k;
    }
    for (int k = n; k > 0; k--) next[k] = next[k - 1];
    next[0] = 0;
    return true;
}

bool block_order_make(const block_graph *graph, arena *memory, block_order *result)
{
    const size_t n = (size_t)graph->node_count;
    arena *scratch = arena_create(arena_allocator(memory));
    ordering o = {.graph = graph, .allocator = arena_allocator(memory)};
    result->order = arena_alloc_array(memory, n, sizeof(int));
    result->later_start = arena_alloc_array(memory, n + 1, sizeof(int));
    bool ok = scratch && result->order && result->later_start && allocate(&o, scratch);
    if (ok) start(&o);
    const int total = ok ? run(&o, result->order) : 0;
    result->later = ok && !o.failed ? arena_alloc_array(memory, (size_t)total, sizeof(int)) : NULL;
    if (result->later && !list_later(&o, total, scratch, result)) result->later = NULL;
    for (size_t k = 0; ok && k < n; k++) {
        mem_free(o.allocator, o.adjacent[k].node);
        mem_free(o.allocator, o.attached[k].node);
    }
    arena_destroy(scratch);
    return result->later != NULL;
}
