// attach of MJCF. Angular accelerations of bodies, in their axes, by MuJoCo 4.0 (mj_forward without constraints).

#include "test.h"

#include "folder.h"
#include "polhode/polhode.h"

#include <math.h>

// Its own angles, classes and assets; a world, and a body in a frame, of which the frame stays behind where the body alone is attached.
static const char arm[] =
    "<mujoco><compiler angle='radian' eulerseq='zyx'/><option gravity='0 0 -3'/>"
    "<default><geom density='50'/><joint armature='.01'/><default class='heavy'><geom density='700'/></default></default>"
    "<worldbody><geom size='.05'/><frame name='f' pos='0 0 9' euler='1 0 0'><body name='x' pos='1 0 0' euler='.2 .3 .4' childclass='heavy'>"
    "<joint name='j' axis='0 1 0'/><geom size='.1' pos='.1 0 0'/><body name='y' pos='0 0 1'><joint name='k'/><geom size='.1' pos='0 .2 0'/>"
    "</body></body></frame><body name='z'><joint name='l'/><geom size='.1'/></body></worldbody>"
    "<tendon><fixed name='both' stiffness='3'><joint joint='j' coef='1'/><joint joint='l' coef='1'/></fixed>"
    "<fixed name='own' stiffness='3' springlength='.2'><joint joint='j' coef='1'/><joint joint='k' coef='2'/></fixed></tendon>"
    "<actuator><motor name='m' joint='k'/><motor name='n' joint='l'/></actuator></mujoco>";

static void put(const folder *f, const char *name, const char *text)
{
    const file_path path = folder_file(f, name);
    FILE *file = fopen(path.text, "w");
    if (CHECK(file)) {
        fputs(text, file);
        fclose(file);
    }
}

typedef struct reading {
    ph_problems *problems;
    ph_spec *spec;
    ph_model *model;
} reading;

static reading read_scene(const folder *f, const char *bodies, const char *others)
{
    char text[2000];
    reading r = {.problems = ph_problems_create()};
    snprintf(text, sizeof text,
             "<mujoco><default><geom density='999'/></default><asset><model name='arm' file='arm.xml'/></asset>"
             "<worldbody>%s</worldbody>%s</mujoco>",
             bodies, others);
    put(f, "scene.xml", text);
    const file_path path = folder_file(f, "scene.xml");
    const ph_setting settings[] = {{".allow-folder", f->path}, {"p_m", "0.3"}};
    if (ph_spec_read_file(path.text, settings, strstr(bodies, "p_") ? 2 : 1, r.problems, &r.spec) == PH_OK)
        ph_model_compile(r.spec, r.problems, &r.model);
    return r;
}

static void done(reading *r)
{
    ph_model_destroy(r->model);
    ph_spec_destroy(r->spec);
    ph_problems_destroy(r->problems);
}

static void check_acceleration(const reading *r, const char *body, const double alpha[3])
{
    const int i = r->model ? ph_model_find_body(r->model, body) : -1;
    ph_state *state = r->model ? ph_state_create(r->model) : NULL;
    ph_observer *observer = NULL;
    ph_twist a[16];
    if (CHECK(i >= 0 && state) && CHECK_EQ_INT(ph_observer_create(r->model, &observer), PH_OK) &&
        CHECK_EQ_INT(ph_observer_dynamics(observer, state, a, NULL), PH_OK)) {
        const double size = sqrt(alpha[0] * alpha[0] + alpha[1] * alpha[1] + alpha[2] * alpha[2]);
        CHECK_NEAR(a[i].omega.x, alpha[0], 1e-11 * size);
        CHECK_NEAR(a[i].omega.y, alpha[1], 1e-11 * size);
        CHECK_NEAR(a[i].omega.z, alpha[2], 1e-11 * size);
    }
    ph_observer_destroy(observer);
    ph_state_destroy(state);
}

static const struct scene {
    const char *bodies, *others, *body;
    double alpha[3];
} scenes[] = {
    {"<body name='b'><joint axis='1 1 0'/><geom size='.1' pos='.2 0 0'/><attach model='arm' body='x' prefix='p_'/></body>",
     "",
     "p_y",
     {6.6275536056144233, 16.362455187167011, 74.929378395240775}},
    {"<frame pos='0 0 2' euler='40 0 0'><attach model='arm' prefix='p_'/></frame>",
     "",
     "p_x",
     {-4.4408920985006262e-15, 14.430065962156146, 2.6645352591003757e-15}},
    {"<frame euler='40 0 0'><attach model='arm' body='x' prefix='p_'/></frame><attach model='arm' prefix='r_'/>",
     "<tendon><fixed stiffness='30' springlength='.5'><joint joint='p_j' coef='1'/><joint joint='r_l' coef='1'/></fixed></tendon>",
     "p_x",
     {-4.4408920985006262e-15, 45.539876087949935, 7.1054273576010019e-15}},
    {"<replicate count='2' euler='20 0 0'><attach model='arm' body='x' prefix='q_'/></replicate>",
     "",
     "q_x1",
     {-8.8817841970012523e-16, 16.647860719998206, 1.7763568394002505e-15}},
    {"<body name='b'><joint/><geom size='.1'/><attach model='arm' frame='f' prefix='p_'/></body>",
     "",
     "p_y",
     {0.26055906852653976, 20.942371046252973, 86.143824394210895}},
};

TEST(what_is_attached_moves_as_in_mujoco)
{
#ifndef PH_WITH_EXPAT
    SKIP("built without expat");
#endif
    const folder f = folder_make();
    put(&f, "arm.xml", arm);
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        reading r = read_scene(&f, scenes[i].bodies, scenes[i].others);
        check_acceleration(&r, scenes[i].body, scenes[i].alpha);
        done(&r);
    }
    folder_remove(&f);
}

TEST(attaching_what_is_not_there_is_a_mistake)
{
#ifndef PH_WITH_EXPAT
    SKIP("built without expat");
#endif
    static const struct {
        const char *bodies, *says;
    } wrongs[] = {
        {"<attach model='leg' body='x' prefix='a'/>", "attach needs a model of the assets"},
        {"<attach model='arm' body='w' prefix='a'/>", "there is no body 'w' in the model 'arm'"},
        {"<attach model='loop' prefix='a'/>", "models attach each other more than 16 deep"},
    };
    const folder f = folder_make();
    put(&f, "arm.xml", arm);
    put(&f, "loop.xml",
        "<mujoco><asset><model name='loop' file='loop.xml'/></asset><worldbody><attach model='loop' prefix='a'/></worldbody></mujoco>");
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        reading r = read_scene(&f, wrongs[i].bodies, "<asset><model name='loop' file='loop.xml'/></asset>");
        bool said = false;
        for (int k = 0; k < ph_problems_count(r.problems); k++)
            said |= strstr(ph_problems_get(r.problems, k)->text, wrongs[i].says) != NULL;
        CHECK(said && !r.model);
        done(&r);
    }
    folder_remove(&f);
}
