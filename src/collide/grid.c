#include "collide/grid.h"

#include "collide/tree.h"
#include "math/vec3.h"

#include <math.h>

bool grid_create(int count, arena *memory, grid *g)
{
    const size_t n = (size_t)count;
    uint32_t buckets = 1;
    while (buckets < (uint32_t)count && buckets < 1u << 30) buckets *= 2;
    *g = (grid){.count = count, .mask = buckets - 1};
    g->head = arena_alloc_array(memory, buckets, sizeof *g->head);
    g->boxes = arena_alloc_array(memory, n, sizeof *g->boxes);
    g->keys = arena_alloc_array(memory, n, sizeof *g->keys);
    g->next = arena_alloc_array(memory, n, sizeof *g->next);
    g->before = arena_alloc_array(memory, n, sizeof *g->before);
    if (!g->head || !g->boxes || !g->keys || !g->next || !g->before) return false;
    for (uint32_t k = 0; k < buckets; k++) g->head[k] = GRID_NONE;
    return true;
}

// ---- Single precision -----------------------------------------------------------------------------------------------

static float rounded_down(double x)
{
    const float near = (float)x;
    return (double)near <= x ? near : nextafterf(near, -HUGE_VALF);
}

static grid_box rounded(const aabb *box)
{
    return (grid_box){{rounded_down(box->low.x), rounded_down(box->low.y), rounded_down(box->low.z)},
                      {-rounded_down(-box->high.x), -rounded_down(-box->high.y), -rounded_down(-box->high.z)}};
}

aabb grid_box_at(const grid *g, int k)
{
    const grid_box *b = &g->boxes[k];
    return (aabb){ph_vec((double)b->low[0], (double)b->low[1], (double)b->low[2]),
                  ph_vec((double)b->high[0], (double)b->high[1], (double)b->high[2])};
}

static bool meets(const grid *g, int k, const aabb *box)
{
    const aabb own = grid_box_at(g, k);
    return aabb_meet(&own, box);
}

// ---- Cells ----------------------------------------------------------------------------------------------------------

static double extent_of(const aabb *box)
{
    const ph_vec3 d = ph_sub(box->high, box->low);
    return ph_max(d.x, ph_max(d.y, d.z));
}

static int level_of(const grid *g, double extent)
{
    int level = 0;
    for (double size = g->finest; size < extent && level < GRID_LEVELS - 1; size *= 2.0) level++;
    return level;
}

static double size_of(const grid *g, int level)
{
    return ldexp(g->finest, level);
}

// Cells far out share numbers; their boxes are told apart when they are looked at.
static int64_t cell_of(double x, double size)
{
    const double most = 1e15, cell = floor(x / size);
    return (int64_t)(cell > most ? most : cell < -most ? -most : cell);
}

// 19 bits of each coordinate, and the level; never 0.
static uint64_t key_of(int level, int64_t x, int64_t y, int64_t z)
{
    const uint64_t mask = (1u << 19) - 1;
    return ((uint64_t)x & mask) | ((uint64_t)y & mask) << 19 | ((uint64_t)z & mask) << 38 | (uint64_t)(level + 1) << 57;
}

static int level_of_key(uint64_t key)
{
    return (int)(key >> 57) - 1;
}

static int *bucket_of(const grid *g, uint64_t key)
{
    const uint64_t mixed = key * 0x9e3779b97f4a7c15u;
    return &g->head[(uint32_t)(mixed >> 32) & g->mask];
}

// ---- Boxes ----------------------------------------------------------------------------------------------------------

void grid_insert(grid *g, int k, aabb box)
{
    g->boxes[k] = rounded(&box);
    box = grid_box_at(g, k);
    const double extent = extent_of(&box);
    if (!(g->finest > 0.0)) g->finest = extent > 0.0 ? 1.5 * extent : 1.0;
    const int level = level_of(g, extent);
    const double size = size_of(g, level);
    const uint64_t key = key_of(level, cell_of(box.low.x, size), cell_of(box.low.y, size), cell_of(box.low.z, size));
    int *head = bucket_of(g, key);
    g->keys[k] = key;
    g->next[k] = *head;
    g->before[k] = GRID_NONE;
    if (*head != GRID_NONE) g->before[*head] = k;
    *head = k;
    g->held[level]++;
}

void grid_remove(grid *g, int k)
{
    if (g->next[k] != GRID_NONE) g->before[g->next[k]] = g->before[k];
    if (g->before[k] != GRID_NONE)
        g->next[g->before[k]] = g->next[k];
    else
        *bucket_of(g, g->keys[k]) = g->next[k];
    g->held[level_of_key(g->keys[k])]--;
    g->keys[k] = 0;
}

static void visit_all(const grid *g, int level, const aabb *box, grid_visitor *visit, void *user)
{
    for (int k = 0; k < g->count; k++)
        if (g->keys[k] && level_of_key(g->keys[k]) == level && meets(g, k, box)) visit(user, k);
}

static void visit_cell(const grid *g, uint64_t key, const aabb *box, grid_visitor *visit, void *user)
{
    for (int k = *bucket_of(g, key); k != GRID_NONE; k = g->next[k])
        if (g->keys[k] == key && meets(g, k, box)) visit(user, k);
}

static void visit_level(const grid *g, int level, const aabb *box, grid_visitor *visit, void *user)
{
    // the last level holds boxes of any size
    const double size = size_of(g, level), reach = level < GRID_LEVELS - 1 ? size : (double)INFINITY;
    const double low[3] = {box->low.x - reach, box->low.y - reach, box->low.z - reach};
    const double high[3] = {box->high.x, box->high.y, box->high.z};
    int64_t from[3], to[3];
    double cells = 1.0;
    for (int c = 0; c < 3; c++) {
        from[c] = cell_of(low[c], size);
        to[c] = cell_of(high[c], size);
        cells *= (double)(to[c] - from[c] + 1);
    }
    if (!(cells <= (double)g->held[level] + 27.0)) {
        visit_all(g, level, box, visit, user);
        return;
    }
    for (int64_t z = from[2]; z <= to[2]; z++)
        for (int64_t y = from[1]; y <= to[1]; y++)
            for (int64_t x = from[0]; x <= to[0]; x++) visit_cell(g, key_of(level, x, y, z), box, visit, user);
}

void grid_visit(const grid *g, const aabb *box, grid_visitor *visit, void *user)
{
    for (int level = 0; level < GRID_LEVELS; level++)
        if (g->held[level] > 0) visit_level(g, level, box, visit, user);
}
