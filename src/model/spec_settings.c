// ph_spec: settings of contact and of what is recorded. Their arrays and strings are copied.

#include "model/spec.h"

#include <string.h>

enum { CONTACT_COOKIE = 0x434f4e54 };

ph_contact_pair ph_default_pair(void)
{
    return (ph_contact_pair){.body_a = PH_NONE,
                             .body_b = PH_NONE,
                             .collide = true,
                             .friction = -1.0,
                             .restitution = -1.0,
                             .rolling_friction = -1.0,
                             .spinning_friction = -1.0,
                             .compliance = -1.0};
}

ph_contact_settings ph_default_contact(void)
{
    return (ph_contact_settings){.cookie = CONTACT_COOKIE,
                                 .solver = "auto",
                                 .law = PH_LAW_COULOMB,
                                 .tolerance = 0.0,
                                 .iterations = 500,
                                 .missed = -1,
                                 .recovery_speed = 0.6};
}

// A copy of `count` elements; NULL when there are none or memory is out.
static void *copy_array(arena *memory, const void *from, int count, size_t size)
{
    void *copy = from && count > 0 ? arena_alloc_array(memory, (size_t)count, size) : NULL;
    return copy ? memcpy(copy, from, (size_t)count * size) : NULL;
}

ph_status ph_spec_set_contact(ph_spec *spec, const ph_contact_settings *settings)
{
    if (!spec || (settings && settings->cookie != CONTACT_COOKIE)) {
        return PH_BAD_ARGUMENT;
    }
    if (!settings) {
        spec->has_contact = false;
        return PH_OK;
    }
    ph_contact_settings copy = *settings;
    copy.solver = arena_copy_string(spec->memory, copy.solver ? copy.solver : "auto");
    copy.device = copy.device ? arena_copy_string(spec->memory, copy.device) : NULL;
    copy.pairs = copy_array(spec->memory, copy.pairs, copy.pair_count, sizeof *copy.pairs);
    if (!copy.solver || (settings->device && !copy.device) ||
        (settings->pair_count > 0 && settings->pairs && !copy.pairs)) {
        return PH_OUT_OF_MEMORY;
    }
    copy.pair_count = copy.pairs ? copy.pair_count : 0;
    spec->contact = copy;
    spec->has_contact = true;
    return PH_OK;
}

ph_status ph_spec_set_record(ph_spec *spec, const ph_record_settings *settings)
{
    if (!spec || !settings) {
        return PH_BAD_ARGUMENT;
    }
    ph_record_settings copy = *settings;
    copy.stress = copy_array(spec->memory, copy.stress, copy.stress_count, sizeof *copy.stress);
    if (settings->stress_count > 0 && settings->stress && !copy.stress) {
        return PH_OUT_OF_MEMORY;
    }
    copy.stress_count = copy.stress ? copy.stress_count : 0;
    spec->record = copy;
    return PH_OK;
}
