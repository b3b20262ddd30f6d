#include "dynamics/dependent.h"

#include "base/memory.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

// Squared sines. Rows above STRONG are taken as they come, so all that follows from them is right to 1e-12. Those below are
// told apart afterwards, all together, and left out below DEPENDENT.
static const double STRONG = 1e-4, DEPENDENT = 1e-11;
enum { WEAK_ROOM = 512, WEAK_NUMBERS = 1 << 20 };

// ---- Loops ----------------------------------------------------------------------------------------------------------

// Bodies that rows may be said to hold; rotors follow whatever their own rows ask of them, so neither counts.
static int held_bodies(const joint *j)
{
    if (joint_own_rows(j) == 0) return 0; // a coordinate of another joint
    return j->rotor_rows > 0 ? j->slot_rotor : j->body_count;
}

typedef struct core {  // what is left when every body that hangs on one joint has been taken away, again and again
    int *degree;       // by moving body: joints left
    bool *gone;        // by joint
    int *start, *list; // by moving body: its joints
    int *queue;
} core;

static bool core_allocate(const ph_model *model, arena *scratch, core *c)
{
    const size_t bodies = (size_t)model->moving_count, joints = (size_t)model->joint_count;
    c->degree = arena_alloc_array(scratch, bodies, sizeof(int));
    c->gone = arena_alloc_array(scratch, joints, sizeof(bool));
    c->start = arena_alloc_array(scratch, bodies + 2, sizeof(int));
    c->list = arena_alloc_array(scratch, JOINT_BODIES_MAX * joints, sizeof(int));
    c->queue = arena_alloc_array(scratch, bodies, sizeof(int));
    return c->degree && c->gone && c->start && c->list && c->queue;
}

static void core_list(const ph_model *model, core *c)
{
    for (int j = 0; j < model->joint_count; j++)
        for (int k = 0; k < held_bodies(&model->joints[j]); k++)
            c->degree[model->bodies[model->joints[j].bodies[k]].moving]++;
    int *next = c->start + 1; // where the next joint of a body goes; in the end where the next body begins
    for (int b = 0; b < model->moving_count; b++) next[b + 1] = next[b] + c->degree[b];
    for (int j = 0; j < model->joint_count; j++)
        for (int k = 0; k < held_bodies(&model->joints[j]); k++)
            c->list[next[model->bodies[model->joints[j].bodies[k]].moving]++] = j;
}

static bool core_make(const ph_model *model, arena *scratch, core *c)
{
    int head = 0, tail = 0;
    if (!core_allocate(model, scratch, c)) return false;
    core_list(model, c);
    for (int j = 0; j < model->joint_count; j++) c->gone[j] = held_bodies(&model->joints[j]) == 0;
    for (int b = 0; b < model->moving_count; b++)
        if (c->degree[b] == 1) c->queue[tail++] = b;
    while (head < tail) {
        const int b = c->queue[head++];
        for (int i = c->start[b]; i < c->start[b + 1]; i++) {
            const joint *joint = &model->joints[c->list[i]];
            if (c->gone[c->list[i]]) continue;
            c->gone[c->list[i]] = true;
            for (int k = 0; k < held_bodies(joint); k++) {
                const int other = model->bodies[joint->bodies[k]].moving;
                if (--c->degree[other] == 1) c->queue[tail++] = other;
            }
        }
    }
    return true;
}

// ---- Slots and groups -----------------------------------------------------------------------------------------------

static bool allocate(dependent *d, const core *c, bool all, arena *memory)
{
    const ph_model *model = d->model;
    size_t slots = 0, joints = 0, numbers = 0;
    for (int j = 0; j < model->joint_count; j++) {
        if (c->gone[j] && !all) continue;
        joints++;
        slots += (size_t)held_bodies(&model->joints[j]);
        numbers += (size_t)(6 * model->joints[j].row_count * model->joints[j].body_count);
    }
    d->joints = arena_alloc_array(memory, joints, sizeof(int));
    d->groups = arena_alloc_array(memory, slots + 1, sizeof *d->groups);
    d->slots = arena_alloc_array(memory, slots, sizeof *d->slots);
    d->slots_of = arena_alloc_array(memory, joints, sizeof *d->slots_of);
    d->rows = arena_alloc_array(memory, numbers, sizeof(double));
    return d->joints && d->groups && d->slots && d->slots_of && d->rows;
}

static void add_slot(dependent *d, int node, int body, int B)
{
    const joint *joint = &d->model->joints[d->joints[node]];
    dependent_slot *slot = &d->slots[d->slot_count];
    int k = 0;
    while (joint->bodies[k] != body) k++;
    slot->node = node;
    slot->group = d->group_count;
    slot->rows = joint_own_rows(joint);
    slot->B = B + 6 * joint->row_count * k;
    slot->at = d->slot_count > 0 ? slot[-1].at + 6 * slot[-1].rows : 0;
    d->slots_of[node][k] = d->slot_count++;
    d->groups[d->group_count].count++;
}

static void open_group(dependent *d, int body)
{
    d->groups[d->group_count] = (dependent_group){.body = body, .first = d->slot_count};
}

static void close_group(dependent *d)
{
    if (d->groups[d->group_count].count > 0) d->group_count++;
}

// Joints of loops share their bodies; any other is by itself.
static void list_slots(dependent *d, const core *c, bool all, const int *node, const int *B)
{
    const ph_model *model = d->model;
    for (int m = 0; m < model->moving_count; m++) {
        const int body = model->moving[m];
        open_group(d, body);
        for (int i = c->start[m]; i < c->start[m + 1]; i++)
            if (!c->gone[c->list[i]]) add_slot(d, node[c->list[i]], body, B[c->list[i]]);
        close_group(d);
        for (int i = c->start[m]; all && i < c->start[m + 1]; i++) {
            if (!c->gone[c->list[i]]) continue;
            open_group(d, body);
            add_slot(d, node[c->list[i]], body, B[c->list[i]]);
            close_group(d);
        }
    }
}

static bool make_slots(dependent *d, const core *c, bool all, arena *memory, arena *scratch)
{
    const ph_model *model = d->model;
    int *node = arena_alloc_array(scratch, (size_t)model->joint_count, sizeof(int));
    int *B = arena_alloc_array(scratch, (size_t)model->joint_count, sizeof(int)), numbers = 0;
    if (!node || !B || !allocate(d, c, all, memory)) return false;
    for (int j = 0; j < model->joint_count; j++) {
        B[j] = numbers;
        numbers += 6 * model->joints[j].row_count * model->joints[j].body_count;
        if (!all && c->gone[j]) continue;
        d->joints[d->joint_count] = j;
        node[j] = d->joint_count++;
    }
    list_slots(d, c, all, node, B);
    return true;
}

// ---- The metric -----------------------------------------------------------------------------------------------------

// Where a joint acts on a body, from its centre of mass.
static ph_vec3 anchor(const joint *joint, int body)
{
    for (int k = 0; joint->gear && k < 2; k++) {
        const struct joint *part = joint->gear->joints[k];
        if (part->a == body || part->b == body) return part->b == body ? part->s_b : part->s_a;
    }
    return joint->b == body ? joint->s_b : joint->s_a;
}

static ph_vec3 slot_anchor(const dependent *d, const dependent_slot *slot)
{
    return anchor(&d->model->joints[d->joints[slot->node]], d->groups[slot->group].body);
}

static double gyration(const body *b)
{
    return sqrt(0.5 * ph_trace(b->kind->J) / b->kind->mass);
}

// The centre of its joints, and how far they are from it; zero where they are all in one place.
static void measure_group(const dependent *d, dependent_group *g)
{
    const dependent_slot *slots = d->slots + g->first;
    double reach = 0.0, spread = 0.0;
    for (int k = 0; k < g->count; k++) g->centre = ph_madd(g->centre, 1.0 / g->count, slot_anchor(d, &slots[k]));
    for (int k = 0; k < g->count; k++) {
        const ph_vec3 s = slot_anchor(d, &slots[k]);
        reach = fmax(reach, ph_norm(s));
        spread = fmax(spread, ph_norm(ph_sub(s, g->centre)));
    }
    g->length = spread > 1e-9 * (reach + gyration(&d->model->bodies[g->body])) ? spread : 0.0;
}

// A body whose joints are all in one place has no lever; a length of the bodies beside it serves as well.
static bool set_lengths(dependent *d, arena *scratch)
{
    double *beside = arena_alloc_array(scratch, (size_t)d->joint_count, sizeof(double));
    if (!beside) return false;
    for (int g = 0; g < d->group_count; g++) measure_group(d, &d->groups[g]);
    for (int k = 0; k < d->slot_count; k++) {
        double *length = &beside[d->slots[k].node];
        *length = fmax(*length, d->groups[d->slots[k].group].length);
    }
    for (int g = 0; g < d->group_count; g++) {
        dependent_group *group = &d->groups[g];
        for (int k = 0; k < group->count; k++)
            group->length = fmax(group->length, 0.01 * beside[d->slots[group->first + k].node]);
        if (!(group->length > 0.0)) group->length = gyration(&d->model->bodies[group->body]);
    }
    return true;
}

// Rows (w | f) by turns about the centre, w - c x R^T f, and by its shift; then turns times a length.
static void put_rows(dependent *d, const frame *frames, const double *B)
{
    for (int g = 0; g < d->group_count; g++) {
        const dependent_group *group = &d->groups[g];
        const dependent_slot *slots = d->slots + group->first;
        const ph_mat3 *R = &frames[group->body].R;
        const int end = slots[group->count - 1].at + 6 * slots[group->count - 1].rows;
        double lever2 = 0.0, push2 = 0.0;
        for (int s = 0; s < group->count; s++)
            for (int r = 0; r < slots[s].rows; r++) {
                const double *row = B + slots[s].B + 6 * r;
                const ph_vec3 f = ph_vec(row[3], row[4], row[5]);
                const ph_vec3 w = ph_sub(ph_vec(row[0], row[1], row[2]), ph_cross(group->centre, ph_tmul(*R, f)));
                double *to = d->rows + slots[s].at + 6 * r;
                to[0] = w.x, to[1] = w.y, to[2] = w.z, to[3] = f.x, to[4] = f.y, to[5] = f.z;
                if (ph_norm2(f) > 0.0) lever2 += ph_norm2(w), push2 += ph_norm2(f);
            }
        const double now = push2 > 0.0 ? sqrt(lever2 / push2) : 0.0, scale = 1.0 / fmax(now, group->length);
        for (int at = slots[0].at; at < end; at += 6)
            for (int c = 0; c < 3; c++) d->rows[at + c] *= scale;
    }
}

// ---- S --------------------------------------------------------------------------------------------------------------

static size_t count_pairs(const dependent *d)
{
    size_t pairs = 0;
    for (int g = 0; g < d->group_count; g++) pairs += (size_t)d->groups[g].count * (size_t)(d->groups[g].count + 1) / 2;
    return pairs;
}

static void list_pairs(dependent *d, int (*edges)[2], int *edge_count)
{
    for (int g = 0; g < d->group_count; g++)
        for (int a = d->groups[g].first; a < d->groups[g].first + d->groups[g].count; a++)
            for (int b = d->groups[g].first; b <= a; b++) {
                d->pairs[d->pair_count++] = (dependent_pair){a, b, 0};
                if (a == b) continue;
                edges[*edge_count][0] = d->slots[a].node;
                edges[(*edge_count)++][1] = d->slots[b].node;
            }
}

// How many joints are between each joint and the ground, or where there is none some body: what is held at the ground should
// not be told to hang on a long chain.
static bool make_depths(const dependent *d, const core *c, arena *scratch, int *depth)
{
    const ph_model *model = d->model;
    int *of_body = arena_alloc_array(scratch, (size_t)model->moving_count, sizeof(int)), head = 0, tail = 0;
    if (!of_body) return false;
    for (int j = 0; j < model->joint_count; j++)
        for (int k = 0; k < held_bodies(&model->joints[j]); k++) {
            const int b = model->bodies[model->joints[j].bodies[k]].moving;
            if (held_bodies(&model->joints[j]) > 1 || of_body[b]) continue;
            of_body[b] = 1;
            c->queue[tail++] = b;
        }
    for (int root = 0; root < model->moving_count; root++) {
        if (!of_body[root] && head == tail) of_body[root] = 1, c->queue[tail++] = root;
        for (; head < tail; head++)
            for (int i = c->start[c->queue[head]]; i < c->start[c->queue[head] + 1]; i++)
                for (int k = 0; k < held_bodies(&model->joints[c->list[i]]); k++) {
                    const int b = model->bodies[model->joints[c->list[i]].bodies[k]].moving;
                    if (of_body[b]) continue;
                    of_body[b] = of_body[c->queue[head]] + 1;
                    c->queue[tail++] = b;
                }
    }
    for (int n = 0; n < d->joint_count; n++) {
        const joint *joint = &model->joints[d->joints[n]];
        for (int k = 0; k < held_bodies(joint); k++) {
            const int deep = of_body[model->bodies[joint->bodies[k]].moving];
            if (k == 0 || deep < depth[n]) depth[n] = held_bodies(joint) > 1 ? deep : 0;
        }
    }
    return true;
}

static bool make_factor(dependent *d, const core *c, arena *memory, arena *scratch)
{
    const size_t pairs = count_pairs(d), n = (size_t)d->joint_count;
    int *size = arena_alloc_array(scratch, n, sizeof(int)), edge_count = 0;
    int *depth = arena_alloc_array(scratch, n, sizeof(int));
    bool *is_constraint = arena_alloc_array(scratch, n, sizeof(bool)); // none: any order will do
    int(*edges)[2] = arena_alloc_array(scratch, pairs, sizeof *edges);
    d->pairs = arena_alloc_array(memory, pairs, sizeof *d->pairs);
    if (!size || !depth || !is_constraint || !edges || !d->pairs || !make_depths(d, c, scratch, depth)) return false;
    for (int k = 0; k < d->joint_count; k++) size[k] = joint_own_rows(&d->model->joints[d->joints[k]]);
    list_pairs(d, edges, &edge_count);
    const block_graph graph = {.node_count = d->joint_count,
                               .size = size,
                               .is_constraint = is_constraint,
                               .edge_count = edge_count,
                               .edges = (const int(*)[2])edges,
                               .depth = depth};
    if (!block_cholesky_create(&graph, memory, &d->factor)) return false;
    for (int k = 0; k < d->pair_count; k++) {
        dependent_pair *pair = &d->pairs[k];
        bool swapped;
        pair->block =
            block_cholesky_block(&d->factor, d->slots[pair->first].node, d->slots[pair->second].node, &swapped);
        if (swapped) *pair = (dependent_pair){pair->second, pair->first, pair->block};
    }
    return true;
}

// Slips among the rows, and room for their parts in others.
static bool list_slips(dependent *d, arena *memory)
{
    int count = 0;
    for (int n = 0; n < d->joint_count; n++)
        for (int r = 0; r < 8; r++) count += joint_row_is_slip(&d->model->joints[d->joints[n]], r);
    if (count == 0) return true;
    d->slips = arena_alloc_array(memory, (size_t)count, sizeof *d->slips);
    d->by_slips = arena_alloc_array(memory, (size_t)count * (size_t)d->weak_room, sizeof(double));
    if (!d->slips || !d->by_slips) return false;
    for (int n = 0; n < d->joint_count; n++)
        for (int r = 0; r < 8; r++)
            if (joint_row_is_slip(&d->model->joints[d->joints[n]], r))
                d->slips[d->slip_count++] = (dependent_row){n, r, d->factor.pivots[d->factor.position[n]].x + r, 0.0};
    return true;
}

bool dependent_create(const ph_model *model, bool all, arena *memory, dependent *d)
{
    *d = (dependent){.model = model};
    arena *scratch = arena_create(&model->allocator);
    core c;
    bool ok = scratch && core_make(model, scratch, &c) && make_slots(d, &c, all, memory, scratch);
    ok = ok && set_lengths(d, scratch) && make_factor(d, &c, memory, scratch);
    const int rows = d->factor.x_count;
    d->weak_room = rows < WEAK_ROOM ? rows : WEAK_ROOM;
    if (d->weak_room * (double)rows > WEAK_NUMBERS) d->weak_room = WEAK_NUMBERS / rows + 1;
    d->node = ok ? arena_alloc_array(memory, (size_t)d->joint_count, sizeof(int)) : NULL;
    d->weak = ok ? arena_alloc_array(memory, (size_t)d->weak_room + 1, sizeof *d->weak) : NULL;
    d->e = ok ? arena_alloc_array(memory, 6 * (size_t)d->weak_room * (size_t)d->group_count, sizeof(double)) : NULL;
    d->T = ok ? arena_alloc_array(memory, (size_t)(d->weak_room * d->weak_room), sizeof(double)) : NULL;
    d->size = ok ? arena_alloc_array(memory, (size_t)d->weak_room, sizeof(double)) : NULL;
    d->y = ok ? arena_alloc_array(memory, (size_t)rows, sizeof(double)) : NULL;
    for (int k = 0; d->node && k < d->joint_count; k++) d->node[d->factor.position[k]] = k;
    arena_destroy(scratch);
    return ok && d->node && d->weak && d->e && d->T && d->size && d->y && list_slips(d, memory);
}

static double dot6(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

static void put_S(dependent *d)
{
    block_cholesky_clear(&d->factor);
    for (int k = 0; k < d->pair_count; k++) {
        const dependent_slot *a = &d->slots[d->pairs[k].first], *b = &d->slots[d->pairs[k].second];
        double *block = d->factor.values + d->pairs[k].block;
        for (int c = 0; c < b->rows; c++)
            for (int r = 0; r < a->rows; r++) *block++ += dot6(d->rows + a->at + 6 * r, d->rows + b->at + 6 * c);
    }
}

// ---- Nearly dependent rows ------------------------------------------------------------------------------------------

// Takes a row among the weak ones, the strongest first; where there is no room the weakest is dropped.
static void note_weak(dependent *d, int *count, dependent_row row)
{
    int at = *count < d->weak_room ? (*count)++ : d->weak_room;
    while (at > 0 && d->weak[at - 1].part < row.part) {
        d->weak[at] = d->weak[at - 1];
        at--;
    }
    if (at < d->weak_room) d->weak[at] = row;
}

// y <- B_k e over the rows k kept. Returns its largest entry.
static double measure_rows(dependent *d, const double *e)
{
    double largest = 0.0;
    memset(d->y, 0, sizeof(double) * (size_t)d->factor.x_count);
    for (int s = 0; s < d->slot_count; s++) {
        double *y = d->y + d->factor.pivots[d->factor.position[d->slots[s].node]].x;
        for (int r = 0; r < d->slots[s].rows; r++)
            y[r] += dot6(d->rows + d->slots[s].at + 6 * r, e + 6 * (size_t)d->slots[s].group);
    }
    for (int k = 0; k < d->factor.pivot_count; k++)
        for (int p = 0; p < d->factor.pivots[k].rank; p++)
            largest = fmax(largest, fabs(d->y[d->factor.pivots[k].x + d->factor.pivots[k].order[p]]));
    return largest;
}

// e -= B_k^T y, y <- S_kk^-1 y
static void subtract_rows(dependent *d, double *e)
{
    block_cholesky_solve(&d->factor, d->y);
    for (int s = 0; s < d->slot_count; s++) {
        const double *y = d->y + d->factor.pivots[d->factor.position[d->slots[s].node]].x;
        const double *row = d->rows + d->slots[s].at;
        double *to = e + 6 * (size_t)d->slots[s].group;
        for (int r = 0; r < d->slots[s].rows; r++)
            for (int c = 0; c < 6; c++) to[c] -= y[r] * *row++;
    }
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

// e <- what the rows kept leave of a weak row. Rounding errors along them are taken off again: so, unlike the squared sine, e is
// right to rounding errors of the row itself, however long the chain of rows that it nearly depends on. Returns |row|^2.
static double put_rest(dependent *d, const dependent_row *w, double *e)
{
    enum { MOST = 4 };
    const int n = 6 * d->group_count;
    memset(e, 0, sizeof(double) * (size_t)n);
    for (int k = 0; k < held_bodies(&d->model->joints[d->joints[w->node]]); k++) {
        const dependent_slot *slot = &d->slots[d->slots_of[w->node][k]];
        for (int c = 0; c < 6; c++) e[6 * slot->group + c] += d->rows[slot->at + 6 * w->row + c];
    }
    const double size = dot(e, e, n);
    for (int pass = 0; pass < MOST; pass++) {
        const double along = measure_rows(d, e);
        if (along * along <= 1e-8 * dot(e, e, n) || along * along <= 1e-30 * size) break;
        subtract_rows(d, e);
    }
    return size;
}

static double *rest(const dependent *d, int i)
{
    return d->e + 6 * (size_t)d->group_count * (size_t)i;
}

// Keeps weak rows, the strongest of the rest first, until the rest depends on them.
static int keep_weak(dependent *d, int count, unsigned char *left_out)
{
    double *T = d->T;
    int kept = 0;
    for (int i = 0; i < count; i++) d->size[i] = put_rest(d, &d->weak[i], rest(d, i));
    for (int i = 0; i < count * count; i++) T[i] = dot(rest(d, i / count), rest(d, i % count), 6 * d->group_count);
    for (;; kept++) {
        int p = -1;
        double best = DEPENDENT;
        for (int i = 0; i < count; i++) {
            const double part = T[i * count + i] / d->size[i];
            if (part > best) best = part, p = i;
        }
        if (p < 0) return kept;
        left_out[d->joints[d->weak[p].node]] &= (unsigned char)~(1u << d->weak[p].row);
        for (int i = 0; i < count; i++) {
            const double factor = T[p * count + i] / T[p * count + p];
            for (int j = 0; i != p && j < count; j++) T[i * count + j] -= factor * T[p * count + j];
        }
        for (int i = 0; i < count; i++) T[p * count + i] = 0.0;
    }
}

// ---- Slips in place of positions ------------------------------------------------------------------------------------

static bool is_out(const dependent *d, const unsigned char *left_out, const dependent_row *row)
{
    return left_out[d->joints[row->node]] >> row->row & 1u;
}

// by[slip]: the part of each slip that is kept in a row that follows from the strong rows kept, S_kk^-1 B_k row. None where weak
// rows take part too: the factor does not know them, and their parts are as large as they are weak.
static void put_parts(dependent *d, const dependent_row *row, const unsigned char *left_out, double *by)
{
    double *e = rest(d, 0);
    memset(e, 0, sizeof(double) * 6 * (size_t)d->group_count);
    for (int k = 0; k < held_bodies(&d->model->joints[d->joints[row->node]]); k++) {
        const dependent_slot *slot = &d->slots[d->slots_of[row->node][k]];
        for (int c = 0; c < 6; c++) e[6 * slot->group + c] += d->rows[slot->at + 6 * row->row + c];
    }
    const int n = 6 * d->group_count;
    const double size = dot(e, e, n);
    measure_rows(d, e);
    subtract_rows(d, e);
    const bool follows = dot(e, e, n) <= DEPENDENT * size;
    for (int s = 0; s < d->slip_count; s++)
        by[s] = !follows || is_out(d, left_out, &d->slips[s]) ? 0.0 : d->y[d->slips[s].x];
}

static int largest_part(const double *by, int count)
{
    int best = 0;
    for (int s = 1; s < count; s++)
        if (fabs(by[s]) > fabs(by[best])) best = s;
    return best;
}

// Rows of positions that were left out change places with slips that have a part in them: an exchange of bases, so that what is
// kept spans the same.
static void exchange_slips(dependent *d, unsigned char *left_out)
{
    const int slips = d->slip_count;
    int count = 0;
    for (int k = 0; k < d->joint_count; k++)
        for (int r = 0; r < 8; r++) {
            const dependent_row row = {.node = k, .row = r};
            const joint *joint = &d->model->joints[d->joints[k]];
            if (!is_out(d, left_out, &row) || joint_row_is_slip(joint, r) || count == d->weak_room) continue;
            put_parts(d, &row, left_out, d->by_slips + count * slips);
            d->weak[count++] = row;
        }
    for (int i = 0; i < count; i++) {
        const double *by = d->by_slips + i * slips;
        const int s = largest_part(by, slips);
        if (fabs(by[s]) < 1e-3) continue;
        left_out[d->joints[d->weak[i].node]] &= (unsigned char)~(1u << d->weak[i].row);
        left_out[d->joints[d->slips[s].node]] |= (unsigned char)(1u << d->slips[s].row);
        for (int j = i + 1; j < count; j++) {
            double *other = d->by_slips + j * slips;
            const double factor = other[s] / by[s];
            for (int c = 0; c < slips; c++) other[c] = c == s ? 0.0 : other[c] - factor * by[c];
        }
    }
}

int dependent_choose(dependent *d, const frame *frames, const double *B, unsigned char *left_out)
{
    int out = 0, weak = 0;
    put_rows(d, frames, B);
    put_S(d);
    block_cholesky_factor(&d->factor, STRONG);
    for (int k = 0; k < d->factor.pivot_count; k++) {
        const cholesky_pivot *pivot = &d->factor.pivots[k];
        unsigned mask = (1u << pivot->size) - 1u;
        for (int p = 0; p < pivot->rank; p++) mask &= ~(1u << pivot->order[p]);
        left_out[d->joints[d->node[k]]] = (unsigned char)mask;
        for (int r = 0; mask && r < pivot->size; r++) {
            const double part = d->factor.part[pivot->x + r];
            if (!(mask >> r & 1u)) continue;
            out++;
            if (part > DEPENDENT) note_weak(d, &weak, (dependent_row){d->node[k], r, pivot->x + r, part});
        }
    }
    if (weak > 0) out -= keep_weak(d, weak, left_out);
    if (out > 0 && d->slip_count > 0) exchange_slips(d, left_out);
    return out;
}
