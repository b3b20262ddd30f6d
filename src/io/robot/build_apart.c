// Links that overlap as they are drawn. A URDF cannot say who does not collide, and meshes of neighbours but one, or of what a loop
// joins, often do: such pairs are told apart from those that meet on their way, as planners of robots do it.

#include "io/robot/build.h"
#include "polhode/analysis.h"

enum { OVERLAPS_MAX = 4096 };

static int find_overlaps(builder *b, ph_overlap *found)
{
    ph_problems *aside = ph_problems_create();
    ph_model *model = NULL;
    int count = 0;
    if (aside && ph_model_compile(b->spec, aside, &model) == PH_OK) {
        ph_state *state = ph_state_create(model);
        if (state) ph_find_overlaps(model, state, found, OVERLAPS_MAX, &count, NULL);
        ph_state_destroy(state);
        ph_model_destroy(model);
    }
    ph_problems_destroy(aside);
    return count < OVERLAPS_MAX ? count : OVERLAPS_MAX;
}

static bool has_joint(const builder *b, int body)
{
    const ph_spec *s = b->spec;
    for (int i = 0; i < s->joint_count; i++) {
        if (s->joints[i].body_a == body || s->joints[i].body_b == body) return true;
    }
    return false;
}

// Both move, or one is a base that is held and the other no loose thing that lies there.
static bool belong_together(const builder *b, int x, int y)
{
    const bool fixed_x = b->spec->bodies[x].def.fixed, fixed_y = b->spec->bodies[y].def.fixed;
    return (!fixed_x && !fixed_y) || has_joint(b, fixed_x ? y : x);
}

void build_apart(builder *b)
{
    robot *r = b->r;
    const ph_contact_settings *given = &b->spec->contact;
    ph_overlap *found = b->spec->has_contact ? robot_alloc(r, OVERLAPS_MAX, sizeof *found) : NULL;
    const int overlaps = found ? find_overlaps(b, found) : 0;
    ph_contact_settings contact = *given;
    ph_contact_pair *pairs = robot_alloc(r, (size_t)(given->pair_count + overlaps) + 1, sizeof *pairs);
    if (overlaps == 0 || !pairs) return;
    for (int i = 0; i < given->pair_count; i++) pairs[i] = given->pairs[i];
    for (int i = 0; i < overlaps; i++) {
        const int x = found[i].body_a, y = found[i].body_b;
        if (!belong_together(b, x, y)) continue;
        ph_contact_pair pair = ph_default_pair();
        pair.body_a = x, pair.body_b = y, pair.collide = false;
        ph_contact_pair *known = build_find_pair(pairs, contact.pair_count, x, y);
        *(known ? known : &pairs[contact.pair_count++]) = pair;
        robot_note(r, b->body_nodes[x], "links that overlap as they are drawn do not collide with each other");
    }
    contact.pairs = pairs;
    r->out_of_memory |= ph_spec_set_contact(b->spec, &contact) != PH_OK;
}
