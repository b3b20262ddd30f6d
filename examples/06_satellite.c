// A field of our own: inverse-square gravity on an elongated satellite. Its lower end is pulled more than its upper end,
// so that it swings about the vertical like a pendulum. Small swings have the frequency n sqrt(3 (B - A)/C), with n the
// orbital rate and A, B, C the moments of inertia about the vertical, the direction of flight and the orbit's normal.
#include <math.h>
#include <polhode/polhode.h>
#include <stdio.h>

static const double GM = 3.986004418e14, radius = 7e6, pi = 3.141592653589793; // m^3/s^2, m

static ph_vec3 pull(ph_vec3 x, double t, void *user) // force per mass at x
{
    const double r2 = x.x * x.x + x.y * x.y + x.z * x.z, c = -GM / (r2 * sqrt(r2));
    return (void)t, (void)user, (ph_vec3){c * x.x, c * x.y, c * x.z};
}

static double well(ph_vec3 x, double t, void *user) // its potential
{
    return (void)t, (void)user, -GM / sqrt(x.x * x.x + x.y * x.y + x.z * x.z);
}

static void act(const ph_body_motion *bodies, double t, void *user, ph_load *loads)
{
    ph_load_add_density(&loads[0], &bodies[0], pull, t, user);
}

static double energy(const ph_body_motion *bodies, double t, void *user)
{
    return ph_density_potential(&bodies[0], well, t, user);
}

int main(void)
{
    const double A = 200.0, B = 4000.0, C = 4000.0, rate = sqrt(GM / (radius * radius * radius)), tilt = 2e-3;
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def satellite = ph_default_body();
    satellite.name = "satellite", satellite.mass = 500.0;
    satellite.inertia = (ph_mat3){{{A, 0, 0}, {0, B, 0}, {0, 0, C}}};
    satellite.position.x = radius, satellite.velocity.y = radius * rate, satellite.angular_velocity.z = rate;
    satellite.orientation = (ph_quat){cos(tilt / 2), 0, 0, sin(tilt / 2)};
    ph_callback_def gravity = ph_default_callback();
    gravity.body = ph_spec_add_body(spec, &satellite), gravity.force = act, gravity.potential = energy;
    ph_spec_add_callback(spec, &gravity);
    const ph_sim_def def = ph_default_sim();
    ph_model *model;
    ph_sim *sim;
    if (ph_model_compile(spec, NULL, &model) != PH_OK || ph_sim_create(model, &def, &sim, NULL) != PH_OK) return 1;
    ph_state *state = ph_state_create(model);
    double before = tilt, first = 0.0, last = 0.0, h = 2.0;
    int crossings = 0;
    for (double angle; crossings < 21; before = angle) {
        if (ph_sim_step(sim, state, h, NULL) != PH_OK) return 1;
        const ph_vec3 x = *ph_state_positions(state);
        const ph_quat q = *ph_state_orientations(state);
        angle = remainder(2.0 * atan2(q.z, q.w) - atan2(x.y, x.x), 2.0 * pi);
        if (angle * before > 0.0) continue;
        last = ph_state_time(state) - h * angle / (angle - before), first = crossings++ ? first : last;
    }
    printf("%.6f swings per orbit, expected %.6f\n", 20.0 * pi / (rate * (last - first)), sqrt(3.0 * (B - A) / C));
    ph_state_destroy(state), ph_sim_destroy(sim), ph_model_destroy(model), ph_spec_destroy(spec);
}
