// Cl(p,q,r) on bit masks: the reference that the generated kernels are tested against.
//
// A basis element is the product of the generators in its mask, in order. With sigma(a, b) the sign that sorts the
// generators of a followed by those of b:
//
//     geometric   a b = sigma(a, b) (product of the squares of a & b)  a xor b
//     outer       the same where a & b is empty, else 0
//     shuffle     with F the generators missing in b, 0 unless all of them are in a, else
//                 sigma(F, a & b) sigma(F, b)  a & b
//
// sigma counts, for each generator of b, the generators of a above it. The parity of that count is the parity of
// b & S(a), where bit i of S(a) is the parity of the bits of a above i.
#include "base/error.h"
#include "polhode/clifford.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIZE_MAX_MULTIVECTOR = 1 << PH_GENERATORS_MAX };

// ---- Basis elements -------------------------------------------------------------------------------------------------

static unsigned full_mask(const ph_algebra *algebra)
{
    return (1u << algebra->generators) - 1u;
}

static int parity(unsigned mask)
{
    return __builtin_parity(mask);
}

static int grade_of(unsigned mask)
{
    return __builtin_popcount(mask);
}

// S(a): bit i is the parity of the bits of a above i.
static unsigned parity_above(unsigned a)
{
    unsigned above = a >> 1;
    for (unsigned shift = 1; shift < PH_GENERATORS_MAX; shift *= 2) {
        above ^= above >> shift;
    }
    return above;
}

static double reorder_sign(unsigned a, unsigned b)
{
    return parity(parity_above(a) & b) ? -1.0 : 1.0;
}

static unsigned generators_with_square(const ph_algebra *algebra, int square)
{
    unsigned mask = 0;
    for (int i = 0; i < algebra->generators; i++) {
        mask |= (unsigned)(algebra->square[i] == square) << i;
    }
    return mask;
}

// ---- Algebras -------------------------------------------------------------------------------------------------------

static bool good_name(const char *name)
{
    const size_t length = strlen(name);
    bool good = length > 0 && length < sizeof((ph_algebra *)0)->name[0] && isalpha((unsigned char)name[0]);
    for (size_t i = 0; i < length; i++) {
        good = good && isalnum((unsigned char)name[i]);
    }
    return good;
}

ph_status ph_algebra_init(ph_algebra *algebra, int count, const int *squares, const char *const *names, ph_error *error)
{
    if (!algebra || (!squares && count > 0)) {
        return error_set(error, PH_BAD_ARGUMENT, "ph_algebra_init needs a place for the algebra and squares");
    }
    static const char *const plain[PH_GENERATORS_MAX] = {"e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9", "e10"};
    ph_algebra made = {.generators = count};
    if (count < 0 || count > PH_GENERATORS_MAX) {
        return error_set(error, PH_NOT_SUPPORTED, "an algebra of %d generators: from 0 to %d are supported", count,
                         PH_GENERATORS_MAX);
    }
    for (int i = 0; i < count; i++) {
        const char *name = names ? names[i] : plain[i];
        if (squares[i] < -1 || squares[i] > 1) {
            return error_set(error, PH_BAD_ARGUMENT, "generator %d has square %d: it must be 1, -1 or 0", i + 1,
                             squares[i]);
        }
        if (!name || !good_name(name)) {
            return error_set(
                error, PH_BAD_ARGUMENT,
                "generator %d has the name \"%s\": it must be a letter, then at most six letters or digits", i + 1,
                name ? name : "");
        }
        made.square[i] = (signed char)squares[i];
        strcpy(made.name[i], name);
    }
    *algebra = made;
    return PH_OK;
}

ph_algebra ph_algebra_cl062(void)
{
    return (ph_algebra){8, {-1, -1, -1, 0, -1, -1, -1, 0}, {"a1", "a2", "a3", "a", "e1", "e2", "e3", "e"}};
}

ph_algebra ph_algebra_cl031(void)
{
    return (ph_algebra){4, {-1, -1, -1, 0}, {"e1", "e2", "e3", "e"}};
}

static int longest_name(const ph_algebra *algebra, const char *text)
{
    int found = -1;
    size_t length = 0;
    for (int i = 0; i < algebra->generators; i++) {
        const size_t n = strlen(algebra->name[i]);
        if (n > length && strncmp(text, algebra->name[i], n) == 0) {
            found = i;
            length = n;
        }
    }
    return found;
}

ph_status ph_algebra_blade(const ph_algebra *algebra, const char *text, unsigned *mask, int *sign, ph_error *error)
{
    if (!algebra || !text || !mask || !sign) {
        return error_set(error, PH_BAD_ARGUMENT,
                         "ph_algebra_blade needs an algebra, a text and places for mask and sign");
    }
    unsigned product = 0;
    int product_sign = 1;
    for (const char *at = text; *at;) {
        const int i = longest_name(algebra, at);
        if (i < 0) {
            return error_set(error, PH_BAD_ARGUMENT, "\"%s\" is not a product of generators: nothing is called \"%s\"",
                             text, at);
        }
        const unsigned generator = 1u << i;
        product_sign *= (int)reorder_sign(product, generator) * (product & generator ? algebra->square[i] : 1);
        product ^= generator;
        at += strlen(algebra->name[i]);
    }
    *mask = product;
    *sign = product_sign;
    return PH_OK;
}

// ---- Operands -------------------------------------------------------------------------------------------------------

// "Cl(0,6,2)"
static const char *signature_text(const ph_algebra *algebra, char text[32])
{
    snprintf(text, 32, "Cl(%d,%d,%d)", grade_of(generators_with_square(algebra, 1)),
             grade_of(generators_with_square(algebra, -1)), grade_of(generators_with_square(algebra, 0)));
    return text;
}

static bool same_signature(const ph_algebra *a, const ph_algebra *b)
{
    return a == b || (a->generators == b->generators && memcmp(a->square, b->square, (size_t)a->generators) == 0);
}

static ph_status check_operand(ph_multivector x, ph_multivector out, ph_error *error)
{
    if (!x.algebra || !x.c || !out.algebra || !out.c) {
        return error_set(error, PH_BAD_ARGUMENT, "an element without algebra or coefficients");
    }
    const int n = x.algebra->generators;
    if (n < 0 || n > PH_GENERATORS_MAX) {
        return error_set(error, PH_NOT_SUPPORTED, "an algebra of %d generators: from 0 to %d are supported", n,
                         PH_GENERATORS_MAX);
    }
    if (!same_signature(x.algebra, out.algebra)) {
        char a[32], b[32];
        signature_text(x.algebra, a);
        signature_text(out.algebra, b);
        return error_set(error, PH_BAD_ARGUMENT, "elements of different algebras: %s and %s%s", a, b,
                         strcmp(a, b) == 0 ? " with the generators in another order" : "");
    }
    if (x.c == out.c) {
        return error_set(error, PH_BAD_ARGUMENT, "the result must not be one of the operands");
    }
    return PH_OK;
}

static ph_status check_operands(ph_multivector x, ph_multivector y, ph_multivector out, ph_error *error)
{
    const ph_status status = check_operand(x, out, error);
    return status ? status : check_operand(y, out, error);
}

static void set_zero(ph_multivector x)
{
    memset(x.c, 0, sizeof(double) << x.algebra->generators);
}

// ---- Products -------------------------------------------------------------------------------------------------------

// out = x y; `forbidden` are the generators that must not occur twice.
static void multiply(ph_multivector x, ph_multivector y, unsigned forbidden, ph_multivector out)
{
    const unsigned full = full_mask(x.algebra);
    const unsigned negative = generators_with_square(x.algebra, -1);
    set_zero(out);
    for (unsigned a = 0; a <= full; a++) {
        if (x.c[a] == 0.0) {
            continue;
        }
        const unsigned above = parity_above(a);
        for (unsigned b = 0; b <= full; b++) {
            if (y.c[b] != 0.0 && !(a & b & forbidden)) {
                const double term = x.c[a] * y.c[b];
                out.c[a ^ b] += parity((above & b) ^ (a & b & negative)) ? -term : term;
            }
        }
    }
}

ph_status ph_multivector_geometric(ph_multivector x, ph_multivector y, ph_multivector out, ph_error *error)
{
    const ph_status status = check_operands(x, y, out, error);
    if (!status) {
        multiply(x, y, generators_with_square(x.algebra, 0), out);
    }
    return status;
}

ph_status ph_multivector_outer(ph_multivector x, ph_multivector y, ph_multivector out, ph_error *error)
{
    const ph_status status = check_operands(x, y, out, error);
    if (!status) {
        multiply(x, y, full_mask(x.algebra), out);
    }
    return status;
}

ph_status ph_multivector_shuffle(ph_multivector x, ph_multivector y, ph_multivector out, ph_error *error)
{
    const ph_status status = check_operands(x, y, out, error);
    if (status) {
        return status;
    }
    const unsigned full = full_mask(x.algebra);
    set_zero(out);
    for (unsigned b = 0; b <= full; b++) {
        if (y.c[b] == 0.0) {
            continue;
        }
        const unsigned missing = full & ~b, above = parity_above(missing);
        for (unsigned a = 0; a <= full; a++) {
            if (x.c[a] != 0.0 && !(missing & ~a)) {
                const double term = x.c[a] * y.c[b];
                out.c[a & b] += parity((above & a & b) ^ (above & b)) ? -term : term;
            }
        }
    }
    return PH_OK;
}

// ---- Involutions ----------------------------------------------------------------------------------------------------

// out = x with the sign of grade k turned where bit k % 4 of `turned` is set.
static ph_status turn_grades(ph_multivector x, unsigned turned, ph_multivector out, ph_error *error)
{
    const ph_status status = check_operand(x, out, error);
    if (status) {
        return status;
    }
    for (unsigned a = 0; a <= full_mask(x.algebra); a++) {
        out.c[a] = turned >> (grade_of(a) % 4) & 1u ? -x.c[a] : x.c[a];
    }
    return PH_OK;
}

ph_status ph_multivector_reverse(ph_multivector x, ph_multivector out, ph_error *error)
{
    return turn_grades(x, 1u << 2 | 1u << 3, out, error); // k (k - 1) / 2 odd
}

ph_status ph_multivector_involute(ph_multivector x, ph_multivector out, ph_error *error)
{
    return turn_grades(x, 1u << 1 | 1u << 3, out, error); // k odd
}

ph_status ph_multivector_conjugate(ph_multivector x, ph_multivector out, ph_error *error)
{
    return turn_grades(x, 1u << 1 | 1u << 2, out, error); // k (k + 1) / 2 odd
}

ph_status ph_multivector_grade(ph_multivector x, int grade, ph_multivector out, ph_error *error)
{
    const ph_status status = check_operand(x, out, error);
    if (status) {
        return status;
    }
    for (unsigned a = 0; a <= full_mask(x.algebra); a++) {
        out.c[a] = grade_of(a) == grade ? x.c[a] : 0.0;
    }
    return PH_OK;
}

ph_status ph_multivector_bar(ph_multivector x, ph_multivector out, ph_error *error)
{
    const ph_status status = check_operand(x, out, error);
    if (status) {
        return status;
    }
    const int half = x.algebra->generators / 2;
    if (x.algebra->generators % 2 != 0 || memcmp(x.algebra->square, x.algebra->square + half, (size_t)half) != 0) {
        return error_set(error, PH_BAD_ARGUMENT, "the bar needs a doubled algebra: two halves with the same squares");
    }
    const unsigned low = (1u << half) - 1u;
    for (unsigned a = 0; a <= full_mask(x.algebra); a++) {
        const unsigned first = a & low, second = a >> half;
        // The images of the first half stand in front of those of the second: sort them.
        const bool odd = grade_of(first) * grade_of(second) % 2 != 0;
        out.c[first << half | second] = odd ? -x.c[a] : x.c[a];
    }
    return PH_OK;
}

// ---- Exponential ----------------------------------------------------------------------------------------------------

// Sum of |coefficients|; |x y| <= |x| |y|, since a product of basis elements is a basis element or 0.
static double norm_1(ph_multivector x)
{
    double sum = 0.0;
    for (unsigned a = 0; a <= full_mask(x.algebra); a++) {
        sum += fabs(x.c[a]);
    }
    return sum;
}

// Taylor series of exp(scale x) for |scale x| <= 1/2: the 18th term is below 1e-21.
static void exp_series(ph_multivector x, double scale, ph_multivector out)
{
    double term_c[SIZE_MAX_MULTIVECTOR], next_c[SIZE_MAX_MULTIVECTOR];
    const unsigned full = full_mask(x.algebra), zero = generators_with_square(x.algebra, 0);
    ph_multivector term = {x.algebra, term_c}, next = {x.algebra, next_c};
    set_zero(out);
    set_zero(term);
    out.c[0] = term.c[0] = 1.0;
    for (int k = 1; k <= 18; k++) {
        multiply(term, x, zero, next);
        for (unsigned a = 0; a <= full; a++) {
            term.c[a] = next.c[a] * (scale / k);
            out.c[a] += term.c[a];
        }
    }
}

ph_status ph_multivector_exp(ph_multivector x, ph_multivector out, ph_error *error)
{
    const ph_status status = check_operand(x, out, error);
    if (status) {
        return status;
    }
    const double size = norm_1(x);
    if (!isfinite(size)) {
        return error_set(error, PH_NOT_FINITE, "exp of an element that is not finite");
    }
    // exp x = (exp(x / 2^n))^(2^n)
    double square_c[SIZE_MAX_MULTIVECTOR], result_c[SIZE_MAX_MULTIVECTOR];
    ph_multivector square = {x.algebra, square_c}, result = {x.algebra, result_c};
    const size_t bytes = sizeof(double) << x.algebra->generators;
    int n = 0;
    while (ldexp(size, -n) > 0.5) {
        n++;
    }
    exp_series(x, ldexp(1.0, -n), result);
    for (; n > 0; n--) {
        multiply(result, result, generators_with_square(x.algebra, 0), square);
        memcpy(result_c, square_c, bytes);
    }
    if (!isfinite(norm_1(result))) {
        return error_set(error, PH_NOT_FINITE, "exp of an element of size %g overflows", size);
    }
    memcpy(out.c, result_c, bytes);
    return PH_OK;
}

// ---- Text -----------------------------------------------------------------------------------------------------------

typedef struct text_writer {
    char *text;
    size_t size;
    int length;
} text_writer;

static void put_text(text_writer *w, const char *word)
{
    const size_t at = (size_t)w->length;
    w->length += snprintf(at < w->size ? w->text + at : NULL, at < w->size ? w->size - at : 0, "%s", word);
}

static void put_term(text_writer *w, const ph_algebra *algebra, unsigned mask, double c)
{
    const bool first = w->length == 0;
    char number[32];
    put_text(w, c < 0.0 ? (first ? "-" : " - ") : (first ? "" : " + "));
    if (fabs(c) != 1.0 || mask == 0) {
        snprintf(number, sizeof number, mask ? "%.15g " : "%.15g", fabs(c));
        put_text(w, number);
    }
    for (int i = 0; i < algebra->generators; i++) {
        if (mask >> i & 1u) {
            put_text(w, algebra->name[i]);
        }
    }
}

int ph_multivector_format(ph_multivector x, char *text, size_t size)
{
    text_writer w = {.size = text ? size : 0};
    w.text = text;
    for (int grade = 0; x.algebra && x.c && grade <= x.algebra->generators; grade++) {
        for (unsigned a = 0; a <= full_mask(x.algebra); a++) {
            if (grade_of(a) == grade && x.c[a] != 0.0) {
                put_term(&w, x.algebra, a, x.c[a]);
            }
        }
    }
    if (w.length == 0) {
        put_text(&w, "0");
    }
    return w.length;
}
