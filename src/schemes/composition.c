// Compositions of a symmetric second-order step: substeps gamma_i h in turn, of order 4, 6 and 8. They inherit what the step
// keeps: symplecticity, momentum, constraints, time reversal.
//
//     order 4   Suzuki's five steps, gamma = 1/(4 - 4^(1/3)) four times and 1 - 4 gamma in the middle; 72 times less error
//               than Yoshida's three on the spatial double pendulum
//     order 6   eleven steps of Sofroniou and Spaletta, Optim. Methods Softw. 20 (2005); at equal work 2 to 4 times less
//               error than the nine of Kahan and Li
//     order 8   seventeen steps of Kahan and Li, Math. Comp. 66 (1997); Hairer, Lubich and Wanner, Geometric Numerical
//               Integration, V.3.2
//
// Inner substeps end Newton's method at 1e-14, not at round-off: impulses act in pairs whatever their error, and the joints are closed anew in
// every substep. The last one is solved to round-off.
#include "schemes/rattlie.h"

extern const ph_scheme scheme_rattlie4, scheme_rattlie6, scheme_rattlie8;

static const double INNER = 1e-14;

static const double SUZUKI_4[] = {0.41449077179437573714, 0.41449077179437573714, -0.65796308717750294857,
                                  0.41449077179437573714, 0.41449077179437573714};
static const double SOFRONIOU_SPALETTA_6[] = {0.21375583945878254556,  0.18329381407425713911,  0.17692819473098943795,
                                              -0.44329082681170215850, 0.11728560432865935385,  0.50405474843802736405,
                                              0.11728560432865935385,  -0.44329082681170215850, 0.17692819473098943795,
                                              0.18329381407425713911,  0.21375583945878254556};
static const double KAHAN_LI_8[] = {0.13020248308889008088,  0.56116298177510838456,  -0.38947496264484728641,
                                    0.15884190655515560090,  -0.39590389413323757734, 0.18453964097831570709,
                                    0.25837438768632204729,  0.29501172360931029887,  -0.60550853383003451170,
                                    0.29501172360931029887,  0.25837438768632204729,  0.18453964097831570709,
                                    -0.39590389413323757734, 0.15884190655515560090,  -0.38947496264484728641,
                                    0.56116298177510838456,  0.13020248308889008088};

static ph_status create_4(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return variational_create_pattern(model, &scheme_rattlie4, settings, &rule_rattlie,
                                      (variational_pattern){SUZUKI_4, 5, INNER}, self, error);
}

static ph_status create_6(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return variational_create_pattern(model, &scheme_rattlie6, settings, &rule_rattlie,
                                      (variational_pattern){SOFRONIOU_SPALETTA_6, 11, INNER}, self, error);
}

static ph_status create_8(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return variational_create_pattern(model, &scheme_rattlie8, settings, &rule_rattlie,
                                      (variational_pattern){KAHAN_LI_8, 17, INNER}, self, error);
}

#define TRAITS                                                                                                         \
    (PH_SYMPLECTIC | PH_TIME_REVERSIBLE | PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT |                \
     PH_KEEPS_MOMENTUM | PH_ROLLS_REVERSIBLY)

const ph_scheme scheme_rattlie4 = {
    .name = "rattlie4",
    .title = "RATTLie composed to order 4 (five steps)",
    .reference = "Suzuki 1990; Hante and Arnold 2021",
    .order = 4,
    .traits = TRAITS,
    .create = create_4,
    .advance = variational_advance,
    .stages = variational_stages,
    .destroy = variational_destroy,
};

const ph_scheme scheme_rattlie6 = {
    .name = "rattlie6",
    .title = "RATTLie composed to order 6 (eleven steps)",
    .reference = "Sofroniou and Spaletta 2005; Hante and Arnold 2021",
    .order = 6,
    .traits = TRAITS,
    .create = create_6,
    .advance = variational_advance,
    .stages = variational_stages,
    .destroy = variational_destroy,
};

const ph_scheme scheme_rattlie8 = {
    .name = "rattlie8",
    .title = "RATTLie composed to order 8 (seventeen steps)",
    .reference = "Kahan and Li 1997; Hante and Arnold 2021",
    .order = 8,
    .traits = TRAITS,
    .create = create_8,
    .advance = variational_advance,
    .stages = variational_stages,
    .destroy = variational_destroy,
};
