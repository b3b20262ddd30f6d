#include "io/model/units.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

// name, factor, m, kg, s, angle. No unit is called t: that is the time.
#define UNITS(X)                                                                                                       \
    X(um, 1e-6, 1, 0, 0, 0)                                                                                            \
    X(mm, 1e-3, 1, 0, 0, 0)                                                                                            \
    X(cm, 1e-2, 1, 0, 0, 0)                                                                                            \
    X(dm, 1e-1, 1, 0, 0, 0)                                                                                            \
    X(m, 1.0, 1, 0, 0, 0)                                                                                              \
    X(km, 1e3, 1, 0, 0, 0)                                                                                             \
    X(in, 0.0254, 1, 0, 0, 0)                                                                                          \
    X(ft, 0.3048, 1, 0, 0, 0)                                                                                          \
    X(mg, 1e-6, 0, 1, 0, 0)                                                                                            \
    X(g, 1e-3, 0, 1, 0, 0)                                                                                             \
    X(kg, 1.0, 0, 1, 0, 0)                                                                                             \
    X(lb, 0.45359237, 0, 1, 0, 0)                                                                                      \
    X(us, 1e-6, 0, 0, 1, 0)                                                                                            \
    X(ms, 1e-3, 0, 0, 1, 0)                                                                                            \
    X(s, 1.0, 0, 0, 1, 0)                                                                                              \
    X(min, 60.0, 0, 0, 1, 0)                                                                                           \
    X(h, 3600.0, 0, 0, 1, 0)                                                                                           \
    X(mrad, 1e-3, 0, 0, 0, 1)                                                                                          \
    X(rad, 1.0, 0, 0, 0, 1)                                                                                            \
    X(deg, PI / 180.0, 0, 0, 0, 1)                                                                                     \
    X(rev, 2.0 * PI, 0, 0, 0, 1)                                                                                       \
    X(rpm, PI / 30.0, 0, 0, -1, 1)                                                                                     \
    X(mN, 1e-3, 1, 1, -2, 0)                                                                                           \
    X(N, 1.0, 1, 1, -2, 0)                                                                                             \
    X(kN, 1e3, 1, 1, -2, 0)                                                                                            \
    X(Nm, 1.0, 2, 1, -2, 0)                                                                                            \
    X(kNm, 1e3, 2, 1, -2, 0)                                                                                           \
    X(Pa, 1.0, -1, 1, -2, 0)                                                                                           \
    X(kPa, 1e3, -1, 1, -2, 0)                                                                                          \
    X(MPa, 1e6, -1, 1, -2, 0)                                                                                          \
    X(GPa, 1e9, -1, 1, -2, 0)                                                                                          \
    X(J, 1.0, 2, 1, -2, 0)                                                                                             \
    X(kJ, 1e3, 2, 1, -2, 0)                                                                                            \
    X(W, 1.0, 2, 1, -3, 0)                                                                                             \
    X(kW, 1e3, 2, 1, -3, 0)

#define UNIT_NAME(name, factor, m, kg, s, angle) #name,
const char *const unit_names[] = {UNITS(UNIT_NAME) NULL};

#define UNIT_VALUE(name, factor, m, kg, s, angle) {factor, {m, kg, s, angle}},
static const unit units[] = {UNITS(UNIT_VALUE)};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A word, perhaps with a power: m^3. `end` stays at `text` when it is no unit.
static unit parse_word(const char *text, const char **end)
{
    size_t length = 0;
    *end = text;
    while (is_letter(text[length])) {
        length++;
    }
    const char after = text[length];
    if (length == 0 || after == '_' || after == '.' || after == '(' || (after >= '0' && after <= '9')) {
        return (unit){0};
    }
    for (int k = 0; unit_names[k]; k++) {
        if (strlen(unit_names[k]) != length || strncmp(unit_names[k], text, length) != 0) {
            continue;
        }
        unit u = units[k];
        *end = text + length;
        if (text[length] == '^' && text[length + 1] >= '2' && text[length + 1] <= '4') {
            const int power = text[length + 1] - '0';
            for (int n = 1; n < power; n++) {
                u.factor *= units[k].factor;
            }
            u.of = (dimension){(signed char)(power * u.of.length), (signed char)(power * u.of.mass),
                               (signed char)(power * u.of.time), (signed char)(power * u.of.angle)};
            *end += 2;
        }
        return u;
    }
    return (unit){0};
}

unit unit_parse(const char *text, const char **end)
{
    unit all = parse_word(text, end);
    while (*end > text && **end == '/') {
        const char *next;
        const unit under = parse_word(*end + 1, &next);
        if (next == *end + 1) {
            break;
        }
        all.factor /= under.factor;
        all.of.length = (signed char)(all.of.length - under.of.length);
        all.of.mass = (signed char)(all.of.mass - under.of.mass);
        all.of.time = (signed char)(all.of.time - under.of.time);
        all.of.angle = (signed char)(all.of.angle - under.of.angle);
        *end = next;
    }
    return all;
}

bool dimension_equal(dimension a, dimension b)
{
    return a.length == b.length && a.mass == b.mass && a.time == b.time && a.angle == b.angle;
}

const char *dimension_name(dimension d)
{
    static const struct {
        dimension of;
        const char *name;
    } names[] = {
        {{1, 0, 0, 0}, "a length"},     {{0, 1, 0, 0}, "a mass"},     {{0, 0, 1, 0}, "a time"},
        {{0, 0, 0, 1}, "an angle"},     {{1, 0, -1, 0}, "a speed"},   {{0, 0, -1, 1}, "an angular speed"},
        {{1, 1, -2, 0}, "a force"},     {{2, 1, -2, 0}, "a torque"},  {{-3, 1, 0, 0}, "a density"},
        {{3, 0, 0, 0}, "a volume"},     {{2, 1, 0, 0}, "an inertia"}, {{1, 0, -2, 0}, "an acceleration"},
        {{-1, 1, -2, 0}, "a pressure"}, {{2, 1, -3, 0}, "a power"},
    };
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (dimension_equal(names[k].of, d)) {
            return names[k].name;
        }
    }
    return NULL;
}
