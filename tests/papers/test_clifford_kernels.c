// The generated kernels: each equals the 256-coefficient reference, and the committed text is what the generator writes.
#include "math/quat.h"
#include "multivector.h"
#include "polhode/clifford_generated.h"

#include <sys/stat.h>

enum { ROUNDS = 200 };

// ---- Random typed values --------------------------------------------------------------------------------------------

#define RANDOM_OF(name, type)                                                                                          \
    static type name(void)                                                                                             \
    {                                                                                                                  \
        type value;                                                                                                    \
        fill_uniform(&value, (int)(sizeof value / sizeof(double)));                                                    \
        return value;                                                                                                  \
    }
RANDOM_OF(random_twist, ph_twist)
RANDOM_OF(random_coscrew, ph_coscrew)
RANDOM_OF(random_hexavector, ph_hexavector)
RANDOM_OF(random_inertia, ph_inertia)
RANDOM_OF(random_sym4, ph_sym4)
RANDOM_OF(random_even, ph_motor) // any even element of Cl(0,3,1)
RANDOM_OF(random_point, ph_point)
RANDOM_OF(random_plane, ph_plane)
RANDOM_OF(random_vec3, ph_vec3)

static ph_motor random_motor(void)
{
    const ph_quat r = {test_uniform(-1, 1), test_uniform(-1, 1), test_uniform(-1, 1), test_uniform(-1, 1)};
    return ph_motor_make(ph_quat_unit(r), random_vec3());
}

// All values are at most 1 in size and no component is a sum of more than some ten products of at most four factors, so
// that a few units in the last place of 1 are rounding and nothing else.
#define CHECK_KERNEL(typed_result, reference) CHECK_CLOSE(typed_result, reference, 16 * 0x1p-53)
// Moving by a motor: the reference multiplies four times through, and translations up to sqrt(3) enter squared.
#define CHECK_MOTION(typed_result, reference) CHECK_CLOSE(typed_result, reference, 128 * 0x1p-53)

// Cl(0,3,1) sits in Cl(0,6,2) as the products of e1 e2 e3 e; its shuffle product is that of A times the elements.
static mv vee_031(mv x, mv y)
{
    // (A ^ x) v (A ^ y) = A ^ (x v y): the generators of A are in both factors.
    const mv product = vee(wedge(element_a(), x), wedge(element_a(), y));
    mv out = {{0.0}};
    for (int i = 0; i < 16; i++) {
        out.c[i << 4] = product.c[i << 4 | 15];
    }
    return out;
}

// ---- Kernels --------------------------------------------------------------------------------------------------------

TEST(kernels_of_motors)
{
    for (int i = 0; i < ROUNDS; i++) {
        const ph_motor g = random_even(), h = random_even();
        const ph_twist s = random_twist();
        CHECK_KERNEL(of_motor(ph_cl_motor_mul(g, h)), gp(of_motor(g), of_motor(h)));
        CHECK_SAME(of_motor(ph_cl_motor_conj(g)), conjugate(of_motor(g)));
        CHECK_KERNEL(of_motor(ph_cl_motor_rate(s, g)), times(0.5, gp(of_twist(s), of_motor(g))));
        const ph_motor_norm n = ph_cl_motor_norm(g);
        CHECK_KERNEL(plus(blade(n.real, ""), blade(n.dual, "ee1e2e3")), gp(of_motor(g), conjugate(of_motor(g))));
    }
}

TEST(kernel_pose)
{
    static const char *const axes[] = {"e1", "e2", "e3"};
    for (int i = 0; i < ROUNDS; i++) {
        const ph_motor g = random_motor();
        const ph_pose F = ph_cl_motor_pose(g);
        const ph_motor rotor = {{g.a[0], g.a[1], g.a[2], g.a[3]}, {0.0}};
        for (int j = 0; j < 3; j++) {
            mv column = {{0.0}};
            for (int k = 0; k < 3; k++) {
                column = plus(column, blade(F.R.m[k][j], axes[k]));
            }
            CHECK_MOTION(column, sandwich(of_motor(rotor), blade(1.0, axes[j])));
        }
        const ph_motor translator = {{1.0}, {0.0, 0.5 * F.t.x, 0.5 * F.t.y, 0.5 * F.t.z}};
        CHECK_MOTION(gp(of_motor(translator), of_motor(rotor)), of_motor(g));
    }
}

TEST(kernels_of_motions)
{
    for (int i = 0; i < ROUNDS; i++) {
        const ph_motor motor = random_motor();
        const ph_pose F = ph_cl_motor_pose(motor);
        const mv g = of_motor(motor);
        const ph_twist s = random_twist();
        const ph_coscrew P = random_coscrew();
        const ph_inertia N = random_inertia();
        const ph_sym4 K = random_sym4();
        const ph_point p = random_point();
        const ph_plane pi = random_plane();
        CHECK_MOTION(of_twist(ph_cl_pose_twist(F, s)), sandwich(g, of_twist(s)));
        CHECK_MOTION(of_coscrew(ph_cl_pose_coscrew(F, P)), sandwich(bar(g), of_coscrew(P)));
        CHECK_MOTION(of_inertia(ph_cl_pose_inertia(F, N)), sandwich_both(g, of_inertia(N)));
        CHECK_MOTION(of_sym4(ph_cl_pose_sym4(F, K)), sandwich_both(g, of_sym4(K)));
        CHECK_MOTION(of_point(ph_cl_pose_point(F, p)), sandwich(g, of_point(p)));
        CHECK_MOTION(of_plane(ph_cl_pose_plane(F, pi)), sandwich(g, of_plane(pi)));
        const ph_inertia diagonal = {N.mass, {0.0, 0.0, 0.0}, {N.I[0], N.I[1], N.I[2], 0.0, 0.0, 0.0}};
        const ph_inertia moved = ph_cl_pose_diagonal(F, N.mass, (ph_vec3){N.I[0], N.I[1], N.I[2]});
        CHECK_MOTION(of_inertia(moved), sandwich_both(g, of_inertia(diagonal)));
    }
}

TEST(kernels_of_twists_and_coscrews)
{
    const mv A = element_a(), E = element_e(), Q0 = element_q0();
    for (int i = 0; i < ROUNDS; i++) {
        const ph_twist x = random_twist(), y = random_twist();
        const ph_coscrew P = random_coscrew();
        const ph_hexavector X = random_hexavector();
        CHECK_KERNEL(of_twist(ph_cl_bracket(x, y)), commutator(of_twist(x), of_twist(y)));
        CHECK_KERNEL(of_coscrew(ph_cl_coadjoint(x, P)), commutator(bar(of_twist(x)), of_coscrew(P)));
        CHECK_KERNEL(blade(ph_cl_evaluate(P, x), ""), vee(of_coscrew(P), wedge(Q0, of_twist(x))));
        CHECK_KERNEL(blade(ph_cl_shuffle(P, X), ""), vee(of_coscrew(P), of_hexavector(X)));
        CHECK_SAME(of_coscrew(ph_cl_bar_twist(x)), bar(of_twist(x)));
        CHECK_SAME(of_twist(ph_cl_bar_coscrew(P)), bar(of_coscrew(P)));
        CHECK_SAME(of_hexavector(ph_cl_wedge_q0(x)), wedge(Q0, of_twist(x)));
        CHECK_SAME(of_hexavector(ph_cl_times_e(P)), gp(of_coscrew(P), E));
        CHECK_SAME(of_coscrew(ph_cl_shuffle_a(X)), vee(A, of_hexavector(X)));
    }
}

static mv rate(mv N, mv s)
{
    return plus(commutator(s, N), commutator(bar(s), N));
}

TEST(kernels_of_grade_4)
{
    for (int i = 0; i < ROUNDS; i++) {
        const ph_inertia N = random_inertia();
        const ph_sym4 K = random_sym4();
        const ph_twist s = random_twist();
        const ph_coscrew P = random_coscrew();
        CHECK_KERNEL(of_hexavector(ph_cl_wedge_inertia(N, s)), wedge(of_inertia(N), of_twist(s)));
        CHECK_KERNEL(of_hexavector(ph_cl_wedge_sym4(K, s)), wedge(of_sym4(K), of_twist(s)));
        CHECK_KERNEL(of_twist(ph_cl_inverse_sym4(K, P)), vee(element_e(), wedge(of_sym4(K), of_coscrew(P))));
        CHECK_KERNEL(of_inertia(ph_cl_inertia_rate(N, s)), rate(of_inertia(N), of_twist(s)));
        CHECK_KERNEL(of_sym4(ph_cl_sym4_rate(K, s)), rate(of_sym4(K), of_twist(s)));
        CHECK_KERNEL(of_hexavector(ph_cl_gyroscopic(N, s)),
                     wedge(commutator(bar(of_twist(s)), of_inertia(N)), of_twist(s)));
        CHECK_KERNEL(of_sym4(ph_cl_dyad(P)), wedge(of_coscrew(P), bar(of_coscrew(P))));
        CHECK_SAME(of_sym4(ph_cl_inertia_sym4(N)), of_inertia(N));
    }
}

TEST(kernels_of_points_lines_and_planes)
{
    for (int i = 0; i < ROUNDS; i++) {
        const ph_plane a = random_plane(), b = random_plane();
        const ph_point p = random_point(), q = random_point();
        const ph_twist L = random_twist();
        CHECK_KERNEL(of_twist(ph_cl_meet_planes(a, b)), wedge(of_plane(a), of_plane(b)));
        CHECK_KERNEL(of_point(ph_cl_meet_line_plane(L, a)), wedge(of_twist(L), of_plane(a)));
        CHECK_KERNEL(of_twist(ph_cl_join_points(p, q)), vee_031(of_point(p), of_point(q)));
        CHECK_KERNEL(of_plane(ph_cl_join_point_line(p, L)), vee_031(of_point(p), of_twist(L)));
        CHECK_KERNEL(blade(ph_cl_incidence(a, p), "e1e2e3e"), wedge(of_plane(a), of_point(p)));
    }
}

// ---- The generator --------------------------------------------------------------------------------------------------

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    struct stat status;
    const size_t size = fstat(fileno(file), &status) == 0 ? (size_t)status.st_size : 0;
    char *text = calloc(size + 1, 1);
    if (!text || fread(text, 1, size, file) != size) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static void compare_generated(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *fresh = read_whole(path);
    snprintf(path, sizeof path, "%s/%s", TEST_SOURCE_DIR, name);
    char *committed = read_whole(path);
    if (CHECK(fresh && committed)) {
        CHECK(strcmp(fresh, committed) == 0);
    }
    free(fresh);
    free(committed);
}

TEST(generator_writes_the_committed_text)
{
    char folder[512], command[2048];
    if (system("python3 -c '' 2>/dev/null") != 0) {
        SKIP("python3 is not installed");
    }
    snprintf(folder, sizeof folder, "%s/clifford-XXXXXX", TEST_BINARY_DIR);
    if (!CHECK(mkdtemp(folder) != NULL)) {
        return;
    }
    snprintf(command, sizeof command, "python3 '%s/tools/clifford/generate.py' '%s'", TEST_SOURCE_DIR, folder);
    CHECK_EQ_INT(system(command), 0);
    compare_generated(folder, "include/polhode/clifford_generated.h");
    compare_generated(folder, "src/clifford/generated_lanes.h");
    compare_generated(folder, "src/clifford/generated_layout.h");
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_EQ_INT(system(command), 0);
}
