// What rangefinders see: rays against the shapes of a model.
#ifndef PH_SENSORS_EYES_H
#define PH_SENSORS_EYES_H

#include "model/model.h"

typedef struct eyes eyes;
ph_status eyes_create(const ph_model *model, eyes **to, ph_error *error);
void eyes_destroy(eyes *e); // takes NULL
// As sensor_view.look.
double eyes_look(void *e, const motion *at, int own_body, ph_vec3 from, ph_vec3 along, double range);

#endif
