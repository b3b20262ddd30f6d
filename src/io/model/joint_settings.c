// Settings of joints: --set crank.rate=-6, crank.coordinate=0.3, nut.coordinate[1]=0.2 say where the model starts, in place
// of what its file says.

#include "io/model/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct joint_setting {
    int joint, index;
    bool rate;
} joint_setting;

// The joint of a name such as "crank.rate[1]"; PH_NONE when it is of another form. A joint may have dots in its name.
static joint_setting parse(const reader *r, const char *name)
{
    joint_setting s = {.joint = PH_NONE};
    const char *dot = strrchr(name, '.');
    char joint[256], word[32];
    const size_t length = dot ? strcspn(dot + 1, "[") : 0;
    if (!dot || (size_t)(dot - name) >= sizeof joint || length >= sizeof word) {
        return s;
    }
    snprintf(joint, sizeof joint, "%.*s", (int)(dot - name), name);
    snprintf(word, sizeof word, "%.*s", (int)length, dot + 1);
    if (strcmp(word, "rate") != 0 && strcmp(word, "coordinate") != 0) {
        return s;
    }
    if (dot[1 + length] == '[') {
        char *end;
        const long index = strtol(dot + 2 + length, &end, 10);
        if (strcmp(end, "]") != 0 || index < 0 || index >= PH_JOINT_COORDINATES) {
            return s;
        }
        s.index = (int)index;
    }
    s.rate = *word == 'r';
    s.joint = names_find(&r->joint_names, joint);
    return s;
}

bool is_joint_setting(const reader *r, const char *name)
{
    return parse(r, name).joint >= 0;
}

void apply_joint_settings(reader *r)
{
    for (int i = 0; i < r->setting_count; i++) {
        const char *name = r->settings[i].name, *value = r->settings[i].value;
        const joint_setting s = parse(r, name);
        char where[160];
        if (s.joint < 0 || s.joint >= r->spec->joint_count) {
            continue;
        }
        ph_joint_def *def = &r->spec->joints[s.joint];
        snprintf(where, sizeof where, "--set %.60s=%.60s", name, value);
        (s.rate ? def->has_rate : def->has_coordinate)[s.index] = true;
        if (check_setting_units(r, where, value, s.rate ? "rate" : "coordinate", def, s.index)) {
            text_number(r, where, value, &(s.rate ? def->rate : def->coordinate)[s.index]);
        }
    }
}
