// The table of moreau_mode.h.
#include "schemes/moreau_mode.h"

#include "forces/force.h"

// joints, culls, ball_list, keeps_loads, keeps_frames, has_spins, may_use_heap
static const moreau_traits modes[] = {
    [MODE_JOINTS] = {true, false, false, true, true, false, false},
    [MODE_ROLLING] = {true, false, false, true, true, false, false},
    [MODE_SPRINGS] = {true, false, false, true, true, false, false},
    [MODE_RELAXED] = {false, false, false, true, true, false, false},
    [MODE_BODIES] = {false, true, false, true, true, false, true},
    [MODE_BODIES_LEAN] = {false, true, false, false, true, false, true},
    [MODE_BALLS] = {false, true, true, true, true, true, true},
    [MODE_BALLS_SLEEP] = {false, true, false, true, false, true, true},
    [MODE_BALLS_LEAN] = {false, true, true, false, false, true, true},
};

const moreau_traits *moreau_traits_of(moreau_mode mode)
{
    return &modes[mode];
}

// Such as may be rows. Bodies that fall asleep would have to be told from those that hang on them.
static bool has_springs(const ph_model *model)
{
    bool any = false;
    for (int k = 0; k < model->force_count && !any; k++) any = force_may_be_rows(&model->forces[k]);
    return any;
}

moreau_mode moreau_mode_of(const ph_model *model, const ph_contact_settings *contact, const shape_set *shapes,
                           bool round, bool paths)
{
    const bool sleep = contact->sleep > 0.0, lean = !sleep && model->force_count == 0;
    if (model->joint_count > 0) return MODE_JOINTS;
    if (paths && shapes->may_roll) return MODE_ROLLING;
    if (paths && !sleep && has_springs(model)) return MODE_SPRINGS;
    if (contact->law != PH_LAW_COULOMB) return MODE_RELAXED;
    if (!round || !shapes_are_single_balls(shapes)) return lean ? MODE_BODIES_LEAN : MODE_BODIES;
    return sleep ? MODE_BALLS_SLEEP : lean ? MODE_BALLS_LEAN : MODE_BALLS;
}
