// A robot file as text, read and compiled, with all that was said about it.
#ifndef TESTS_ROBOT_TEXT_H
#define TESTS_ROBOT_TEXT_H

#include "polhode/polhode.h"

#include <stdbool.h>
#include <string.h>

#define MJCF(text) "<mujoco>" text "</mujoco>"

// Whether robot files are read at all.
static inline bool supported(void)
{
#ifdef PH_WITH_EXPAT
    return true;
#else
    return false;
#endif
}

typedef struct robot_text {
    ph_problems *problems;
    ph_spec *spec;
    ph_model *model;
    ph_state *state;
    ph_observer *observer;
} robot_text;

static inline void robot_text_compile(robot_text *r)
{
    if (r->spec && ph_model_compile(r->spec, r->problems, &r->model) == PH_OK) {
        r->state = ph_state_create(r->model);
        ph_observer_create(r->model, &r->observer);
    }
}

static inline robot_text robot_text_read(const char *text, const ph_setting *settings, int count)
{
    robot_text r = {.problems = ph_problems_create()};
    ph_spec_read_text(text, strlen(text), "robot.xml", settings, count, r.problems, &r.spec);
    robot_text_compile(&r);
    return r;
}

static inline robot_text robot_text_file(const char *path)
{
    robot_text r = {.problems = ph_problems_create()};
    ph_spec_read_file(path, NULL, 0, r.problems, &r.spec);
    robot_text_compile(&r);
    return r;
}

static inline void robot_text_done(robot_text *r)
{
    ph_observer_destroy(r->observer);
    ph_state_destroy(r->state);
    ph_model_destroy(r->model);
    ph_spec_destroy(r->spec);
    ph_problems_destroy(r->problems);
}

// A problem of that severity whose text contains `words`; NULL: none.
static inline const ph_problem *robot_text_said(const robot_text *r, ph_severity severity, const char *words)
{
    for (int i = 0; i < ph_problems_count(r->problems); i++) {
        const ph_problem *p = ph_problems_get(r->problems, i);
        if (p->severity == severity && strstr(p->text, words)) return p;
    }
    return NULL;
}

static inline bool robot_text_supported(void)
{
#ifdef PH_WITH_EXPAT
    return true;
#else
    return false;
#endif
}

#endif
