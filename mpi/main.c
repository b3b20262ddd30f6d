// polhode-mpi: the program polhode on rank 0, and all ranks for its steps.
#include "entry.h"
#include "ranks.h"

#include <petscsys.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Commands that step heaps take the device of this program, unless they name another.
static bool steps_heaps(int count, char **arguments)
{
    if (count < 2 || (strcmp(arguments[1], "run") != 0 && strcmp(arguments[1], "bench") != 0)) return false;
    for (int k = 2; k < count; k++)
        if (strncmp(arguments[k], "--device", 8) == 0) return false;
    return true;
}

static int run(int count, char **arguments)
{
    char option[] = "--device", device[] = "mpi", **with = malloc(((size_t)count + 3) * sizeof *with);
    if (!with) return 1;
    memcpy(with, arguments, (size_t)count * sizeof *with);
    if (steps_heaps(count, arguments)) {
        with[count++] = option;
        with[count++] = device;
    }
    with[count] = NULL;
    const int status = polhode_main(count, with);
    free(with);
    return status;
}

int main(int count, char **arguments)
{
    int status = 2, rank;
    if (PetscInitializeNoArguments()) return 1;
    PetscPopSignalHandler(); // what the program itself does about signals
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    if (ranks_begin(POLHODE_MPI_VERSION)) {
        if (rank == 0) {
            status = run(count, arguments);
            fflush(NULL);
            ranks_end();
        } else {
            ranks_serve();
            status = 0;
        }
    }
    PetscFinalize();
    return status;
}
