// Models whose gradients are known, and what tests of the adjoint share.
#ifndef TESTS_ADJOINT_RIG_H
#define TESTS_ADJOINT_RIG_H

#include "test.h"

#include "math/quat.h"
#include "model/state.h"
#include "polhode/adjoint.h"
#include "polhode/io.h"

#include <string.h>

static const char *const DOUBLE_PENDULUM =
    "polhode: 1\n"
    "name: spatial double pendulum\n"
    "parameters: {l: 1.0, g: 9.81}\n"
    "gravity: [0, 0, -g]\n"
    "bodies:\n"
    "  - name: rod1\n"
    "    mass: 61.6538\n"
    "    inertia: [5.1763, 0.0771, 5.1763]\n"
    "    com: [0, 0, 0]\n"
    "    reference: com\n"
    "    position: [0, l/2, 0]\n"
    "    orientation: {quaternion: [1, 0, 0, 0]}\n"
    "    velocity: [0, 0, 0]\n"
    "    angular_velocity: [0, 0, 0]\n"
    "    volume: 0.00785\n"
    "    shapes: [{type: cylinder, radius: 0.05, length: l, axis: y}]\n"
    "  - {name: rod2, mass: 61.6538, inertia: [5.1763, 0.0771, 5.1763], position: [-l/2, l, 0],\n"
    "     orientation: {matrix: [[0,-1,0],[1,0,0],[0,0,1]]}, shapes: [{type: cylinder, radius: 0.05, length: l, axis: y}]}\n"
    "joints:\n"
    "  - {name: O, type: ball, bodies: [world, rod1], anchor: [0, 0, 0]}\n"
    "  - {name: A, type: ball, bodies: [rod1, rod2], anchor: [0, l, 0]}\n"
    "forces: []\n"
    "inputs: {u: 0}\n"
    "initial: strict\n"
    "record: {stress: all, contacts: true}\n"
    "run: {scheme: rattlie, step: 1e-3, until: 50, options: {}}\n";

static const char *const FOUR_BAR = // four revolute joints: 20 rows of rank 17
    "polhode: 1\n"
    "name: four-bar linkage\n"
    "parameters:\n"
    "  a: 0.15\n"
    "  b: 0.45\n"
    "  c: 0.35\n"
    "  d: 0.50\n"
    "  alpha: 2.0\n"
    "  omega: 6\n"
    "  e: sqrt(a^2 + d^2 - 2*a*d*cos(alpha))\n"
    "  beta: atan2(-a*sin(alpha), d - a*cos(alpha)) + acos((b^2 + e^2 - c^2)/(2*b*e))\n"
    "  Cx: a*cos(alpha) + b*cos(beta)\n"
    "  Cz: a*sin(alpha) + b*sin(beta)\n"
    "  gamma: atan2(Cz, Cx - d)\n"
    "  beta_dot: a*omega*sin(gamma - alpha)/(b*sin(beta - gamma))\n"
    "  gamma_dot: a*omega*sin(alpha - beta)/(c*sin(gamma - beta))\n"
    "  steel: 7850\n"
    "  g: 9.81\n"
    "gravity: [0, 0, -g]\n"
    "bodies:\n"
    "  - name: crank\n"
    "    position: [a/2*cos(alpha), 0, a/2*sin(alpha)]\n"
    "    orientation: {axis: [0, -1, 0], angle: alpha}\n"
    "    velocity: [-omega*a/2*sin(alpha), 0, omega*a/2*cos(alpha)]\n"
    "    angular_velocity: [0, -omega, 0]\n"
    "    mass: 0.5\n"
    "    inertia: [4e-5, 9.5e-4, 9.4e-4]\n"
    "  - name: coupler\n"
    "    position: [a*cos(alpha) + b/2*cos(beta), 0, a*sin(alpha) + b/2*sin(beta)]\n"
    "    orientation: {axis: [0, -1, 0], angle: beta}\n"
    "    velocity:\n"
    "      - -omega*a*sin(alpha) - beta_dot*b/2*sin(beta)\n"
    "      - 0\n"
    "      - omega*a*cos(alpha) + beta_dot*b/2*cos(beta)\n"
    "    angular_velocity: [0, -beta_dot, 0]\n"
    "    mass: 1.4\n"
    "    inertia: [2e-4, 2.4e-2, 2.41e-2]\n"
    "  - name: rocker\n"
    "    position: [d + c/2*cos(gamma), 0, c/2*sin(gamma)]\n"
    "    orientation: {axis: [0, -1, 0], angle: gamma}\n"
    "    velocity: [-gamma_dot*c/2*sin(gamma), 0, gamma_dot*c/2*cos(gamma)]\n"
    "    angular_velocity: [0, -gamma_dot, 0]\n"
    "    mass: 1.1\n"
    "    inertia: [2e-4, 1.13e-2, 1.12e-2]\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [world, crank], anchor: [0, 0, 0], axis: [0, -1, 0], damping: 0.02, motor: {torque: 0.3*cos(5*t)}}\n"
    "  - {name: B, type: revolute, bodies: [crank, coupler], anchor: [a*cos(alpha), 0, a*sin(alpha)], axis: [0, -1, 0]}\n"
    "  - {name: C, type: revolute, bodies: [coupler, rocker], anchor: [Cx, 0, Cz], axis: [0, -1, 0]}\n"
    "  - {name: D, type: revolute, bodies: [world, rocker], anchor: [d, 0, 0], axis: [0, -1, 0], stiffness: 4, rest: 0.3}\n"
    "forces: [{type: spring, bodies: [world, coupler], point_a: [0.2, 0.1, 0.6], point_b: [0.05, 0.02, 0], stiffness: 120, damping: 3, length: 0.3}]\n"
    "run: {scheme: rattlie, step: 1e-3, until: 10}\n";

static const char *const ARM =
    "polhode: 1\n"
    "bodies:\n"
    "  - {name: link1, mass: 2, inertia: [0.03, 0.028, 0.004], position: [0, 0, 0.25]}\n"
    "  - {name: link2, mass: 1, inertia: [0.002, 0.02, 0.021], position: [0.2, 0.03, 0.5]}\n"
    "gravity: [0, 0, -9.81]\n"
    "inputs: {u1: 0, u2: 0}\n"
    "joints:\n"
    "  - {name: base, type: revolute, bodies: [world, link1], anchor: [0, 0, 0], axis: [0, 0, 1], motor: {position: u1, kp: 40, kd: 3}}\n"
    "  - {name: elbow, type: revolute, bodies: [link1, link2], anchor: [0, 0, 0.5], axis: [0, 1, 0], damping: 0.15, motor: {torque: u2}}\n";

// NULL: built without YAML.
static inline ph_model *read_model_with(const char *text, const ph_setting *settings, int count)
{
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    ph_problems *problems = ph_problems_create();
    const ph_status status = ph_spec_read_text(text, strlen(text), "test.yaml", settings, count, problems, &spec);
    if (status == PH_OK) ph_model_compile(spec, problems, &model);
    CHECK(model || status == PH_NOT_SUPPORTED);
    for (int k = 0; !model && k < ph_problems_count(problems); k++)
        printf("  %s\n", ph_problems_get(problems, k)->text);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return model;
}

static inline ph_model *read_model(const char *text)
{
    return read_model_with(text, NULL, 0);
}

static inline ph_adjoint *adjoint_of(const ph_model *model, const char *scheme, size_t memory)
{
    ph_adjoint_def def = ph_default_adjoint();
    ph_adjoint *a = NULL;
    ph_error error = {0};
    def.sim.scheme = scheme;
    if (memory) def.memory = memory;
    if (!CHECK(ph_adjoint_create(model, &def, &a, &error) == PH_OK)) printf("%s\n", error.text);
    return a;
}

#endif
