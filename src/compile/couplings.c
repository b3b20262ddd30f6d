// Joints that act on other joints: gears, and coordinates under a name of their own.

#include "compile/compile.h"

#include "math/mat3.h"

double compile_start_of(const joint *j, int k)
{
    if (j->of) return compile_start_of(j->of, j->of_coordinate);
    return j->chain ? j->def->motions[k].start : k == 0 ? j->def->start : 0.0;
}

// ---- Gears ----------------------------------------------------------------------------------------------------------

// A joint that a gear may act on, or NULL.
static const joint *gear_part(compiler *c, place where, const ph_joint_def *def, int n)
{
    const ph_model *model = c->model;
    const int index = def->gear_joint[n];
    if (index == PH_NONE) {
        complain(c, where, "joints: [first, second]", "a gear needs two joints");
        return NULL;
    }
    if (index < 0 || index >= model->joint_count) {
        complain(c, place_key(where, "joints"), NULL, "there is no joint with index %d", index);
        return NULL;
    }
    const joint *part = &model->joints[index];
    if (part->type && part->coordinate_count != 1) { // joints with errors of their own have been complained about
        complain(c, place_key(where, "joints"),
                 "a gear acts on revolute, prismatic, screw and other joints with one coordinate",
                 "the %s joint '%s' has %d coordinates", part->type->name, part->name, part->coordinate_count);
        return NULL;
    }
    return part->type ? part : NULL;
}

// Slot of a body among those of a gear, entered where it is new; -1 when it cannot move.
static int gear_slot(const ph_model *model, joint *j, int index)
{
    if (model->bodies[index].kind->fixed) {
        return -1;
    }
    int slot = 0;
    while (slot < j->body_count && j->bodies[slot] != index) {
        slot++;
    }
    j->bodies[slot] = index;
    if (slot == j->body_count) j->body_count++;
    return slot;
}

static void check_gear_keys(compiler *c, place where, const ph_joint_def *def)
{
    if (def->body_a != PH_NONE || def->body_b != PH_NONE) {
        complain(c, place_key(where, "bodies"), "joints: [first, second]", "a gear takes joints, not bodies");
    }
    if (def->ratio == 0.0) {
        complain(c, place_key(where, "ratio"), "second coordinate = ratio * first",
                 "the ratio of a gear must not be zero");
    }
    if (def->gear_joint[0] >= 0 && def->gear_joint[0] == def->gear_joint[1]) {
        complain(c, place_key(where, "joints"), NULL, "a gear needs two different joints");
    }
}

// The bodies whose reaction is told are those that the second axes carry.
static int carried(const ph_model *model, const joint *part)
{
    return model->bodies[part->b].kind->fixed ? part->a : part->b;
}

void compile_gear(compiler *c, int index)
{
    ph_model *model = c->model;
    joint *j = &model->joints[index];
    const place where = place_of("joints[%d]", index);
    const joint *first = gear_part(c, where, j->def, 0), *second = gear_part(c, where, j->def, 1);
    check_gear_keys(c, where, j->def);
    gear *pair = arena_alloc(model->memory, sizeof *pair);
    c->out_of_memory |= !pair;
    if (!first || !second || !pair) {
        return;
    }
    *pair = (gear){.joints = {first, second}, .ratio = j->def->ratio};
    for (int n = 0; n < 2; n++) {
        pair->slots[n][0] = gear_slot(model, j, pair->joints[n]->a);
        pair->slots[n][1] = gear_slot(model, j, pair->joints[n]->b);
    }
    pair->phase = compile_start_of(second, 0) - pair->ratio * compile_start_of(first, 0);
    j->a = carried(model, first);
    j->b = carried(model, second);
    j->E_a = j->E_b = ph_identity();
    j->slot_a = (int8_t)gear_slot(model, j, j->a);
    j->slot_b = (int8_t)gear_slot(model, j, j->b);
    j->gear = pair;
    j->type->make(j);
}

bool compile_is_gear(const joint *j)
{
    return j->type && (j->type->keys & JOINT_GEAR);
}

// ---- Coordinates of other joints ------------------------------------------------------------------------------------

bool compile_is_coordinate(const joint *j)
{
    return j->type && (j->type->keys & JOINT_OF);
}

static const joint *find_owner(compiler *c, place where, const ph_joint_def *def)
{
    const ph_model *model = c->model;
    if (def->body_a != PH_NONE || def->body_b != PH_NONE) {
        complain(c, place_key(where, "bodies"), "of: the name of a joint", "a coordinate takes a joint, not bodies");
        return NULL;
    }
    if (def->has_start) {
        complain(c, place_key(where, "start"), "give it to the joint itself", "a coordinate starts as its joint does");
    }
    if (def->of_joint < 0 || def->of_joint >= model->joint_count) {
        complain(c, place_key(where, "of"), "of: the name of a joint", "a coordinate needs the joint that it is of");
        return NULL;
    }
    const joint *owner = &model->joints[def->of_joint];
    if (compile_is_coordinate(owner)) {
        complain(c, place_key(where, "of"), NULL, "'%s' is a coordinate itself", owner->name);
        return NULL;
    }
    if (owner->type && (def->of_coordinate < 0 || def->of_coordinate >= owner->coordinate_count)) {
        complain(c, place_key(where, "index"), "the first has the index 0",
                 "the %s joint '%s' has %d coordinates, none with the index %d", owner->type->name, owner->name,
                 owner->coordinate_count, def->of_coordinate);
        return NULL;
    }
    return owner->type ? owner : NULL; // joints with errors of their own have been complained about
}

// It stands where its owner stands.
void compile_coordinate(compiler *c, int index)
{
    joint *j = &c->model->joints[index];
    const place where = place_of("joints[%d]", index);
    const joint *owner = find_owner(c, where, j->def);
    if (!owner) return;
    j->of = owner;
    j->of_coordinate = j->def->of_coordinate;
    j->a = owner->a, j->b = owner->b;
    j->s_a = owner->s_a, j->s_b = owner->s_b;
    j->E_a = owner->E_a, j->E_b = owner->E_b;
    j->length = owner->length, j->pitch = owner->pitch, j->slide = owner->slide;
    j->chain = owner->chain;
    compile_number_bodies(c->model, j);
    const coordinate it = owner->coordinates[j->of_coordinate];
    joint_add_coordinate(j, (coordinate_kind)it.kind, it.i);
    compile_joint_drive(c, where, j);
}
