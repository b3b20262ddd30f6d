// What the keys of a model file measure, so that a mass of 10 cm is a mistake and not 100 g.

#include "expression/expression.h"
#include "io/model/reader.h"
#include "io/model/units.h"

#include <string.h>

// Keys, what they measure, and what else: actuators and springs may act along a line or about one. What keys of joints measure
// follows from their coordinates (joint_units.c). Angles count as numbers.
#define LENGTH                                                                                                         \
    {                                                                                                                  \
        1, 0, 0, 0                                                                                                     \
    }
#define SPEED                                                                                                          \
    {                                                                                                                  \
        1, 0, -1, 0                                                                                                    \
    }
#define ANGULAR_SPEED                                                                                                  \
    {                                                                                                                  \
        0, 0, -1, 0                                                                                                    \
    }
#define FORCE                                                                                                          \
    {                                                                                                                  \
        1, 1, -2, 0                                                                                                    \
    }
#define TORQUE                                                                                                         \
    {                                                                                                                  \
        2, 1, -2, 0                                                                                                    \
    }
#define DENSITY                                                                                                        \
    {                                                                                                                  \
        -3, 1, 0, 0                                                                                                    \
    }
#define INERTIA                                                                                                        \
    {                                                                                                                  \
        2, 1, 0, 0                                                                                                     \
    }

typedef struct key_measure {
    const char *key, *name;
    dimension one, other;
} key_measure;

static const key_measure measures[] = {
    {"mass", "a mass", {0, 1, 0, 0}, {0, 1, 0, 0}},
    {"inertia", "an inertia", INERTIA, INERTIA},
    {"density", "a density", DENSITY, DENSITY},
    {"volume", "a volume", {3, 0, 0, 0}, {3, 0, 0, 0}},
    {"gravity", "an acceleration", {1, 0, -2, 0}, {1, 0, -2, 0}},
    {"velocity", "a speed", SPEED, SPEED},
    {"angular_velocity", "an angular speed", ANGULAR_SPEED, ANGULAR_SPEED},
    {"position", "a length", LENGTH, {0, 0, 0, 0}},
    {"com", "a length", LENGTH, LENGTH},
    {"anchor", "a length", LENGTH, LENGTH},
    {"anchor_a", "a length", LENGTH, LENGTH},
    {"anchor_b", "a length", LENGTH, LENGTH},
    {"point", "a length", LENGTH, LENGTH},
    {"point_a", "a length", LENGTH, LENGTH},
    {"point_b", "a length", LENGTH, LENGTH},
    {"radius", "a length", LENGTH, LENGTH},
    {"radii", "a length", LENGTH, LENGTH},
    {"size", "a length", LENGTH, LENGTH},
    {"points", "a length", LENGTH, LENGTH},
    {"range", "a length", LENGTH, LENGTH},
    {"length", "a length", LENGTH, {0, 0, 0, 0}},
    {"pitch", "a length per radian", LENGTH, LENGTH},
    {"angle", "an angle", {0, 0, 0, 0}, {0, 0, 0, 0}},
    {"angles", "an angle", {0, 0, 0, 0}, {0, 0, 0, 0}},
    {"stiffness", "a stiffness", {0, 1, -2, 0}, TORQUE},
    {"kp", "a stiffness", {0, 1, -2, 0}, TORQUE},
    {"damping", "a damping", {0, 1, -1, 0}, {2, 1, -1, 0}},
    {"kd", "a damping", {0, 1, -1, 0}, {2, 1, -1, 0}},
    {"force", "a force", FORCE, FORCE},
    {"torque", "a torque", TORQUE, TORQUE},
    {"tension", "a force", FORCE, FORCE},
    {"step", "a time", {0, 0, 1, 0}, {0, 0, 1, 0}},
    {"until", "a time", {0, 0, 1, 0}, {0, 0, 1, 0}},
    {"time", "a time", {0, 0, 1, 0}, {0, 0, 1, 0}},
    {"delay", "a time", {0, 0, 1, 0}, {0, 0, 1, 0}},
};

static const key_measure *find_measure(const char *key)
{
    for (size_t k = 0; k < sizeof measures / sizeof measures[0]; k++) {
        if (strcmp(measures[k].key, key) == 0) {
            return &measures[k];
        }
    }
    return NULL;
}

// The unit of a number that stands alone: -10 cm. Of formulas it is not looked for.
static bool find_unit(const char *text, unit *to)
{
    const char *number = text + strspn(text, " +-"), *end;
    expression_number(number, &end);
    unit_reader r = {.at = end + strspn(end, " ")};
    return end > number && unit_read(&r, to) && r.at[strspn(r.at, " ")] == '\0';
}

// Whether it has no unit, or one that fits; what it has then.
static bool fits(const char *text, const key_measure *m, const char **found)
{
    unit u;
    if (!find_unit(text, &u)) {
        return true;
    }
    u.of.angle = 0;
    *found = dimension_name(u.of);
    return dimension_equal(u.of, m->one) || dimension_equal(u.of, m->other);
}

bool measures_text(const char *text, const measure *m)
{
    const char *found;
    return fits(text, &(key_measure){NULL, m->name, m->of, m->of}, &found);
}

static bool check_text(reader *r, const node *n, const key_measure *m)
{
    const char *found;
    if (fits(n->text, m, &found)) {
        return true;
    }
    return found ? fail(r, n, NULL, "'%.40s' is %s, expected %s", n->text, found, m->name)
                 : fail(r, n, NULL, "'%.40s' is not %s", n->text, m->name);
}

static bool check_all(reader *r, const node *n, const key_measure *m)
{
    bool good = n->kind != NODE_SCALAR || check_text(r, n, m);
    for (int i = 0; n->kind == NODE_LIST && i < n->count; i++) {
        good = check_all(r, n->entries[i].value, m) && good;
    }
    return good;
}

bool check_measure(reader *r, const node *n, const measure *m)
{
    return check_all(r, n, &(key_measure){NULL, m->name, m->of, m->of});
}

bool check_units(reader *r, const char *key, const node *value)
{
    const key_measure *m = find_measure(key);
    return !m || check_all(r, value, m);
}
