// Projections on the cones, against a search that knows nothing of their pieces; their derivatives; De Saxce's shift.

#include "test.h"

#include "cone/cone.h"

static ph_cone random_cone(void)
{
    ph_cone c = {.kind = PH_CONE_FRICTION,
                 .friction = test_uniform(0, 2),
                 .rolls = test_random_index(2),
                 .spins = test_random_index(2)};
    c.rolling = test_random_index(6) ? test_uniform(0, 0.5) : 0.0;
    c.spinning = test_random_index(6) ? test_uniform(0, 0.5) : 0.0;
    if (test_random_index(4) == 0) c.friction = 0.0;
    return c;
}

static void random_point(int rows, double *x)
{
    for (int i = 0; i < rows; i++) x[i] = test_uniform(-1, 1) * (test_random_index(3) ? 1.0 : 10.0);
    for (int i = 1; i < rows && test_random_index(3) == 0; i++) x[i] = 0.0; // as contacts without friction have them
}

static double distance2(int rows, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < rows; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

// The nearest point with normal row n: every part shortened to mu n.
static void nearest_at(const cone *c, const double *x, double n, double *y)
{
    y[0] = n;
    for (int k = 0; k < c->part_count; k++) {
        const cone_part *p = &c->parts[k];
        double T = 0.0;
        for (int i = 0; i < p->size; i++) T += x[p->first + i] * x[p->first + i];
        T = sqrt(T);
        const double s = T > p->mu * n ? p->mu * n / T : 1.0;
        for (int i = 0; i < p->size; i++) y[p->first + i] = s * x[p->first + i];
    }
}

// Brute force: the distance is a convex function of the normal row, whose minimum a golden section finds.
static double least_distance2(const cone *c, const double *x)
{
    double low = 0.0, high = 50.0, y[CONE_ROWS_MAX];
    const double g = 0.61803398874989484820;
    for (int k = 0; k < 120; k++) {
        const double a = high - g * (high - low), b = low + g * (high - low);
        nearest_at(c, x, a, y);
        const double fa = distance2(c->rows, x, y);
        nearest_at(c, x, b, y);
        if (fa < distance2(c->rows, x, y))
            high = b;
        else
            low = a;
    }
    nearest_at(c, x, 0.5 * (low + high), y);
    return distance2(c->rows, x, y);
}

static bool inside(const cone *c, const double *y, double tolerance)
{
    double z[CONE_ROWS_MAX];
    nearest_at(c, y, y[0], z);
    return y[0] >= 0.0 && sqrt(distance2(c->rows, y, z)) <= tolerance;
}

TEST(friction_projection_against_brute_force)
{
    for (int trial = 0; trial < 3000; trial++) {
        const ph_cone given = random_cone();
        const cone c = cone_make(&given, 0);
        double x[CONE_ROWS_MAX], y[CONE_ROWS_MAX];
        random_point(c.rows, x);
        ph_cone_project(&given, x, y);
        CHECK(inside(&c, y, 1e-14));
        // both are minima of the same function: equal to the square root of rounding in place, to rounding in value
        CHECK_NEAR(distance2(c.rows, x, y), least_distance2(&c, x), 1e-13 * (1.0 + distance2(c.rows, x, y)));
    }
}

// x = P(x) + (x - P(x)) with the second in the polar cone and perpendicular to the first (Moreau).
TEST(friction_projection_splits_orthogonally)
{
    for (int trial = 0; trial < 3000; trial++) {
        const ph_cone given = random_cone();
        const cone c = cone_make(&given, 0);
        double x[CONE_ROWS_MAX], y[CONE_ROWS_MAX], z[CONE_ROWS_MAX], dot = 0.0;
        random_point(c.rows, x);
        ph_cone_project(&given, x, y);
        for (int i = 0; i < c.rows; i++) {
            z[i] = x[i] - y[i];
            dot += z[i] * y[i];
        }
        CHECK_NEAR(dot, 0.0, 1e-13);
        // polar: n + sum mu_k |x_k| <= 0
        CHECK(z[0] + cone_shift(&c, z) <= 1e-13);
        // twice is once
        double twice[CONE_ROWS_MAX];
        ph_cone_project(&given, y, twice);
        CHECK(sqrt(distance2(c.rows, y, twice)) <= 1e-14);
    }
}

TEST(friction_projection_by_hand)
{
    const ph_cone c = {.kind = PH_CONE_FRICTION, .friction = 0.5};
    double y[3];
    ph_cone_project(&c, (double[]){2, 0.6, 0.8}, y); // inside, on the boundary
    CHECK(y[0] == 2 && y[1] == 0.6 && y[2] == 0.8);
    ph_cone_project(&c, (double[]){-1, 1.2, 1.6}, y); // polar: 0.5 * 2 <= 1
    CHECK(y[0] == 0 && y[1] == 0 && y[2] == 0);
    ph_cone_project(&c, (double[]){0, 3, 4}, y); // (n + mu T)/(1 + mu^2) = 2.5/1.25
    CHECK_NEAR(y[0], 2.0, 1e-15);
    CHECK_NEAR(y[1], 0.6, 1e-15);
    CHECK_NEAR(y[2], 0.8, 1e-15);
    ph_cone_project(&c, (double[]){0, 0, 0}, y);
    CHECK(y[0] == 0 && y[1] == 0 && y[2] == 0);
    const ph_cone smooth = {.kind = PH_CONE_FRICTION, .friction = 0.0};
    ph_cone_project(&smooth, (double[]){-1, 0, 0}, y); // nothing pulls
    CHECK(y[0] == 0 && y[1] == 0 && y[2] == 0);
}

// n = 1, T = (4, 3, 2), mu = (1, 1, 1): all three are shortened, n' = (1 + 9)/4; then T_3 = 2 < n' is not: n' = 8/3.
TEST(rolling_and_spinning_projection_by_hand)
{
    const ph_cone c = {
        .kind = PH_CONE_FRICTION, .friction = 1, .rolls = true, .rolling = 1, .spins = true, .spinning = 1};
    double y[6];
    ph_cone_project(&c, (double[]){1, 4, 0, 0, 3, -2}, y);
    CHECK_NEAR(y[0], 8.0 / 3.0, 1e-15);
    CHECK_NEAR(y[1], 8.0 / 3.0, 1e-15);
    CHECK_NEAR(y[4], 8.0 / 3.0, 1e-15);
    CHECK_NEAR(y[5], -2.0, 0.0);
}

TEST(projection_on_lines_and_intervals)
{
    double y;
    ph_cone_project(&(ph_cone){.kind = PH_CONE_FREE}, (double[]){-3}, &y);
    CHECK(y == -3);
    ph_cone_project(&(ph_cone){.kind = PH_CONE_HALF_LINE}, (double[]){-3}, &y);
    CHECK(y == 0);
    ph_cone_project(&(ph_cone){.kind = PH_CONE_HALF_LINE}, (double[]){3}, &y);
    CHECK(y == 3);
    const ph_cone interval = {.kind = PH_CONE_INTERVAL, .low = -1, .high = 2};
    ph_cone_project(&interval, (double[]){-3}, &y);
    CHECK(y == -1);
    ph_cone_project(&interval, (double[]){0.5}, &y);
    CHECK(y == 0.5);
    ph_cone_project(&interval, (double[]){3}, &y);
    CHECK(y == 2);
}

TEST(derivative_of_the_projection)
{
    const double h = 1e-6;
    int compared = 0;
    for (int trial = 0; trial < 1000; trial++) {
        const ph_cone given = random_cone();
        const cone c = cone_make(&given, 0);
        double x[CONE_ROWS_MAX], D[CONE_ROWS_MAX * CONE_ROWS_MAX], there[CONE_ROWS_MAX * CONE_ROWS_MAX];
        random_point(c.rows, x);
        cone_derivative(&c, x, D);
        for (int j = 0; j < c.rows; j++) {
            double a[CONE_ROWS_MAX], b[CONE_ROWS_MAX];
            memcpy(a, x, sizeof a);
            memcpy(b, x, sizeof b);
            a[j] += h;
            b[j] -= h;
            // the same piece on both sides, or there is no derivative to compare with
            cone_derivative(&c, a, there);
            const bool same_a = fabs(there[0] - D[0]) < 1e-4;
            cone_derivative(&c, b, there);
            if (!same_a || fabs(there[0] - D[0]) >= 1e-4) continue;
            cone_project(&c, a, a);
            cone_project(&c, b, b);
            for (int i = 0; i < c.rows; i++) CHECK_NEAR(D[c.rows * i + j], (a[i] - b[i]) / (2 * h), 1e-6);
            compared++;
        }
        for (int i = 0; i < c.rows; i++) {
            for (int j = 0; j < i; j++) CHECK_NEAR(D[c.rows * i + j], D[c.rows * j + i], 1e-15);
        }
    }
    CHECK(compared > 3000);
}

TEST(derivative_of_the_shift)
{
    for (int trial = 0; trial < 200; trial++) {
        const ph_cone given = random_cone();
        const cone c = cone_make(&given, 0);
        const double h = 1e-6;
        double u[CONE_ROWS_MAX], row[CONE_ROWS_MAX];
        random_point(c.rows, u);
        cone_shift_gradient(&c, u, row);
        for (int j = 0; j < c.rows; j++) {
            double a[CONE_ROWS_MAX], b[CONE_ROWS_MAX];
            memcpy(a, u, sizeof a);
            memcpy(b, u, sizeof b);
            a[j] += h;
            b[j] -= h;
            if (fabs(u[j]) > 1e-3) CHECK_NEAR(row[j], (cone_shift(&c, a) - cone_shift(&c, b)) / (2 * h), 1e-6);
        }
    }
}
