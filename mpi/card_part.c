// The kernels' text on one rank, for its part of the scene.
#define CARD_PEERS "machine_peers.h"
#define CARD_MACHINE card_machine_part
#include "part.h"

#include "card_text.h"
