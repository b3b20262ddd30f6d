#include "scheme_card.h"

CARD_SCHEME(scheme_moreau_gpu, card_machine_cuda, "gpu", "on the device gpu");
