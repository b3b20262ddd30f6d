// What quantities a result has, from its fields.

#include "io/plot/curve.h"

#include "model/model.h"
#include "polhode/sensor.h"

#include <stdio.h>
#include <string.h>

static const char *const xyz[] = {"x", "y", "z"}, *const wxyz[] = {"w", "x", "y", "z"};
static const char *const entries[] = {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};

static const char *keep(ph_curves *all, const char *text)
{
    const char *copy = *text ? arena_copy_string(all->memory, text) : "";
    all->failed = all->failed || !copy;
    return copy ? copy : "";
}

// "a.b.c" of the pieces that are not empty.
static const char *join(ph_curves *all, const char *a, const char *b, const char *c, const char *d)
{
    const char *pieces[] = {a, b, c, d};
    size_t size = 1;
    for (int i = 0; i < 4; i++) {
        size += strlen(pieces[i]) + 1;
    }
    char *text = arena_alloc(all->memory, size), *at = text;
    all->failed = all->failed || !text;
    for (int i = 0; text && i < 4; i++) {
        if (*pieces[i]) {
            at += sprintf(at, "%s%s", at > text ? "." : "", pieces[i]);
        }
    }
    return text ? text : "";
}

// A group of quantities: "joints", "A", "force" in N.
typedef struct family {
    const char *group, *subject, *what, *unit;
    int field;
} family;

static curve *add(ph_curves *all, const family *f, const char *what, const char *part, curve_kind kind, int from,
                  int width)
{
    if (all->failed || !mem_reserve(NULL, &all->list, &all->capacity, all->count + 1, sizeof *all->list)) {
        all->failed = true;
        return &all->lost;
    }
    curve *q = &all->list[all->count++];
    *q = (curve){.kind = kind, .field = f->field, .from = from, .width = width, .extra = kind == CURVE_SIZE};
    q->about = (ph_curve){.name = join(all, f->group, f->subject, what, part),
                          .subject = keep(all, f->subject),
                          .what = what,
                          .part = part,
                          .unit = f->unit};
    return q;
}

static void add_vector(ph_curves *all, const family *f, int from)
{
    for (int i = 0; i < 3; i++) {
        add(all, f, f->what, xyz[i], CURVE_VALUE, from + i, 1);
    }
}

static void add_scalar(ph_curves *all, const char *field, const char *group, const char *what, const char *unit)
{
    const int index = ph_result_find(all->result, field);
    if (index != PH_NONE) {
        add(all, &(family){group, "", what, unit, index}, what, "", CURVE_VALUE, 0, 1);
    }
}

// ---- Of the whole system --------------------------------------------------------------------------------------------

static void list_system(ph_curves *all)
{
    const ph_result *r = all->result;
    add_scalar(all, "time", "", "time", "s");
    const family energy = {"energy", "", "", "J", ph_result_find(r, "energy/total")};
    if (energy.field != PH_NONE) {
        const family number = {"energy", "", "", "", energy.field};
        add(all, &energy, "error", "", CURVE_CHANGE, 0, 1)->extra = true;
        add(all, &number, "relative_error", "", CURVE_RELATIVE, 0, 1)->extra = true;
    }
    add_scalar(all, "energy/total", "energy", "total", "J");
    add_scalar(all, "energy/kinetic", "energy", "kinetic", "J");
    add_scalar(all, "energy/potential", "energy", "potential", "J");
    add_scalar(all, "energy/work", "energy", "work", "J");
    const family momenta[] = {{"momentum", "", "linear", "kg m/s", ph_result_find(r, "momentum/linear")},
                              {"momentum", "", "angular", "kg m²/s", ph_result_find(r, "momentum/angular")}};
    for (int i = 0; i < 2; i++) {
        if (momenta[i].field != PH_NONE) {
            add_vector(all, &momenta[i], 0);
            add(all, &momenta[i], momenta[i].what, "size", CURVE_SIZE, 0, 3);
        }
    }
    add_scalar(all, "violation/position", "violation", "position", "m");
    add_scalar(all, "violation/velocity", "violation", "velocity", "m/s");
    add_scalar(all, "contact/solver", "contact", "solver", "");
}

// ---- Of bodies ------------------------------------------------------------------------------------------------------

static void list_body(ph_curves *all, int body, const int fields[4])
{
    static const char *const axes[] = {"axis_x", "axis_y", "axis_z"};
    const char *name = ph_result_body(all->result, body);
    const family position = {"", name, "position", "m", fields[0]};
    const family orientation = {"", name, "orientation", "", fields[1]};
    const family velocity = {"", name, "velocity", "m/s", fields[2]};
    const family angular = {"", name, "angular_velocity", "rad/s", fields[3]};
    if (position.field != PH_NONE) {
        add_vector(all, &position, 3 * body);
    }
    if (velocity.field != PH_NONE) {
        add_vector(all, &velocity, 3 * body);
        add(all, &velocity, "speed", "", CURVE_SIZE, 3 * body, 3);
    }
    if (angular.field != PH_NONE) {
        add_vector(all, &angular, 3 * body);
        add(all, &angular, "angular_speed", "", CURVE_SIZE, 3 * body, 3);
    }
    if (orientation.field == PH_NONE) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        add(all, &orientation, "orientation", wxyz[i], CURVE_VALUE, 4 * body + i, 1);
    }
    for (int i = 0; i < 9; i++) { // axis i/3 of the body is column i/3 of R
        add(all, &orientation, axes[i / 3], xyz[i % 3], CURVE_AXIS, 4 * body, 4)->entry = 3 * (i % 3) + i / 3;
    }
}

static void list_bodies(ph_curves *all)
{
    const ph_result *r = all->result;
    const int fields[4] = {ph_result_find(r, "position"), ph_result_find(r, "orientation"),
                           ph_result_find(r, "velocity"), ph_result_find(r, "angular_velocity")};
    for (int i = 0; i < ph_result_bodies(r); i++) {
        list_body(all, i, fields);
    }
}

// ---- Of joints ------------------------------------------------------------------------------------------------------

// "rad" or "m" by the kind of the coordinate; "" when the model is not at hand.
static const char *coordinate_unit(const ph_model *model, int index, int coordinate, bool rate)
{
    if (!model || index >= model->joint_count || coordinate >= model->joints[index].coordinate_count) {
        return "";
    }
    const bool slide = coordinate_slides(model->joints[index].coordinates[coordinate]);
    return slide ? rate ? "m/s" : "m" : rate ? "rad/s" : "rad";
}

static void list_coordinates(ph_curves *all, const ph_model *model, int index, const char *what)
{
    static const char *const numbers[] = {"1", "2", "3", "4", "5", "6"};
    const int field = ph_result_find_joint(all->result, index, what);
    const int count = (int)ph_result_field_get(all->result, field).width;
    for (int i = 0; field != PH_NONE && i < count && i < 6; i++) {
        const char *unit = coordinate_unit(model, index, i, strcmp(what, "rate") == 0);
        const family f = {"joints", ph_result_joint(all->result, index), what, unit, field};
        add(all, &f, what, count > 1 ? numbers[i] : "", CURVE_VALUE, i, 1);
    }
}

static void list_joint(ph_curves *all, const ph_model *model, int index)
{
    const char *name = ph_result_joint(all->result, index);
    const family force = {"joints", name, "force", "N", ph_result_find_joint(all->result, index, "force")};
    const family torque = {"joints", name, "torque", "N m", ph_result_find_joint(all->result, index, "torque")};
    if (force.field != PH_NONE) {
        add(all, &force, "reaction", "", CURVE_SIZE, 0, 3);
        add_vector(all, &force, 0);
        add(all, &force, "force", "size", CURVE_SIZE, 0, 3);
    }
    if (torque.field != PH_NONE) {
        add_vector(all, &torque, 0);
        add(all, &torque, "torque", "size", CURVE_SIZE, 0, 3);
    }
    list_coordinates(all, model, index, "coordinate");
    list_coordinates(all, model, index, "rate");
}

static void list_joints(ph_curves *all)
{
    ph_model *model = NULL; // only for the units: without it they are left out
    if (ph_result_joints(all->result) > 0) {
        ph_result_model(all->result, NULL, &model, NULL);
    }
    for (int i = 0; i < ph_result_joints(all->result); i++) {
        list_joint(all, model, i);
    }
    ph_model_destroy(model);
}

// ---- Of stress and contacts -----------------------------------------------------------------------------------------

// Without a volume there is no mean: then it is the integral over the body.
static void list_tensors(ph_curves *all, const char *name)
{
    const int field = ph_result_find(all->result, name);
    const ph_result_field info = ph_result_field_get(all->result, field);
    const bool stress = strcmp(name, "stress") == 0;
    for (int i = 0; field != PH_NONE && info.rank == 3 && info.width == 9 * (size_t)info.bodies && i < info.bodies;
         i++) {
        const double volume = info.body_volume && stress ? info.body_volume[i] : 0.0;
        const bool mean = volume > 0.0;
        const family f = {name, ph_result_body(all->result, info.body[i]), "", mean ? "Pa" : "J", field};
        const int first = all->count;
        if (mean) {
            add(all, &f, "mises", "", CURVE_MISES, 9 * i, 9)->extra = true;
            add(all, &f, "pressure", "", CURVE_PRESSURE, 9 * i, 9)->extra = true;
        }
        for (int k = 0; k < 9; k++) {
            add(all, &f, "", entries[k], mean ? CURVE_MEAN : CURVE_VALUE, 9 * i + k, 1);
        }
        for (int k = first; k < all->count; k++) {
            curve *q = &all->list[k];
            q->volume = volume;
            q->about.part = *q->about.what ? q->about.what : q->about.part;
            q->about.what = !stress ? "multiplier" : mean ? "mean stress" : "stress integral";
        }
    }
}

// Momentum and multiplier of quaternions.
static void list_quaternions(ph_curves *all)
{
    static const char *const parts[] = {"pw", "px", "py", "pz"};
    const int field = ph_result_find(all->result, "quaternion");
    const ph_result_field info = ph_result_field_get(all->result, field);
    for (int i = 0; field != PH_NONE && info.rank == 2 && info.width == 5 * (size_t)info.bodies && i < info.bodies;
         i++) {
        const char *name = ph_result_body(all->result, info.body[i]);
        const family p = {"quaternion", name, "momentum", "kg m²/s", field};
        for (int k = 0; k < 4; k++)
            add(all, &p, "", parts[k], CURVE_VALUE, 5 * i + k, 1)->about.what = "quaternion momentum";
        add(all, &(family){"quaternion", name, "", "J", field}, "lambda", "", CURVE_VALUE, 5 * i + 4, 1);
    }
}

static void list_contacts(ph_curves *all)
{
    const int offset = ph_result_find(all->result, "contacts/offset");
    const int force = ph_result_find(all->result, "contacts/force"), gap = ph_result_find(all->result, "contacts/gap");
    if (offset == PH_NONE) {
        return;
    }
    add(all, &(family){"contacts", "", "", "", offset}, "count", "", CURVE_COUNT, 0, 1);
    if (force != PH_NONE && ph_result_field_get(all->result, force).width == 3) {
        const family f = {"contacts", "", "", "N", force};
        add(all, &f, "force", "", CURVE_FORCE, 0, 3);
        add(all, &f, "largest_force", "", CURVE_LARGEST, 0, 3);
    }
    if (gap != PH_NONE && ph_result_field_get(all->result, gap).width == 1) {
        const family f = {"contacts", "", "", "m", gap};
        add(all, &f, "gap", "", CURVE_GAP, 0, 1);
        add(all, &f, "penetration", "", CURVE_PENETRATION, 0, 1);
    }
}

// Names and units of its numbers: of the model, or of the file where that knows them.
static void list_sensor(ph_curves *all, const ph_model *model, int field, const ph_result_field *info)
{
    static const char *const numbers[] = {"1", "2", "3", "4", "5", "6"};
    const char *name = info->name + strlen("sensors/");
    const ph_sensor_info s = ph_model_sensor(model, ph_model_find_sensor(model, name));
    const bool known = s.name && (size_t)s.count == info->width;
    for (int k = 0; k < (int)info->width && k < PH_SENSOR_VALUES; k++) {
        const char *part = known ? s.columns[k] : info->columns ? info->columns[k] : info->width > 1 ? numbers[k] : "";
        const char *unit = known ? keep(all, s.units[k]) : "";
        curve *q = add(all, &(family){"sensors", name, "", unit, field}, keep(all, part), "", CURVE_VALUE, k, 1);
        q->about.what = *q->about.what ? q->about.what : "reading";
    }
}

static void list_sensors(ph_curves *all)
{
    ph_model *model = NULL;
    for (int i = 0; i < ph_result_fields(all->result); i++) {
        const ph_result_field info = ph_result_field_get(all->result, i);
        if (strncmp(info.name, "sensors/", 8) != 0) {
            continue;
        }
        if (!model) {
            ph_result_model(all->result, NULL, &model, NULL);
        }
        list_sensor(all, model, i, &info);
    }
    ph_model_destroy(model);
}

// What the short names above mean, where they stand alone.
static void name_whats(ph_curves *all)
{
    static const char *const words[][3] = {
        {"energy", "error", "energy error"},
        {"energy", "relative_error", "energy error / largest kinetic energy"},
        {"energy", "total", "total energy"},
        {"energy", "kinetic", "kinetic energy"},
        {"energy", "potential", "potential energy"},
        {"energy", "work", "work"},
        {"momentum", "linear", "linear momentum"},
        {"momentum", "angular", "angular momentum"},
        {"violation", "position", "joint opening"},
        {"violation", "velocity", "joint opening speed"},
        {"contacts", "count", "contacts"},
        {"contacts", "force", "sum of contact forces"},
        {"contacts", "largest_force", "largest contact force"},
        {"contacts", "gap", "smallest gap"},
        {"contacts", "penetration", "penetration"},
        {"joints", "reaction", "reaction force"},
        {"joints", "force", "reaction force"},
        {"joints", "torque", "reaction torque"},
        {"joints", "coordinate", "joint coordinate"},
        {"joints", "rate", "joint rate"},
        {"", "angular_velocity", "angular velocity"},
        {"", "angular_speed", "angular speed"},
        {"", "axis_x", "x axis"},
        {"", "axis_y", "y axis"},
        {"", "axis_z", "z axis"},
    };
    for (int i = 0; i < all->count; i++) {
        ph_curve *q = &all->list[i].about;
        const bool of_body = *q->subject && strncmp(q->name, "joints.", 7) != 0 && strncmp(q->name, "sensors.", 8) != 0;
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            const char *group = words[k][0];
            const bool here = *group ? !of_body && strncmp(q->name, group, strlen(group)) == 0 : of_body;
            if (here && strcmp(q->what, words[k][1]) == 0) {
                q->what = words[k][2];
                break;
            }
        }
    }
}

void curves_list(ph_curves *all)
{
    list_system(all);
    list_bodies(all);
    list_joints(all);
    list_tensors(all, "stress");
    list_tensors(all, "multiplier");
    list_quaternions(all);
    list_contacts(all);
    list_sensors(all);
    name_whats(all);
}
