// Rotors: what gives a joint coordinate the kinetic energy 1/2 a q'^2 of its armature a.
//
// The rotor of a geared motor turns with the coordinate, and its energy is that of no body of the joint. It is a body of
// its own: unit mass, no weight, and a slide x that the row sqrt(a) q - x = 0 ties to the coordinate, so that
// 1/2 x'^2 = 1/2 a q'^2. Every scheme treats it as it treats all bodies; in a variational one its part of the discrete
// Lagrangian is 1/2 a (q_{n+1} - q_n)^2 / h^2. The gradient of q puts its force a q'' on the two bodies of the joint.
//
// A rotor has three slides, x, y and z, for three coordinates; a joint with more has two rotors. Slides that are not in
// use, and its rotation, are never pushed and stay at rest. Rotors stand behind the world in all arrays of bodies.

#include "joints/geometry.h"

// Angles may have turned any number of times: the slide tells how often.
static double residual_at(const joint *j, const frame *frames, row it, double q)
{
    const ph_vec3 x = frames[j->bodies[j->slot_rotor + it.j / 3]].x;
    const double slide = it.j % 3 == 0 ? x.x : it.j % 3 == 1 ? x.y : x.z, root = joint_root(j, it.i);
    const double ahead = q + j->offset[it.i] - slide / root;
    return root * (coordinate_slides(j->coordinates[it.i]) ? ahead : nearest_turn(ahead));
}

double rotor_residual(const joint *j, const geometry *g, const frame *frames, row it)
{
    return residual_at(j, frames, it, coordinate_value(j, g, j->coordinates[it.i]));
}

double joint_rotor_off(const joint *j, const frame *frames, double q)
{
    return residual_at(j, frames, j->rows[j->kind_count - 1], q);
}

double rotor_rate(const joint *j, const motion *at, row it)
{
    const ph_vec3 v = at->twists[j->bodies[j->slot_rotor + it.j / 3]].v;
    return it.j % 3 == 0 ? v.x : it.j % 3 == 1 ? v.y : v.z;
}

void rotor_jacobian(const joint *j, double *B)
{
    for (int slot = j->slot_rotor; slot < j->body_count; slot++) {
        double *block = B + 6 * j->row_count * slot;
        for (int k = 0; k < 6 * j->row_count; k++) {
            block[k] = 0.0;
        }
    }
    const int first = j->row_count - j->rotor_rows;
    for (int n = 0; n < j->rotor_rows; n++) {
        B[6 * (j->row_count * (j->slot_rotor + n / 3) + first + n) + 3 + n % 3] = -1.0;
    }
}

void joint_place_rotor(const joint *j, const motion *at, int which, ph_vec3 *position, ph_vec3 *velocity)
{
    double x[3] = {0}, v[3] = {0};
    for (int n = 3 * which; n < j->rotor_rows && n < 3 * which + 3; n++) {
        const int k = j->rows[j->kind_count - j->rotor_rows + n].i;
        x[n % 3] = joint_root(j, k) * joint_coordinate(j, at, k);
        v[n % 3] = at->twists ? joint_root(j, k) * joint_rate(j, at, k) : 0.0;
    }
    *position = ph_vec(x[0], x[1], x[2]);
    *velocity = ph_vec(v[0], v[1], v[2]);
}
