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

static void multiply(unit *a, unit b, int power)
{
    a->factor = power < 0 ? a->factor / b.factor : a->factor * b.factor;
    a->of.length = (signed char)(a->of.length + power * b.of.length);
    a->of.mass = (signed char)(a->of.mass + power * b.of.mass);
    a->of.time = (signed char)(a->of.time + power * b.of.time);
    a->of.angle = (signed char)(a->of.angle + power * b.of.angle);
}

// The power behind a word, 1 to 4, with its sign: ^2, ^-1.
static void read_power(unit_reader *r, unit *u)
{
    const bool minus = r->at[0] == '^' && r->at[1] == '-';
    const char digit = r->at[0] == '^' ? r->at[1 + minus] : '\0';
    const unit one = *u;
    if (digit < '1' || digit > '4') {
        return;
    }
    *u = (unit){.factor = 1.0};
    for (int n = digit - '0'; n > 0; n--) {
        multiply(u, one, minus ? -1 : 1);
    }
    r->at += 2 + minus;
}

// A word, perhaps with a power: m^3. False, and nothing read, when it is no unit.
static bool read_word(unit_reader *r, unit *to)
{
    const char *word = r->at;
    size_t length = 0;
    while (is_letter(word[length])) {
        length++;
    }
    const char after = word[length];
    if (length == 0 || after == '_' || after == '.' || after == '(' || (after >= '0' && after <= '9')) {
        return false;
    }
    for (int k = 0; unit_names[k]; k++) {
        if (strlen(unit_names[k]) == length && strncmp(unit_names[k], word, length) == 0) {
            r->clash = !r->clash && r->is_name && r->is_name(r->with, word, (int)length) ? word : r->clash;
            r->at = word + length;
            *to = units[k];
            read_power(r, to);
            return true;
        }
    }
    return false;
}

static void skip_spaces(unit_reader *r)
{
    r->at += strspn(r->at, " ");
}

// What stands behind '/': a word, or a product in brackets.
static bool read_divisor(unit_reader *r, unit *to)
{
    r->at++;
    skip_spaces(r);
    if (*r->at != '(') {
        return read_word(r, to);
    }
    r->at++;
    skip_spaces(r);
    const bool read = unit_read(r, to);
    skip_spaces(r);
    return read && *r->at++ == ')';
}

// What stands behind '*'. A name is a factor of the formula, not a unit, and so is a second mass behind a mass: 3 kg*g.
static bool read_multiplier(unit_reader *r, const unit *before, unit *to)
{
    const char *clash = r->clash;
    r->at++;
    skip_spaces(r);
    const bool read = read_word(r, to) && r->clash == clash && !dimension_equal(to->of, before->of);
    r->clash = clash;
    return read;
}

bool unit_read(unit_reader *r, unit *to)
{
    if (!read_word(r, to)) {
        return false;
    }
    for (;;) {
        const char *const behind = r->at;
        unit next;
        skip_spaces(r);
        const bool over = *r->at == '/';
        if (over ? !read_divisor(r, &next)
                 : !(*r->at == '*' ? read_multiplier(r, to, &next) : r->at > behind && read_word(r, &next))) {
            r->at = behind;
            return true;
        }
        multiply(to, next, over ? -1 : 1);
    }
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
        {{1, 0, 0, 0}, "a length"},          {{0, 1, 0, 0}, "a mass"},       {{0, 0, 1, 0}, "a time"},
        {{0, 0, 0, 1}, "an angle"},          {{0, 0, 0, 0}, "an angle"},     {{1, 0, -1, 0}, "a speed"},
        {{0, 0, -1, 1}, "an angular speed"}, {{1, 1, -2, 0}, "a force"},     {{2, 1, -2, 0}, "a torque"},
        {{-3, 1, 0, 0}, "a density"},        {{3, 0, 0, 0}, "a volume"},     {{2, 1, 0, 0}, "an inertia"},
        {{1, 0, -2, 0}, "an acceleration"},  {{-1, 1, -2, 0}, "a pressure"}, {{2, 1, -3, 0}, "a power"},
        {{0, 0, -1, 0}, "an angular speed"},
    };
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (dimension_equal(names[k].of, d)) {
            return names[k].name;
        }
    }
    return NULL;
}
