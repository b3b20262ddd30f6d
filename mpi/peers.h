// The ranks that share a scene: who has copies of whose bodies, and what has gone over the network.
#ifndef MPI_PEERS_H
#define MPI_PEERS_H

#include <petscsf.h>
#include <stdbool.h>
#include <stddef.h>

enum { PEERS_TYPES = 8 };

typedef struct peers_type { // so many bytes of a body
    size_t size;
    MPI_Datatype type;
} peers_type;

typedef struct peers_traffic {
    long long steps, divisions;
    double sent, received;  // bytes: of copies; what sums and counts take is a few bytes for each
    double divided;         // bytes of divisions, that this rank has sent or got
    double messages, waits; // waits: sums and counts of all ranks
} peers_traffic;

typedef struct peers {
    MPI_Comm comm;
    int rank, count;
    PetscSF copies;    // roots: bodies of this rank; leaves: its copies of others'
    int ghosts, edges; // copies here, and copies of ours elsewhere
    int neighbours;    // ranks that have those
    int *ghost;        // which bodies are copies
    char *before;      // their numbers, before new ones come
    peers_type types[PEERS_TYPES];
    peers_traffic traffic;
} peers;

// Owners, and numbers there, of the copies that this rank has from now on. All ranks at once.
void peers_connect(peers *p, int bodies, int ghosts, const int *ghost, const int *owner, const int *there);
void peers_disconnect(peers *p);
void peers_close(peers *p);
MPI_Datatype peers_type_of(peers *p, size_t size);

// Says what is wrong and ends all ranks: for what one rank alone finds, in the middle of a step.
_Noreturn void peers_give_up(const peers *p, const char *why);

// Memory, or the end of all ranks.
void *peers_take(const peers *p, size_t bytes);

// Any number of bytes from rank to rank; whoever gets them frees them.
void peers_send(peers *p, const void *from, size_t bytes, int to, int tag);
void *peers_get(peers *p, size_t *bytes, int from, int tag);

#endif
