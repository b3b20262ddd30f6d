// attach of MJCF: a body, a frame or all of another model. That model is read with its own compiler, defaults and assets; its
// names get a prefix, and of its tendons, actuators and the like come along those that name nothing but what is attached.
// Options, and bounds on masses, are those of the model that it is attached to.

#include "io/robot/mjcf.h"

enum { DEPTH_MAX = 16 };

static xml_node *load(mjcf *m, const xml_node *node)
{
    robot *r = m->r;
    const char *name = xml_get(node, "model");
    mjcf_asset *asset = name ? mjcf_find_asset(m, "model", name) : NULL;
    const char *file = asset ? xml_get(asset->node, "file") : NULL;
    if (!file) {
        robot_fail(r, node, name ? "model" : NULL, "<asset><model name=\"NAME\" file=\"FILE\"/></asset>",
                   "attach needs a model of the assets");
        return NULL;
    }
    if (asset->root) return asset->root;
    xml_node *root = robot_parse(r, asset->node, robot_join(r, m->folder, file));
    if (root && !xml_is(root, "mujoco")) {
        robot_fail(r, asset->node, "file", NULL, "only MJCF can be attached, this is <%.60s>", root->name);
        return NULL;
    }
    if (!root || !mjcf_expand(r, root)) return NULL;
    mjcf_check(r, root);
    return asset->root = root;
}

static void say_what_stays_behind(mjcf *a)
{
    static const char *const others[] = {"option", "keyframe"};
    robot *r = a->r;
    for (int i = 0; i < 2; i++) {
        const xml_node *n = xml_child(a->root, others[i]);
        if (n) robot_note(r, n, robot_printf(r, "<%s> of an attached model is not read", others[i]));
    }
    if (a->balance || a->align_free || a->bound_mass > 0.0 || a->bound_inertia > 0.0 || a->total_mass > 0.0)
        robot_leave_out(r, xml_child(a->root, "compiler"), NULL,
                        "what the compiler of an attached model does to masses");
}

// Once for each element that attaches it: replicas share it.
static mjcf *open_model(mjcf *m, const xml_node *node)
{
    robot *r = m->r;
    mjcf **end = &m->attached;
    for (; *end; end = &(*end)->next) {
        if ((*end)->from == node) return *end;
    }
    if (m->depth == DEPTH_MAX) {
        robot_fail(r, node, NULL, NULL, "models attach each other more than %d deep", DEPTH_MAX);
        return NULL;
    }
    xml_node *root = load(m, node);
    mjcf *a = root ? robot_alloc(r, 1, sizeof *a) : NULL;
    if (!a) return NULL;
    mjcf_set_defaults(a, r, root, robot_folder(r, root->file->path));
    a->disabled_limit = m->disabled_limit, a->disabled_friction = m->disabled_friction;
    a->disabled_spring = m->disabled_spring, a->disabled_damper = m->disabled_damper;
    a->disabled_equality = m->disabled_equality, a->disabled_actuation = m->disabled_actuation;
    a->prefix = robot_printf(r, "%s%s", m->prefix, xml_get(node, "prefix") ? xml_get(node, "prefix") : "");
    a->from = node;
    a->depth = m->depth + 1;
    a->is_part = xml_get(node, "body") || xml_get(node, "frame");
    mjcf_read_compilers(a);
    mjcf_read_classes(a);
    mjcf_read_assets(a);
    say_what_stays_behind(a);
    return *end = a;
}

// The element of that name; *class becomes the default class that it stands in.
static const xml_node *find(mjcf *a, const xml_node *parent, const char *kind, const char *name,
                            const mjcf_class **class)
{
    for
        XML_EACH(n, parent)
        {
            const bool holds = xml_is(n, "body") || xml_is(n, "frame") || xml_is(n, "worldbody");
            const mjcf_class *inside = mjcf_child_class(a, n, *class);
            if (xml_is(n, kind) && robot_words_equal(xml_get(n, "name"), name)) return n;
            const xml_node *found = holds ? find(a, n, kind, name, &inside) : NULL;
            if (found) {
                *class = inside;
                return found;
            }
        }
    return NULL;
}

bool mjcf_attach(mjcf *m, const xml_node *node, mjcf_attachment *to)
{
    const char *kind = xml_get(node, "frame") ? "frame" : "body", *name = xml_get(node, kind);
    *to = (mjcf_attachment){.model = open_model(m, node)};
    if (!to->model) return false;
    to->class = to->model->classes;
    to->node = name ? find(to->model, to->model->root, kind, name, &to->class) : NULL;
    return !name || to->node ||
           robot_fail(m->r, node, kind, NULL, "there is no %s '%.60s' in the model '%.60s'", kind, name,
                      xml_get(node, "model"));
}
