// What a viewer is told in words: JSON.

#include "live/live.h"

#include "io/page/scene.h"
#include "polhode/keyframe.h"

#include <math.h>

static void put_bool(page_text *t, const char *key, bool value)
{
    put_key(t, key);
    put_text(t, value ? "true" : "false");
}

static void put_list(page_text *t, const char *key)
{
    put_key(t, key);
    put_text(t, "[");
}

static void put_named(page_text *t, bool follows, const char *name, double value, double start)
{
    put_text(t, follows ? ",{" : "{");
    put_string_member(t, "name", name);
    put_key(t, "value");
    put_number(t, value, 17);
    put_key(t, "start");
    put_number(t, start, 17);
    put_text(t, "}");
}

// Values as they are, and as the file has them.
static void put_values(page_text *t, const ph_live *l)
{
    put_list(t, "parameters");
    for (int i = 0; i < ph_model_parameters(l->written) && i < ph_model_parameters(l->model); i++) {
        const ph_parameter_info now = ph_model_parameter(l->model, i);
        put_named(t, i > 0, now.name, now.value, ph_model_parameter(l->written, i).value);
    }
    put_text(t, "]");
    put_list(t, "inputs");
    for (int i = 0; i < ph_model_inputs(l->model); i++) {
        put_named(t, i > 0, l->model->inputs[i].name, l->state->inputs[i], l->written->inputs[i].start);
    }
    put_text(t, "]");
}

static void put_state(page_text *t, const ph_live *l)
{
    put_bool(t, "paused", l->paused);
    put_number_member(t, "speed", l->speed);
    put_string_member(t, "message", l->message);
    put_string_member(t, "scheme", l->scheme);
    put_key(t, "step");
    put_number(t, l->step, 17);
    put_bool(t, "reset", l->restarted);
    put_values(t, l);
}

static void put_columns(page_text *t, const ph_live *l)
{
    put_list(t, "columns");
    for (int i = 0; i < l->column_count; i++) {
        put_text(t, i ? ",{" : "{");
        put_string_member(t, "name", l->columns[i].name);
        put_number_member(t, "channels", l->columns[i].channels);
        put_text(t, "}");
    }
    put_text(t, "]");
    put_list(t, "stress_bodies");
    for (int i = 0; i < l->stressed_count; i++) {
        put_text(t, i ? "," : "");
        put_number(t, l->stressed[i], 9);
    }
    put_text(t, "]");
}

static void put_choices(page_text *t, const ph_live *l)
{
    put_list(t, "keyframes");
    for (int i = 0; i < ph_model_keyframes(l->model); i++) {
        put_text(t, i ? "," : "");
        put_json_string(t, ph_model_keyframe(l->model, i));
    }
    put_text(t, "]");
    put_list(t, "schemes");
    for (int i = 0; i < ph_scheme_count(); i++) {
        put_text(t, i ? "," : "");
        put_json_string(t, ph_scheme_get(i).name);
    }
    put_text(t, "]");
}

static void begin(ph_live *l)
{
    page_text_free(&l->text);
    put_text(&l->text, "{");
}

static const char *end(ph_live *l)
{
    put_raw(&l->text, "}", 2); // with its zero
    return l->text.failed ? "{}" : l->text.data;
}

const char *ph_live_describe(ph_live *l)
{
    if (!l) return "{}";
    begin(l);
    put_string_member(&l->text, "name", ph_model_name(l->model));
    put_state(&l->text, l);
    put_columns(&l->text, l);
    put_choices(&l->text, l);
    put_key(&l->text, "scene");
    put_scene(&l->text, l->model);
    l->new_scene = false;
    return end(l);
}

const char *ph_live_news(ph_live *l)
{
    if (!l || !l->changed) return NULL;
    begin(l);
    put_state(&l->text, l);
    if (l->new_scene) {
        put_key(&l->text, "scene");
        put_scene(&l->text, l->model);
    }
    l->changed = l->restarted = l->new_scene = false;
    return end(l);
}
