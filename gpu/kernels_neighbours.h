// Which shapes may meet in this step: a grid of cells with levels, each twice as wide as the one below.
//
// A shape stands in one cell, that of the middle of its box, of the lowest level whose cells are as wide as the box. It meets
// shapes of its own level in the cells beside its own, and those of higher levels in the cells beside where it is there. Cells
// are found by a number made of level and place; several may have the same, so that what is found is compared cell by cell.
#ifndef CARD_KERNELS_NEIGHBOURS_H
#define CARD_KERNELS_NEIGHBOURS_H

#include "view.h"

typedef struct cell {
    int level, x, y, z;
} cell;

TEXT double cell_width(const card_view *a, int level)
{
    return a->base * (double)(1ull << level);
}

TEXT cell cell_of(const card_view *a, v3 middle, int level)
{
    const double s = 1.0 / cell_width(a, level);
    cell c = {level, (int)floor(s * middle.x), (int)floor(s * middle.y), (int)floor(s * middle.z)};
    return c;
}

TEXT int is_cell(cell a, cell b)
{
    return a.level == b.level && a.x == b.x && a.y == b.y && a.z == b.z;
}

TEXT uint32_t bucket_of(cell c, int buckets)
{
    const uint32_t k =
        (uint32_t)c.x + 40503u * (uint32_t)c.y + 73856093u * (uint32_t)c.z + 83492791u * (uint32_t)c.level;
    return k & (uint32_t)(buckets - 1);
}

TEXT v3 middle_of(const card_view *a, int shape)
{
    return scale(0.5, add(a->low[shape], a->high[shape]));
}

typedef struct placed {
    const card_kind *kind;
    v3 at;
    m3 R;
    int body;
} placed;

TEXT placed place_of(const card_view *a, int shape)
{
    placed s;
    s.kind = &a->kind[a->kind_of[shape]];
    s.body = a->body_of[shape];
    if (s.kind->type == CARD_SPHERE && s.kind->swing == 0.0) {
        s.at = a->position[s.body];
        s.R = s.kind->turn;
        return s;
    }
    const m3 R = rotation(a->orientation[s.body]);
    s.at = add(a->position[s.body], mul(R, s.kind->place));
    s.R = mat_mul(R, s.kind->turn);
    return s;
}

// How far a shape reaches from its middle along a unit vector
TEXT double reach_along(const placed *s, v3 n)
{
    const card_kind *k = s->kind;
    if (k->type == CARD_SPHERE) return k->radius;
    const v3 in = tmul(s->R, n);
    if (k->type == CARD_CAPSULE) return k->radius + fabs(in.z) * k->half_length;
    return fabs(in.x) * k->half.x + fabs(in.y) * k->half.y + fabs(in.z) * k->half.z;
}

TEXT int is_boundless(int type)
{
    return type == CARD_PLANE || type == CARD_TRIANGLE;
}

// The box where a shape may be until the end of the step, as collide/detector_boxes.c has it.
KERNEL(box_shapes)
{
    (void)p;
    const placed s = place_of(a, i);
    const card_kind *k = s.kind;
    const double half = a->margin > 0.0 ? 0.5 * a->margin : 0.005 * k->size;
    const double watched = k->moves ? half + a->h * a->fall : half;
    const double way = k->moves ? 2.0 * a->h * (norm(a->velocity[s.body]) + k->swing * norm(a->spin[s.body])) : 0.0;
    a->watched[i] = (float)watched;
    a->way[i] = (float)way;
    a->shape[i] = i;
    a->key[i] = (uint32_t)a->buckets; // behind all cells
    a->level[i] = -1;
    if (is_boundless(k->type)) return;
    const double grow = watched + 0.25 * way;
    const v3 reach = vec(reach_along(&s, vec(1.0, 0.0, 0.0)) + grow, reach_along(&s, vec(0.0, 1.0, 0.0)) + grow,
                         reach_along(&s, vec(0.0, 0.0, 1.0)) + grow);
    const v3 ahead = k->moves ? scale(a->h, a->velocity[s.body]) : vec(0.0, 0.0, 0.0);
    v3 low = sub(s.at, reach), high = add(s.at, reach);
    low = add(low, vec(smaller(ahead.x, 0.0), smaller(ahead.y, 0.0), smaller(ahead.z, 0.0)));
    high = add(high, vec(larger(ahead.x, 0.0), larger(ahead.y, 0.0), larger(ahead.z, 0.0)));
    a->low[i] = low;
    a->high[i] = high;
    const v3 extent = sub(high, low);
    const double most = larger(extent.x, larger(extent.y, extent.z));
    int level = 0;
    while (level < 30 && cell_width(a, level) < most) level++;
    a->level[i] = level;
    a->key[i] = bucket_of(cell_of(a, middle_of(a, i), level), a->buckets);
    atomic_or((uint32_t *)&a->counter[COUNT_LEVELS], 1u << level);
}

KERNEL(bound_cells)
{
    (void)p;
    const uint32_t key = a->key_sorted[i];
    if (key >= (uint32_t)a->buckets) return;
    if (i == 0 || a->key_sorted[i - 1] != key) a->cell_start[key] = i;
    if (i == a->shapes - 1 || a->key_sorted[i + 1] != key) a->cell_end[key] = i + 1;
}

TEXT int may_touch(const card_view *a, int s, int t)
{
    const card_kind *k = &a->kind[a->kind_of[s]], *l = &a->kind[a->kind_of[t]];
    return a->body_of[s] != a->body_of[t] && (k->moves || l->moves) && (k->group == 0 || k->group != l->group) &&
           (owns(a, a->body_of[s]) || owns(a, a->body_of[t]));
}

TEXT int boxes_meet(const card_view *a, int s, int t)
{
    const v3 *l = &a->low[s], *m = &a->low[t], *h = &a->high[s], *g = &a->high[t];
    return l->x <= g->x && m->x <= h->x && l->y <= g->y && m->y <= h->y && l->z <= g->z && m->z <= h->z;
}

typedef struct pair_out { // where pairs go; without a place they are counted alone
    int *a, *b;
    int count;
} pair_out;

TEXT void put_pair(pair_out *out, int s, int t)
{
    if (out->a) {
        out->a[out->count] = s < t ? s : t;
        out->b[out->count] = s < t ? t : s;
    }
    out->count++;
}

TEXT void find_in_cell(const card_view *a, int s, cell c, int own_level, int own_cell, pair_out *out)
{
    const uint32_t b = bucket_of(c, a->buckets);
    for (int k = a->cell_start[b]; k < a->cell_end[b]; k++) {
        const int t = a->sorted[k];
        if (a->level[t] != c.level || (own_level && own_cell && t <= s) || !boxes_meet(a, s, t)) continue;
        if (!is_cell(cell_of(a, middle_of(a, t), c.level), c) || !may_touch(a, s, t)) continue;
        put_pair(out, s, t);
    }
}

// On its own level half of the cells beside its own: the other half is found from there.
TEXT void find_on_level(const card_view *a, int s, int level, pair_out *out)
{
    const cell at = cell_of(a, middle_of(a, s), level);
    const int own = level == a->level[s];
    for (int k = own ? 13 : 0; k < 27; k++) {
        const cell c = {level, at.x + k % 3 - 1, at.y + k / 3 % 3 - 1, at.z + k / 9 - 1};
        find_in_cell(a, s, c, own, k == 13, out);
    }
}

TEXT void find_planes(const card_view *a, int s, pair_out *out)
{
    const placed shape = place_of(a, s);
    for (int k = 0; k < a->planes; k++) {
        const int t = a->plane[k];
        if (!may_touch(a, s, t)) continue;
        const placed plane = place_of(a, t);
        const v3 n = column(plane.R, 2);
        const double margin = (double)(a->watched[s] + a->way[s] + a->watched[t] + a->way[t]);
        if (dot(n, sub(shape.at, plane.at)) - reach_along(&shape, n) <= margin) put_pair(out, s, t);
    }
}

TEXT int is_near_triangle(const card_view *a, int s, int t)
{
    const v3 *c = &a->corner[3 * t], l = a->low[s], h = a->high[s];
    for (int k = 0; k < 3; k++) {
        const double x = entry(c[0], k), y = entry(c[1], k), z = entry(c[2], k);
        if (smaller(x, smaller(y, z)) > entry(h, k) || larger(x, larger(y, z)) < entry(l, k)) return 0;
    }
    return 1;
}

// Triangles stand in all cells that their boxes meet; each is taken in the first cell of both boxes.
TEXT void find_triangles(const card_view *a, int s, pair_out *out)
{
    const double w = 1.0 / a->triangle_cell;
    const v3 l = a->low[s], h = a->high[s];
    for (int x = (int)floor(w * l.x); x <= (int)floor(w * h.x); x++)
        for (int y = (int)floor(w * l.y); y <= (int)floor(w * h.y); y++)
            for (int z = (int)floor(w * l.z); z <= (int)floor(w * h.z); z++) {
                const cell c = {0, x, y, z};
                const uint32_t b = bucket_of(c, a->triangle_buckets);
                for (int k = a->triangle_start[b]; k < a->triangle_end[b]; k++) {
                    const int t = a->triangle_list[k];
                    const v3 *p = &a->corner[3 * t];
                    const v3 first = vec(larger(l.x, smaller(p[0].x, smaller(p[1].x, p[2].x))),
                                         larger(l.y, smaller(p[0].y, smaller(p[1].y, p[2].y))),
                                         larger(l.z, smaller(p[0].z, smaller(p[1].z, p[2].z))));
                    if ((int)floor(w * first.x) != x || (int)floor(w * first.y) != y || (int)floor(w * first.z) != z)
                        continue;
                    if (!is_near_triangle(a, s, t) || !may_touch(a, s, a->triangle_shape[t])) continue;
                    if (out->a) {
                        out->a[out->count] = s;
                        out->b[out->count] = a->shapes + t;
                    }
                    out->count++;
                }
            }
}

TEXT int find_all(const card_view *a, int s, pair_out out)
{
    const uint32_t levels = (uint32_t)a->counter[COUNT_LEVELS];
    const int own = a->level[s];
    if (own < 0) return 0;
    find_planes(a, s, &out);
    if (a->triangles > 0 && a->moves[a->body_of[s]]) find_triangles(a, s, &out);
    for (int level = own; level < 31; level++)
        if (levels >> level & 1u) find_on_level(a, s, level, &out);
    return out.count;
}

KERNEL(count_pairs)
{
    (void)p;
    const pair_out none = {NULL, NULL, 0};
    a->pair_count[i] = i < a->shapes ? find_all(a, a->sorted[i], none) : 0;
}

KERNEL(list_pairs)
{
    (void)p;
    const int at = a->pair_start[i];
    const pair_out out = {a->pair_a + at, a->pair_b + at, 0};
    if (a->pair_start[i + 1] > at) find_all(a, a->sorted[i], out);
}

#endif
