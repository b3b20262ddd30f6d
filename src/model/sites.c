// Sites: their definitions in a spec, and where they are.

#include "model/state.h"

#include "model/spec.h"

#include <string.h>

enum { SITE_COOKIE = 0x53495445 };

ph_site_def ph_default_site(void)
{
    return (ph_site_def){.cookie = SITE_COOKIE, .body = PH_NONE, .orientation = ph_quat_identity()};
}

int ph_spec_add_site(ph_spec *spec, const ph_site_def *def)
{
    if (!spec || !def || def->cookie != SITE_COOKIE) {
        return PH_NONE;
    }
    ph_site_def copy = *def;
    copy.name = arena_copy_string(spec->memory, def->name);
    if ((def->name && !copy.name) ||
        !mem_reserve(&spec->allocator, &spec->sites, &spec->site_capacity, spec->site_count + 1, sizeof *spec->sites)) {
        return PH_NONE;
    }
    spec->sites[spec->site_count] = copy;
    return spec->site_count++;
}

int ph_model_sites(const ph_model *model)
{
    return model ? model->site_count : 0;
}

int ph_model_find_site(const ph_model *model, const char *name)
{
    return model && name && model->site_count ? names_find(&model->site_names, name) : PH_NONE;
}

ph_site_info ph_model_site(const ph_model *model, int index)
{
    if (!model || index < 0 || index >= model->site_count) {
        return (ph_site_info){.body = PH_NONE};
    }
    const site *s = &model->sites[index];
    return (ph_site_info){s->name, s->body == model->body_count ? PH_WORLD : s->body, s->at, s->turn};
}

ph_site_motion ph_state_site(const ph_state *state, int index)
{
    if (!state || index < 0 || index >= state->model->site_count) {
        return (ph_site_motion){.orientation = ph_quat_identity()};
    }
    const site *s = &state->model->sites[index];
    const ph_quat q = state->orientation[s->body];
    const ph_vec3 arm = ph_quat_rotate(q, s->at), spin = ph_quat_rotate(q, state->angular_velocity[s->body]);
    return (ph_site_motion){
        .position = ph_add(state->position[s->body], arm),
        .orientation = ph_quat_mul(q, s->turn),
        .velocity = ph_add(state->velocity[s->body], ph_cross(spin, arm)),
        .angular_velocity = ph_quat_rotate(ph_quat_conj(s->turn), state->angular_velocity[s->body]),
    };
}
