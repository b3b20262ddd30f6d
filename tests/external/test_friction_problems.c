// Friction problems of real simulations (from the collection FCLIB), in the folder named by POLHODE_EXTERNAL_DATA, by
// default ../shared/data beside the repository: both laws to 1e-8 in both measures.

#include "test.h"

#include "polhode/cone.h"

#include <dirent.h>

enum { FILES_MAX = 64, NAME_SIZE = 1024 };

static int find_files(char files[FILES_MAX][NAME_SIZE])
{
    const char *data = getenv("POLHODE_EXTERNAL_DATA");
    char folder[NAME_SIZE / 2];
    snprintf(folder, sizeof folder, "%s/fc", data ? data : TEST_SOURCE_DIR "/../shared/data");
    DIR *dir = opendir(folder);
    int count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir)) && count < FILES_MAX;) {
        const size_t length = strlen(entry->d_name);
        if (length < 3 || strcmp(entry->d_name + length - 3, ".fc") != 0) continue;
        snprintf(files[count++], NAME_SIZE, "%s/%s", folder, entry->d_name);
    }
    if (dir) closedir(dir);
    return count;
}

static void solve_file(const char *path, const char *solver, ph_contact_law law)
{
    ph_problems *problems = ph_problems_create();
    ph_fc_problem *fc = NULL;
    if (CHECK_EQ_INT(ph_fc_read_file(path, problems, &fc), PH_OK)) {
        const ph_cone_problem p = {fc->contacts, fc->cones, fc->q, ph_cone_matrix_operator(fc->matrix)};
        ph_cone_workspace *w = ph_cone_workspace_create(NULL);
        ph_cone_settings settings = ph_default_cone();
        settings.solver = solver;
        settings.law = law;
        settings.measure = PH_CONE_BOTH;
        double *g = calloc(3 * (size_t)fc->contacts, sizeof *g);
        ph_cone_report r = {0};
        CHECK_EQ_INT(ph_cone_solve(w, &p, &settings, g, NULL, &r, NULL), PH_OK);
        printf("  %-40s %-7s %-8s %4d contacts %5d iterations %8.2f ms, %.1e m/s, %.1e\n", strrchr(path, '/') + 1,
               solver, law == PH_LAW_COULOMB ? "coulomb" : "relaxed", fc->contacts, r.iterations, 1e3 * r.seconds,
               r.residual, r.natural_map_error);
        CHECK(r.converged);
        CHECK(r.natural_map_error <= 1e-8);
        CHECK(r.residual <= 1e-8);
        free(g);
        ph_cone_workspace_destroy(w);
        ph_fc_destroy(fc);
    }
    ph_problems_destroy(problems);
}

static void solve_all(const char *solver, ph_contact_law law)
{
    static char files[FILES_MAX][NAME_SIZE];
    const int count = find_files(files);
    if (count == 0) SKIP("there are no friction problems in POLHODE_EXTERNAL_DATA");
    for (int k = 0; k < count; k++) solve_file(files[k], solver, law);
}

TEST(newton_under_coulomb)
{
    solve_all("newton", PH_LAW_COULOMB);
}

TEST(newton_under_the_relaxed_law)
{
    solve_all("newton", PH_LAW_RELAXED);
}

TEST(apgd_under_coulomb)
{
    solve_all("apgd", PH_LAW_COULOMB);
}

TEST(apgd_under_the_relaxed_law)
{
    solve_all("apgd", PH_LAW_RELAXED);
}

TEST(bb_under_coulomb)
{
    solve_all("bb", PH_LAW_COULOMB);
}

TEST(pgs_under_coulomb)
{
    solve_all("pgs", PH_LAW_COULOMB);
}
