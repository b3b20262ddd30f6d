// What is left of a step: the last one of a run that ends between two, and the one that leads to an event. Bodies that overlap a little do not part
// at `recovery_speed` there.

#include "test.h"

#include "rig.h"
#include "text_model.h"

// 125 boxes or balls that come to rest.
static ph_model *heap(const char *shape)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "polhode: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "contact: {}\n"
        "bodies:\n"
        "  - {name: floor, fixed: true, shapes: [{type: plane, normal: z}]}\n"
        "  - {repeat: {i: 5, j: 5, k: 5}, name: b$i$j$k, position: [0.21*i + 0.01*k, 0.21*j - 0.01*k, 0.1 + 0.22*k],\n"
        "     shapes: [{%s, density: 1000}]}\n",
        shape);
    return text_model(text);
}

static ph_summary run(const ph_model *model, double until, const char *stop_when)
{
    ph_run_def def = ph_default_run();
    ph_state *state = ph_state_create(model);
    ph_summary summary = {0};
    def.sim.scheme = "moreau";
    def.step = 0.005;
    def.until = until;
    def.stop_when = stop_when;
    CHECK_EQ_INT(ph_run(model, state, &def, &summary, NULL), PH_OK);
    ph_state_destroy(state);
    return summary;
}

TEST(the_end_of_a_run_parts_nothing)
{
    NEEDS_YAML;
    const char *const shapes[] = {"type: box, size: [0.2, 0.2, 0.2]", "type: sphere, radius: 0.1"};
    for (int n = 0; n < 2; n++) {
        ph_model *model = heap(shapes[n]);
        if (!model) return;
        const ph_summary whole = run(model, 1.0, NULL), more = run(model, 1.000001, NULL),
                         event = run(model, 1.1, "t - 1.000001");
        printf("  largest gain %.1e J, with 1e-6 s more %.1e J, up to an event %.1e J\n", whole.contact_gain_max,
               more.contact_gain_max, event.contact_gain_max);
        CHECK(more.last_step < 1.1e-6);
        CHECK(event.event);
        CHECK(more.contact_gain_max <= 1.01 * whole.contact_gain_max + 1e-3);
        CHECK(event.contact_gain_max <= 1.01 * whole.contact_gain_max + 1e-3);
        ph_model_destroy(model);
    }
}
