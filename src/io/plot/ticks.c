// Ticks. A tick of a linear axis is an integer times a power of ten, value = k 10^e with the step 1, 2 or 5 times 10^e,
// so that its label is written digit by digit and never shows the rounding of a product.

#include "io/plot/ticks.h"

#include "math/trig.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const char MINUS[] = "\xE2\x88\x92"; // U+2212
static const char TIMES[] = "\xC3\x97";     // U+00D7
static const int LONGEST = 5;               // digits of a label before a common offset or power is taken out
static const double LOG10_E = 0.43429448190325182765;

double ticks_log10(double x)
{
    return LOG10_E * ph_log(x);
}

// 10^e without rounding for |e| <= 22.
static double power_of_ten(int e)
{
    double value = 1.0;
    for (int i = 0; i < (e < 0 ? -e : e); i++) value *= 10.0;
    return e < 0 ? (e < -300 ? ph_pow(10.0, e) : 1.0 / value) : value;
}

static double scaled(double k, int e)
{
    return e < 0 && e >= -300 ? k / power_of_ten(-e) : k * power_of_ten(e);
}

// ---- Labels ---------------------------------------------------------------------------------------------------------

static void append(char *text, size_t size, const char *more)
{
    const size_t length = strlen(text), extra = strlen(more);
    if (length + extra < size) memcpy(text + length, more, extra + 1);
}

static int digit_count(int64_t k)
{
    int count = 1;
    for (; k > 9 || k < -9; k /= 10) count++;
    return count;
}

// Appends k 10^e as a decimal number: (-25, -3) -> -0.025
static void append_decimal(char *text, size_t size, int64_t k, int e)
{
    char digits[24] = {0}, digit[2] = {0};
    uint64_t rest = k < 0 ? 0u - (uint64_t)k : (uint64_t)k;
    const int count = digit_count(k);
    for (int i = count; i-- > 0; rest /= 10) digits[i] = (char)('0' + rest % 10);
    const int point = k == 0 ? 1 : count + e; // digits before it
    if (k < 0) append(text, size, MINUS);
    if (point <= 0) append(text, size, "0");
    for (int i = point < 0 ? point : 0; i < count || i < point; i++) {
        if (i == point) append(text, size, ".");
        digit[0] = i >= 0 && i < count ? digits[i] : '0';
        append(text, size, digit);
    }
}

static void append_power(char *text, size_t size, int e)
{
    append(text, size, "10^{");
    append_decimal(text, size, e, 0);
    append(text, size, "}");
}

// ---- Linear axes ----------------------------------------------------------------------------------------------------

typedef struct steps {
    int64_t first, last; // multiples of the step inside the axis
    int unit;            // the step is unit 10^e, unit 1, 2 or 5
    int e;
} steps;

static steps make_steps(double low, double high, int unit, int e)
{
    const double step = scaled(unit, e), slack = 1e-6;
    return (steps){(int64_t)ceil(low / step - slack), (int64_t)floor(high / step + slack), unit, e};
}

// The smallest step that gives no more than `wanted` labels, or the one before where that leaves a single label.
static steps choose_steps(double low, double high, int wanted)
{
    const double half = 0.5 * high - 0.5 * low; // of the span, which itself may overflow
    steps before = {0};
    for (int e = (int)floor(ticks_log10(half / (wanted + 1))) - 1;; e++)
        for (int i = 0; i < 3; i++) {
            static const int units[] = {1, 2, 5};
            if (half / scaled(units[i], e) > wanted + 1) continue; // far too many: they might not fit an integer
            const steps s = make_steps(low, high, units[i], e);
            if (s.last - s.first < wanted) return s.last > s.first || !before.unit ? s : before;
            before = s;
        }
}

// What is subtracted from every label: the leading digits that all of them share, in multiples of 10^e.
static int64_t common_offset(const steps *s)
{
    const int64_t a = s->first * s->unit, b = s->last * s->unit;
    if (digit_count(a) <= LONGEST && digit_count(b) <= LONGEST) return 0;
    int64_t round = 1;
    while (round < b - a) round *= 10;
    return (a < 0 ? (a - round + 1) : a) / round * round;
}

static void add_tick(ticks *out, double value, bool major)
{
    if (out->count < TICKS_MAX) out->list[out->count++] = (tick){.value = value, .major = major};
}

// Four or five parts: 0.2, 0.5, 1 of a step of 1, 2, 5.
static void add_minor(ticks *out, const steps *s, double low, double high)
{
    const int parts = s->unit == 2 ? 4 : 5;
    const double step = scaled(s->unit, s->e);
    for (int64_t k = (s->first - 1) * parts; k < (s->last + 1) * parts; k++) {
        const double value = (double)k * (step / parts);
        if (k % parts && value >= low && value <= high) add_tick(out, value, false);
    }
}

void ticks_linear(double low, double high, int wanted, ticks *out)
{
    const steps s = choose_steps(low, high, wanted < 2 ? 2 : wanted);
    const int64_t offset = common_offset(&s);
    const int64_t a = s.first * s.unit - offset, b = s.last * s.unit - offset;
    const int64_t largest = (a < 0 ? -a : a) > (b < 0 ? -b : b) ? a : b;
    const int magnitude = digit_count(largest) - 1 + s.e;
    const int power = magnitude >= LONGEST || magnitude <= -4 ? magnitude : 0;
    memset(out, 0, sizeof *out);
    for (int64_t k = s.first; k <= s.last; k++) {
        add_tick(out, scaled((double)(k * s.unit), s.e), true);
        append_decimal(out->list[out->count - 1].label, TICK_LABEL, k * s.unit - offset, s.e - power);
    }
    add_minor(out, &s, low, high);
    if (power) {
        append(out->note, TICK_NOTE, TIMES);
        append_power(out->note, TICK_NOTE, power);
    }
    if (offset) {
        append(out->note, TICK_NOTE, offset < 0 ? " " : power ? " + " : "+ ");
        const int shown = digit_count(offset) - 1 + s.e;
        const bool plain = shown < 9 && shown > -4;
        int64_t k = offset;
        int e = s.e;
        for (; k % 10 == 0; e++) k /= 10; // 5435600000 10^-9 -> 54356 10^-4
        append_decimal(out->note, TICK_NOTE, k, plain ? e : e - shown);
        if (!plain) {
            append(out->note, TICK_NOTE, TIMES);
            append_power(out->note, TICK_NOTE, shown);
        }
    }
}

// ---- Log axes -------------------------------------------------------------------------------------------------------

// Powers of ten, `stride` decades apart, with 2 to 9 (2 and 5 where it is narrow) or some of the decades left out as
// minor ticks.
static void add_decades(ticks *out, int first, int last, int stride, bool narrow, double low, double high)
{
    const int part = stride <= 5 ? 1 : stride / 5;
    for (int e = first - 1; e <= last; e++) {
        const bool major = e >= first && e % stride == 0;
        if (e >= first && e % part == 0) add_tick(out, scaled(1.0, e), major);
        if (major) append_power(out->list[out->count - 1].label, TICK_LABEL, e);
        for (int k = 2; k < 10 && stride == 1; k++) {
            const double value = scaled(k, e);
            if (narrow && k != 2 && k != 5) continue;
            if (value >= low && value <= high) add_tick(out, value, false);
        }
    }
}

static int choose_stride(int first, int last, int wanted)
{
    static const int strides[] = {1, 2, 3, 4, 5, 10, 20, 25, 50, 100, 200};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        int labels = 0;
        for (int e = first; e <= last; e++) labels += e % strides[i] == 0;
        if (labels <= wanted) return strides[i];
    }
    return 500;
}

// 0.005, or 5x10^-6 where the decimal number would be long
static void append_digit(char *label, int k, int e, bool plain)
{
    if (plain) {
        append_decimal(label, TICK_LABEL, k, e);
        return;
    }
    if (k > 1) {
        append_decimal(label, TICK_LABEL, k, 0);
        append(label, TICK_LABEL, TIMES);
    }
    append_power(label, TICK_LABEL, e);
}

// Digits 1 to 9 of every decade; those of which bit k is set in `labels` are major.
static int add_digits(ticks *out, int first, int last, unsigned labels, double low, double high)
{
    int count = 0;
    for (int e = first - 1; e <= last; e++)
        for (int k = 1; k < 10; k++) {
            const double value = scaled(k, e);
            const bool major = labels >> k & 1u;
            if (value < low * (1.0 - 1e-9) || value > high * (1.0 + 1e-9)) continue;
            count += major;
            add_tick(out, value, major);
            if (!major) continue;
            append_digit(out->list[out->count - 1].label, k, e, first > -5 && last < LONGEST);
        }
    return count;
}

void ticks_log(double low, double high, int wanted, ticks *out)
{
    const int first = (int)ceil(ticks_log10(low) - 1e-9), last = (int)floor(ticks_log10(high) + 1e-9);
    const int decades = last - first + 1;
    memset(out, 0, sizeof *out);
    if (wanted < 2) wanted = 2;
    if (decades >= 3 || (decades == 2 && wanted < 6)) {
        add_decades(out, first, last, choose_stride(first, last, wanted), 2 * wanted < 3 * decades, low, high);
        return;
    }
    static const unsigned choices[] = {1u << 1 | 1u << 2 | 1u << 5,
                                       1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 6 | 1u << 8};
    for (int i = 0; i < 2; i++) {
        memset(out, 0, sizeof *out);
        if (add_digits(out, first, last, choices[i], low, high) >= 3) return;
    }
    ticks_linear(low, high, wanted, out); // less than a factor of two or so: a linear axis in all but name
}
