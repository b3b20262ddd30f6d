// Making the scheme `moreau`: its parts, and the memory that does not depend on contacts.
#include "schemes/moreau_trees.h"

#include <math.h>
#include <string.h>

void moreau_destroy(void *self)
{
    moreau *m = self;
    if (!m) return;
    const ph_allocator *allocator = &m->model->allocator;
    moreau_trees_destroy(m);
    moreau_both_destroy(m);
    moreau_ahead_destroy(m);
    moreau_parts_destroy(m);
    detector_destroy(m->detector);
    delassus_destroy(&m->delassus);
    flight_destroy(&m->flight);
    ph_cone_workspace_destroy(m->cones);
    plain_destroy(&m->plain);
    heap_destroy(m->heap);
    pool_destroy(m->pool);
    scratch_free(allocator, &m->scratch);
    void *arrays[] = {m->rows.g,         m->rows.u,         m->rows.q,        m->rows.raw,    m->rebounds.bias,
                      m->rebounds.shift, m->rebounds.scale, m->rebounds.pull, m->rebounds.tau};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(allocator, arrays[k]);
    arena_destroy(m->memory);
}

static bool make_ends(moreau *m)
{
    moreau_bodies *b = &m->bodies;
    const size_t ends = has_joints(m) ? model_places(m->model) : 0;
    b->position = arena_alloc_array(m->memory, ends, sizeof *b->position);
    b->velocity = arena_alloc_array(m->memory, ends, sizeof *b->velocity);
    b->angular_velocity = arena_alloc_array(m->memory, ends, sizeof *b->angular_velocity);
    b->orientation = arena_alloc_array(m->memory, ends, sizeof *b->orientation);
    return b->position && b->velocity && b->angular_velocity && b->orientation;
}

static bool make_bodies(moreau *m)
{
    moreau_bodies *b = &m->bodies;
    const size_t moving = (size_t)m->model->moving_count;
    const size_t apart = m->sleep.speed > 0.0 ? moving : 0; // who falls asleep remembers its load
    ph_wrench *momentum = arena_alloc_array(m->memory, apart, sizeof *b->momentum);
    b->momentum = apart > 0 ? momentum : NULL;
    b->before = m->node.twists; // NULL: not kept
    if (keeps_twists(m) || m->mode == MODE_BODIES_LEAN)
        b->before = arena_alloc_array(m->memory, model_places(m->model), sizeof *b->before);
    b->after = arena_alloc_array(m->memory, moving, sizeof *b->after);
    b->inverse_spin = arena_alloc_array(m->memory, m->traits->has_spins ? moving : 0, sizeof *b->inverse_spin);
    b->sums = arena_alloc_array(m->memory, moving / PLAIN_BODIES + 1, sizeof *b->sums);
    b->normal_sums = arena_alloc_array(m->memory, moving / PLAIN_BODIES + 1, sizeof *b->normal_sums);
    m->impulse = arena_alloc_array(m->memory, (size_t)m->model->row_count, sizeof *m->impulse);
    m->spin_gain = arena_alloc_array(m->memory, moving, sizeof *m->spin_gain);
    return momentum && (b->before || (!m->traits->keeps_loads && m->mode != MODE_BODIES_LEAN)) && b->after &&
           b->inverse_spin && b->sums && b->normal_sums && m->impulse && m->spin_gain;
}

// What stops need; contacts take more when there are more of them than ever before.
static ph_status take_memory(moreau *m, ph_error *error)
{
    delassus *d = &m->delassus;
    const ph_cone_settings settings = moreau_cone_settings(m);
    if (!has_joints(m)) return PH_OK;
    if (m->trees) return moreau_trees_prepare(m, error);
    node_set_jacobian(m->model, &m->kkt, &m->node);
    if (!node_factor_mass(m->model, &m->kkt, &m->node))
        return error_set(error, PH_SINGULAR, "the constraints are singular at the start");
    if (!moreau_set_rows(m, 1.0)) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    memset(m->rows.q, 0, sizeof(double) * (size_t)d->row_count);
    const ph_cone_problem problem = {d->cone_count, d->cones, m->rows.q, delassus_operator(d)};
    return ph_cone_prepare(m->cones, &problem, &settings, error);
}

// The mode, and what detection does in it.
static void set_mode(moreau *m, bool paths)
{
    detector *d = m->detector;
    m->mode = moreau_mode_of(m->model, &m->contact, &d->shapes, heap_all_round(m->heap), paths);
    m->traits = moreau_traits_of(m->mode);
    m->plain = (plain){.model = m->model, .found = &d->found, .pool = m->pool, .scratch = &m->scratch};
    d->pool = m->pool;
    d->scratch = &m->scratch;
    d->options = (detector_options){.culls = m->traits->culls, .balls_apart = m->traits->ball_list};
}

static bool make_parts(moreau *m)
{
    const ph_model *model = m->model;
    const bool frames = m->traits->keeps_frames || model->force_count > 0;
    return (!has_joints(m) || kkt_create(model, KKT_DECOUPLED, m->memory, &m->kkt)) &&
           node_create_with(model, &m->kkt, frames, m->traits->keeps_loads, m->memory, &m->node) &&
           delassus_create(model, &m->kkt, &m->node, m->memory, &m->delassus) &&
           flight_create(model, m->detector->shapes.may_bounce, m->contact.tolerance, m->memory, &m->flight) &&
           sleep_create(model, &m->detector->shapes, m->memory, &m->sleep) && make_ends(m) && make_bodies(m) &&
           moreau_ahead_create(m) && moreau_impacts_create(m) && moreau_both_create(m);
}

static bool may_use_paths(const moreau *m, const scheme_settings *settings)
{
    return strcmp(m->contact.solver, "auto") == 0 && settings->options[2] != 0.0 && !m->model->slips &&
           m->contact.law == PH_LAW_COULOMB;
}

static ph_status set_up(moreau *m, const scheme_settings *settings, ph_error *error)
{
    const ph_model *model = m->model;
    m->cones = ph_cone_workspace_create(&model->allocator);
    m->pool = pool_create(settings->threads, &model->allocator);
    m->heap = heap_create(model, (heap_path)settings->options[1], m->pool, &m->scratch);
    const ph_status status = detector_create(model, &m->detector, error);
    if (status != PH_OK) return status;
    if (!m->cones || !m->heap) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    const bool paths = may_use_paths(m, settings);
    set_mode(m, paths);
    if (!make_parts(m)) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (strcmp(m->contact.solver, "auto") != 0 && ph_cone_solver_find(m->contact.solver) == PH_NONE)
        return error_set(error, PH_NOT_FOUND, "there is no contact solver '%s'", m->contact.solver);
    m->node.motion.exact_friction = true;
    if (m->traits->culls && model->force_count > 0) m->detector->options.loads = m->node.Q;
    if (has_joints(m) && paths) {
        const ph_status made = moreau_trees_create(m, error);
        if (made != PH_OK) return made;
    }
    return take_memory(m, error);
}

static void solve_exactly(moreau *m)
{
    ph_contact_settings *c = &m->contact;
    m->share = 1e-4;
    c->solver = "newton";
    c->tolerance = fmin(c->tolerance, 1e-12);
    if (c->iterations < 1000) c->iterations = 1000;
}

ph_status moreau_create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    arena *memory = arena_create(&model->allocator);
    moreau *m = memory ? arena_alloc(memory, sizeof *m) : NULL;
    if (!m) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *m = (moreau){.model = model, .memory = memory, .bounce = settings->options[0]};
    m->contact = model->contact;
    if (settings->options[3] != 0.0) solve_exactly(m);
    const ph_status status = set_up(m, settings, error);
    if (status == PH_OK)
        *self = m;
    else
        moreau_destroy(m);
    return status;
}
