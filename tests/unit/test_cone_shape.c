// The shape `cone`: mass, distances against brute force, and how it stands and lies.

#include "collide_oracle.h"
#include "text_model.h"

// Against the integrals, by slices: discs of radius r (1 - z/h) at height z above the base.
TEST(mass_of_a_cone)
{
    ph_model *model =
        text_model("polhode: 1\n"
                   "bodies: [{name: c, shapes: [{type: cone, radius: 0.4, length: 1.2, axis: x, density: 100}]}]\n");
    double m = 0.0, mz = 0.0, axial = 0.0, across = 0.0;
    enum { SLICES = 200000 };
    for (int k = 0; k < SLICES; k++) {
        const double z = 1.2 * (k + 0.5) / SLICES, r = 0.4 * (1.0 - z / 1.2);
        const double dm = 100.0 * 3.14159265358979323846 * r * r * 1.2 / SLICES;
        m += dm;
        mz += dm * z;
        axial += 0.5 * dm * r * r;
        across += dm * (0.25 * r * r + z * z);
    }
    if (!model) return;
    const ph_body_info body = ph_model_body(model, 0);
    CHECK_REL(body.mass, m, 1e-9);
    CHECK_REL(body.com.x, mz / m - 0.6, 1e-9);
    CHECK_REL(body.inertia.m[0][0], axial, 1e-9);
    CHECK_REL(body.inertia.m[1][1], across - mz * mz / m, 1e-8);
    CHECK_REL(body.inertia.m[2][2], across - mz * mz / m, 1e-8);
    ph_model_destroy(model);
}

// Every answer proves itself: bounds from both sides (collide_oracle.h). Sides of cones are found by iterations alone: depths
// to 1e-8, distances to rounding.
TEST(cones_against_all_others)
{
    static const char *const types[] = {"sphere", "capsule", "box", "cylinder", "ellipsoid", "hull", "cone", NULL};
    for (int i = 0; types[i]; i++) {
        double apart = 0.0, deep = 0.0;
        for (int k = 0; k < 60; k++) {
            const solid a = {random_def("cone"), frame_of(random_rotation(), random_direction())};
            solid b = {random_def(types[i]), frame_of(random_rotation(), ph_zero3())};
            b.body.x = ph_madd(a.body.x,
                               test_uniform(0.0, k % 3 == 0   ? 0.2
                                                 : k % 3 == 1 ? 3.0
                                                              : 1.2),
                               random_direction());
            collider *ca = make_collider(&a.def), *cb = make_collider(&b.def);
            ph_vec3 on_a, on_b, n;
            const double gap = collide_distance(ca, &a.body, cb, &b.body, &on_a, &on_b, &n);
            const double error = fabs(oracle_gap(&a, &b, n) - gap),
                         search = gap < 0.0 ? oracle_distance(&a, &b, 200) - gap : 0.0;
            double *worst = gap < 0.0 ? &deep : &apart;
            *worst = fmax(*worst, fmax(fmax(error, search), fmax(oracle_outside(&a, on_a), oracle_outside(&b, on_b))));
            CHECK_NEAR(ph_norm(n), 1.0, 1e-14);
            collider_destroy(ca);
            collider_destroy(cb);
        }
        printf("  cone and %s: apart to %.1e, overlapping to %.1e\n", types[i], apart, deep);
        CHECK(apart < 1e-8 && deep < 1e-6);
    }
}

// Upright on its base it stays; on its side its axis is tilted by the half angle of the tip and its lowest points are a line.
TEST(a_cone_at_rest_on_a_plane)
{
    static const char scene[] =
        "polhode: 1\ngravity: [0, 0, -9.81]\ncontact: {}\n"
        "bodies:\n"
        "  - {name: floor, fixed: true, shapes: [{type: plane}]}\n"
        "  - {name: c, position: [0, 0, 0.5], shapes: [{type: cone, radius: 0.3, length: 1, density: 500}]}\n"
        "  - {name: d, position: [3, 0, 0.3/sqrt(1.09)], orientation: {axis: y, angle: pi/2 + atan(0.3)},\n"
        "     shapes: [{type: cone, radius: 0.3, length: 1, density: 500, position: [0, 0, 0.5]}]}\n";
    ph_model *model = text_model(scene);
    ph_state *state = ph_state_create(model);
    if (model && text_model_run(model, "moreau", state, 1e-3, 300)) {
        int count;
        double up[3] = {0.0};
        const ph_contact *contacts = ph_state_contacts(state, &count);
        for (int k = 0; k < count; k++) {
            const ph_contact *c = &contacts[k];
            if (c->body_a >= 0) up[c->body_a] -= c->force.z;
            if (c->body_b >= 0) up[c->body_b] += c->force.z;
        }
        CHECK_EQ_INT(count, 6); // four of the base, the ends of a line
        for (int i = 1; i < 3; i++) {
            CHECK_REL(up[i], 9.81 * ph_model_body(model, i).mass, 1e-6);
            CHECK_NEAR(ph_norm(ph_state_velocities(state)[i]), 0.0, 1e-6);
        }
        CHECK_NEAR(ph_state_positions(state)[1].z, 0.25, 1e-6);
        CHECK_NEAR(ph_state_positions(state)[2].z, 0.225 / sqrt(1.09), 1e-6); // 3/4 of the way from the tip
    }
    ph_state_destroy(state);
    ph_model_destroy(model);
}
