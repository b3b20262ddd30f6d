// Polhode: ph_batch, many worlds of one model, moved side by side on all cores.
//
//     ph_batch_def def = ph_default_batch();
//     def.worlds = 4096;
//     def.threads = 16;
//     ph_batch_create(model, &def, &batch, &error);
//     ph_batch_reset(batch, &(ph_batch_start){.keyframe = PH_NONE, .coordinate_noise = 0.05}, &error);
//     for (...) {
//         ...                                    // write actions: ph_state_inputs(ph_batch_state(batch, w))
//         ph_batch_step(batch, NULL, 1e-3, 20);  // every world that has not failed
//         ph_batch_joints(batch, q, qd);
//     }
//
// Every world is moved as if it were alone: it has the bits of ph_sim_advance by 16 steps at a time, whatever the number of
// threads.
#ifndef POLHODE_BATCH_H
#define POLHODE_BATCH_H

#include "polhode/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_batch ph_batch;

typedef struct ph_batch_def {
    uint32_t cookie;
    int worlds;
    int threads;          // that share the worlds
    uint64_t seed;        // of the noise at the start
    ph_sim_def sim;       // how each world is moved
    uint64_t first;       // number of the first world in a larger whole that this batch is a share of: noise goes by it
    uint64_t reserved[3]; // room for later versions
} ph_batch_def;

PH_API ph_batch_def ph_default_batch(void);

// All worlds are at the start of the model, which must outlive the batch.
PH_API ph_status ph_batch_create(const ph_model *model, const ph_batch_def *def, ph_batch **batch, ph_error *error);
PH_API void ph_batch_destroy(ph_batch *batch);

PH_API int ph_batch_worlds(const ph_batch *batch);
PH_API ph_state *ph_batch_state(ph_batch *batch, int world); // NULL when out of range
// The states lie in one block. A number of a state is so many bytes before the same number of the next world's: one array
// over all worlds, without a copy.
PH_API size_t ph_batch_stride(const ph_batch *batch);
PH_API size_t ph_batch_bytes(const ph_batch *batch); // of all worlds, contacts included

// This world gets a model of its own: other masses, lengths, gains, frictions of the same machine. Bodies, joints and inputs must
// be as many as before. The world is at the start of that model, which must outlive the batch; NULL: the shared one again.
PH_API ph_status ph_batch_set_model(ph_batch *batch, int world, const ph_model *model, ph_error *error);

// Domain randomisation: worlds with other values of named parameters and inputs, uniform between low and high, drawn anew at every call from the
// seed, the number of the world and how often it was varied. Whatever formulas of the model's text depend on them follows, with the bits that a model has
// that was read at these values; nothing else of the text is read again, unless names or numbers of elements follow from them. The worlds are at the
// start of their new models, which all threads make together and the batch keeps. A world whose values make no model, or one with other bodies,
// joints or inputs, fails alone and stays as it was.
typedef struct ph_batch_range {
    const char *name;
    double low, high;
} ph_batch_range;
// `mask`: worlds to vary, or NULL: all. `drawn`: [worlds][count] gets the values of those that are, or NULL.
PH_API ph_status ph_batch_randomise(ph_batch *batch, const uint8_t *mask, const ph_batch_range *ranges, int count,
                                    double *drawn, ph_error *error);

// ---- Moving ---------------------------------------------------------------------------------------------------------

// `count` steps of length h in every world that has not failed; of those where mask[world] is not 0, unless `mask` is NULL.
// A world that fails stays where its last good step has led; the others go on. PH_OK unless an argument is wrong.
PH_API ph_status ph_batch_step(ph_batch *batch, const uint8_t *mask, double h, long long count);

// Control and recording of whole motions in one call. Arrays hold world after world, row after row; those that are NULL are
// left out. Row r is seen after `every` steps with the inputs of row r. Worlds that have failed repeat their last row.
typedef struct ph_batch_rollout {
    double step;
    long long rows, every;
    const double *inputs;        // [worlds][rows][inputs]
    double *position;            // [worlds][rows][bodies][3]: centres of mass, world
    double *orientation;         // [worlds][rows][bodies][4]
    double *velocity;            // [worlds][rows][bodies][3]
    double *angular_velocity;    // [worlds][rows][bodies][3]: body frame
    double *coordinates, *rates; // [worlds][rows][coordinates of all joints]
} ph_batch_rollout;
PH_API ph_status ph_batch_roll(ph_batch *batch, const ph_batch_rollout *rollout);

PH_API int ph_batch_failed(const ph_batch *batch); // how many worlds
// Why a world failed; "" for one that has not. `message` may be NULL.
PH_API ph_status ph_batch_status(const ph_batch *batch, int world, const char **message);

// ---- Starting again -------------------------------------------------------------------------------------------------

// What a world starts from. Noise is uniform in [-amount, amount], drawn anew at every reset from the seed, the number of the
// world and how often it was reset: the same for any number of threads and any mask.
typedef struct ph_batch_start {
    const uint8_t *mask;           // worlds to reset, or NULL: all
    int keyframe;                  // or PH_NONE: the start of the model
    double coordinate_noise;       // added to every joint coordinate that no motor prescribes (rad, m)
    double rate_noise;             // and to its rate
    double position_noise;         // to the place of bodies and machines that float, in each direction (m)
    double orientation_noise;      // they turn as one piece about a random axis through their first body (rad)
    double velocity_noise;         // m/s
    double angular_velocity_noise; // rad/s
} ph_batch_start;

// A world whose noise cannot be met by its joints starts without it, and is counted as failed with the reason.
PH_API ph_status ph_batch_reset(ph_batch *batch, const ph_batch_start *start, ph_error *error);

// ---- Looking --------------------------------------------------------------------------------------------------------

PH_API int ph_batch_coordinates(const ph_batch *batch); // of all joints of one world
// Coordinates and rates of all joints, [worlds][coordinates]; either may be NULL.
PH_API void ph_batch_joints(ph_batch *batch, double *coordinates, double *rates);

#ifdef __cplusplus
}
#endif
#endif
