// What does not move in a page: bodies, shapes, joints, springs.
#ifndef PH_IO_PAGE_SCENE_H
#define PH_IO_PAGE_SCENE_H

#include "io/page/text.h"

#include "polhode/result.h"

// As one JSON object.
void put_scene(page_text *t, const ph_model *model);
// Of a result without its model: the names alone.
void put_bare_scene(page_text *t, const ph_result *result);

#endif
