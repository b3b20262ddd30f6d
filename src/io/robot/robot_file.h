// Robot files: MJCF, URDF and SDF as specs.
#ifndef PH_IO_ROBOT_ROBOT_FILE_H
#define PH_IO_ROBOT_ROBOT_FILE_H

#include "polhode/io.h"

bool robot_is_xml(const char *text, size_t length); // it begins as XML does

// The spec of the text of a robot file at `path`. What differs from the file goes into `problems`. On failure *spec is NULL.
ph_status robot_read(const char *text, size_t length, const char *path, const ph_setting *settings, int setting_count,
                     ph_problems *problems, ph_spec **spec);

#endif
