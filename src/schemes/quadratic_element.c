#include "schemes/quadratic_element.h"

enum { START_MIDDLE, MIDDLE_END, START_END, CHORDS };

static const double C[CHORDS][CHORDS] = {{16.0 / 5.0, 8.0 / 15.0, -8.0 / 15.0}, // of (2)
                                         {8.0 / 15.0, 16.0 / 5.0, -8.0 / 15.0},
                                         {-8.0 / 15.0, -8.0 / 15.0, 1.0 / 5.0}};

typedef struct chord { // from one node to another
    double e;
    ph_vec3 d, y; // y: h dS/dd
} chord;

static chord chord_of(ph_quat r)
{
    return (chord){r.w, ph_vec(r.x, r.y, r.z), ph_zero3()};
}

static void set_chords(const ph_mat3 *J, const quadratic_turn *turn, chord out[CHORDS])
{
    out[START_MIDDLE] = chord_of(turn->to_middle);
    out[MIDDLE_END] = chord_of(ph_quat_mul(ph_quat_conj(turn->to_middle), turn->to_end));
    out[START_END] = chord_of(turn->to_end);
    for (int a = 0; a < CHORDS; a++) {
        ph_vec3 sum = ph_zero3();
        for (int b = 0; b < CHORDS; b++) sum = ph_madd(sum, 4.0 * C[a][b], out[b].d);
        out[a].y = ph_mul(*J, sum);
    }
}

// E y where sign = 1, E^T y where it is -1
static ph_vec3 E_times(const chord *c, double sign)
{
    return ph_madd(ph_scale(c->e, c->y), sign, ph_cross(c->d, c->y));
}

static ph_mat3 E_of(const chord *c, double sign)
{
    return ph_mat_madd(ph_mat_scale(c->e, ph_identity()), sign, ph_hat(c->d));
}

void quadratic_slopes(const ph_mat3 *J, const quadratic_turn *turn, double h, ph_vec3 out[2])
{
    chord c[CHORDS];
    set_chords(J, turn, c);
    out[AT_START] = ph_scale(-0.5 / h, ph_add(E_times(&c[START_MIDDLE], 1.0), E_times(&c[START_END], 1.0)));
    out[AT_MIDDLE] = ph_scale(0.5 / h, ph_sub(E_times(&c[START_MIDDLE], -1.0), E_times(&c[MIDDLE_END], 1.0)));
}

typedef struct change { // of a chord by the turn of a node
    ph_vec3 e;
    ph_mat3 d;
} change;

// Of all chords by the middle (or the end): it is the end of the first (the last two) and the start of the second.
static void set_changes(const chord c[CHORDS], int by, change out[CHORDS])
{
    const change none = {ph_zero3(), ph_mat_zero()};
    for (int a = 0; a < CHORDS; a++) out[a] = none;
    if (by == BY_MIDDLE) {
        out[START_MIDDLE] = (change){ph_scale(-0.5, c[START_MIDDLE].d), ph_mat_scale(0.5, E_of(&c[START_MIDDLE], 1.0))};
        out[MIDDLE_END] = (change){ph_scale(0.5, c[MIDDLE_END].d), ph_mat_scale(-0.5, E_of(&c[MIDDLE_END], -1.0))};
        return;
    }
    out[MIDDLE_END] = (change){ph_scale(-0.5, c[MIDDLE_END].d), ph_mat_scale(0.5, E_of(&c[MIDDLE_END], 1.0))};
    out[START_END] = (change){ph_scale(-0.5, c[START_END].d), ph_mat_scale(0.5, E_of(&c[START_END], 1.0))};
}

// d(E y) or d(E^T y) = y de - (or +) y~ dd + E dy
static ph_mat3 changed(const ph_mat3 *J, const chord c[CHORDS], const change by[CHORDS], int a, double sign)
{
    ph_mat3 dd = ph_mat_zero();
    for (int b = 0; b < CHORDS; b++) dd = ph_mat_madd(dd, 4.0 * C[a][b], by[b].d);
    const ph_mat3 turned = ph_mat_scale(-sign, ph_hat_mul(c[a].y, by[a].d));
    const ph_mat3 moved = ph_mat_mul(E_of(&c[a], sign), ph_mat_mul(*J, dd));
    return ph_mat_add(ph_outer(c[a].y, by[a].e), ph_mat_add(turned, moved));
}

void quadratic_blocks(const ph_mat3 *J, const quadratic_turn *turn, ph_mat3 out[2][2])
{
    chord c[CHORDS];
    change by[CHORDS];
    set_chords(J, turn, c);
    for (int b = 0; b < 2; b++) {
        set_changes(c, b, by);
        out[AT_START][b] =
            ph_mat_scale(-0.5, ph_mat_add(changed(J, c, by, START_MIDDLE, 1.0), changed(J, c, by, START_END, 1.0)));
        out[AT_MIDDLE][b] =
            ph_mat_scale(0.5, ph_mat_sub(changed(J, c, by, START_MIDDLE, -1.0), changed(J, c, by, MIDDLE_END, 1.0)));
    }
}

static ph_quat combined(double s, ph_quat a, double t, ph_quat b)
{
    return (ph_quat){s * a.w + t * b.w, s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
}

static ph_quat rate_of(ph_quat q, ph_vec3 omega) // 2 q'
{
    return ph_quat_mul(q, (ph_quat){0.0, omega.x, omega.y, omega.z});
}

// q'_m = 3/2 (q_1 - q_0)/h - 1/4 (q'_0 + q'_1), all seen from q_m
ph_vec3 quadratic_velocity(const quadratic_turn *turn, double h, ph_vec3 start, ph_vec3 end)
{
    const ph_quat a = ph_quat_conj(turn->to_middle), b = ph_quat_mul(a, turn->to_end);
    const ph_quat rates = combined(0.5, rate_of(a, start), 0.5, rate_of(b, end)), chord = combined(-1.0, a, 1.0, b);
    const ph_quat q = combined(3.0 / h, chord, -0.5, rates);
    return ph_vec(q.x, q.y, q.z);
}
