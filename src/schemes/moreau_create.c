// Making the scheme `moreau`: its parts, and the memory that does not depend on contacts.
#include "schemes/moreau.h"

#include <string.h>

// ---- Life -----------------------------------------------------------------------------------------------------------

void moreau_destroy(void *self)
{
    moreau *m = self;
    if (!m) return;
    detector_destroy(m->detector);
    delassus_destroy(&m->delassus);
    flight_destroy(&m->flight);
    ph_cone_workspace_destroy(m->cones);
    plain_destroy(&m->plain);
    wide_destroy(m->wide);
    pool_destroy(m->pool);
    void *rows[] = {m->g, m->u, m->q, m->raw, m->rebounds};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) mem_free(&m->model->allocator, rows[k]);
    arena_destroy(m->memory);
}

static bool make_arrays(moreau *m)
{
    const size_t moving = (size_t)m->model->moving_count, ends = has_joints(m) ? (size_t)m->model->body_count + 1 : 0;
    m->position = arena_alloc_array(m->memory, ends, sizeof *m->position);
    m->velocity = arena_alloc_array(m->memory, ends, sizeof *m->velocity);
    m->angular_velocity = arena_alloc_array(m->memory, ends, sizeof *m->angular_velocity);
    m->orientation = arena_alloc_array(m->memory, ends, sizeof *m->orientation);
    const size_t apart = m->sleep.speed > 0.0 ? moving : 0; // who falls asleep remembers its load
    double *momentum = arena_alloc_array(m->memory, 6 * apart, sizeof *m->momentum);
    m->momentum = apart > 0 ? momentum : NULL;
    m->before = m->node.twists; // NULL: lean
    if (keeps_twists(m)) m->before = arena_alloc_array(m->memory, (size_t)m->model->body_count + 1, sizeof *m->before);
    m->after = arena_alloc_array(m->memory, moving, sizeof *m->after);
    m->inverse_spin = arena_alloc_array(m->memory, m->balls ? moving : 0, sizeof *m->inverse_spin);
    m->sums = arena_alloc_array(m->memory, moving / PLAIN_BODIES + 1, sizeof *m->sums);
    m->impulse = arena_alloc_array(m->memory, (size_t)m->model->row_count, sizeof *m->impulse);
    return m->position && m->velocity && m->angular_velocity && m->orientation && momentum && (m->before || m->lean) &&
           m->after && m->inverse_spin && m->sums && m->impulse;
}

// What stops need; contacts take more when there are more of them than ever before.
static ph_status take_memory(moreau *m, ph_error *error)
{
    delassus *d = &m->delassus;
    const ph_cone_settings settings = moreau_cone_settings(m);
    if (!has_joints(m)) return PH_OK;
    node_set_jacobian(m->model, &m->kkt, &m->node);
    if (!node_factor_mass(m->model, &m->kkt, &m->node))
        return error_set(error, PH_SINGULAR, "the constraints are singular at the start");
    if (!moreau_set_rows(m, 1.0)) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    memset(m->q, 0, sizeof(double) * (size_t)d->row_count);
    const ph_cone_problem problem = {d->cone_count, d->cones, m->q, delassus_operator(d)};
    return ph_cone_prepare(m->cones, &problem, &settings, error);
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
    m->contact = model->has_contact ? model->contact : ph_default_contact();
    m->cones = ph_cone_workspace_create(&model->allocator);
    m->pool = pool_create(settings->threads, &model->allocator);
    m->wide = wide_create(model, (wide_path)settings->options[1], m->pool);
    ph_status status = detector_create(model, &m->detector, error);
    if (status == PH_OK) {
        m->detector->pool = m->pool;
        m->detector->scratch = m->wide ? wide_scratch(m->wide) : NULL;
        m->plain = (plain){.model = model, .found = m->detector, .pool = m->pool, .scratch = m->detector->scratch};
        m->balls = m->wide && !m->detector->not_balls && wide_all_round(m->wide);
        m->lean = !keeps_twists(m) && !(m->contact.sleep > 0.0);
    }
    if (status == PH_OK &&
        !(m->cones && m->wide && (!has_joints(m) || kkt_create(model, KKT_DECOUPLED, memory, &m->kkt)) &&
          node_create_with(model, &m->kkt, !m->balls || keeps_twists(m), !m->lean, memory, &m->node) &&
          delassus_create(model, &m->kkt, &m->node, memory, &m->delassus) &&
          flight_create(model, m->detector->may_bounce, m->contact.tolerance, memory, &m->flight) &&
          sleep_create(model, m->detector, memory, &m->sleep) && make_arrays(m)))
        status = error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (status == PH_OK && ph_cone_solver_find(m->contact.solver) == PH_NONE)
        status = error_set(error, PH_NOT_FOUND, "there is no contact solver '%s'", m->contact.solver);
    m->node.motion.exact_friction = true;
    // joints hand impacts on; the relaxed law keeps surfaces apart that slide
    if (status == PH_OK && !has_joints(m) && m->contact.law == PH_LAW_COULOMB) {
        m->detector->drops = true;
        m->detector->loads = model->force_count > 0 ? m->node.Q : NULL;
    }
    // sleep sorts old contacts among new ones
    if (status == PH_OK)
        m->detector->balls_apart = !has_joints(m) && m->sleep.speed == 0.0 && detector_may_part(m->detector);
    if (status == PH_OK) status = take_memory(m, error);
    if (status == PH_OK)
        *self = m;
    else
        moreau_destroy(m);
    return status;
}
