#include "ranks.h"
#include "scheme_card.h"

CARD_SCHEME(scheme_moreau_mpi, card_machine_ranks, "mpi", "on all ranks of MPI");
