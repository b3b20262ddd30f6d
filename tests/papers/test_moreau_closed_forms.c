// moreau on motions with friction and impacts that have a closed form: one table of cases, each under both laws. Values at
// h = 0.005 s are right to 1 % and their errors shrink with the step; thresholds are on the right side at 0.1 %. The
// models are those of examples/contact/; g = 9.81 everywhere.
#include "contact_case.h"

static const char *const law_names[] = {"coulomb", "relaxed"};

static rig open_case(const char *file, ph_contact_law law, const char *name, const char *value)
{
    return case_open((contact_case){file, law, NULL, {{name, value}}, 0.0});
}

static void run_for(rig *r, double time, double h)
{
    rig_step(r, h, (int)lround(time / h));
}

static double slip_of(const rig *r) // of a ball of radius 0.1 that goes along x
{
    return case_velocity(r, "ball").x - 0.1 * case_spin(r, "ball").y;
}

// ---- Sliding and rolling --------------------------------------------------------------------------------------------

static double incline_way(ph_contact_law law, double h)
{
    rig r = open_case("incline.yaml", law, NULL, NULL);
    run_for(&r, 2.0, h);
    const double x = case_position(&r, "block").x;
    rig_close(&r);
    return x;
}

typedef struct slipping {
    double time, way, speed;
} slipping;

// The slip falls linearly: two steps tell when it ends, and the place of the rolling ball where that was.
static slipping slip(ph_contact_law law, double h)
{
    rig r = open_case("slip_to_roll.yaml", law, NULL, NULL);
    run_for(&r, 0.1, h);
    const double early = slip_of(&r);
    run_for(&r, 0.1, h);
    const double late = slip_of(&r), end = 0.2 + 0.1 * late / (early - late);
    run_for(&r, 0.8, h);
    const double speed = case_velocity(&r, "ball").x;
    const slipping s = {end, case_position(&r, "ball").x - (1.0 - end) * speed, speed};
    rig_close(&r);
    return s;
}

static double slip_time(ph_contact_law law, double h)
{
    return slip(law, h).time;
}

static double slip_way(ph_contact_law law, double h)
{
    return slip(law, h).way;
}

static double slip_speed(ph_contact_law law, double h)
{
    return slip(law, h).speed;
}

static double roll_speed(ph_contact_law law, double h)
{
    rig r = open_case("roll_down.yaml", law, NULL, NULL);
    run_for(&r, 1.0, h);
    const double v = case_velocity(&r, "ball").x;
    rig_close(&r);
    return v;
}

static double turntable_angle(ph_contact_law law, double h)
{
    rig r = open_case("turntable.yaml", law, NULL, NULL);
    run_for(&r, 5.0, h);
    const ph_vec3 v = case_velocity(&r, "ball");
    rig_close(&r);
    return atan2(-v.x, v.y);
}

static double rolling_loss(ph_contact_law law, double h)
{
    rig r = open_case("rolling_friction.yaml", law, NULL, NULL);
    run_for(&r, 1.0, h);
    const double loss = 1.0 - case_velocity(&r, "roller").x;
    rig_close(&r);
    return loss;
}

static double spinning_loss(ph_contact_law law, double h)
{
    rig r = open_case("rolling_friction.yaml", law, NULL, NULL);
    run_for(&r, 1.0, h);
    const double loss = 20.0 - case_spin(&r, "spinner").z;
    rig_close(&r);
    return loss;
}

static double wedge_acceleration(ph_contact_law law, double h)
{
    rig r = open_case("wedge.yaml", law, NULL, NULL);
    run_for(&r, 0.4, h);
    const double v = case_velocity(&r, "wedge").x;
    rig_close(&r);
    return -v / 0.4;
}

static double wedge_relative(ph_contact_law law, double h)
{
    rig r = open_case("wedge.yaml", law, NULL, NULL);
    run_for(&r, 0.4, h);
    const double v = ph_norm(ph_sub(case_velocity(&r, "block"), case_velocity(&r, "wedge")));
    rig_close(&r);
    return v / 0.4;
}

static double wedge_force(ph_contact_law law, double h)
{
    rig r = open_case("wedge.yaml", law, NULL, NULL);
    run_for(&r, 0.4, h);
    const double force = ph_norm(case_force(&r, "block", "wedge"));
    rig_close(&r);
    return force;
}

static double stack_force(ph_contact_law law, double h, const char *box, const char *below)
{
    rig r = open_case("stack.yaml", law, NULL, NULL);
    run_for(&r, 0.1, h);
    const double force = case_force(&r, box, below).z;
    rig_close(&r);
    return force;
}

static double stack_bottom(ph_contact_law law, double h)
{
    return stack_force(law, h, "box0", "floor");
}

static double stack_middle(ph_contact_law law, double h)
{
    return stack_force(law, h, "box5", "box4");
}

// Angle by which the lowest point of Euler's disk has gone round in 0.06 s.
static double disk_angle(ph_contact_law law, double h)
{
    rig r = open_case("euler_disk.yaml", law, NULL, NULL);
    double angle = 0.0, last = 0.0;
    for (int k = 0; k < (int)lround(0.06 / h); k++) {
        if (!rig_step(&r, h, 1)) break;
        const ph_vec3 axis = ph_quat_rotate(ph_state_orientations(r.state)[1], ph_vec(0.0, 0.0, 1.0));
        const double now = atan2(axis.y, axis.x); // starts towards +x
        angle += remainder(now - last, 6.283185307179586);
        last = now;
    }
    rig_close(&r);
    return angle;
}

// ---- Impacts --------------------------------------------------------------------------------------------------------

enum { BOUNCES = 4 };

typedef struct bouncing {
    double first; // contact: where the parabola of the last step before it meets the floor
    double heights[BOUNCES];
    double rest;
} bouncing;

static double fall_time(double z, double v)
{
    return (v + sqrt(v * v + 2.0 * 9.81 * z)) / 9.81;
}

static bouncing bounces(ph_contact_law law, double h)
{
    rig r = open_case("bounce.yaml", law, NULL, NULL);
    bouncing b = {0};
    int count = -1;
    for (int k = 0; k < (int)lround(4.5 / h); k++) {
        const double z = case_position(&r, "ball").z - 0.1, v = case_velocity(&r, "ball").z;
        if (!rig_step(&r, h, 1)) break;
        const double v_next = case_velocity(&r, "ball").z;
        if (v < 0.0 && v_next > 0.0 && ++count == 0) b.first = (double)k * h + fall_time(z, v);
        // the top lies between two steps: the parabola through the first
        if (v > 0.0 && v_next <= 0.0 && count >= 0 && count < BOUNCES) b.heights[count] = z + v * v / (2.0 * 9.81);
        if (fabs(v_next) > 1e-6) b.rest = ph_state_time(r.state);
    }
    CHECK_NEAR(case_position(&r, "ball").z, 0.1, 1e-9);
    rig_close(&r);
    return b;
}

static double first_contact(ph_contact_law law, double h)
{
    return bounces(law, h).first;
}

static double height_1(ph_contact_law law, double h)
{
    return bounces(law, h).heights[0];
}

static double height_2(ph_contact_law law, double h)
{
    return bounces(law, h).heights[1];
}

static double height_3(ph_contact_law law, double h)
{
    return bounces(law, h).heights[2];
}

static double height_4(ph_contact_law law, double h)
{
    return bounces(law, h).heights[3];
}

static double rest_time(ph_contact_law law, double h)
{
    return bounces(law, h).rest;
}

static ph_vec3 oblique(ph_contact_law law, double h, const char *tangent, double *slip)
{
    rig r = open_case("oblique.yaml", law, "tangent", tangent);
    run_for(&r, 0.1, h);
    const ph_vec3 v = case_velocity(&r, "ball");
    *slip = slip_of(&r);
    rig_close(&r);
    return v;
}

static double oblique_slips(ph_contact_law law, double h)
{
    double slip;
    return oblique(law, h, "2", &slip).x;
}

static double oblique_rises(ph_contact_law law, double h)
{
    double slip;
    return oblique(law, h, "2", &slip).z;
}

static double oblique_sticks(ph_contact_law law, double h)
{
    double slip;
    return oblique(law, h, "1", &slip).x;
}

static double rod_impulse(ph_contact_law law, double h)
{
    rig r = open_case("rod_impact.yaml", law, NULL, NULL);
    run_for(&r, 0.02, h);
    const double impulse = case_velocity(&r, "rod").z + 1.0; // of 1 kg
    rig_close(&r);
    return impulse;
}

static double blow(ph_contact_law law, double h, const char *rod)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", h);
    rig r = open_case("double_rod.yaml", law, "h", text);
    rig_step(&r, h, 1);
    const double spin = -case_spin(&r, rod).y;
    rig_close(&r);
    return spin;
}

static double blow_upper(ph_contact_law law, double h)
{
    return blow(law, h, "upper");
}

static double blow_lower(ph_contact_law law, double h)
{
    return blow(law, h, "lower");
}

// ---- The table of values --------------------------------------------------------------------------------------------

enum { COULOMB = 1, RELAXED = 2, BOTH = 3 };

static const struct {
    const char *name;
    double (*measure)(ph_contact_law law, double h);
    int laws;
    double exact;
    double within; // at h = 0.005, relative
} values[] = {
    {"incline, x(2 s)", incline_way, BOTH, 0.219355, 0.01},
    {"slip ends after", slip_time, BOTH, 0.291248, 0.01},
    {"slip, way", slip_way, BOTH, 0.499282, 0.01},
    {"slip, then speed", slip_speed, BOTH, 10.0 / 7.0, 0.01},
    {"ball rolls down 30 deg", roll_speed, BOTH, 3.503571, 0.01},
    {"bounce, first contact", first_contact, BOTH, 0.451524, 0.001},
    {"bounce, height 1", height_1, BOTH, 0.64, 0.01},
    {"bounce, height 2", height_2, BOTH, 0.4096, 0.01},
    {"bounce, height 3", height_3, BOTH, 0.262144, 0.01},
    {"bounce, height 4", height_4, BOTH, 0.16777216, 0.01},
    {"bounce, at rest after", rest_time, BOTH, 4.063713, 0.01},
    {"wedge", wedge_acceleration, BOTH, 1.887935, 0.01},
    {"wedge, relative", wedge_relative, BOTH, 6.54, 0.01},
    {"wedge, force", wedge_force, BOTH, 7.551742, 0.01},
    {"stack, floor", stack_bottom, BOTH, 10.0 * 1000.0 * 9.81, 1e-6},
    {"stack, box 5", stack_middle, BOTH, 5.0 * 1000.0 * 9.81, 1e-6},
    {"oblique, slips", oblique_slips, COULOMB, 2.0 - 0.2 * 1.5, 0.01},
    {"oblique, rises", oblique_rises, COULOMB, 0.5, 0.01},
    // the relaxed law adds mu times the slip to the normal velocity, at an impact whatever the step
    {"oblique, rises", oblique_rises, RELAXED, (0.5 + 0.2 * 2.0 - 3.5 * 0.04) / (1.0 + 3.5 * 0.04), 0.01},
    {"oblique, sticks", oblique_sticks, BOTH, 5.0 / 7.0, 0.01},
    {"rod end", rod_impulse, BOTH, 0.307692, 0.01},
    {"double rod, upper", blow_upper, BOTH, -6.0 / 7.0, 0.01},
    {"double rod, lower", blow_lower, BOTH, 30.0 / 7.0, 0.01},
    {"turntable, 5 s", turntable_angle, BOTH, 5.0 * 4.0 / 7.0, 0.01},
    {"rolling friction", rolling_loss, BOTH, 5.0 * 0.002 * 9.81 / (7.0 * 0.1), 0.01},
    {"spinning friction", spinning_loss, BOTH, 0.001 * 9.81 / (0.4 * 0.01), 0.01},
    // half a radian in a step, which is made in parts: of about the same length whatever the step
    {"Euler's disk, 0.06 s", disk_angle, BOTH, 0.06 * 102.379, 0.01},
};

TEST(values)
{
    NEEDS_YAML;
    const double h = 0.005;
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        for (int law = 0; law < 2; law++) {
            if (!(values[k].laws & 1 << law)) continue;
            const double exact = values[k].exact;
            const double coarse = values[k].measure((ph_contact_law)law, h) / exact - 1.0;
            const double fine = values[k].measure((ph_contact_law)law, 0.5 * h) / exact - 1.0;
            printf("  %-24s %s  %12.6f  %+.4f %%, %+.4f %%\n", values[k].name, law_names[law], exact, 100.0 * coarse,
                   100.0 * fine);
            CHECK(fabs(coarse) <= values[k].within);
            case_check_first_order(coarse, fine, values[k].measure == disk_angle ? 0.003 : 1e-5);
        }
}

TEST(euler_disk_converges)
{
    NEEDS_YAML;
    static const double steps[] = {0.002, 0.001, 5e-4, 2e-4};
    double last = 1.0;
    for (int k = 0; k < 4; k++) {
        const double error = disk_angle(PH_LAW_COULOMB, steps[k]) / (0.06 * 102.379) - 1.0;
        printf("  h = %g: %+.3f %%\n", steps[k], 100.0 * error);
        CHECK(fabs(error) <= 0.005 && fabs(error) <= 1.01 * last); // parts of 2 and 1 ms are the same
        last = fabs(error);
    }
    CHECK(last <= 3e-4);
}

// Under `coulomb` a sliding block keeps touching; under `relaxed` it hovers at h mu v.
TEST(a_sliding_block_hovers_under_the_relaxed_law_only)
{
    NEEDS_YAML;
    for (int law = 0; law < 2; law++) {
        rig r = open_case("incline.yaml", (ph_contact_law)law, NULL, NULL);
        run_for(&r, 2.0, 0.005);
        const double gap = case_position(&r, "block").z - 0.1;
        if (law == PH_LAW_COULOMB)
            CHECK(fabs(gap) <= 1e-9);
        else
            CHECK_REL(gap, 0.005 * 0.5 * case_velocity(&r, "block").x, 0.01);
        rig_close(&r);
    }
}

// ---- The table of thresholds ----------------------------------------------------------------------------------------

// Largest distance that anything has moved in a second.
static double moved(rig *r)
{
    const int bodies = ph_model_bodies(r->model);
    ph_vec3 start[8];
    double most = 0.0;
    memcpy(start, ph_state_positions(r->state), sizeof *start * (size_t)bodies);
    run_for(r, 1.0, 0.005);
    for (int b = 0; b < bodies; b++) most = fmax(most, ph_norm(ph_sub(ph_state_positions(r->state)[b], start[b])));
    return most;
}

static double incline_moves(ph_contact_law law, const char *angle)
{
    rig r = open_case("incline.yaml", law, "beyond", angle);
    const double most = moved(&r);
    rig_close(&r);
    return most;
}

static double pile_moves(ph_contact_law law, const char *mu, const char *floor)
{
    rig r = case_open((contact_case){"pile.yaml", law, NULL, {{"mu", mu}, {"mu_floor", floor}}, 0.0});
    const double most = moved(&r);
    rig_close(&r);
    return most;
}

static double pile_by_balls(ph_contact_law law, const char *mu)
{
    return pile_moves(law, mu, "1");
}

static double pile_by_floor(ph_contact_law law, const char *mu)
{
    return pile_moves(law, "1", mu);
}

static double rolling_slips(ph_contact_law law, const char *mu)
{
    rig r = open_case("roll_down.yaml", law, "mu", mu);
    run_for(&r, 1.0, 0.005);
    const double slip = fabs(slip_of(&r));
    rig_close(&r);
    return slip;
}

static double oblique_slip(ph_contact_law law, const char *tangent)
{
    double slip;
    oblique(law, 0.005, tangent, &slip);
    return fabs(slip);
}

// Painleve's rod: 1 + 3 cos (cos - mu sin) < 0 between 50.6416 and 73.0485 degrees at mu = 1.5; no finite force then holds
// the sliding end, it stops at once (an impact without collision). Outside, the impulse vanishes with the step; near the
// edges of the band the force is large, so the step must be small to tell the two apart.
static double painleve(ph_contact_law law, const char *mu, const char *angle)
{
    const double h = 1e-7;
    rig r = case_open((contact_case){"painleve.yaml", law, NULL, {{"mu", mu}, {"angle", angle}}, 0.0});
    rig_step(&r, h, 1);
    const double impulse = h * case_force(&r, "rod", NULL).z;
    rig_close(&r);
    return impulse;
}

static double painleve_band(ph_contact_law law, const char *angle)
{
    return painleve(law, "1.5", angle);
}

static double painleve_opens(ph_contact_law law, const char *mu)
{
    return painleve(law, mu, "atan(2)*180/pi");
}

static const struct {
    const char *name;
    double (*measure)(ph_contact_law law, const char *value); // small on one side, large on the other
    int laws;
    const char *quiet, *loud;
    double small, large;
} thresholds[] = {
    {"incline, atan mu -+ 0.01", incline_moves, BOTH, "-0.01", "0.01", 1e-9, 1e-3},
    {"incline, atan mu -+ 0.1 %", incline_moves, BOTH, "-0.001*atan(0.5)", "0.001*atan(0.5)", 1e-9, 1e-3},
    {"rolling, friction", rolling_slips, BOTH, "0.164957*1.001", "0.164957*0.999", 1e-6, 1e-3},
    {"pile, balls", pile_by_balls, BOTH, "0.317837*1.001", "0.317837*0.999", 1e-6, 1e-4},
    {"pile, floor", pile_by_floor, BOTH, "0.079459*1.001", "0.079459*0.999", 1e-6, 1e-4},
    {"oblique, tangent", oblique_slip, BOTH, "1.05*0.999", "1.05*1.001", 1e-6, 1e-4},
    {"Painleve, lower edge", painleve_band, COULOMB, "50.6416*0.999", "50.6416*1.001", 1e-3, 0.1},
    {"Painleve, upper edge", painleve_band, COULOMB, "73.0485*1.001", "73.0485*0.999", 1e-3, 0.1},
    {"Painleve, friction", painleve_opens, COULOMB, "4/3*0.999", "4/3*1.001", 1e-3, 0.1},
};

TEST(thresholds)
{
    NEEDS_YAML;
    for (size_t k = 0; k < sizeof thresholds / sizeof *thresholds; k++)
        for (int law = 0; law < 2; law++) {
            if (!(thresholds[k].laws & 1 << law)) continue;
            const double quiet = thresholds[k].measure((ph_contact_law)law, thresholds[k].quiet);
            const double loud = thresholds[k].measure((ph_contact_law)law, thresholds[k].loud);
            printf("  %-26s %s  %.1e at %s, %.1e at %s\n", thresholds[k].name, law_names[law], quiet,
                   thresholds[k].quiet, loud, thresholds[k].loud);
            CHECK(quiet < thresholds[k].small);
            CHECK(loud > thresholds[k].large);
        }
}

// The relaxed law lifts what slides, so the end of Painleve's rod leaves the floor with mu v at once, on either side.
TEST(the_relaxed_law_has_no_paradox)
{
    NEEDS_YAML;
    for (int k = 0; k < 2; k++) {
        const double impulse = painleve(PH_LAW_RELAXED, "1.5", k ? "60" : "45");
        printf("  %s degrees: impulse %.4f\n", k ? "60" : "45", impulse);
        CHECK(impulse > 0.1);
    }
}
