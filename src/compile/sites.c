// Sites: on bodies that are there, with names that differ.

#include "compile/compile.h"

#include "math/quat.h"

static void compile_site(compiler *c, int index, site *to)
{
    const ph_model *model = c->model;
    const place where = place_of("sites[%d]", index);
    ph_site_def def = c->spec->sites[index];
    to->name = keep_string(c, def.name);
    check_name(c, where, to->name, &c->model->site_names, index);
    check_finite3(c, where, "position", def.position);
    check_unit_quat(c, where, "orientation", &def.orientation);
    if (def.body != PH_WORLD && (def.body < 0 || def.body >= model->body_count)) {
        complain(c, where, "body: name", "the site has no body");
        return;
    }
    to->body = def.body == PH_WORLD ? model->body_count : def.body;
    to->at = ph_sub(def.position, model->bodies[to->body].kind->com);
    to->turn = def.orientation;
}

void compile_sites(compiler *c)
{
    ph_model *model = c->model;
    const int count = c->spec->site_count;
    model->site_count = count;
    model->sites = arena_alloc_array(model->memory, (size_t)count, sizeof *model->sites);
    if (!model->sites || !names_create(&model->site_names, count, model->memory)) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i < count; i++) {
        compile_site(c, i, &model->sites[i]);
    }
}
