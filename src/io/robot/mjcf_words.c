// What MJCF would take for something else if it were read on: words that an attribute does not know, two orientations of one
// element, two elements of one name.

#include "io/robot/mjcf.h"

#include <stdlib.h>
#include <string.h>

// ---- Words --------------------------------------------------------------------------------------------------------------

static const struct {
    const char *words, *attributes; // a blank before and after each
} choices[] = {
    {" degree radian ", " angle "},
    {" false true auto ", " limited ctrllimited forcelimited actlimited actuatorfrclimited inertiafromgeom align "},
    {" false true ",
     " active mocap shellinertia actuatorgravcomp actearly autolimits balanceinertia strippath alignfree "},
};

static bool is_among(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(words, word); at && length > 0; at = strstr(at + 1, word)) {
        if (at[-1] == ' ' && at[length] == ' ') return true;
    }
    return false;
}

static const char *words_of(const xml_node *node, const char *attribute)
{
    if (xml_is(node, "flag")) return " enable disable ";
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        if (is_among(choices[i].attributes, attribute)) return choices[i].words;
    }
    return NULL;
}

void mjcf_check_words(robot *r, const xml_node *node)
{
    int orientations = 0;
    for (int i = 0; i < node->attribute_count; i++) {
        const xml_attribute *a = &node->attributes[i];
        const char *words = words_of(node, a->name);
        if (words && !is_among(words, a->value))
            robot_fail(r, node, a->name, NULL, "%s is one of:%s- not '%.40s'", a->name, words, a->value);
        orientations += is_among(" quat axisangle euler xyaxes zaxis ", a->name);
    }
    if (orientations > 1)
        robot_fail(r, node, NULL, NULL, "the orientation of <%s> is given %d times", node->name, orientations);
}

// ---- Names --------------------------------------------------------------------------------------------------------------

typedef struct entry {
    const char *name;
    const xml_node *node;
    int place;
} entry;

static int by_name(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : x->place - y->place;
}

static void check_list(robot *r, const char *what, entry *list, int count)
{
    qsort(list, (size_t)count, sizeof *list, by_name);
    for (int i = 1; i < count; i++) {
        if (strcmp(list[i - 1].name, list[i].name) == 0)
            robot_fail(r, list[i].node, NULL, NULL, "there are two %s named '%.60s', the first in line %d", what,
                       list[i].name, xml_line(list[i - 1].node));
    }
}

#define CHECK_NAMES(r, what, items)                                                                                    \
    do {                                                                                                               \
        entry *list = robot_alloc((r), (size_t)(r)->items##_count + 1, sizeof *list);                                  \
        int count = 0;                                                                                                 \
        for (int i = 0; list && i < (r)->items##_count; i++) {                                                         \
            const char *name = (r)->items[i].name;                                                                     \
            if (name && *name && (r)->items[i].node) list[count++] = (entry){name, (r)->items[i].node, i};             \
        }                                                                                                              \
        if (list) check_list((r), (what), list, count);                                                                \
    } while (0)

void mjcf_check_names(robot *r)
{
    CHECK_NAMES(r, "bodies", bodies);
    CHECK_NAMES(r, "joints", joints);
    CHECK_NAMES(r, "geoms", geoms);
    CHECK_NAMES(r, "sites", sites);
    CHECK_NAMES(r, "tendons", tendons);
    CHECK_NAMES(r, "actuators", actuators);
}
