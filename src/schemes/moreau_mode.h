// What the scheme `moreau` may assume of a model: chosen once, when a simulation is made.
//
//     mode          joints  law      loads            shapes   culls  ball list  loads kept  frames      inertia   heap
//     JOINTS        yes     any      any              any      no     no         yes         yes         matrix    no
//     ROLLING       no      Coulomb  any              any      no     no         yes         yes         matrix    no
//     SPRINGS       no      Coulomb  springs          any      no     no         yes         yes         matrix    no
//     RELAXED       no      relaxed  any              any      no     no         yes         yes         matrix    no
//     BODIES        no      Coulomb  forces or sleep  any      yes    no         yes         yes         matrix    yes
//     BODIES_LEAN   no      Coulomb  gravity alone    any      yes    no         no          yes         matrix    yes
//     BALLS         no      Coulomb  forces           balls    yes    yes        yes         yes         a number  yes
//     BALLS_SLEEP   no      Coulomb  sleep            balls    yes    no         yes         for forces  a number  yes
//     BALLS_LEAN    no      Coulomb  gravity alone    balls    yes    yes        no          no          a number  yes
//
// `ROLLING`: as if there were joints, since contacts with rolling or spinning friction are best solved along paths (contact/paths.h).
// `SPRINGS`: likewise, since springs, dampers and bushings between bodies that are stiff for the step are rows there (moreau_springs.c).
//
// `balls`: all shapes are spheres about centres of mass, one for a body, or planes, and all bodies have the same inertia
// about every axis.
//
// culls       detection lists only what may close. Joints hand impacts on; the relaxed law keeps surfaces apart that slide.
// ball list   contacts between balls have a list of their own. Sleep sorts old contacts among new ones, in one list.
// loads kept  twists, loads and momenta have arrays; else they follow from the state, which a step leaves as it is until
//             it is done.
// frames      rotations have an array from the beginning; else they are made from the state, and get one when a step needs
//             rows.
// heap        contacts without rolling and spinning friction may be solved by heap/heap.h. With joints, islands without any may:
//             moreau_both.c.
#ifndef PH_SCHEMES_MOREAU_MODE_H
#define PH_SCHEMES_MOREAU_MODE_H

#include "collide/shape_set.h"

typedef enum moreau_mode {
    MODE_JOINTS,
    MODE_ROLLING,
    MODE_SPRINGS,
    MODE_RELAXED,
    MODE_BODIES,
    MODE_BODIES_LEAN,
    MODE_BALLS,
    MODE_BALLS_SLEEP,
    MODE_BALLS_LEAN,
} moreau_mode;

typedef struct moreau_traits {
    bool joints, culls, ball_list, keeps_loads, keeps_frames, has_spins, may_use_heap;
} moreau_traits;

// `round`: all bodies have the same inertia about every axis; `paths`: contacts may be solved along paths.
moreau_mode moreau_mode_of(const ph_model *model, const ph_contact_settings *contact, const shape_set *shapes,
                           bool round, bool paths);
const moreau_traits *moreau_traits_of(moreau_mode mode);

#endif
