// What names replicated elements is replicated with them: a tendon over the sites `a` and `b` of a <replicate> becomes one for each
// copy, a0 to b0, a1 to b1 and so on, and so does an actuator of that tendon. Names outside of the <replicate> stay as they are.

#include "io/robot/mjcf.h"

#include <stdlib.h>
#include <string.h>

void mjcf_enter_suffix(robot *r, const char *suffix)
{
    const int i = ROBOT_ADD(r, suffixes);
    if (i >= 0) r->suffixes[i] = suffix;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Several <replicate> may have copies of one suffix.
static void sort_suffixes(robot *r)
{
    int kept = 0;
    if (r->suffixes_sorted || r->suffixes_count == 0) return;
    qsort(r->suffixes, (size_t)r->suffixes_count, sizeof *r->suffixes, by_text);
    for (int i = 0; i < r->suffixes_count; i++) {
        if (kept == 0 || strcmp(r->suffixes[kept - 1], r->suffixes[i]) != 0) r->suffixes[kept++] = r->suffixes[i];
    }
    r->suffixes_count = kept;
    r->suffixes_sorted = true;
}

// Names of elements, by the beginning of the attribute: site1 is a site.
static bool is_reference(const char *attribute)
{
    static const char *const words[] = {"site",   "sidesite", "joint",   "body", "geom",
                                        "tendon", "actuator", "objname", NULL};
    for (int i = 0; words[i]; i++) {
        if (strncmp(attribute, words[i], strlen(words[i])) == 0) return true;
    }
    return false;
}

// Of an element and what stands in it: does a name need this suffix, and is every name known with it or without?
static bool all_known(robot *r, const xml_node *n, const char *suffix, bool *needs)
{
    for (int i = 0; i < n->attribute_count; i++) {
        const xml_attribute *a = &n->attributes[i];
        if (!is_reference(a->name) || robot_knows(r, a->name, a->value, "")) continue;
        if (!robot_knows(r, a->name, a->value, suffix)) return false;
        *needs = true;
    }
    for
        XML_EACH(child, n)
        {
            if (!all_known(r, child, suffix, needs)) return false;
        }
    return true;
}

void mjcf_read_replicas(mjcf *m, const xml_node *n, void (*read)(mjcf *m, const xml_node *n))
{
    robot *r = m->r;
    bool replicated = false, plain = false;
    sort_suffixes(r);
    const bool known = (r->suffixes_count == 0 && !m->is_part) || all_known(r, n, "", &plain);
    for (int i = 0; i < r->suffixes_count && !known; i++) {
        bool needs = false;
        if (!all_known(r, n, r->suffixes[i], &needs) || !needs) continue;
        r->suffix = r->suffixes[i];
        read(m, n);
        replicated = true;
    }
    r->suffix = NULL;
    if (!replicated && (known || !m->is_part)) read(m, n);
}
