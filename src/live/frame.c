// A frame: what moves, as the bytes that viewer/src/live.ts reads. Reactions, stress, joint coordinates and sensors are told
// of models with few bodies: they cost about a step.

#include "live/live.h"

#include "base/memory.h"
#include "polhode/sensor.h"

#include <stdio.h>
#include <string.h>

enum { SCALARS = 13, PER_BODY = 13, PER_CONTACT = 6, CONTACTS_MOST = 4096, FEW = 200 };

// ---- Columns --------------------------------------------------------------------------------------------------------

static bool add_column(ph_live *l, const char *group, const char *name, const char *what, int channels)
{
    if (channels < 1) return true;
    if (!mem_reserve(NULL, &l->columns, &l->column_capacity, l->column_count + 1, sizeof *l->columns)) return false;
    live_column *c = &l->columns[l->column_count++];
    c->channels = channels;
    l->column_numbers += channels;
    snprintf(c->name, sizeof c->name, "%s%s%s", group, name, what);
    return true;
}

static bool add_joints(ph_live *l)
{
    bool good = true;
    for (int j = 0; good && j < ph_model_joints(l->model); j++) {
        const ph_joint_info info = ph_model_joint(l->model, j);
        good = add_column(l, "joints.", info.name, ".force", 3) && add_column(l, "joints.", info.name, ".torque", 3) &&
               add_column(l, "joints.", info.name, ".coordinate", info.coordinates) &&
               add_column(l, "joints.", info.name, ".rate", info.coordinates);
    }
    return good;
}

static bool add_stress(ph_live *l)
{
    const int bodies = ph_model_bodies(l->model);
    l->stressed = mem_alloc_array(NULL, (size_t)bodies + 1, sizeof *l->stressed);
    for (int i = 0; l->stressed && i < bodies; i++) {
        const ph_body_info info = ph_model_body(l->model, i);
        if (!info.fixed && info.volume > 0.0) l->stressed[l->stressed_count++] = i;
    }
    return l->stressed && add_column(l, "", "stress.mises", "", l->stressed_count);
}

static bool add_sensors(ph_live *l)
{
    bool good = true;
    for (int i = 0; good && i < ph_model_sensors(l->model); i++) {
        const ph_sensor_info info = ph_model_sensor(l->model, i);
        good = add_column(l, "sensors.", info.name, "", info.count);
    }
    return good;
}

static bool is_small(const ph_live *l)
{
    return ph_model_bodies(l->model) <= FEW && ph_model_joints(l->model) <= FEW;
}

bool live_find_columns(ph_live *l)
{
    const ph_model *m = l->model;
    if (is_small(l) && !(add_joints(l) && add_stress(l) && add_sensors(l))) return false;
    l->reactions = mem_alloc_array(NULL, (size_t)ph_model_joints(m) + 1, sizeof *l->reactions);
    l->stress = mem_alloc_array(NULL, (size_t)ph_model_bodies(m) + 1, sizeof *l->stress);
    l->sensed = mem_alloc_array(NULL, (size_t)ph_model_sensor_values(m) + 1, sizeof *l->sensed);
    l->frame_room = 8 * SCALARS + 4 * PER_BODY * (size_t)ph_model_bodies(m) + 4 * (size_t)l->column_numbers +
                    4 * (2 + PER_CONTACT * CONTACTS_MOST);
    l->frame = mem_alloc(NULL, l->frame_room);
    return l->reactions && l->stress && l->sensed && l->frame;
}

void live_free_columns(ph_live *l)
{
    mem_free(NULL, l->columns);
    mem_free(NULL, l->stressed);
    mem_free(NULL, l->reactions);
    mem_free(NULL, l->stress);
    mem_free(NULL, l->sensed);
    mem_free(NULL, l->frame);
}

// ---- Bytes ----------------------------------------------------------------------------------------------------------

static void put_double(unsigned char **to, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 8; i++) *(*to)++ = (unsigned char)(bits >> (8 * i));
}

static void put_floats(unsigned char **to, const double *x, int count)
{
    for (int k = 0; k < count; k++) {
        const float f = (float)x[k];
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        for (int i = 0; i < 4; i++) *(*to)++ = (unsigned char)(bits >> (8 * i));
    }
}

static void put_measures(unsigned char **to, ph_live *l)
{
    ph_measures m;
    ph_observer_measure(l->observer, l->state, &m);
    const double scalars[SCALARS] = {ph_state_time(l->state),
                                     m.kinetic,
                                     m.potential,
                                     m.work,
                                     m.total,
                                     m.position_violation,
                                     m.velocity_violation,
                                     m.linear.x,
                                     m.linear.y,
                                     m.linear.z,
                                     m.angular.x,
                                     m.angular.y,
                                     m.angular.z};
    for (int i = 0; i < SCALARS; i++) put_double(to, scalars[i]);
}

static void put_bodies(unsigned char **to, ph_live *l)
{
    for (int b = 0; b < ph_model_bodies(l->model); b++) {
        put_floats(to, (const double *)&ph_state_positions(l->state)[b], 3);
        put_floats(to, (const double *)&ph_state_orientations(l->state)[b], 4);
        put_floats(to, (const double *)&ph_state_velocities(l->state)[b], 3);
        put_floats(to, (const double *)&ph_state_angular_velocities(l->state)[b], 3);
    }
}

static void put_joints(unsigned char **to, ph_live *l)
{
    const int joints = ph_model_joints(l->model);
    memset(l->reactions, 0, (size_t)joints * sizeof *l->reactions);
    if (joints > 0) ph_observer_dynamics(l->observer, l->state, NULL, l->reactions);
    for (int j = 0; j < joints; j++) {
        double coordinates[6] = {0}, rates[6] = {0};
        const int count = ph_model_joint(l->model, j).coordinates;
        ph_observer_joint(l->observer, l->state, j, coordinates, rates);
        put_floats(to, (const double *)&l->reactions[j].force, 3);
        put_floats(to, (const double *)&l->reactions[j].torque, 3);
        put_floats(to, coordinates, count);
        put_floats(to, rates, count);
    }
}

static void put_stress(unsigned char **to, ph_live *l)
{
    const bool known = l->stressed_count > 0 && ph_observer_stress(l->observer, l->state, l->stress) == PH_OK;
    for (int i = 0; i < l->stressed_count; i++) {
        const int b = l->stressed[i];
        ph_stress mean = {.von_mises = 0.0};
        if (known) {
            ph_stress_mean(l->stress[b], ph_model_body(l->model, b).volume, ph_state_orientations(l->state)[b], &mean);
        }
        put_floats(to, &mean.von_mises, 1);
    }
}

static void put_sensors(unsigned char **to, ph_live *l)
{
    const int count = ph_model_sensor_values(l->model);
    if (count == 0) return;
    memset(l->sensed, 0, (size_t)count * sizeof *l->sensed);
    ph_observer_sensors(l->observer, l->state, l->sensed);
    put_floats(to, l->sensed, count);
}

// Contacts of the last step: how many there are and how many follow, then the point and the force of each.
static void put_contacts(unsigned char **to, const ph_state *state)
{
    int count = 0;
    const ph_contact *c = ph_state_contacts(state, &count);
    count = c ? count : 0;
    const int sent = count < CONTACTS_MOST ? count : CONTACTS_MOST;
    put_floats(to, (const double[2]){count, sent}, 2);
    for (int i = 0; i < sent; i++) {
        put_floats(to, (const double *)&c[i].point, 3);
        put_floats(to, (const double *)&c[i].force, 3);
    }
}

const void *ph_live_frame(ph_live *l, size_t *bytes)
{
    if (bytes) *bytes = 0;
    if (!l || !bytes) return NULL;
    unsigned char *to = l->frame;
    put_measures(&to, l);
    put_bodies(&to, l);
    if (is_small(l)) {
        put_joints(&to, l);
        put_stress(&to, l);
        put_sensors(&to, l);
    }
    put_contacts(&to, l->state);
    *bytes = (size_t)(to - l->frame);
    l->unseen++;
    return l->frame;
}
