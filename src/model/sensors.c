// Sensors: their definitions in a spec. What they are in a model is sensors/.

#include "model/spec.h"

#include "math/quat.h"

#include <math.h>

enum { SENSOR_COOKIE = 0x53454e53 };

ph_sensor_def ph_default_sensor(void)
{
    return (ph_sensor_def){.cookie = SENSOR_COOKIE,
                           .body = PH_NONE,
                           .orientation = ph_quat_identity(),
                           .other = PH_NONE,
                           .joint = PH_NONE,
                           .tendon = PH_NONE,
                           .actuator = PH_NONE,
                           .limit_low = -INFINITY,
                           .limit_high = INFINITY};
}

int ph_spec_add_sensor(ph_spec *spec, const ph_sensor_def *def)
{
    if (!spec || !def || def->cookie != SENSOR_COOKIE) {
        return PH_NONE;
    }
    ph_sensor_def copy = *def;
    const char **texts[] = {&copy.name, &copy.type, &copy.expression};
    for (int k = 0; k < 3; k++) {
        const char *given = *texts[k];
        *texts[k] = arena_copy_string(spec->memory, given);
        if (given && !*texts[k]) {
            return PH_NONE;
        }
    }
    if (!mem_reserve(&spec->allocator, &spec->sensors, &spec->sensor_capacity, spec->sensor_count + 1,
                     sizeof *spec->sensors)) {
        return PH_NONE;
    }
    spec->sensors[spec->sensor_count] = copy;
    return spec->sensor_count++;
}
