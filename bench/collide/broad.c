// Time of one update of the broad phase: the dynamic tree of the engine (no shape in its own grid) beside a sweep along one axis and a uniform grid, both
// written plainly here. All give the pairs of boxes that meet; the counts must agree.
#include "measure.h"

#include "base/memory.h"
#include "collide/broad.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 30 };

// ---- The tree -------------------------------------------------------------------------------------------------------

static bool all_pairs(const void *user, int a, int b)
{
    (void)user, (void)a, (void)b;
    return true;
}

static aabb with_room(const void *user, int k, const aabb *box)
{
    const double *room = user;
    return aabb_grow(*box, room[k]);
}

static long tree_pairs(broad *b, const aabb *boxes, const double *room)
{
    long meet = 0;
    if (!broad_update(b, boxes, with_room, all_pairs, room)) exit(1);
    for (int k = 0; k < b->pair_count; k++)
        meet += aabb_meet(&boxes[broad_first(b->pairs[k])], &boxes[broad_second(b->pairs[k])]);
    return meet;
}

// ---- Sweep along x: sorted by insertion, since the order hardly changes ---------------------------------------------

static long sweep_pairs(int *order, int n, const aabb *boxes)
{
    long meet = 0;
    for (int k = 1; k < n; k++) {
        const int it = order[k];
        int at = k;
        for (; at > 0 && boxes[order[at - 1]].low.x > boxes[it].low.x; at--) order[at] = order[at - 1];
        order[at] = it;
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n && boxes[order[j]].low.x <= boxes[order[i]].high.x; j++)
            meet += aabb_meet(&boxes[order[i]], &boxes[order[j]]);
    return meet;
}

// ---- Grid: cells as large as the largest box, each box in the cell of its middle, 14 cells looked at -------------------

typedef struct cell_list {
    int *cell_of, *start, *sorted, side;
    double low, cell;
} cell_list;

static int cell_at(const cell_list *g, double x)
{
    const int k = (int)floor((x - g->low) / g->cell);
    return k < 0 ? 0 : k >= g->side ? g->side - 1 : k;
}

static long cell_pairs(cell_list *g, int n, const aabb *boxes)
{
    const int s = g->side, cells = s * s * s;
    long meet = 0;
    for (int c = 0; c <= cells; c++) g->start[c] = 0;
    for (int i = 0; i < n; i++) {
        const int x = cell_at(g, 0.5 * (boxes[i].low.x + boxes[i].high.x));
        const int y = cell_at(g, 0.5 * (boxes[i].low.y + boxes[i].high.y));
        const int z = cell_at(g, 0.5 * (boxes[i].low.z + boxes[i].high.z));
        g->cell_of[i] = (z * s + y) * s + x;
        g->start[g->cell_of[i] + 1]++;
    }
    for (int c = 0; c < cells; c++) g->start[c + 1] += g->start[c];
    for (int i = n - 1; i >= 0; i--) g->sorted[--g->start[g->cell_of[i] + 1]] = i;
    // start[c + 1] is now where cell c begins
    for (int i = 0; i < n; i++) {
        const int x = g->cell_of[i] % s, y = g->cell_of[i] / s % s, z = g->cell_of[i] / s / s;
        for (int d = 0; d < 27; d++) {
            const int u = x + d % 3 - 1, v = y + d / 3 % 3 - 1, w = z + d / 9 - 1;
            if (u < 0 || v < 0 || w < 0 || u >= s || v >= s || w >= s) continue;
            const int c = (w * s + v) * s + u, end = c + 2 <= cells ? g->start[c + 2] : n;
            for (int k = g->start[c + 1]; k < end; k++)
                meet += g->sorted[k] > i && aabb_meet(&boxes[i], &boxes[g->sorted[k]]);
        }
    }
    return meet;
}

// ---- Scenes ---------------------------------------------------------------------------------------------------------

// n boxes about as dense as a heap, sizes from 1 to `ratio`, each going `speed` of its size in a step.
static void measure(const char *name, int n, double ratio, double speed)
{
    arena *memory = arena_create(NULL);
    broad b;
    aabb *boxes = malloc(sizeof *boxes * (size_t)n);
    double *room = malloc(sizeof *room * (size_t)n), *half = malloc(sizeof *half * (size_t)n), volume = 0.0, most = 0.0;
    ph_vec3 *at = malloc(sizeof *at * (size_t)n), *step = malloc(sizeof *step * (size_t)n);
    int *order = malloc(sizeof *order * (size_t)n);
    for (int i = 0; i < n; i++) {
        half[i] = 0.5 * pow(ratio, pow(uniform() + 0.5, 3.0)); // few large ones
        volume += pow(2.0 * half[i], 3.0);
        most = half[i] > most ? half[i] : most;
    }
    const double side = cbrt(volume / 0.6);
    cell_list g = {.side = (int)(side / (2.0 * most)) + 1, .low = -0.5 * side, .cell = 2.0 * most};
    g.cell_of = malloc(sizeof(int) * (size_t)n), g.sorted = malloc(sizeof(int) * (size_t)n);
    g.start = malloc(sizeof(int) * ((size_t)g.side * g.side * g.side + 2));
    for (int i = 0; i < n; i++) {
        order[i] = i;
        at[i] = ph_vec(side * uniform(), side * uniform(), side * uniform());
        step[i] = ph_scale(4.0 * half[i] * speed, ph_vec(uniform(), uniform(), uniform()));
        room[i] = 0.1 * half[i] + 2.0 * ph_norm(step[i]);
    }
    if (!broad_create(n, NULL, NULL, memory, &b)) exit(1);
    double time[3] = {0};
    long found[3] = {0};
    for (int k = 0; k <= STEPS; k++) {
        for (int i = 0; i < n; i++) {
            const ph_vec3 h = ph_vec(half[i], half[i], half[i]);
            at[i] = ph_madd(at[i], k % 20 < 10 ? 1.0 : -1.0, step[i]);
            boxes[i] = (aabb){ph_sub(at[i], h), ph_add(at[i], h)};
        }
        const double t0 = seconds();
        const long tree = tree_pairs(&b, boxes, room);
        const double t1 = seconds();
        const long sweep = sweep_pairs(order, n, boxes);
        const double t2 = seconds();
        const long cells = cell_pairs(&g, n, boxes);
        const double t3 = seconds();
        if (k == 0) continue; // the first sorts everything
        time[0] += t1 - t0, time[1] += t2 - t1, time[2] += t3 - t2;
        found[0] += tree, found[1] += sweep, found[2] += cells;
    }
    if (found[0] != found[1] || found[0] != found[2])
        printf("%ld %ld %ld pairs: they do not agree\n", found[0], found[1], found[2]);
    printf("| %s | %d | %ld | %.2f | %.2f | %.2f |\n", name, n, found[0] / STEPS, 1e3 * time[0] / STEPS,
           1e3 * time[1] / STEPS, 1e3 * time[2] / STEPS);
    broad_destroy(&b);
    arena_destroy(memory);
    void *all[] = {boxes, room, half, at, step, order, g.cell_of, g.sorted, g.start};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
}

int main(void)
{
    printf("| boxes | count | pairs | tree ms | sweep ms | grid ms |\n| --- | --- | --- | --- | --- | --- |\n");
    measure("equal, at rest", 1000, 1.0, 0.0);
    measure("equal, 1 % of their size a step", 1000, 1.0, 0.01);
    measure("equal, 20 %", 1000, 1.0, 0.2);
    measure("equal, at rest", 16000, 1.0, 0.0);
    measure("equal, 1 %", 16000, 1.0, 0.01);
    measure("equal, 20 %", 16000, 1.0, 0.2);
    measure("sizes 1 to 20, at rest", 16000, 20.0, 0.0);
    measure("sizes 1 to 20, 1 %", 16000, 20.0, 0.01);
    measure("sizes 1 to 20, 20 %", 16000, 20.0, 0.2);
    return 0;
}
