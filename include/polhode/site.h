// Polhode: sites, named frames on bodies: where springs and joints attach and sensors sit.
#ifndef POLHODE_SITE_H
#define POLHODE_SITE_H

#include "polhode/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_site_def {
    uint32_t cookie;
    const char *name;
    int body;         // index, or PH_WORLD
    ph_vec3 position; // in the body frame
    ph_quat orientation;
    uint64_t reserved[4]; // room for later versions
} ph_site_def;

PH_API ph_site_def ph_default_site(void);
PH_API int ph_spec_add_site(ph_spec *spec, const ph_site_def *def); // index, or PH_NONE

PH_API int ph_model_sites(const ph_model *model);
PH_API int ph_model_find_site(const ph_model *model, const char *name); // index or PH_NONE

typedef struct ph_site_info {
    const char *name;
    int body;            // index, or PH_WORLD
    ph_vec3 position;    // from the centre of mass, body axes
    ph_quat orientation; // site -> body
} ph_site_info;
PH_API ph_site_info ph_model_site(const ph_model *model, int site);

// Where a site is and how it moves.
typedef struct ph_site_motion {
    ph_vec3 position;         // world
    ph_quat orientation;      // site -> world
    ph_vec3 velocity;         // of the point, world
    ph_vec3 angular_velocity; // site axes
} ph_site_motion;
PH_API ph_site_motion ph_state_site(const ph_state *state, int site);

#ifdef __cplusplus
}
#endif
#endif
