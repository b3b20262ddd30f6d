// What several machines do together (gpu/machine.h), by MPI: numbers of copies come along a star forest of PETSc's.
#ifndef MPI_MACHINE_PEERS_H
#define MPI_MACHINE_PEERS_H

#include "peers.h"

static void pick_up_copies(const peers *p, const char *from, size_t size)
{
    for (int k = 0; k < p->ghosts; k++) memcpy(p->before + (size_t)k * size, from + (size_t)p->ghost[k] * size, size);
}

static void compare_copies(const peers *p, const char *now, size_t size, int *changed)
{
    for (int k = 0; k < p->ghosts; k++)
        if (memcmp(p->before + (size_t)k * size, now + (size_t)p->ghost[k] * size, size) != 0) changed[p->ghost[k]] = 1;
}

static void machine_share(machine *m, void *of_bodies, size_t size, int *changed)
{
    peers *p = m->peers;
    if (!p) return;
    if (m->failure[0]) peers_give_up(p, m->failure);
    const MPI_Datatype type = peers_type_of(p, size);
    if (changed) pick_up_copies(p, of_bodies, size);
    if (PetscSFBcastBegin(p->copies, type, of_bodies, of_bodies, MPI_REPLACE) ||
        PetscSFBcastEnd(p->copies, type, of_bodies, of_bodies, MPI_REPLACE))
        peers_give_up(p, "the network gave up");
    if (changed) compare_copies(p, of_bodies, size, changed);
    p->traffic.sent += (double)size * p->edges;
    p->traffic.received += (double)size * p->ghosts;
    p->traffic.messages += p->neighbours;
}

static void machine_total(machine *m, int *numbers, int count)
{
    peers *p = m->peers;
    if (!p) return;
    MPI_Allreduce(MPI_IN_PLACE, numbers, count, MPI_INT, MPI_SUM, p->comm);
    p->traffic.waits++;
}

// Numbers of sums are whole multiples of one unit: exact in any order.
static void machine_combine(machine *m, double *number, bool largest)
{
    peers *p = m->peers;
    if (!p) return;
    MPI_Allreduce(MPI_IN_PLACE, number, 1, MPI_DOUBLE, largest ? MPI_MAX : MPI_SUM, p->comm);
    p->traffic.waits++;
}

// ---- Clusters -------------------------------------------------------------------------------------------------------

static int compare_names(const void *a, const void *b)
{
    const card_member *p = a, *q = b;
    if (p->shape_a != q->shape_a) return p->shape_a < q->shape_a ? -1 : 1;
    if (p->shape_b != q->shape_b) return p->shape_b < q->shape_b ? -1 : 1;
    return (p->feature > q->feature) - (p->feature < q->feature);
}

// Members that this rank counts, one after the other; the caller frees them.
static card_member *counted_members(const card_member *members, int count, int *own)
{
    card_member *list = malloc(((size_t)count + 1) * sizeof *list);
    *own = 0;
    for (int k = 0; k < count && list; k++)
        if (members[k].counted) list[(*own)++] = members[k];
    return list;
}

// What all ranks have listed; the caller frees it.
static void *all_of(peers *p, const void *own, int count, size_t size, int *all)
{
    int *bytes = malloc(2 * (size_t)p->count * sizeof *bytes), *start = bytes + p->count, sum = 0;
    const int mine = count * (int)size;
    if (!bytes) peers_give_up(p, "out of memory");
    MPI_Allgather(&mine, 1, MPI_INT, bytes, 1, MPI_INT, p->comm);
    for (int r = 0; r < p->count; sum += bytes[r++]) start[r] = sum;
    void *list = malloc((size_t)sum + 1);
    if (!list) peers_give_up(p, "out of memory");
    MPI_Allgatherv(own, mine, MPI_BYTE, list, bytes, start, MPI_BYTE, p->comm);
    free(bytes);
    *all = sum / (int)size;
    p->traffic.sent += (double)mine;
    p->traffic.received += (double)sum;
    p->traffic.waits += 2;
    return list;
}

// Every rank solves the clusters of all, which are few, and takes what is its own.
static void machine_settle(machine *m, card_settle *settle, void *user, card_member *members, int count,
                           double tolerance)
{
    peers *p = m->peers;
    int own = 0, all = 0;
    if (!p) {
        settle(user, members, count, tolerance);
        return;
    }
    card_member *mine = counted_members(members, count, &own);
    if (!mine) peers_give_up(p, "out of memory");
    card_member *list = all_of(p, mine, own, sizeof *mine, &all);
    settle(user, list, all, tolerance); // sorts them
    for (int k = 0; k < count; k++) {
        const card_member *it = bsearch(&members[k], list, (size_t)all, sizeof *list, compare_names);
        if (!it) continue;
        memcpy(members[k].x, it->x, sizeof it->x);
        members[k].solved = it->solved;
    }
    free(mine);
    free(list);
}

// ---- Contacts without a colour ------------------------------------------------------------------------------------------

// Every rank finds the levels of all, which are few, and takes those of its own.
static int machine_level(machine *m, card_rest *list, int count)
{
    peers *p = m->peers;
    if (!p) return rest_set_levels(list, count);
    card_rest *mine = malloc(((size_t)count + 1) * sizeof *mine);
    int own = 0, all = 0;
    if (!mine) peers_give_up(p, "out of memory");
    for (int k = 0; k < count; k++)
        if (list[k].counted) mine[own++] = list[k];
    card_rest *whole = all_of(p, mine, own, sizeof *mine, &all);
    const int levels = rest_set_levels(whole, all);
    if (levels < 0) peers_give_up(p, "out of memory");
    for (int k = 0; k < count; k++) {
        const card_rest *it = bsearch(&list[k], whole, (size_t)all, sizeof *whole, rest_compare_lots);
        list[k].level = it ? it->level : 0;
    }
    free(mine);
    free(whole);
    return levels;
}

#endif
