// Steps of the FMU: those that `polhode run` makes, one by one, so that both have the same bits.

#include "fmu/fmu.h"

#include <math.h>

// Steps by rounded sums of the caller's clock end within this part of a step where ours do.
static const double ALIGNED = 1e-6;

// Which pairs of bodies touch, whatever their order.
static uint64_t find_touching(const fmu *f)
{
    int count = 0;
    uint64_t sum = 0;
    const ph_contact *contacts = ph_state_contacts(f->state, &count);
    for (int i = 0, last_a = PH_NONE, last_b = PH_NONE; contacts && i < count; i++) {
        const ph_contact *c = &contacts[i];
        const bool presses = c->force.x != 0.0 || c->force.y != 0.0 || c->force.z != 0.0;
        if (!presses || (c->body_a == last_a && c->body_b == last_b)) continue;
        const uint64_t pair = ((uint64_t)(uint32_t)c->body_a << 32 | (uint32_t)c->body_b) + 1;
        sum += pair * 0x9e3779b97f4a7c15u ^ pair >> 29;
        last_a = c->body_a, last_b = c->body_b;
    }
    return sum;
}

// As in a run: whole steps, and a shorter last one where the time asked for is no multiple of them.
static bool make_step(fmu *f, double until, bool *crossed)
{
    const double left = until - ph_state_time(f->state), h = left < (1.0 - ALIGNED) * f->step ? left : f->step;
    ph_step_report report;
    char text[512];
    if (f->event)
        ph_sim_advance_until(f->sim, f->state, h, 1, f->event, crossed, &report);
    else
        ph_sim_advance(f->sim, f->state, h, 1, &report);
    fmu_forget_values(f);
    if (report.status == PH_OK) return true;
    ph_step_report_format(&report, f->model, text, sizeof text);
    return fmu_fail(f, "%s", text);
}

bool fmu_step(fmu *f, double from, double length, step_end *end)
{
    *end = (step_end){.time = from};
    f->terminated = false;
    if (!(length >= 0.0) || !isfinite(from + length)) return fmu_fail(f, "a step of %g s cannot be made", length);
    if (!fmu_settle(f)) return false;
    const double until = from + length, start = ph_state_time(f->state);
    const double count = ceil((until - start) / f->step - ALIGNED);
    if (!(count < 0x1p31)) return fmu_fail(f, "%g steps of %g s are too many", count, f->step);
    bool crossed = false;
    for (long long k = 0; k < (long long)count && !end->early; k++) {
        if (!make_step(f, until, &crossed)) return false;
        const uint64_t touching = f->early_return ? find_touching(f) : 0;
        end->terminated = crossed;
        end->early = crossed || (touching != f->touching && k + 1 < (long long)count);
        f->touching = touching;
    }
    // The caller's clock is a rounded sum, ours is not: where both mean the same, ours is told.
    end->time = f->reached = end->early ? ph_state_time(f->state) : until;
    f->terminated = end->terminated;
    return true;
}
