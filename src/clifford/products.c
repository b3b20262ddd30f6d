// The generated kernels under their public names: motions of typed values, products, and the geometry of Cl(0,3,1).
#include "math/vec3.h"
#include "polhode/clifford_generated.h"

// ---- Motions --------------------------------------------------------------------------------------------------------

ph_twist ph_move_twist(ph_motor g, ph_twist s)
{
    return ph_cl_pose_twist(ph_cl_motor_pose(g), s);
}

ph_coscrew ph_move_coscrew(ph_motor g, ph_coscrew P)
{
    return ph_cl_pose_coscrew(ph_cl_motor_pose(g), P);
}

ph_inertia ph_move_inertia(ph_motor g, ph_inertia N)
{
    return ph_cl_pose_inertia(ph_cl_motor_pose(g), N);
}

ph_sym4 ph_move_sym4(ph_motor g, ph_sym4 K)
{
    return ph_cl_pose_sym4(ph_cl_motor_pose(g), K);
}

ph_point ph_move_point(ph_motor g, ph_point p)
{
    return ph_cl_pose_point(ph_cl_motor_pose(g), p);
}

ph_plane ph_move_plane(ph_motor g, ph_plane plane)
{
    return ph_cl_pose_plane(ph_cl_motor_pose(g), plane);
}

ph_twist ph_pose_twist(ph_pose F, ph_twist s)
{
    return ph_cl_pose_twist(F, s);
}

ph_coscrew ph_pose_coscrew(ph_pose F, ph_coscrew P)
{
    return ph_cl_pose_coscrew(F, P);
}

ph_inertia ph_pose_inertia(ph_pose F, ph_inertia N)
{
    return ph_cl_pose_inertia(F, N);
}

ph_sym4 ph_pose_sym4(ph_pose F, ph_sym4 K)
{
    return ph_cl_pose_sym4(F, K);
}

// ---- Products -------------------------------------------------------------------------------------------------------

ph_twist ph_bracket(ph_twist x, ph_twist y)
{
    return ph_cl_bracket(x, y);
}

ph_coscrew ph_coadjoint(ph_twist s, ph_coscrew P)
{
    return ph_cl_coadjoint(s, P);
}

double ph_evaluate(ph_coscrew P, ph_twist s)
{
    return ph_cl_evaluate(P, s);
}

double ph_screw_pitch(ph_twist s)
{
    const double w2 = ph_norm2(s.omega);
    return w2 > 0.0 ? ph_dot(s.omega, s.v) / w2 : (double)INFINITY;
}

ph_twist ph_screw_axis(ph_twist s)
{
    const double w2 = ph_norm2(s.omega);
    if (!(w2 > 0.0)) return (ph_twist){ph_zero3(), ph_zero3()};
    const double one = 1.0 / sqrt(w2), pitch = ph_dot(s.omega, s.v) / w2;
    return (ph_twist){ph_scale(one, s.omega), ph_scale(one, ph_madd(s.v, -pitch, s.omega))};
}

// The force along a line x does no work on what turns about a line y where they meet.
double ph_reciprocal(ph_twist x, ph_twist y)
{
    return ph_dot(x.omega, y.v) + ph_dot(x.v, y.omega);
}

ph_coscrew ph_bar_twist(ph_twist s)
{
    return ph_cl_bar_twist(s);
}

ph_twist ph_bar_coscrew(ph_coscrew P)
{
    return ph_cl_bar_coscrew(P);
}

ph_hexavector ph_wedge_q0(ph_twist s)
{
    return ph_cl_wedge_q0(s);
}

ph_hexavector ph_wedge_inertia(ph_inertia N, ph_twist s)
{
    return ph_cl_wedge_inertia(N, s);
}

ph_hexavector ph_wedge_sym4(ph_sym4 K, ph_twist s)
{
    return ph_cl_wedge_sym4(K, s);
}

ph_hexavector ph_times_e(ph_coscrew P)
{
    return ph_cl_times_e(P);
}

ph_coscrew ph_shuffle_a(ph_hexavector X)
{
    return ph_cl_shuffle_a(X);
}

double ph_shuffle(ph_coscrew P, ph_hexavector X)
{
    return ph_cl_shuffle(P, X);
}

ph_sym4 ph_dyad(ph_coscrew U)
{
    return ph_cl_dyad(U);
}

// ---- Points, lines and planes ---------------------------------------------------------------------------------------

ph_point ph_point_make(ph_vec3 x)
{
    return (ph_point){1.0, x};
}

ph_twist ph_line_make(ph_vec3 point, ph_vec3 direction)
{
    return (ph_twist){direction, ph_cross(point, direction)};
}

ph_plane ph_plane_make(ph_vec3 point, ph_vec3 normal)
{
    return (ph_plane){normal, ph_dot(point, normal)};
}

ph_twist ph_meet_planes(ph_plane a, ph_plane b)
{
    return ph_cl_meet_planes(a, b);
}

ph_point ph_meet_line_plane(ph_twist L, ph_plane plane)
{
    return ph_cl_meet_line_plane(L, plane);
}

ph_point ph_meet_3_planes(ph_plane a, ph_plane b, ph_plane c)
{
    return ph_cl_meet_line_plane(ph_cl_meet_planes(a, b), c);
}

ph_twist ph_join_points(ph_point a, ph_point b)
{
    return ph_cl_join_points(a, b);
}

ph_plane ph_join_point_line(ph_point p, ph_twist L)
{
    return ph_cl_join_point_line(p, L);
}

// a v b v c = a v (b v c): the shuffle product is associative.
ph_plane ph_join_3_points(ph_point a, ph_point b, ph_point c)
{
    return ph_cl_join_point_line(a, ph_cl_join_points(b, c));
}

double ph_incidence(ph_plane plane, ph_point p)
{
    return ph_cl_incidence(plane, p);
}
