// Typed values as multivectors of Cl(0,6,2) and back. Every typed struct is an array of doubles in the order of its
// components; the generated layout says on which basis elements each component lives.
#include "base/error.h"
#include "clifford/generated_layout.h"
#include "polhode/clifford.h"

#include <math.h>
#include <string.h>

enum { ELEMENTS = 256, COMPONENTS_MAX = 21 };

typedef struct layout {
    const char *name;
    int components;
    int term_count;
    const layout_term *terms;
} layout;

#define LAYOUT(name, type, terms)                                                                                      \
    {                                                                                                                  \
        name, (int)(sizeof(type) / sizeof(double)), (int)(sizeof(terms) / sizeof *(terms)), terms                      \
    }

static const layout layouts[PH_ELEMENT_COUNT] = {
    [PH_ELEMENT_TWIST] = LAYOUT("twist", ph_twist, twist_terms),
    [PH_ELEMENT_COSCREW] = LAYOUT("co-screw", ph_coscrew, coscrew_terms),
    [PH_ELEMENT_HEXAVECTOR] = LAYOUT("hexavector", ph_hexavector, hexavector_terms),
    [PH_ELEMENT_MOTOR] = LAYOUT("motor", ph_motor, motor_terms),
    [PH_ELEMENT_INERTIA] = LAYOUT("rigid inertia", ph_inertia, inertia_terms),
    [PH_ELEMENT_SYM4] = LAYOUT("symmetric element of grade 4", ph_sym4, sym4_terms),
    [PH_ELEMENT_POINT] = LAYOUT("point", ph_point, point_terms),
    [PH_ELEMENT_PLANE] = LAYOUT("plane", ph_plane, plane_terms),
};

static ph_status check(ph_multivector x, ph_element kind, const void *value, ph_error *error)
{
    const ph_algebra cl062 = ph_algebra_cl062();
    if (!x.algebra || !x.c || !value) {
        return error_set(error, PH_BAD_ARGUMENT,
                         "a multivector with an algebra and coefficients and a typed value are needed");
    }
    if ((unsigned)kind >= PH_ELEMENT_COUNT) {
        return error_set(error, PH_BAD_ARGUMENT, "there is no kind %d of typed value", (int)kind);
    }
    if (x.algebra->generators != cl062.generators || memcmp(x.algebra->square, cl062.square, 8) != 0) {
        return error_set(error, PH_BAD_ARGUMENT, "a %s lives in Cl(0,6,2) with generators a1 a2 a3 a e1 e2 e3 e",
                         layouts[kind].name);
    }
    return PH_OK;
}

static void expand(const layout *l, const double *components, double *c)
{
    memset(c, 0, ELEMENTS * sizeof *c);
    for (int i = 0; i < l->term_count; i++) {
        const layout_term term = l->terms[i];
        c[term.mask] = term.sign * components[term.component];
    }
}

ph_status ph_multivector_put(ph_multivector out, ph_element kind, const void *value, ph_error *error)
{
    const ph_status status = check(out, kind, value, error);
    if (!status) {
        expand(&layouts[kind], value, out.c);
    }
    return status;
}

// A component is read where it first occurs; what it does not explain is left over.
ph_status ph_multivector_take(ph_multivector x, ph_element kind, double tolerance, void *value, ph_error *error)
{
    const ph_status status = check(x, kind, value, error);
    if (status) {
        return status;
    }
    const layout *l = &layouts[kind];
    double components[COMPONENTS_MAX], again[ELEMENTS];
    for (int i = l->term_count - 1; i >= 0; i--) {
        const layout_term term = l->terms[i];
        components[term.component] = term.sign * x.c[term.mask];
    }
    expand(l, components, again);
    double worst = 0.0, basis_c[ELEMENTS] = {0};
    int at = 0;
    for (int i = 0; i < ELEMENTS; i++) {
        const double rest = fabs(x.c[i] - again[i]);
        if (!(rest <= worst)) {
            worst = rest;
            at = i;
        }
    }
    if (!(worst <= tolerance)) {
        char text[32];
        basis_c[at] = 1.0;
        ph_multivector_format((ph_multivector){x.algebra, basis_c}, text, sizeof text);
        return error_set(error, PH_BAD_ARGUMENT, "not a %s: its component at %s is off by %g", l->name, text, worst);
    }
    memcpy(value, components, (size_t)l->components * sizeof *components);
    return PH_OK;
}
