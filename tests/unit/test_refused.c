// Models that no scheme, or not this one, can move.

#include "scenes.h"
#include "test.h"

#include <string.h>

// What ph_sim_create says of the model, "" when it takes it. Takes the model over.
static const char *refusal(ph_model *model, const char *scheme, ph_status expected)
{
    static ph_error error;
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    def.scheme = scheme;
    error.text[0] = '\0';
    CHECK(model != NULL);
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, &error), expected);
    CHECK((sim == NULL) == (expected != PH_OK));
    ph_sim_destroy(sim);
    ph_model_destroy(model);
    return error.text;
}

// One rod, and hinges about axes that do not agree: it takes two to hold it.
static ph_model *held(int hinges)
{
    static const ph_vec3 axes[] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    ph_spec *spec = scene_start();
    const int body = scene_body(spec, "rod", (ph_vec3){0.0, 0.5, 0.0});
    for (int i = 0; i < hinges; i++) {
        char name[16];
        snprintf(name, sizeof name, "hinge%d", i);
        scene_axial(spec, name, "revolute", PH_WORLD, body, (ph_vec3){0.0, i, 0.0}, axes[i % 3]);
    }
    return scene_finish(spec);
}

TEST(what_cannot_move_is_refused_by_name)
{
    CHECK_STR(refusal(held(1), "rattlie", PH_OK), "");
    CHECK_STR(refusal(held(2), "rattlie", PH_BAD_MODEL),
              "the model is overconstrained and cannot move: joints 'hinge0', 'hinge1': 10 rows for 6 freedoms");
    CHECK_STR(
        refusal(held(8), "lie-alpha", PH_BAD_MODEL),
        "the model is overconstrained and cannot move: joints 'hinge0', 'hinge1', 'hinge2', 'hinge3', 'hinge4' and "
        "3 more: 40 rows for 6 freedoms");
    // held once: a structure
    ph_spec *spec = scene_start();
    const int body = scene_body(spec, "rod", (ph_vec3){0.0, 0.5, 0.0});
    ph_joint_def weld = scene_joint_def("weld", "fixed", PH_WORLD, body, (ph_vec3){0.0, 0.0, 0.0});
    weld.has_anchor = false;
    ph_spec_add_joint(spec, &weld);
    CHECK_STR(refusal(scene_finish(spec), "rk4", PH_OK), "");
}

static ph_model *limited(void)
{
    ph_spec *spec = scene_start();
    const int body = scene_body(spec, "rod", (ph_vec3){0.0, 0.5, 0.0});
    ph_joint_def hinge = scene_joint_def("knee", "revolute", PH_WORLD, body, (ph_vec3){0.0, 0.0, 0.0});
    hinge.has_axis = true;
    hinge.axis = (ph_vec3){1.0, 0.0, 0.0};
    hinge.has_limit_high = true;
    hinge.limit_high = 1.0;
    ph_spec_add_joint(spec, &hinge);
    return scene_finish(spec);
}

static ph_model *colliding(void)
{
    ph_spec *spec = scene_start();
    const ph_contact_settings contact = ph_default_contact();
    scene_body(spec, "rod", (ph_vec3){0.0, 0.5, 0.0});
    ph_spec_set_contact(spec, &contact);
    return scene_finish(spec);
}

// Every scheme without contact refuses limits and contact, and names one that has it where there is one.
TEST(limits_and_contact_need_a_scheme_with_contact)
{
    const char *with = NULL;
    for (int k = 0; k < ph_scheme_count(); k++) {
        if (ph_scheme_get(k).traits & PH_HAS_CONTACT) {
            with = with ? with : ph_scheme_get(k).name;
        }
    }
    for (int k = 0; k < ph_scheme_count(); k++) {
        const ph_scheme_info info = ph_scheme_get(k);
        if (info.traits & PH_HAS_CONTACT) {
            continue;
        }
        const char *text = refusal(limited(), info.name, PH_NOT_SUPPORTED);
        CHECK(strstr(text, "joint 'knee' has limits") && strstr(text, info.name));
        CHECK(strstr(text, with ? with : "no scheme of this version has") != NULL);
        text = refusal(colliding(), info.name, PH_NOT_SUPPORTED);
        CHECK(strstr(text, "collide") && strstr(text, info.name));
    }
}
