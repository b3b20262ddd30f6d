// Contacts of bodies that have more of them than there are colours: those that found none.
//
// They get a level each, one above the highest that a contact of one of their bodies has already, in the order of their lots:
// contacts of one level share no body, and levels follow from who touches, whatever machine looks. A body with a thousand
// contacts has a thousand levels; so many there must be where contacts are solved one after the other.
#ifndef CARD_REST_H
#define CARD_REST_H

#include <stdint.h>
#include <stdlib.h>

typedef struct card_rest {
    uint64_t lot;
    int contact, level;
    int a, b;    // names of bodies; -1: it cannot move
    int counted; // this machine has it, not only a copy
    int unused;
} card_rest;

static int rest_compare_lots(const void *x, const void *y)
{
    const card_rest *p = (const card_rest *)x, *q = (const card_rest *)y;
    if (p->lot != q->lot) return p->lot < q->lot ? -1 : 1;
    return p->a != q->a ? (p->a < q->a ? -1 : 1) : (p->b > q->b) - (p->b < q->b);
}

static inline int rest_compare_levels(const void *x, const void *y)
{
    const card_rest *p = (const card_rest *)x, *q = (const card_rest *)y;
    return p->level != q->level ? (p->level < q->level ? -1 : 1) : rest_compare_lots(x, y);
}

static int rest_compare_names(const void *x, const void *y)
{
    return (*(const int *)x > *(const int *)y) - (*(const int *)x < *(const int *)y);
}

// Where a body has got to; NULL for one that cannot move.
static int *rest_level_of(int body, const int *names, int *levels, int count)
{
    if (body < 0) return NULL;
    const int *at = (const int *)bsearch(&body, names, (size_t)count, sizeof *names, rest_compare_names);
    return levels + (at - names);
}

static int rest_names(const card_rest *list, int count, int *names)
{
    int n = 0, kept = 0;
    for (int k = 0; k < count; k++) {
        if (list[k].a >= 0) names[n++] = list[k].a;
        if (list[k].b >= 0) names[n++] = list[k].b;
    }
    qsort(names, (size_t)n, sizeof *names, rest_compare_names);
    for (int k = 0; k < n; k++)
        if (k == 0 || names[k] != names[k - 1]) names[kept++] = names[k];
    return kept;
}

// Sorts all that there are by lot and sets their levels. Returns how many levels there are; -1: out of memory.
static inline int rest_set_levels(card_rest *list, int count)
{
    int *names = (int *)malloc(4 * ((size_t)count + 1) * sizeof *names), most = 0;
    if (!names) return -1;
    int *levels = names + 2 * count;
    const int bodies = rest_names(list, count, names);
    for (int k = 0; k < bodies; k++) levels[k] = 0;
    qsort(list, (size_t)count, sizeof *list, rest_compare_lots);
    for (int k = 0; k < count; k++) {
        int *a = rest_level_of(list[k].a, names, levels, bodies), *b = rest_level_of(list[k].b, names, levels, bodies);
        const int level = a && (!b || *a > *b) ? *a : b ? *b : 0;
        list[k].level = level;
        if (a) *a = level + 1;
        if (b) *b = level + 1;
        most = level + 1 > most ? level + 1 : most;
    }
    free(names);
    return most;
}

#endif
