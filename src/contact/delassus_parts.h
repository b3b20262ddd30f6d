// What the parts of the Delassus operator share: delassus.c (rows, products), delassus_joined.c (bodies that joints hold),
// delassus_matrix.c (single entries, the whole matrix).
#ifndef PH_CONTACT_DELASSUS_PARTS_H
#define PH_CONTACT_DELASSUS_PARTS_H

#include "contact/delassus.h"

static inline bool delassus_reserve(delassus *d, void *array, int *room, size_t count, size_t size)
{
    if (count > INT32_MAX) return false;
    d->growths += (int)count > *room;
    return mem_reserve(&d->model->allocator, array, room, (int)count, size);
}

#define RESERVE(d, array, count)                                                                                       \
    delassus_reserve(d, &(d)->array, &(d)->array##_room, (size_t)(count), sizeof *(d)->array)

// ---- Items: contacts, then stops ------------------------------------------------------------------------------------

// Row r of an item as what it does to its body b or a.
static inline screw row_of(const delassus *d, int item, int r, bool is_b)
{
    if (item >= d->contact_count) {
        const stop_row *s = &d->stops[item - d->contact_count];
        return is_b ? s->on_b : s->on_a;
    }
    const contact_rows *c = &d->contacts[item];
    const bool last_is_spin = r == 5 || (r == 3 && !c->rolls);
    const ph_vec3 t = c->axes[r < 3 ? r : last_is_spin ? 0 : r - 2];
    const ph_vec3 signed_t = is_b ? t : ph_neg(t);
    if (r >= 3) return (screw){signed_t, ph_zero3()};
    return (screw){ph_cross(is_b ? c->arm_b : c->arm_a, signed_t), signed_t};
}

static inline int body_of(const delassus *d, int item, bool is_b)
{
    if (item < d->contact_count) return is_b ? d->contacts[item].b : d->contacts[item].a;
    const stop_row *s = &d->stops[item - d->contact_count];
    return is_b ? s->b : s->a;
}

static inline int rows_of(const delassus *d, int item)
{
    return item < d->contact_count ? d->contacts[item].count : 1;
}

static inline int first_of(const delassus *d, int item)
{
    return item < d->contact_count ? d->contacts[item].first : d->stops[item - d->contact_count].first;
}

static inline double dot_screw(const screw *a, const screw *b)
{
    return ph_dot(a->angular, b->angular) + ph_dot(a->linear, b->linear);
}

// ---- delassus_joined.c ----------------------------------------------------------------------------------------------

void delassus_find_groups(const ph_model *model, delassus *d); // numbers the sets of bodies that joints connect
bool delassus_make_blocks(delassus *d);                        // false: out of memory
void delassus_solve_joined(delassus *d);                       // twist <- M~^-1 wrench of joined bodies

// The block of M~^-1 between two held bodies of one group; NULL when it is not kept.
static inline double *block_of(const delassus *d, int p, int q)
{
    const joined_group *g = &d->joined.groups[d->joined.group[p]];
    const size_t row = (size_t)d->joined.held_at[p], column = (size_t)d->joined.held_at[q], n = (size_t)g->count;
    if (d->joined.has_all_blocks) return d->joined.blocks + 36 * (g->blocks + row * n + column);
    return p == q ? d->joined.blocks + 36 * (g->blocks + row) : NULL;
}

// ---- delassus_matrix.c ----------------------------------------------------------------------------------------------

void delassus_diagonal(void *self, int first, int rows, double *block);
const ph_cone_matrix *delassus_matrix(void *self); // made when asked for; NULL: too large, or out of memory

#endif
