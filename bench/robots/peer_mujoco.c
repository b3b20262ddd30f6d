// The same scene stepped by MuJoCo: peer_mujoco FILE STEP WARM STEPS BODY SETTING GAIT
//
// SETTING: default, or stiff (elliptic cones, impratio 100, solref 0.004, solimp 0.99 0.9999 0.0001). GAIT: amplitude in rad of a
// quadruped's trot, 0: it stands. Prints as ours.c does; the residual of a soft contact is none, its loops are soft rows.
#include <mujoco/mujoco.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void set_stiff(mjModel *m)
{
    static const double solimp[5] = {0.99, 0.9999, 0.0001, 0.5, 2.0};
    m->opt.cone = mjCONE_ELLIPTIC;
    m->opt.impratio = 100.0;
    for (int g = 0; g < m->ngeom; g++) {
        m->geom_solref[mjNREF * g] = 0.004;
        memcpy(m->geom_solimp + mjNIMP * g, solimp, sizeof solimp);
    }
    for (int e = 0; e < m->neq; e++) {
        m->eq_solref[mjNREF * e] = 0.004;
        memcpy(m->eq_solimp + mjNIMP * e, solimp, sizeof solimp);
    }
}

// Targets of the servos, which are springs: hip, thigh, calf of four legs.
static void trot(mjModel *m, double gait, double time)
{
    for (int j = 0; j < 12 && 7 + j < m->nq && gait > 0.0; j++) {
        const int leg = j / 3, k = j % 3;
        const double phase = 12.566370614359172 * time + (leg == 0 || leg == 3 ? 0.0 : 3.141592653589793);
        m->qpos_spring[7 + j] = k == 0 ? 0.0 : k == 1 ? gait * sin(phase) : -0.8 * gait * (1.0 + cos(phase));
    }
}

typedef struct tally {
    double best, all, contacts, overlap, joints;
} tally;

static void note(const mjData *d, tally *t, double share)
{
    t->contacts += share * d->ncon;
    for (int k = 0; k < d->ncon; k++) t->overlap = fmax(t->overlap, -d->contact[k].dist);
    for (int k = 0; k < d->nefc; k++)
        if (d->efc_type[k] == mjCNSTR_EQUALITY) t->joints = fmax(t->joints, fabs(d->efc_pos[k]));
}

int main(int argc, char **argv)
{
    char error[1000] = "";
    if (argc < 8) return 1;
    mjModel *m = mj_loadXML(argv[1], NULL, error, sizeof error);
    mjData *d = m ? mj_makeData(m) : NULL;
    if (!d) return fprintf(stderr, "%s\n", error), 1;
    const int warm = atoi(argv[3]), steps = atoi(argv[4]), body = mj_name2id(m, mjOBJ_BODY, argv[5]);
    const double gait = atof(argv[7]);
    m->opt.timestep = atof(argv[2]);
    if (strcmp(argv[6], "stiff") == 0) set_stiff(m);
    for (int k = 0; k < m->nu; k++) d->ctrl[k] = 1.0;
    for (int k = 0; k < warm; k++) {
        trot(m, gait, d->time);
        mj_step(m, d);
    }
    tally t = {.best = HUGE_VAL};
    mj_forward(m, d);
    double from[3], to[3];
    memcpy(from, d->xipos + 3 * body, sizeof from);
    for (int part = 0; part < 10; part++) {
        const int count = steps / 10 > 0 ? steps / 10 : 1;
        double time = 0.0;
        for (int k = 0; k < count; k++) {
            trot(m, gait, d->time);
            const double begin = processor_time();
            mj_step(m, d);
            time += processor_time() - begin;
            note(d, &t, 0.1 / count);
        }
        t.best = fmin(t.best, time / count);
        t.all += 0.1 * time / count;
    }
    memcpy(to, d->xipos + 3 * body, sizeof to);
    const double moved = sqrt(pow(to[0] - from[0], 2) + pow(to[1] - from[1], 2) + pow(to[2] - from[2], 2));
    printf("%.2f %.2f %.1f soft %.1e %.1e %.1e 0\n", 1e6 * t.best, 1e6 * t.all, t.contacts, t.overlap, moved, t.joints);
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}
