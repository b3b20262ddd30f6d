// The family of A02: thin bars, light and heavy couplers, many loops, any unit, far from the origin, in any plane. All of them
// pass the singular position.

#include "rig.h"

#include "four_bars.h"

static const double end = 1.0; // s: after the links have lain down at about 0.71 s

// Error at the end, NaN when a step failed; *gap: the widest joint on the way.
static double error_of(const four_bars *f, const char *scheme, int steps, double *gap)
{
    rig r = rig_build(four_bars_spec(f, NULL), scheme);
    bool good = CHECK_EQ_INT(ph_model_rows(r.model) - ph_model_rank(r.model), 3 * f->loops);
    for (int k = 0; good && k < 20; k++) {
        good = rig_step(&r, end / steps, steps / 20);
        *gap = fmax(*gap, four_bars_gap(f, r.state));
    }
    const double error = good ? four_bars_error(f, r.state, end) : (double)NAN;
    rig_close(&r);
    return error;
}

static void check(const char *what, four_bars f, const char *scheme, int steps)
{
    double gap = 0.0;
    const double coarse = error_of(&f, scheme, steps, &gap), fine = error_of(&f, scheme, 2 * steps, &gap);
    const double order = log2(coarse / fine), rest = fabs(4.0 * fine - coarse) / 3.0;
    printf("  %-28s %-9s error %.2e order %.3f extrapolated %.1e joints %.1e\n", what, scheme, fine, order, rest, gap);
    CHECK_NEAR(order, 2.0, 0.01);
    CHECK(rest <= 2e-6);
    CHECK(gap <= 1e-12);
}

TEST(thin_bars)
{
    static const double axial[] = {1.0, 1e-2, 1e-5, 1e-7, 1e-9};
    for (size_t k = 0; k < 2 * sizeof axial / sizeof *axial; k++) {
        four_bars f = four_bars_standard;
        char what[64];
        f.axial = axial[k / 2];
        f.tilted = k % 2;
        snprintf(what, sizeof what, "axial inertia %g%s", f.axial, f.tilted ? ", tilted" : "");
        check(what, f, "rattlie", 400);
        if (f.tilted) check(what, f, "lie-alpha", 400);
    }
}

TEST(light_and_heavy_couplers)
{
    static const double mass[] = {1e-6, 1e-3, 1e6};
    for (size_t k = 0; k < sizeof mass / sizeof *mass; k++) {
        four_bars f = four_bars_standard;
        char what[64];
        f.coupler = mass[k];
        f.tilted = true;
        snprintf(what, sizeof what, "couplers of %g kg", f.coupler);
        check(what, f, "rattlie", 400);
    }
}

TEST(many_loops)
{
    static const int loops[] = {1, 10, 40};
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
        four_bars f = four_bars_standard;
        char what[64];
        f.loops = loops[k];
        f.axial = 1e-6;
        f.tilted = true;
        snprintf(what, sizeof what, "%d loops", f.loops);
        check(what, f, "rattlie", 400);
    }
}

// The curvature of Newton's equations grows fast where the links lie down: a step that ended after one iteration, as the steps
// before it had taught, left a joint open by 5e-12.
TEST(joints_stay_closed_where_links_lie_down)
{
    four_bars f = four_bars_standard;
    double widest = 0.0;
    f.loops = 10;
    f.tilted = true;
    rig r = rig_build(four_bars_spec(&f, NULL), "rattlie");
    for (int k = 0; k < 400; k++) {
        if (!rig_step(&r, end / 400, 1)) break;
        widest = fmax(widest, four_bars_gap(&f, r.state));
    }
    CHECK_NEAR(widest, 0.0, 1e-12);
    rig_close(&r);
}

// Two solves that alternate do not agree on accelerations along rows that are nearly dependent, and Newton's updates are
// rounding errors divided by a small sine.
TEST(through_the_singular_position)
{
    static const double step[] = {1e-2, 2.5e-3, 2e-3, 1e-3};
    four_bars f = four_bars_standard;
    f.tilted = true;
    for (size_t k = 0; k < sizeof step / sizeof *step; k++)
        check("stabilised index 2", f, "lie-alpha-2", (int)lround(1.0 / step[k]) / 20 * 20);
    f.coupler = 1e6;
    check("heavy couplers, index 2", f, "lie-alpha-2", 400);
}

// Small steps come nearer to the singular position: there is one within 1e-5 of it on the way.
TEST(near_the_singular_position)
{
    four_bars f = four_bars_standard;
    f.tilted = true;
    rig r = rig_build(four_bars_spec(&f, NULL), "rattlie6");
    bool good = rig_step(&r, 1e-3, 2600);
    for (int k = 0; good && k < 100; k++) {
        good = rig_step(&r, 1e-3, 1);
        CHECK(four_bars_gap(&f, r.state) <= 1e-13);
    }
    CHECK(four_bars_error(&f, r.state, 2.7) <= 1e-9);
    rig_close(&r);
}

TEST(many_loops_of_order_four)
{
    four_bars f = four_bars_standard;
    double gap = 0.0;
    f.loops = 40;
    f.tilted = true;
    CHECK(error_of(&f, "rattlie4", 200, &gap) <= 1e-8);
    CHECK(gap <= 1e-12);
}
