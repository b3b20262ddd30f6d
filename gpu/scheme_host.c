#include "scheme_card.h"

CARD_SCHEME(scheme_moreau_host, card_machine_host, "host", "on the device host");
