#include "peers.h"

#include <stdio.h>
#include <stdlib.h>

void peers_disconnect(peers *p)
{
    if (p->copies) PetscSFDestroy(&p->copies);
    free(p->ghost);
    free(p->before);
    p->ghost = NULL;
    p->before = NULL;
    p->ghosts = p->edges = 0;
}

void peers_close(peers *p)
{
    peers_disconnect(p);
    for (int k = 0; k < PEERS_TYPES && p->types[k].size; k++) MPI_Type_free(&p->types[k].type);
}

// How many copies others have of our bodies, and how many others.
static void count_edges(peers *p, int bodies)
{
    const PetscInt *degree = NULL;
    const PetscMPIInt *ranks;
    PetscSFComputeDegreeBegin(p->copies, &degree);
    PetscSFComputeDegreeEnd(p->copies, &degree);
    for (int k = 0; k < bodies; k++) p->edges += (int)degree[k];
    PetscInt neighbours = 0;
    const PetscInt *offset, *from;
    PetscSFGetLeafRanks(p->copies, &neighbours, &ranks, &offset, &from);
    p->neighbours = (int)neighbours;
}

void peers_connect(peers *p, int bodies, int ghosts, const int *ghost, const int *owner, const int *there)
{
    PetscInt *local;
    PetscSFNode *remote;
    peers_disconnect(p);
    p->ghosts = ghosts;
    p->ghost = malloc(((size_t)ghosts + 1) * sizeof *p->ghost);
    p->before = malloc((size_t)ghosts * 64 + 1);
    if (!p->ghost || !p->before || PetscMalloc1(ghosts, &local) || PetscMalloc1(ghosts, &remote))
        peers_give_up(p, "out of memory");
    for (int k = 0; k < ghosts; k++) {
        p->ghost[k] = ghost[k];
        local[k] = ghost[k];
        remote[k] = (PetscSFNode){.rank = owner[k], .index = there[k]};
    }
    if (PetscSFCreate(p->comm, &p->copies) ||
        PetscSFSetGraph(p->copies, bodies, ghosts, local, PETSC_OWN_POINTER, remote, PETSC_OWN_POINTER) ||
        PetscSFSetUp(p->copies))
        peers_give_up(p, "PETSc makes no star forest");
    count_edges(p, bodies);
}

MPI_Datatype peers_type_of(peers *p, size_t size)
{
    for (int k = 0; k < PEERS_TYPES; k++) {
        peers_type *t = &p->types[k];
        if (t->size == size) return t->type;
        if (t->size) continue;
        t->size = size;
        MPI_Type_contiguous((int)(size / sizeof(int)), MPI_INT, &t->type);
        MPI_Type_commit(&t->type);
        return t->type;
    }
    peers_give_up(p, "more kinds of numbers than there is room for");
}

_Noreturn void peers_give_up(const peers *p, const char *why)
{
    fprintf(stderr, "polhode-mpi: rank %d of %d: %s\n", p->rank, p->count, why);
    MPI_Abort(p->comm, 1);
    abort();
}

void *peers_take(const peers *p, size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (!memory) peers_give_up(p, "out of memory");
    return memory;
}

void peers_send(peers *p, const void *from, size_t bytes, int to, int tag)
{
    const char *at = from;
    const long long size = (long long)bytes;
    MPI_Send(&size, 1, MPI_LONG_LONG, to, tag, p->comm);
    for (size_t k = 0; k < bytes; k += 1 << 30)
        MPI_Send(at + k, (int)(bytes - k < 1 << 30 ? bytes - k : 1 << 30), MPI_BYTE, to, tag, p->comm);
    p->traffic.divided += (double)bytes;
}

void *peers_get(peers *p, size_t *bytes, int from, int tag)
{
    long long size;
    MPI_Recv(&size, 1, MPI_LONG_LONG, from, tag, p->comm, MPI_STATUS_IGNORE);
    *bytes = (size_t)size;
    char *to = peers_take(p, *bytes);
    for (size_t k = 0; k < *bytes; k += 1 << 30)
        MPI_Recv(to + k, (int)(*bytes - k < 1 << 30 ? *bytes - k : 1 << 30), MPI_BYTE, from, tag, p->comm,
                 MPI_STATUS_IGNORE);
    p->traffic.divided += (double)*bytes;
    return to;
}
