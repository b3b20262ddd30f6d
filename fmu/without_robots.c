// The core alone reads model files in JSON. Robot files have become such before they come here.

#include "io/robot/robot_file.h"

bool robot_is_xml(const char *text, size_t length)
{
    return length > 0 && text[0] == '<';
}

ph_status robot_read(const char *text, size_t length, const char *path, const ph_setting *settings, int setting_count,
                     ph_problems *problems, ph_spec **spec)
{
    (void)text, (void)length, (void)path, (void)settings, (void)setting_count, (void)problems;
    *spec = NULL;
    return PH_NOT_SUPPORTED;
}
