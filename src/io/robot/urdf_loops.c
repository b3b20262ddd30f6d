// Loops of URDF: a file of the form of example-parallel-robots says which links coincide and which joints have another type.
//
//     closed_loop: [[link, link], ...]
//     type: [3d, 6d, ...]                  points, or points and axes
//     joint_name: [...]                    joints that are of another type than the URDF says:
//     joint_type: [SPHERICAL, FIXED, UJOINT_XY, ...]
//
// Lists are in brackets or by dashes; of YAML nothing else is needed.

#include "io/robot/urdf.h"

#include "base/path.h"

#include <ctype.h>
#include <string.h>

enum { WORDS_MAX = 2000 };

typedef struct word_list {
    const char *words[WORDS_MAX];
    int count;
} word_list;

// Whether a line begins with a key, and which text follows it.
static const char *after_key(const char *line, const char *key)
{
    const size_t length = strlen(key);
    return strncmp(line, key, length) == 0 && line[length] == ':' ? line + length + 1 : NULL;
}

static bool begins_key(const char *line)
{
    return isalpha((unsigned char)line[0]) != 0 || line[0] == '_';
}

static void add_word(robot *r, word_list *list, const char *start, size_t length)
{
    if (length > 0 && list->count < WORDS_MAX) {
        list->words[list->count++] = robot_printf(r, "%.*s", (int)length, start);
    }
}

static const char *next_line(const char *s)
{
    s += strcspn(s, "\n");
    return *s ? s + 1 : s;
}

// All words of the value of `key`, whatever the brackets.
static void read_words(robot *r, const char *text, const char *key, word_list *to)
{
    const char *s = NULL;
    to->count = 0;
    for (const char *line = text; *line && !s; line = next_line(line)) s = after_key(line, key);
    while (s && *s) {
        if (*s == '\n') {
            s++;
            if (begins_key(s)) return;
        } else if (*s == '#') {
            s += strcspn(s, "\n");
        } else if (*s == '"' || *s == '\'') {
            const char quote[2] = {*s, '\0'};
            const size_t length = strcspn(s + 1, quote);
            add_word(r, to, s + 1, length);
            s += length + (s[length + 1] ? 2 : 1);
        } else if (strchr("[], \t\r", *s) || (*s == '-' && strchr(" \t", s[1]))) {
            s++;
        } else {
            const size_t length = strcspn(s, "[],# \t\r\n");
            add_word(r, to, s, length ? length : 1);
            s += length ? length : 1;
        }
    }
}

// ---- Joints of another type -----------------------------------------------------------------------------------------------------

static void remove_joint(robot *r, int joint)
{
    const int body = r->joints[joint].body;
    memmove(&r->joints[joint], &r->joints[joint + 1], (size_t)(r->joints_count - joint - 1) * sizeof *r->joints);
    r->joints_count--;
    r->bodies[body].joint_count--;
    for (int i = 0; i < r->bodies_count; i++) r->bodies[i].first_joint -= r->bodies[i].first_joint > joint;
}

static int insert_joint(robot *r, int after)
{
    if (ROBOT_ADD(r, joints) < 0) {
        return ROBOT_NONE;
    }
    const int body = r->joints[after].body;
    memmove(&r->joints[after + 2], &r->joints[after + 1], (size_t)(r->joints_count - after - 2) * sizeof *r->joints);
    for (int i = 0; i < r->bodies_count; i++) r->bodies[i].first_joint += r->bodies[i].first_joint > after;
    r->bodies[body].joint_count++;
    return after + 1;
}

static ph_vec3 axis_named(char c)
{
    return (ph_vec3){c == 'X', c == 'Y', c == 'Z'};
}

// UJOINT_XY: about x of the joint frame, then about y.
static void make_universal(robot *r, int joint, const char *letters)
{
    robot_joint *j = &r->joints[joint];
    const char *name = j->name;
    j->kind = JOINT_HINGE;
    j->axis = axis_named(letters[0]);
    j->has_low = j->has_high = false;
    j->name = robot_printf(r, "%s_1", name);
    const int second = insert_joint(r, joint);
    if (second >= 0) {
        r->joints[second] = r->joints[joint];
        r->joints[second].axis = axis_named(letters[1]);
        r->joints[second].name = robot_printf(r, "%s_2", name);
    }
}

static void change_joint(robot *r, const char *name, const char *type)
{
    int joint = ROBOT_NONE;
    for (int i = 0; i < r->joints_count && joint < 0; i++) {
        if (robot_words_equal(r->joints[i].name, name)) joint = i;
    }
    if (joint < 0) {
        robot_note(r, NULL, "the loop file names joints that do not move");
    } else if (strcmp(type, "SPHERICAL") == 0) {
        r->joints[joint].kind = JOINT_BALL;
        r->joints[joint].has_low = r->joints[joint].has_high = false;
        r->joints[joint].damping = r->joints[joint].friction = 0.0;
    } else if (strcmp(type, "FIXED") == 0) {
        remove_joint(r, joint);
    } else if (strncmp(type, "UJOINT_", 7) == 0 && strlen(type) == 9) {
        make_universal(r, joint, type + 7);
    } else {
        robot_fail(r, r->joints[joint].node, NULL, "SPHERICAL, FIXED or UJOINT_XY",
                   "the loop file gives joint '%.60s' the type '%.40s'", name, type);
    }
}

// ---- Loops ----------------------------------------------------------------------------------------------------------------------

// A link, or the one that a joint of this name carries: their frames are the same.
static int link_named(const robot *r, const char *name)
{
    for (int i = 1; i < r->bodies_count; i++) {
        if (robot_words_equal(r->bodies[i].name, name) || robot_words_equal(r->bodies[i].carried_by, name)) {
            return i;
        }
    }
    return ROBOT_NONE;
}

static void add_loop(robot *r, const char *a, const char *b, const char *type)
{
    const int ends[2] = {link_named(r, a), link_named(r, b)};
    if (ends[0] < 0 || ends[1] < 0) {
        robot_fail(r, NULL, NULL, NULL, "the loop file closes '%.60s' and '%.60s', which are not both links", a, b);
        return;
    }
    const int i = ROBOT_ADD(r, loops);
    if (i >= 0) {
        r->loops[i] = (robot_loop){.name = a,
                                   .node = r->bodies[ends[0]].node,
                                   .kind = strcmp(type, "3d") == 0 ? LOOP_CONNECT : LOOP_WELD,
                                   .body = {ends[0], ends[1]},
                                   .frame = {pose_identity(), pose_identity()}};
    }
}

static void read_loop_text(robot *r, const char *text, const char *path)
{
    word_list *a = robot_alloc(r, 2, sizeof *a);
    if (!a) {
        return;
    }
    word_list *b = a + 1;
    read_words(r, text, "joint_name", a);
    read_words(r, text, "joint_type", b);
    for (int i = 0; i < a->count && i < b->count; i++) change_joint(r, a->words[i], b->words[i]);
    read_words(r, text, "closed_loop", a);
    read_words(r, text, "type", b);
    if (a->count % 2 != 0 || b->count < a->count / 2) {
        robot_fail(r, NULL, NULL, "closed_loop: [[link, link], ...] and type: [3d or 6d, ...]",
                   "%.200s: every loop needs two links and a type", path);
        return;
    }
    for (int i = 0; 2 * i + 1 < a->count; i++) add_loop(r, a->words[2 * i], a->words[2 * i + 1], b->words[i]);
    robot_note(r, r->bodies[1].node, robot_printf(r, "loops are closed as %s says", path));
}

static const char *beside(robot *r)
{
    const char *slash = path_last_slash(r->path), *dot = strrchr(r->path, '.');
    const char *own =
        dot && (!slash || dot > slash) ? robot_printf(r, "%.*s.yaml", (int)(dot - r->path), r->path) : NULL;
    return own && robot_exists(own) ? own : robot_join(r, r->folder, "robot.yaml");
}

void urdf_loops(robot *r)
{
    size_t length;
    const char *path = r->options.loops ? r->options.loops : beside(r);
    const char *text = robot_load(r, NULL, path, &length, !r->options.loops);
    if (text && strstr(text, "closed_loop")) {
        read_loop_text(r, text, path);
    } else if (text && r->options.loops) {
        robot_fail(r, NULL, NULL, NULL, "%.200s has no closed_loop", path);
    }
}
