// What a URDF must be before it is read: names are given once, joints lead from link to link, and each link hangs on one joint.
// Elements and attributes that URDF does not have are typing errors more often than not; they are named.

#include "io/robot/urdf.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const char *name;
    const xml_node *node;
} entry;

typedef struct entries {
    entry *list; // by name
    int count;
} entries;

static const char *link_at(const xml_node *joint, const char *end)
{
    const xml_node *n = xml_child(joint, end);
    return n ? xml_get(n, "link") : NULL;
}

static int by_name_and_place(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x->node->offset > y->node->offset) - (x->node->offset < y->node->offset);
}

// Elements of the robot by their names, or joints by the links that they carry.
static entries gather(robot *r, const xml_node *root, const char *kind, bool by_child)
{
    entries all = {0};
    for (const xml_node *n = xml_child(root, kind); n; n = xml_next(n, kind)) all.count++;
    all.list = robot_alloc(r, (size_t)all.count + 1, sizeof *all.list);
    all.count = 0;
    for (const xml_node *n = xml_child(root, kind); n && all.list; n = xml_next(n, kind)) {
        const char *name = by_child ? link_at(n, "child") : xml_get(n, "name");
        if (name) all.list[all.count++] = (entry){name, n};
    }
    if (all.list) qsort(all.list, (size_t)all.count, sizeof *all.list, by_name_and_place);
    return all;
}

// NULL: none of that name, or no name.
static const entry *find(const entries *all, const char *name)
{
    int low = 0, high = name ? all->count : 0;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (strcmp(all->list[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return name && low < all->count && strcmp(all->list[low].name, name) == 0 ? &all->list[low] : NULL;
}

static void check_once(robot *r, const entries *all, const char *kind)
{
    for (int i = 1; i < all->count; i++) {
        const entry *a = &all->list[i - 1], *b = &all->list[i];
        if (strcmp(a->name, b->name) == 0)
            robot_fail(r, b->node, "name", NULL, "there are two %ss '%.60s', the first in line %d", kind, b->name,
                       xml_line(a->node));
    }
}

static void check_ends(robot *r, const entries *links, const entries *joints)
{
    for (int i = 0; i < joints->count; i++) {
        const xml_node *n = joints->list[i].node;
        const char *parent = link_at(n, "parent"), *child = link_at(n, "child");
        if (!parent || !child)
            robot_fail(r, n, NULL, "<parent link=\"NAME\"/> <child link=\"NAME\"/>", "a joint needs a %s",
                       parent ? "child" : "parent");
        else if (!find(links, parent) && strcmp(parent, "world") != 0)
            robot_fail(r, xml_child(n, "parent"), "link", NULL, "there is no link '%.60s'", parent);
        else if (!find(links, child))
            robot_fail(r, xml_child(n, "child"), "link", NULL, "there is no link '%.60s'", child);
    }
}

static void check_carried_once(robot *r, const entries *carriers)
{
    for (int i = 1; i < carriers->count; i++) {
        const entry *a = &carriers->list[i - 1], *b = &carriers->list[i];
        if (strcmp(a->name, b->name) == 0)
            robot_fail(r, b->node, NULL, "joints that close loops stand in a loop file (--loops)",
                       "the link '%.60s' hangs on two joints, '%.60s' and '%.60s'", b->name,
                       xml_get(a->node, "name") ? xml_get(a->node, "name") : "",
                       xml_get(b->node, "name") ? xml_get(b->node, "name") : "");
    }
}

// On the way up from each link comes one that no joint carries.
static void check_rooted(robot *r, const entries *links, const entries *carriers)
{
    for (int i = 0; i < links->count; i++) {
        const entry *up = find(carriers, links->list[i].name);
        int steps = 0;
        for (; up && steps <= carriers->count; steps++) up = find(carriers, link_at(up->node, "parent"));
        if (up) {
            robot_fail(r, links->list[i].node, NULL, NULL,
                       "the link '%.60s' hangs on a loop of joints that no base carries", links->list[i].name);
            return;
        }
    }
}

// ---- Typing errors ------------------------------------------------------------------------------------------------------

static const struct known {
    const char *element, *children, *attributes; // with a blank before and after each; NULL: any
} knowns[] = {
    {"joint", " origin parent child axis calibration dynamics limit mimic safety_controller ", NULL},
    {"link", " inertial visual collision ", NULL},
    {"inertial", " origin mass inertia ", NULL},
    {"origin", NULL, " xyz rpy "},
    {"axis", NULL, " xyz "},
    {"mass", NULL, " value "},
    {"inertia", NULL, " ixx ixy ixz iyy iyz izz "},
    {"parent", NULL, " link "},
    {"child", NULL, " link "},
    {"mimic", NULL, " joint multiplier offset "},
};

static const struct known *known_of(const xml_node *n)
{
    for (size_t i = 0; i < sizeof knowns / sizeof knowns[0]; i++) {
        if (xml_is(n, knowns[i].element)) return &knowns[i];
    }
    return NULL;
}

static bool is_among(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(words, word); at; at = strstr(at + 1, word)) {
        if (at[-1] == ' ' && at[length] == ' ') return true;
    }
    return false;
}

static void check_words(robot *r, const xml_node *n)
{
    const struct known *k = known_of(n);
    for (int i = 0; k && k->attributes && i < n->attribute_count; i++) {
        const char *name = n->attributes[i].name;
        if (!is_among(k->attributes, name))
            robot_leave_out(r, n, name, robot_printf(r, "an attribute that <%s> does not have", n->name));
    }
    for
        XML_EACH(child, n)
        {
            if (k && k->children && !is_among(k->children, child->name))
                robot_leave_out(r, child, NULL, robot_printf(r, "an element that <%s> does not have", n->name));
            else if (k)
                check_words(r, child);
        }
}

void urdf_check(robot *r, const xml_node *root)
{
    const entries links = gather(r, root, "link", false), joints = gather(r, root, "joint", false),
                  carriers = gather(r, root, "joint", true);
    if (r->out_of_memory) return;
    check_once(r, &links, "link");
    check_once(r, &joints, "joint");
    check_ends(r, &links, &joints);
    check_carried_once(r, &carriers);
    if (r->errors == 0) check_rooted(r, &links, &carriers);
    for
        XML_EACH(n, root)
        {
            check_words(r, n);
        }
}
