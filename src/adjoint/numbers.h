// All numbers of a compiled model that its motion depends on smoothly, as one vector: gravity, masses, frames of joints and
// forces, stiffness and damping, numbers in expressions, where it starts. Gradients by them are vectors of the same form;
// rotations of frames count as small rotations.
#ifndef PH_ADJOINT_NUMBERS_H
#define PH_ADJOINT_NUMBERS_H

#include "collide/collider.h"
#include "forces/pull.h"
#include "model/model.h"

#include <stddef.h>

typedef struct body_gradient {
    ph_vec3 rotation, position; // at the start: body axes, world axes
    ph_vec3 angular_velocity, velocity;
    double mass;
    ph_mat3 J; // symmetric
} body_gradient;

// Where a body stands that cannot move, as who looks at it sees; joints, forces, sites and shapes on it have this in their own.
typedef struct stand_gradient {
    ph_vec3 rotation, position; // body axes, world axes
} stand_gradient;

// Of a shape: where it stands in its body, or in the world where that cannot move, and what its surface is like.
typedef struct shape_gradient {
    ph_vec3 place, turn; // turn: a small rotation, in the axes of the body, or of the world
    shape_sizes sizes;
    double friction, restitution, rolling, spinning, compliance;
} shape_gradient;

typedef struct pair_gradient { // of a pair of bodies in the list of the model
    double friction, restitution, rolling, spinning, compliance;
} pair_gradient;

typedef struct numbers {
    const ph_model *model;
    int count;         // of all
    int bodies;        // where each kind begins: body_gradient of moving bodies,
    int joints;        // joint_gradient of all joints,
    int forces;        // force_gradient of all elements,
    int sites;         // positions of sites from the centres of mass, three for each,
    int inputs;        // values of inputs at the start,
    int shapes;        // shape_gradient of all shapes, body after body,
    int pairs;         // pair_gradient of the list of pairs, and for each ...
    int *stand;        // ... body: its stand_gradient, or -1
    int *first_shape;  // ... body: where its shapes begin among all
    int *motor_values; // ... joint: numbers of the value of its motor, or -1
    int *matrices;     // ... force: matrices of a bushing, or -1
    int *values;       // ... force: numbers of its values, or -1
} numbers;

enum { NUMBERS_GRAVITY = 0 }; // the first three

bool numbers_create(const ph_model *model, arena *memory, numbers *n);

static inline body_gradient *numbers_bodies(const numbers *n, double *x)
{
    return (body_gradient *)(x + n->bodies);
}
// The mass of a body that can move, and where it stands; NULL: it cannot.
static inline int numbers_mass_at(const numbers *n, int body)
{
    const size_t size = sizeof(body_gradient), k = (size_t)n->model->bodies[body].moving;
    return n->bodies + (int)((k * size + offsetof(body_gradient, mass)) / sizeof(double));
}
static inline double *numbers_mass(const numbers *n, double *x, int body)
{
    return n->model->bodies[body].moving < 0 ? NULL : x + numbers_mass_at(n, body);
}
static inline stand_gradient *numbers_stand(const numbers *n, double *x, int body)
{
    return (stand_gradient *)(x + n->stand[body]);
}
// Nothing happens where the body can move.
static inline void numbers_add_stand(const numbers *n, double *x, int body, ph_vec3 rotation, ph_vec3 position)
{
    if (n->stand[body] < 0) return;
    stand_gradient *to = numbers_stand(n, x, body);
    to->rotation = ph_add(to->rotation, rotation);
    to->position = ph_add(to->position, position);
}
static inline joint_gradient *numbers_joints(const numbers *n, double *x)
{
    return (joint_gradient *)(x + n->joints);
}
static inline force_gradient *numbers_forces(const numbers *n, double *x)
{
    return (force_gradient *)(x + n->forces);
}

int numbers_shape_count(const numbers *n, int body); // those that the motion depends on
static inline shape_gradient *numbers_shapes(const numbers *n, double *x, int body)
{
    return (shape_gradient *)(x + n->shapes) + n->first_shape[body];
}

static inline pair_gradient *numbers_pairs(const numbers *n, double *x)
{
    return (pair_gradient *)(x + n->pairs);
}

static inline ph_vec3 *numbers_sites(const numbers *n, double *x)
{
    return (ph_vec3 *)(x + n->sites);
}

// What a joint does by itself along its coordinate, among the forces; -1: nothing.
int numbers_drive(const numbers *n, const joint *j);

// x = scale (plus - minus), both alike in form to the model: else false, and `why` says what differs.
bool numbers_difference(const numbers *n, const ph_model *plus, const ph_model *minus, double scale, double *x,
                        const char **why);

#endif
