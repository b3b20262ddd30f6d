// What acts along joint coordinates in `moreau`: servos, springs and dampers in the pivots of trees, limits, dry friction and
// motors at their largest force as rows.
#include "schemes/moreau_trees.h"

#include <math.h>
#include <string.h>

// ---- Lists ----------------------------------------------------------------------------------------------------------

static bool is_drive(const force *f)
{
    return f->joint && f->type->act == drive_act;
}

// The branch that a joint holds; -1: it closes a loop.
static int branch_of_joint(const forest *f, int joint)
{
    const struct joint *j = &f->model->joints[joint];
    for (int side = 0; side < 2; side++) {
        const int i = forest_branch(f, side ? j->b : j->a);
        if (i >= 0 && f->branches[i].joint == joint) return i;
    }
    return -1;
}

// A coordinate under a name of its own acts along that of its owner.
static void find_owner(const ph_model *model, int *joint, int *coordinate)
{
    const struct joint *j = &model->joints[*joint];
    if (!j->of) return;
    *joint = (int)(j->of - model->joints);
    *coordinate = j->of_coordinate;
}

static tree_drive drive_along(const forest *f, int joint, int coordinate)
{
    find_owner(f->model, &joint, &coordinate);
    tree_drive d = {.joint = joint, .coordinate = coordinate, .freedom = -1, .item = -1, .motor_item = -1};
    d.branch = branch_of_joint(f, joint);
    if (d.branch >= 0) d.freedom = f->branches[d.branch].first + coordinate;
    return d;
}

static void list_drives(const ph_model *model, moreau_trees *t)
{
    for (int k = 0; k < model->force_count; k++) {
        const force *f = &model->forces[k];
        if (!is_drive(f)) {
            t->forces[t->force_count++] = f;
            continue;
        }
        const int joint = (int)(f->joint - model->joints);
        if (model->joints[joint].motor) continue; // its coordinate is prescribed
        t->drives[t->drive_count] = drive_along(&t->forest, joint, 0);
        t->drives[t->drive_count++].force = f;
    }
    for (int j = 0; j < model->joint_count; j++)
        for (int k = 0; k < model->joints[j].coordinate_count; k++) {
            const double root = joint_root(&model->joints[j], k);
            if (!(root > 0.0)) continue;
            t->drives[t->drive_count] = drive_along(&t->forest, j, k);
            t->drives[t->drive_count++].armature = root * root;
        }
}

static tree_stop stop_along(const forest *f, int joint, stop_kind kind)
{
    tree_stop s = {.joint = joint, .along = joint, .kind = kind, .item = -1};
    find_owner(f->model, &s.along, &s.coordinate);
    s.branch = branch_of_joint(f, s.along);
    return s;
}

static void list_stops(const ph_model *model, moreau_trees *t)
{
    for (int j = 0; j < model->joint_count; j++) {
        const ph_joint_def *def = model->joints[j].def;
        const bool has[] = {def->has_limit_low, def->has_limit_high, def->friction > 0.0};
        if (model->joints[j].motor) continue;
        for (int kind = STOP_LOW; kind <= STOP_FRICTION; kind++)
            if (has[kind]) t->stops[t->stop_count++] = stop_along(&t->forest, j, (stop_kind)kind);
    }
}

bool drives_create(moreau *m)
{
    const ph_model *model = m->model;
    moreau_trees *t = m->trees;
    size_t armatures = 0;
    for (int j = 0; j < model->joint_count; j++) armatures += (size_t)model->joints[j].rotor_rows;
    t->drives = arena_alloc_array(m->memory, (size_t)model->force_count + armatures, sizeof *t->drives);
    t->forces = arena_alloc_array(m->memory, (size_t)model->force_count, sizeof *t->forces);
    t->stops = arena_alloc_array(m->memory, 3 * (size_t)model->joint_count, sizeof *t->stops);
    if (!t->drives || !t->forces || !t->stops) return false;
    list_drives(model, t);
    list_stops(model, t);
    return true;
}

// ---- Laws -----------------------------------------------------------------------------------------------------------

static double coordinate_at(const moreau *m, int joint, int branch, int k)
{
    const struct joint *j = &m->model->joints[joint];
    if (branch < 0) return joint_coordinate(j, &m->node.motion, k);
    const double near = m->node.motion.turns ? m->node.motion.turns[j->first_turn + j->coordinates[k].turn] : 0.0;
    return relation_coordinate(j, &m->trees->tree.relations[branch], k, near);
}

// As the bodies move when the step begins. About a hinge it is the difference of two spins.
static double rate_at(const moreau *m, int joint, int branch, int k)
{
    const moreau_trees *t = m->trees;
    if (branch < 0 || t->forest.branches[branch].motion.kind != MOTION_REVOLUTE)
        return joint_rate(&m->model->joints[joint], &m->node.motion, k);
    const struct branch *b = &t->forest.branches[branch];
    const ph_vec3 spin = ph_sub(m->bodies.before[b->body].omega, m->bodies.before[b->parent_body].omega);
    return ph_dot(spatial_turn(&t->tree.S[b->first]), spin);
}

static double clamp(double x, double most)
{
    return x > most ? most : x < -most ? -most : x;
}

// The motor may reach its largest force in this step: it is near that now.
static bool may_saturate(const tree_drive *d, double h)
{
    const double near = d->motor_given - d->motor_soft * d->rate;
    return d->motor_soft > 0.0 && isfinite(d->law.max) && fabs(near) > 0.8 * h * d->law.max;
}

static void set_laws(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    const double h = m->now.h, quarter = 0.25 * h * h;
    for (int n = from; n < to; n++) {
        tree_drive *d = &m->trees->drives[n];
        if (d->force) d->law = drive_law_at(d->force, &m->node.motion);
        const drive_law *law = &d->law;
        d->q = coordinate_at(m, d->joint, d->branch, d->coordinate);
        d->rate = rate_at(m, d->joint, d->branch, d->coordinate);
        d->soft = d->armature + h * law->damping + quarter * law->stiffness;
        d->given = (d->armature + quarter * law->stiffness) * d->rate - h * law->stiffness * (d->q - law->rest);
        d->motor_soft = h * law->kd + h * h * law->kp;
        d->motor_given = h * (law->feed + law->kp * (law->target - d->q));
        if (!(d->motor_soft > 0.0)) d->motor_given = clamp(d->motor_given, h * law->max);
        d->is_row = may_saturate(d, h);
        if (h < 0.0) { // then it is a force among others
            d->given = d->armature * d->rate;
            d->soft = d->armature;
            d->motor_given = d->motor_soft = 0.0;
            d->is_row = false;
        }
    }
}

static void set_stops(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    for (int n = from; n < to; n++) {
        tree_stop *s = &m->trees->stops[n];
        s->q = coordinate_at(m, s->along, s->branch, s->coordinate);
        s->rate = rate_at(m, s->along, s->branch, s->coordinate);
        s->listed = false;
    }
}

void drives_set(moreau *m)
{
    enum { DRIVES = 48 }; // that a thread takes at a time
    pool_run_ranges(m->pool, set_laws, m, m->trees->drive_count, DRIVES);
    pool_run_ranges(m->pool, set_stops, m, m->trees->stop_count, DRIVES);
}

void drives_put_soft(const moreau *m, double *soft)
{
    const moreau_trees *t = m->trees;
    memset(soft, 0, sizeof(double) * (size_t)t->forest.freedom_count);
    for (int n = 0; n < t->drive_count; n++) {
        const tree_drive *d = &t->drives[n];
        if (d->freedom >= 0) soft[d->freedom] += d->soft + (d->is_row ? 0.0 : d->motor_soft);
    }
}

void drives_put_tau(moreau *m)
{
    moreau_trees *t = m->trees;
    memset(t->tree.tau, 0, sizeof(double) * (size_t)t->forest.freedom_count);
    for (int n = 0; n < t->drive_count; n++) {
        const tree_drive *d = &t->drives[n];
        if (d->freedom >= 0) t->tree.tau[d->freedom] += d->given + (d->is_row ? 0.0 : d->motor_given);
    }
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

static double room_of(const moreau *m, const tree_stop *s)
{
    const ph_joint_def *def = m->model->joints[s->joint].def;
    return s->kind == STOP_LOW ? s->q - def->limit_low : def->limit_high - s->q;
}

static double sign_of(const tree_stop *s)
{
    return s->kind == STOP_HIGH ? -1.0 : 1.0;
}

// A limit has a row when it may be reached; what it is reached by all the same is found after the solve.
static bool may_reach(const moreau *m, const tree_stop *s, double h)
{
    if (s->listed) return true;
    const double room = room_of(m, s);
    return s->kind == STOP_FRICTION || room + 2.0 * h * sign_of(s) * s->rate <= 0.0 || room <= 1e-9 ||
           m->now.state->stops[3 * s->joint + (int)s->kind] > 0.0;
}

static bool add_row(moreau *m, int joint, int coordinate, double sign, double soft, const ph_cone *cone, int *item)
{
    paths *p = &m->trees->paths;
    bool moves;
    const int at = p->item_count;
    *item = -1;
    if (!paths_add_coordinate(p, joint, coordinate, sign, soft, cone, &moves)) return false;
    if (moves) *item = at;
    return true;
}

static bool add_drive_rows(moreau *m, tree_drive *d, double h)
{
    const double most = h * d->law.max;
    const ph_cone any = {.kind = PH_CONE_FREE}, bounded = {.kind = PH_CONE_INTERVAL, .low = -most, .high = most};
    const bool closes = d->branch < 0;
    d->item = d->motor_item = -1;
    if (closes && d->soft > 0.0 && !add_row(m, d->joint, d->coordinate, 1.0, 1.0 / d->soft, &any, &d->item))
        return false;
    if (!((closes || d->is_row) && d->motor_soft > 0.0)) return true;
    return add_row(m, d->joint, d->coordinate, 1.0, 1.0 / d->motor_soft, isfinite(most) ? &bounded : &any,
                   &d->motor_item);
}

bool drives_add_rows(moreau *m, double h)
{
    moreau_trees *t = m->trees;
    bool ok = true;
    for (int n = 0; n < t->stop_count && ok; n++) {
        tree_stop *s = &t->stops[n];
        const double most = h * m->model->joints[s->joint].def->friction;
        const ph_cone cone = {
            .kind = s->kind == STOP_FRICTION ? PH_CONE_INTERVAL : PH_CONE_HALF_LINE, .low = -most, .high = most};
        s->listed = may_reach(m, s, h);
        s->item = -1;
        if (s->listed) ok = add_row(m, s->along, s->coordinate, sign_of(s), 0.0, &cone, &s->item);
    }
    for (int n = 0; n < t->drive_count && ok; n++) ok = add_drive_rows(m, &t->drives[n], h);
    return ok;
}

void drives_set_rows(const moreau *m, const ph_state *state, double h, double *bias, double *before, double *g)
{
    const moreau_trees *t = m->trees;
    for (int n = 0; n < t->stop_count; n++) {
        const tree_stop *s = &t->stops[n];
        if (s->item < 0) continue;
        const int r = t->paths.items[s->item].row;
        bias[r] = s->kind == STOP_FRICTION ? 0.0 : stop_law(m, room_of(m, s));
        before[r] = sign_of(s) * s->rate;
        g[r] = h * state->stops[3 * s->joint + (int)s->kind];
    }
    for (int n = 0; n < t->drive_count; n++) {
        const tree_drive *d = &t->drives[n];
        const int items[2] = {d->item, d->motor_item};
        const double given[2] = {d->given, d->motor_given}, soft[2] = {d->soft, d->motor_soft};
        for (int k = 0; k < 2; k++) {
            if (items[k] < 0) continue;
            const int r = t->paths.items[items[k]].row;
            bias[r] = -given[k] / soft[k];
            before[r] = d->rate;
            g[r] = clamp(given[k] - soft[k] * d->rate, k == 0 ? HUGE_VAL : h * d->law.max);
        }
    }
}

// ---- After the solve ------------------------------------------------------------------------------------------------

// The rate of a coordinate with the impulses, where the step began.
static double rate_after(const moreau *m, int joint, int branch, int k)
{
    const moreau_trees *t = m->trees;
    if (branch >= 0) return t->tree.rate[t->forest.branches[branch].first + k];
    const struct joint *j = &m->model->joints[joint];
    joint_line line;
    joint_line_at(j, &m->node.motion, k, &line);
    double rate = 0.0;
    for (int side = 0; side < 2; side++) {
        const int i = forest_branch(&t->forest, side ? j->b : j->a);
        const ph_wrench *w = side ? &line.b : &line.a;
        if (i < 0) continue;
        const ph_vec3 spin = ph_tmul(t->tree.frames[i].R, spatial_turn(&t->tree.twist[i]));
        rate += ph_dot(w->torque, spin) + ph_dot(w->force, spatial_move(&t->tree.twist[i]));
    }
    return rate;
}

bool drives_need_rows(moreau *m, double h)
{
    moreau_trees *t = m->trees;
    bool more = false;
    for (int n = 0; n < t->stop_count; n++) {
        tree_stop *s = &t->stops[n];
        if (s->listed) continue;
        s->listed = room_of(m, s) + h * sign_of(s) * rate_after(m, s->along, s->branch, s->coordinate) < 0.0;
        more = more || s->listed;
    }
    for (int n = 0; n < t->drive_count; n++) {
        tree_drive *d = &t->drives[n];
        if (d->is_row || d->branch < 0 || !(d->motor_soft > 0.0) || !isfinite(d->law.max)) continue;
        const double motor = d->motor_given - d->motor_soft * rate_after(m, d->joint, d->branch, d->coordinate);
        d->is_row = fabs(motor) > (1.0 + 1e-10) * h * d->law.max;
        more = more || d->is_row;
    }
    return more;
}

double drives_work(const moreau *m, double h, const double *g)
{
    const moreau_trees *t = m->trees;
    double work = 0.0;
    for (int n = 0; n < t->drive_count; n++) {
        const tree_drive *d = &t->drives[n];
        if (!d->force || h < 0.0) continue;
        const double after = rate_after(m, d->joint, d->branch, d->coordinate);
        const double motor =
            d->motor_item >= 0 ? g[t->paths.items[d->motor_item].row] : d->motor_given - d->motor_soft * after;
        work += 0.5 * (motor - h * d->law.damping * after) * (d->rate + after);
    }
    return work;
}

// What keeps rates as they are while velocities v' are fitted to the joints where they are now is an impulse C (q' - q'_there). As
// M (v'_there - v') = C (q' - q'_there) + reactions, which do no work there, its work at q'_there is the change of T, but for |v'_there - v'|^2/2.
// Of all that is not a spring.
double drives_carried_work(const moreau *m, double h)
{
    const moreau_trees *t = m->trees;
    double work = 0.0;
    for (int n = 0; n < t->drive_count; n++) {
        const tree_drive *d = &t->drives[n];
        if (!d->force || d->freedom < 0 || h < 0.0) continue;
        const double soft = h * d->law.damping + (d->is_row ? 0.0 : d->motor_soft);
        const double rate = t->next_rate[d->freedom], there = t->tree.rate[d->freedom];
        work += soft * (rate - there) * there;
    }
    return work;
}

void drives_keep(const moreau *m, const double *g, double h, ph_state *state)
{
    const moreau_trees *t = m->trees;
    memset(state->stops, 0, sizeof(double) * 3 * (size_t)m->model->joint_count);
    for (int n = 0; n < t->stop_count; n++) {
        const tree_stop *s = &t->stops[n];
        if (s->item >= 0) state->stops[3 * s->joint + (int)s->kind] = g[t->paths.items[s->item].row] / h;
    }
}
