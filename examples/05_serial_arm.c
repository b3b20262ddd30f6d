// A robot arm in joint coordinates: the torques that carry it from rest, upright, to rest a quarter turn away; forward
// dynamics gives the accelerations back.
#include <polhode/polhode.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
    // Described where all angles are zero: upright on a turntable, upper arm 0.4 m, forearm 0.3 m.
    const double height[3] = {0.0, 0.1, 0.5}, half[3] = {0.05, 0.2, 0.15}, mass[3] = {4.0, 2.0, 1.0};
    ph_link_def links[3];
    for (int i = 0; i < 3; i++) {
        links[i] = ph_default_link();
        links[i].parent = i > 0 ? i - 1 : PH_WORLD;
        links[i].axis = (ph_vec3){0.0, i > 0, i == 0};
        links[i].anchor = (ph_vec3){0.0, 0.0, height[i]};
        links[i].mass = mass[i];
        links[i].com = (ph_vec3){0.0, 0.0, height[i] + half[i]};
        links[i].inertia = (ph_mat3){{{0.02, 0.0, 0.0}, {0.0, 0.02, 0.0}, {0.0, 0.0, 0.005}}};
    }
    ph_tree *arm;
    if (ph_tree_create(links, 3, (ph_vec3){0.0, 0.0, -9.81}, NULL, &arm, NULL) != PH_OK) {
        return 1;
    }
    double worst = 0.0;
    for (int k = 0; k <= 10; k++) {
        const double t = 0.1 * k, turn = 1.5707963267948966, angle = turn * t * t * t * (10 - 15 * t + 6 * t * t);
        const double rate = turn * 30 * t * t * (1 - t) * (1 - t), gain = turn * 60 * t * (1 - t) * (1 - 2 * t);
        const double q[3] = {angle, angle, -angle}, u[3] = {rate, rate, -rate}, u_rate[3] = {gain, gain, -gain};
        double tau[3], again[3];
        ph_tree_inverse_dynamics(arm, q, u, u_rate, NULL, tau);
        ph_tree_forward_dynamics(arm, q, u, tau, NULL, again);
        worst = fmax(worst, fabs(again[2] - u_rate[2]));
        printf("t = %.1f s: torques %8.4f %8.4f %8.4f N m\n", t, tau[0], tau[1], tau[2]);
    }
    ph_tree_destroy(arm);
    return worst < 1e-11 ? 0 : 1;
}
