// Friction problems: read, and the small ones solved for a while by every solver.

#include "fuzz.h"

#include <math.h>

enum { CONTACTS_MAX = 6 };

static void solve(const ph_fc_problem *fc)
{
    ph_cone_workspace *workspace = ph_cone_workspace_create(NULL);
    const ph_cone_problem problem = {fc->contacts, fc->cones, fc->q, ph_cone_matrix_operator(fc->matrix)};
    for (int i = 0; i < ph_cone_solver_count(); i++) {
        double g[3 * CONTACTS_MAX] = {0};
        ph_cone_settings settings = ph_default_cone();
        ph_cone_report report;
        settings.solver = ph_cone_solver_get(i).name;
        settings.iterations = 20;
        if (ph_cone_solve(workspace, &problem, &settings, g, NULL, &report, NULL) == PH_OK && report.converged) {
            for (int k = 0; k < 3 * fc->contacts; k++) {
                MUST(isfinite(g[k]));
            }
        }
    }
    ph_cone_workspace_destroy(workspace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ph_problems *problems = ph_problems_create();
    ph_fc_problem *fc = NULL;
    const ph_status status = ph_fc_read_text((const char *)data, size, "a.fc", problems, &fc);
    MUST((status == PH_OK) == (fc != NULL));
    MUST(fc || ph_problems_errors(problems) > 0);
    if (fc && fc->contacts <= CONTACTS_MAX) {
        solve(fc);
    }
    ph_fc_destroy(fc);
    ph_problems_destroy(problems);
    return 0;
}
