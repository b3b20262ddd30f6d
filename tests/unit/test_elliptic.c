// Elliptic functions and integrals: values with 18 digits from mpmath (80 digits, Carlson's forms checked by quadrature),
// and the identities they must satisfy.

#include "test.h"

#include "exact/elliptic.h"

typedef struct known {
    double m1, u, K, sn, cn, dn;
    double third[4]; // (start, turn) = (1, 4), (1, 1/8), (2^-20, 1), (1, 2^-20)
} known;

static const double ENDS[4][2] = {{1.0, 4.0}, {1.0, 0.125}, {0x1p-20, 1.0}, {1.0, 0x1p-20}};

static const known KNOWN[] = {
    {1.0,
     0.7,
     1.57079632679489662,
     0.64421768723769102,
     0.764842187284488455,
     1.0,
     {0.517540266237232757, 0.818636285410643296, 1607.30819733782837, 0.842288190503550254}},
    {1.0,
     5.0,
     1.57079632679489662,
     -0.958924274663138469,
     0.283662185463226264,
     1.0,
     {2.4296154138875572, 15.2992513629567306, 4825.78212882122648, 6430.60125182639165}},
    {0.75,
     0.3,
     1.68575035481259604,
     0.294465551549556234,
     0.955662094545250675,
     0.989101870252833922,
     {0.277100083931195956, 0.308074247327316358, 1605.28741518253036, 0.309292722076138824}},
    {0.75,
     2.0,
     1.68575035481259604,
     0.962898177598277443,
     -0.269864965451086579,
     0.876474058312326229,
     {0.903097374937248665, 7.11717091131068893, 1609.03582086680849, 3710.21851204344842}},
    {0.75,
     -40.0,
     1.68575035481259604,
     0.438724025930260372,
     0.898621849874319618,
     0.975643534938804407,
     {-19.3634843497082951, -117.975146170369728, -37002.6203649768448, -44568.9468985148377}},
    {0.5,
     1.0,
     1.85407467730137192,
     0.803001824895643888,
     0.595976567672140674,
     0.823161001631596269,
     {0.63938009649747678, 1.37003008424421793, 1608.01184190288148, 1.47365584808251654}},
    {0.5,
     100.0,
     1.85407467730137192,
     0.119601928157743416,
     -0.992821927024655304,
     0.99641742728159617,
     {47.1857989939222099, 307.891509620404294, 85285.6940443754674, 122791.015853882654}},
    {0x1p-10,
     0.5,
     4.85297119557090501,
     0.462133976995144131,
     0.886810119082237128,
     0.886927702591217377,
     {0.417277325502640617, 0.537575391964749205, 1606.83055682618502, 0.543802620334063041}},
    {0x1p-10,
     5.0,
     4.85297119557090501,
     0.999989368408970996,
     -0.00461118954579838936,
     0.0315880484410074533,
     {1.70310676049355147, 27.3477298399612805, 1612.49254806590926, 95054.9818369752476}},
    {0x1p-10,
     5.1,
     4.85297119557090501,
     0.999969593218090613,
     -0.0077982459083044384,
     0.0322073866046808099,
     {1.72810749703108882, 28.1475099333709541, 1612.59255199414756, 97762.0557545187313}},
    {0x1p-10,
     17.0,
     4.85297119557090501,
     -0.984276099725557274,
     0.176636801117561093,
     0.179294876426096683,
     {5.61212532469500312, 97.297499395917716, 4839.49266643643714, 201883.097809850661}},
    {0x1p-40,
     3.0,
     15.2492379723220367,
     0.995054753686949971,
     0.0993279274172340897,
     0.0993279274217671632,
     {1.20251915695587165, 11.5458312791749207, 1610.48970214673725, 51.9258646202583987}},
    {0x1p-40,
     14.0,
     15.2492379723220367,
     0.999999999998835147,
     1.52633716011475254e-6,
     1.79977771630776035e-6,
     {3.9534498410571974, 99.2780490366522993, 1621.49467196528138, 6685080.03218155708}},
    {0x1p-40,
     16.0,
     15.2492379723220367,
     0.999999999999691759,
     -7.85163455278649619e-7,
     1.23530415415697343e-6,
     {4.45344984105737533, 115.278049036599155, 1623.49467196528233, 8782230.98875065103}},
    {0x1p-40,
     50.0,
     15.2492379723220367,
     -0.999999999438922301,
     0.0000334985879850492192,
     0.0000335121603555013481,
     {13.8603495232769274, 361.83414707849679, 4872.48401589640592, 28443230.7674563855}},
    {0x1p-200,
     1.0,
     70.7010124171144216,
     0.761594155955764888,
     0.6480542736638854,
     0.6480542736638854,
     {0.649299732434654643, 1.32448914968848056, 1608.18163708152593, 1.40671440786870699}},
    {0x1p-200,
     60.0,
     70.7010124171144216,
     1.0,
     1.75130215165096289e-26,
     1.75130215342764525e-26,
     {15.4534498410585545, 467.278049036277875, 1667.49467196528889, 54919571.5842792949}},
    {0x1p-200,
     80.0,
     70.7010124171144216,
     1.0,
     -4.3099221822705023e-27,
     4.30992225446455781e-27,
     {20.4534498410585545, 627.278049036277875, 1687.49467196528889, 75891091.5842792949}},
};
enum { KNOWN_COUNT = sizeof KNOWN / sizeof KNOWN[0] };

static elliptic_point point_at(const elliptic *e, double u)
{
    return elliptic_move(e, (elliptic_point){0.0, 0.0}, u);
}

static double value_of(const elliptic *e, elliptic_point u)
{
    return u.quarters == 0.0 ? u.rest : u.quarters * e->K + u.rest;
}

// u itself is good to one rounding, and so is 2K n in it.
static double rounding(double u)
{
    return 4e-16 * (1.0 + fabs(u));
}

TEST(jacobi_functions_have_known_values)
{
    for (int i = 0; i < KNOWN_COUNT; i++) {
        const known *k = &KNOWN[i];
        const elliptic e = elliptic_of(1.0 - k->m1, k->m1);
        const jacobi j = elliptic_jacobi(&e, point_at(&e, k->u));
        CHECK_REL(e.K, k->K, 1e-15);
        CHECK_NEAR(j.sn, k->sn, rounding(k->u));
        CHECK_NEAR(j.cn, k->cn, rounding(k->u) * k->dn); // d cn = -sn dn du: small where the motion lingers
        CHECK_REL(j.dn, k->dn, rounding(k->u));
    }
}

TEST(squares_of_jacobi_functions_add_up)
{
    for (int i = 0; i < 2000; i++) {
        const double m1 = pow(2.0, test_uniform(-60.0, 0.0));
        const elliptic e = elliptic_of(1.0 - m1, m1);
        const jacobi j = elliptic_jacobi(&e, point_at(&e, test_uniform(-8.0, 8.0) * e.K));
        CHECK_NEAR(j.sn * j.sn + j.cn * j.cn, 1.0, 2e-15);
        CHECK_REL(j.dn * j.dn, j.cn * j.cn + m1 * j.sn * j.sn, 1e-13);
    }
}

TEST(jacobi_functions_at_the_separatrix_are_hyperbolic)
{
    const elliptic e = elliptic_of(1.0, 0.0), near = elliptic_of(1.0, 1e-300);
    CHECK(isinf(e.K));
    for (double u = -6.0; u <= 6.0; u += 0.37) {
        const jacobi j = elliptic_jacobi(&e, point_at(&e, u)), n = elliptic_jacobi(&near, point_at(&near, u));
        CHECK_NEAR(j.sn, tanh(u), 1e-15);
        CHECK_REL(j.cn, 1.0 / cosh(u), 1e-15);
        CHECK_REL(j.dn, 1.0 / cosh(u), 1e-15);
        CHECK_NEAR(n.sn, j.sn, 1e-15);
        CHECK_REL(n.dn, j.dn, 1e-14);
    }
}

TEST(jacobi_functions_of_tiny_arguments)
{
    const elliptic e = elliptic_of(0.5, 0.5);
    const jacobi j = elliptic_jacobi(&e, point_at(&e, 1e-200)), zero = elliptic_jacobi(&e, point_at(&e, 0.0));
    CHECK_REL(j.sn, 1e-200, 1e-15);
    CHECK(j.cn == 1.0 && j.dn == 1.0);
    CHECK(zero.sn == 0.0 && zero.cn == 1.0 && zero.dn == 1.0);
}

TEST(inverse_brings_the_argument_back)
{
    for (int i = 0; i < 2000; i++) {
        const double m1 = pow(2.0, test_uniform(-60.0, 0.0));
        const elliptic e = elliptic_of(1.0 - m1, m1);
        const double u = test_uniform(-2.0, 2.0) * e.K;
        const jacobi j = elliptic_jacobi(&e, point_at(&e, u));
        CHECK_NEAR(value_of(&e, elliptic_inverse(&e, 3.0 * j.sn, 3.0 * j.cn)), u, 1e-15 * (e.K + 1.0 / j.dn));
    }
}

TEST(integrals_of_the_third_kind_have_known_values)
{
    for (int i = 0; i < KNOWN_COUNT; i++) {
        const known *k = &KNOWN[i];
        const elliptic e = elliptic_of(1.0 - k->m1, k->m1);
        for (int n = 0; n < 4; n++) {
            const double start = ENDS[n][0], turn = ENDS[n][1];
            const double slope = 1.0 / (start * k->cn * k->cn + turn * k->sn * k->sn);
            const double error = 2e-15 * fabs(k->third[n]) + rounding(k->u) * slope + 2e-16 * k->K / turn;
            CHECK_NEAR(elliptic_third(&e, start, turn, point_at(&e, k->u)), k->third[n], error);
        }
    }
}

TEST(integrals_of_the_third_kind_are_odd_and_continue_over_every_quarter)
{
    for (int i = 0; i < 500; i++) {
        const double m1 = pow(2.0, test_uniform(-30.0, 0.0)), start = test_uniform(0.1, 2.0),
                     turn = test_uniform(0.1, 2.0);
        const elliptic e = elliptic_of(1.0 - m1, m1);
        const double edge = e.K * floor(test_uniform(-6.0, 6.0)), gap = 1e-6;
        const double before = elliptic_third(&e, start, turn, point_at(&e, edge - gap)),
                     after = elliptic_third(&e, start, turn, point_at(&e, edge + gap));
        const jacobi j = elliptic_jacobi(&e, point_at(&e, edge));
        const double slope = 1.0 / (start * j.cn * j.cn + turn * j.sn * j.sn);
        CHECK_NEAR(after - before, 2.0 * gap * slope, 1e-14 * (1.0 + fabs(after)));
        CHECK_NEAR(elliptic_third(&e, start, turn, point_at(&e, -edge - gap)), -after, 1e-15 * (1.0 + fabs(after)));
    }
}

TEST(integrals_of_the_third_kind_at_the_separatrix_are_the_limit)
{
    const elliptic e = elliptic_of(1.0, 0.0), near = elliptic_of(1.0, 0x1p-120);
    for (int n = 0; n < 4; n++) {
        for (double u = -20.0; u <= 20.0; u += 1.7) {
            const double expected = elliptic_third(&near, ENDS[n][0], ENDS[n][1], point_at(&near, u));
            const double error = 2e-15 * fabs(expected) + 4e-16 * near.K / ENDS[n][1];
            CHECK_NEAR(elliptic_third(&e, ENDS[n][0], ENDS[n][1], point_at(&e, u)), expected, error);
        }
    }
}
