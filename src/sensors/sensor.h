// Sensors: what a type is, and what it sees.
#ifndef PH_SENSORS_SENSOR_H
#define PH_SENSORS_SENSOR_H

#include "model/state.h"

// Keys that a type takes beyond name and type, one bit each, and what it needs to be known.
enum {
    SENSOR_FRAME = 1 << 0,      // site, or body, position and orientation
    SENSOR_BODY = 1 << 1,       // body, and maybe another
    SENSOR_JOINT = 1 << 2,      // joint
    SENSOR_COORDINATE = 1 << 3, // ... with a coordinate
    SENSOR_TENDON = 1 << 4,
    SENSOR_ACTUATOR = 1 << 5,
    SENSOR_RANGE = 1 << 6,
    SENSOR_VALUE = 1 << 7,
    SENSOR_ACCELERATIONS = 1 << 8, // of bodies, from the equations of motion
    SENSOR_REACTIONS = 1 << 9,     // of joints
    SENSOR_TIME = 1 << 10,
    SENSOR_LIMITS = 1 << 11,
};

// What a sensor with a memory keeps in ph_state.inputs from `held` on: its reading, the value since then, the time, whether it has begun.
enum { SENSOR_HELD_INPUT = 1, SENSOR_HELD_TIME = 2, SENSOR_HELD_BEGUN = 3, SENSOR_HELD_NUMBERS = 4 };

// All that a sensor may look at.
typedef struct sensor_view {
    const ph_model *model;
    const ph_state *state;
    const motion *at;
    const ph_twist *accelerations; // NULL: nobody needs them
    const ph_wrench *reactions;    // likewise
    // The nearest surface of other bodies along a ray from `from`; infinite: nothing is there.
    double (*look)(void *eyes, const motion *at, int own_body, ph_vec3 from, ph_vec3 along, double range);
    void *eyes;
} sensor_view;

struct sensor_type {
    const char *name, *title;
    unsigned keys;
    int count;
    const char *columns[PH_SENSOR_VALUES], *units[PH_SENSOR_VALUES];
    void (*read)(const sensor *s, const sensor_view *v, double *to);
    // With a memory: what it reads so much later, before limits. NULL: it has none.
    double (*go_on)(const sensor *s, const double *held, double after);
};

extern const sensor_type *const sensor_types[]; // registry.c, ends with NULL

// Reading of a sensor with a memory, and what it remembers of the step that begins.
void sensor_read_kept(const sensor *s, const sensor_view *v, double *to); // observe.c
// ---- What frame sensors share ---------------------------------------------------------------------------------------

static inline ph_vec3 sensor_arm(const sensor *s, const sensor_view *v)
{
    return ph_mul(v->at->frames[s->body].R, s->at);
}

// A vector in body axes, in the axes of the sensor.
static inline ph_vec3 sensor_axes(const sensor *s, ph_vec3 in_body)
{
    return ph_quat_rotate(ph_quat_conj(s->turn), in_body);
}

static inline void sensor_put(double *to, ph_vec3 x)
{
    to[0] = x.x, to[1] = x.y, to[2] = x.z;
}

#define SENSOR_XYZ                                                                                                     \
    {                                                                                                                  \
        "x", "y", "z"                                                                                                  \
    }
#define SENSOR_UNIT3(unit)                                                                                             \
    {                                                                                                                  \
        unit, unit, unit                                                                                               \
    }

#endif
