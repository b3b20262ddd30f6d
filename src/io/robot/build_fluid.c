// The drag of a fluid, as MuJoCo has it for bodies without a shape for it: each body counts as the box with its inertia.
//
//     b_i = sqrt(6 (I_j + I_k - I_i) / m),  d = (b_1 + b_2 + b_3) / 3,  viscosity mu, density rho, along principal axes
//     force -3 pi d mu v_i - rho/2 b_j b_k |v_i| v_i,    torque -pi d^3 mu w_i - rho/64 b_i (b_j^4 + b_k^4) |w_i| w_i

#include "io/robot/build.h"
#include "io/robot/mesh.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// Axes as the file has them where it has, else those of the tensor, the largest moment first.
static ph_quat axes_of(const robot_body *body, ph_vec3 *moments)
{
    ph_mat3 vectors;
    ph_vec3 k;
    if (body->has_axes) {
        const ph_mat3 own = inertia_turned(body->own_inertia, ph_quat_conj(body->axes));
        *moments = (ph_vec3){own.m[0][0], own.m[1][1], own.m[2][2]};
        return body->axes;
    }
    ph_eig3(body->own_inertia, &k, &vectors);
    const ph_vec3 x = ph_mat_col(vectors, 2), y = ph_mat_col(vectors, 1);
    *moments = (ph_vec3){k.z, k.y, k.x};
    return ph_quat_from_mat(ph_mat_cols(x, y, ph_cross(x, y)));
}

static double edge(double mass, double j, double k, double i)
{
    return sqrt(6.0 * fmax(1e-15, j + k - i) / mass);
}

static double torque_factor(double density, double i, double j, double k)
{
    return density / 64.0 * i * (j * j * j * j + k * k * k * k);
}

static void add_drag(builder *b, int i)
{
    robot *r = b->r;
    const robot_body *body = &r->bodies[i];
    ph_vec3 I;
    const ph_quat axes = axes_of(body, &I);
    const double m = body->own_mass, rho = r->fluid_density, mu = r->fluid_viscosity;
    const double x = edge(m, I.y, I.z, I.x), y = edge(m, I.x, I.z, I.y), z = edge(m, I.x, I.y, I.z);
    const double d = (x + y + z) / 3.0;
    ph_force_def def = ph_default_force();
    def.type = "drag";
    def.body_a = PH_WORLD;
    def.body_b = build_carrier(r, i);
    def.anchor = pose_apply(body->world, body->own_com);
    def.orientation = ph_quat_mul(body->world.q, axes);
    const double numbers[8] = {3.0 * pi * d * mu,           pi * d * d * d * mu,        0.5 * rho * y * z,
                               0.5 * rho * x * z,           0.5 * rho * x * y,          torque_factor(rho, x, y, z),
                               torque_factor(rho, y, x, z), torque_factor(rho, z, x, y)};
    for (int k = 0; k < 8; k++) def.number[k] = numbers[k];
    r->out_of_memory |= ph_spec_add_force(b->spec, &def) < 0;
}

void build_fluid(builder *b)
{
    const robot *r = b->r;
    if ((r->fluid_density == 0.0 && r->fluid_viscosity == 0.0) || r->options.no_passive) return;
    for (int i = 1; i < r->bodies_count; i++) {
        const robot_body *body = &r->bodies[i];
        if (body->own_mass > 0.0 && build_carrier(r, i) >= 0 && !body->own_fluid) add_drag(b, i);
    }
}
