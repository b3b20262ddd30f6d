// Polhode: a simulation that somebody watches and handles while it runs: the live server and the web page that simulates both
// are a loop around these calls.
//
//     ph_live *live;
//     const ph_live_def def = ph_default_live();
//     if (ph_live_create(model, &def, &live, &error) != PH_OK) ...
//     for (;;) {
//         ph_live_command(live, "set g 3.7");      // what the viewer says
//         ph_live_advance(live, clock, 1.0 / 60);  // as far as its clock has come, for a frame at the most
//         ph_live_news(live);                      // JSON when something has changed
//         ph_live_frame(live, &bytes);             // what moves
//     }
#ifndef POLHODE_LIVE_H
#define POLHODE_LIVE_H

#include "polhode/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_live ph_live;

typedef struct ph_live_def {
    uint32_t cookie;
    const char *scheme; // NULL: as the model says
    double step;        // 0: as the model says
    // Called after every step and at every new start. May be NULL.
    void (*visit)(const ph_state *state, ph_observer *observer, bool restarted, void *user);
    void *user;
    uint64_t reserved[4]; // room for later versions
} ph_live_def;

PH_API ph_live_def ph_default_live(void);

// The model must outlive it and is not changed: what the viewer sets makes new ones. Only a model that was read from a file
// has parameters to set and bodies to pull at.
PH_API ph_status ph_live_create(const ph_model *model, const ph_live_def *def, ph_live **live, ph_error *error);
PH_API void ph_live_destroy(ph_live *live);

// One command of the viewer; false: it is none, or not one that can be carried out.
//
//     play | pause | step COUNT | speed FACTOR | reset [KEYFRAME]
//     drag BODY POINT TARGET | release      pulls at a point of a body (from its centre of mass, body axes); indices, numbers
//     set NAME VALUE                        a parameter or an input
//     scheme NAME | length SECONDS          of the steps from now on
//     seen                                  the last frame was drawn
PH_API bool ph_live_command(ph_live *live, const char *text);

// Steps until it has caught up with the clock of the caller (seconds, any origin) or has worked for `most` seconds. Returns
// how many steps were made.
PH_API long long ph_live_advance(ph_live *live, double clock, double most);

// A frame, little-endian: time, kinetic, potential, work, total energy, position and velocity violation, linear and angular
// momentum as doubles; of each body position, orientation, velocity, angular velocity as floats; the columns that
// ph_live_describe names as floats; how many contacts there are, how many follow, point and force of each as floats. It lasts
// until the next call.
PH_API const void *ph_live_frame(ph_live *live, size_t *bytes);

// JSON: everything a viewer needs before the first frame: the scene, parameters, inputs, keyframes, schemes, columns.
PH_API const char *ph_live_describe(ph_live *live);
// JSON: what has changed since the last call, NULL when nothing has. Texts last until the next call.
PH_API const char *ph_live_news(ph_live *live);

PH_API bool ph_live_paused(const ph_live *live);
PH_API int ph_live_unseen(const ph_live *live);            // frames since the viewer has drawn one
PH_API const ph_model *ph_live_model(const ph_live *live); // at the values of its parameters
PH_API ph_state *ph_live_state(ph_live *live);
PH_API const char *ph_live_scheme(const ph_live *live);
PH_API double ph_live_step(const ph_live *live);

#ifdef __cplusplus
}
#endif
#endif
