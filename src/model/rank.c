// Rank of the constraint rows at the start, and which rows depend on earlier ones.
//
// Joints are taken in order. One that connects two parts not yet connected closes no loop: whatever holds these parts
// together, the two can still move rigidly against each other, so its rows are independent of all earlier ones (if they
// are so among themselves). These joints make a spanning tree, and every motion that they allow is a sum of their
// freedoms. A joint that closes a loop restricts that sum: its row, applied to each freedom along the path between its
// two bodies, is a vector g in the space of freedoms, and depends on earlier rows when g depends on earlier g. This is
// found by orthogonalising one row after the other. A gear is such a row between the freedoms of two joints. Cost: linear
// for a tree, and for loops their length.
//
// All motions are relative: twists (alpha | u) in world axes, u that of a point p.

#include "model/compile.h"

#include "joints/geometry.h"

#include <string.h>

static const double dependent = 1e-7; // distance from the span of earlier rows, relative to the size of a row

// What a row does to the motion of b relative to a: alpha . w + u . f, u that of the point p.
typedef struct relative_row {
    ph_vec3 w, f;
} relative_row;

typedef struct link { // a joint as part of the spanning tree
    ph_vec3 p;
    int first_freedom, freedom_count;
    ph_twist freedoms[6]; // of b relative to a
} link;

typedef struct graph {
    const ph_model *model;
    const frame *frames;
    int *set;    // by body: union-find over what earlier joints connect
    int *parent; // by body: joint towards the root of the tree, -1 at a root
    int *depth;
    link *links; // by joint; only those in the tree have freedoms
    int freedom_count;
    double *g;          // freedom_count: one row, dense
    bool *touched;      // freedom_count: entries of g in use ...
    int *touched_index; // ... and a list of them
    int touched_count;
    double size2; // |g|^2 if nothing cancelled
    int kept_count;
    struct kept {
        int count;
        int *index;
        double *value;
    } * kept; // orthonormal rows g of closing joints, sparse
} graph;

// ---- Rows of one joint ----------------------------------------------------------------------------------------------

static double apply(const relative_row *r, const ph_twist *motion_of_p)
{
    return ph_dot(r->w, motion_of_p->omega) + ph_dot(r->f, motion_of_p->v);
}

static relative_row relative(const geometry *g, gradient w)
{
    return (relative_row){ph_sub(w.alpha_b, ph_cross(g->r_b, w.u_b)), w.u_b};
}

static void relative_rows(const joint *j, const geometry *g, relative_row *rows)
{
    for (int k = 0; k < j->kind_count; k++) {
        const row it = j->rows[k];
        if (it.kind == ROW_POINT) {
            *rows++ = (relative_row){ph_zero3(), ph_vec(1.0, 0.0, 0.0)};
            *rows++ = (relative_row){ph_zero3(), ph_vec(0.0, 1.0, 0.0)};
            *rows++ = (relative_row){ph_zero3(), ph_vec(0.0, 0.0, 1.0)};
        } else {
            *rows++ = relative(g, row_gradient(j, g, it));
        }
    }
}

static double norm(const relative_row *r)
{
    return sqrt(ph_norm2(r->w) + ph_norm2(r->f));
}

// Takes from r its parts along the orthonormal `basis`, twice, so that nothing is left of them but rounding.
static void orthogonalise(relative_row *r, const relative_row *basis, int count)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < count; k++) {
            const double along = ph_dot(r->w, basis[k].w) + ph_dot(r->f, basis[k].f);
            r->w = ph_madd(r->w, -along, basis[k].w);
            r->f = ph_madd(r->f, -along, basis[k].f);
        }
    }
}

// Appends the part of r that is new to the basis. False when there is none. Rows of all kinds are of size one, except
// where they have no gradient.
static bool extend(relative_row *basis, int *count, relative_row r)
{
    orthogonalise(&r, basis, *count);
    const double left = norm(&r);
    if (!(left > dependent)) {
        return false;
    }
    basis[(*count)++] = (relative_row){ph_scale(1.0 / left, r.w), ph_scale(1.0 / left, r.f)};
    return true;
}

// A joint of the tree: its rows among themselves, and the freedoms that they leave. Returns the rank of its rows.
static int make_link(const joint *j, const geometry *g, bool *redundant, link *to)
{
    relative_row rows[JOINT_ROWS_MAX], basis[12];
    int count = 0;
    relative_rows(j, g, rows);
    for (int r = 0; r < j->row_count; r++) {
        redundant[j->first_row + r] = !extend(basis, &count, rows[r]);
    }
    const int rank = count;
    for (int k = 0; k < 6 && count < 6; k++) { // unit motions complete the basis; what is nearly in it is passed over
        const double e[6] = {k == 0, k == 1, k == 2, k == 3, k == 4, k == 5};
        relative_row unit = {ph_vec(e[0], e[1], e[2]), ph_vec(e[3], e[4], e[5])}, part = unit;
        orthogonalise(&part, basis, count);
        if (norm(&part) > 0.3) {
            extend(basis, &count, unit);
        }
    }
    to->freedom_count = count - rank;
    for (int k = rank; k < count; k++) {
        to->freedoms[k - rank] = (ph_twist){basis[k].w, basis[k].f};
    }
    return rank;
}

// ---- The spanning tree ----------------------------------------------------------------------------------------------

// All fixed bodies are one node, the world.
static int node_of(const ph_model *model, int index)
{
    return model->bodies[index].kind->fixed ? model->body_count : index;
}

static int find_set(int *set, int x)
{
    while (set[x] != x) {
        x = set[x] = set[set[x]];
    }
    return x;
}

// Joins the parts that the joint connects. False when they are one already: the joint closes a loop.
static bool connects(graph *t, const joint *j)
{
    const int a = find_set(t->set, node_of(t->model, j->a)), b = find_set(t->set, node_of(t->model, j->b));
    t->set[a] = b;
    return a != b;
}

static bool in_tree(const graph *t, int joint_index)
{
    return t->links[joint_index].first_freedom >= 0;
}

// Joints of the tree by body: those of body i are list[start[i]] to list[start[i + 1] - 1].
static bool list_neighbours(const graph *t, arena *scratch, int **start, int **list)
{
    const ph_model *model = t->model;
    const int nodes = model->body_count + 1;
    *start = arena_alloc_array(scratch, (size_t)nodes + 2, sizeof(int));
    *list = arena_alloc_array(scratch, 2 * (size_t)model->joint_count, sizeof(int));
    if (!*start || !*list) {
        return false;
    }
    int *next = *start + 1;
    for (int pass = 0; pass < 2; pass++) { // count, then fill
        for (int i = 0; i < model->joint_count; i++) {
            const int ends[2] = {node_of(model, model->joints[i].a), node_of(model, model->joints[i].b)};
            for (int k = 0; k < 2 && in_tree(t, i); k++) {
                if (pass == 0) {
                    next[ends[k] + 1]++;
                } else {
                    (*list)[next[ends[k]]++] = i;
                }
            }
        }
        for (int i = 1; pass == 0 && i <= nodes; i++) {
            next[i] += next[i - 1];
        }
    }
    return true;
}

// Parents and depths, by walking through the tree from the world and then from one body of each part that floats.
static bool root_tree(graph *t, arena *scratch)
{
    const ph_model *model = t->model;
    const int nodes = model->body_count + 1;
    int *start, *list, *queue = arena_alloc_array(scratch, (size_t)nodes, sizeof(int));
    if (!queue || !list_neighbours(t, scratch, &start, &list)) {
        return false;
    }
    for (int i = 0; i < nodes; i++) {
        t->depth[i] = -1;
    }
    for (int root = nodes - 1; root >= 0; root--) {
        int head = 0, tail = 0;
        if (t->depth[root] < 0) {
            t->depth[root] = 0;
            t->parent[root] = -1;
            queue[tail++] = root;
        }
        while (head < tail) {
            const int at = queue[head++];
            for (int k = start[at]; k < start[at + 1]; k++) {
                const joint *j = &model->joints[list[k]];
                const int a = node_of(model, j->a), b = node_of(model, j->b), other = a == at ? b : a;
                if (t->depth[other] < 0) {
                    t->depth[other] = t->depth[at] + 1;
                    t->parent[other] = list[k];
                    queue[tail++] = other;
                }
            }
        }
    }
    return true;
}

// ---- Closing joints -------------------------------------------------------------------------------------------------

static void touch(graph *t, int freedom)
{
    if (!t->touched[freedom]) {
        t->touched[freedom] = true;
        t->touched_index[t->touched_count++] = freedom;
    }
}

// One step from body `at` towards the root: adds what the freedoms of the joint there do to the row. They move the side
// of b against that of a. Returns the body above.
static int climb(graph *t, int at, double sign, const relative_row *r, ph_vec3 p)
{
    const int up = t->parent[at];
    const joint *j = &t->model->joints[up];
    const link *l = &t->links[up];
    const int b = node_of(t->model, j->b);
    const double side = b == at ? sign : -sign;
    for (int k = 0; k < l->freedom_count; k++) {
        const ph_twist *s = &l->freedoms[k];
        const ph_twist at_p = {s->omega, ph_add(s->v, ph_cross(s->omega, ph_sub(p, l->p)))};
        const double bound = ph_norm(r->w) * ph_norm(at_p.omega) + ph_norm(r->f) * ph_norm(at_p.v);
        touch(t, l->first_freedom + k);
        t->g[l->first_freedom + k] += side * apply(r, &at_p);
        t->size2 += bound * bound;
    }
    return b == at ? node_of(t->model, j->a) : b;
}

// g += the row, which acts on the motion of b relative to a, by the freedoms on the path from a to b.
static void add_path(graph *t, int a, int b, const relative_row *r, ph_vec3 p)
{
    a = node_of(t->model, a);
    b = node_of(t->model, b);
    while (a != b) {
        if (t->depth[b] >= t->depth[a]) {
            b = climb(t, b, 1.0, r, p);
        } else {
            a = climb(t, a, -1.0, r, p);
        }
    }
}

static double size_of_g(const graph *t)
{
    double sum = 0.0;
    for (int k = 0; k < t->touched_count; k++) {
        sum += t->g[t->touched_index[k]] * t->g[t->touched_index[k]];
    }
    return sqrt(sum);
}

static void subtract_kept(graph *t)
{
    for (int n = 0; n < t->kept_count; n++) {
        const struct kept *q = &t->kept[n];
        double along = 0.0;
        for (int k = 0; k < q->count; k++) {
            along += q->value[k] * t->g[q->index[k]];
        }
        for (int k = 0; k < q->count && along != 0.0; k++) {
            touch(t, q->index[k]);
            t->g[q->index[k]] -= along * q->value[k];
        }
    }
}

// Keeps g, of length `size`, as the next orthonormal row.
static bool keep(graph *t, double size, arena *scratch)
{
    struct kept *q = &t->kept[t->kept_count++];
    q->index = arena_alloc_array(scratch, (size_t)t->touched_count, sizeof *q->index);
    q->value = arena_alloc_array(scratch, (size_t)t->touched_count, sizeof *q->value);
    if (!q->index || !q->value) {
        return false;
    }
    for (int k = 0; k < t->touched_count; k++) {
        const int at = t->touched_index[k];
        if (t->g[at] != 0.0) {
            q->index[q->count] = at;
            q->value[q->count++] = t->g[at] / size;
        }
    }
    return true;
}

// Whether the row in g is new. False in *ok when out of memory.
static bool is_new(graph *t, arena *scratch, bool *ok)
{
    subtract_kept(t);
    subtract_kept(t);
    const double left = size_of_g(t);
    const bool fresh = left > dependent * sqrt(t->size2);
    t->size2 = 0.0;
    if (fresh) {
        *ok = keep(t, left, scratch);
    }
    while (t->touched_count) {
        const int at = t->touched_index[--t->touched_count];
        t->g[at] = 0.0;
        t->touched[at] = false;
    }
    return fresh;
}

// g of a gear: what its two coordinates, seen as rows, do.
static void add_gear(graph *t, const gear *pair)
{
    for (int n = 0; n < 2; n++) {
        const joint *part = pair->joints[n];
        const geometry g = joint_geometry(part, t->frames);
        const gradient w = coordinate_gradient(part, &g, part->coordinates[0]);
        const relative_row r = relative(&g, gradient_madd((gradient){0}, n == 0 ? -pair->ratio : 1.0, w));
        add_path(t, part->a, part->b, &r, ph_add(t->frames[part->b].x, g.r_b));
    }
}

// Returns how many rows of joint j, which closes a loop, are new.
static int close_loop(graph *t, const joint *j, bool *redundant, arena *scratch, bool *ok)
{
    if (j->gear) {
        add_gear(t, j->gear);
        const bool fresh = is_new(t, scratch, ok);
        redundant[j->first_row] = !fresh;
        return fresh;
    }
    const geometry g = joint_geometry(j, t->frames);
    const ph_vec3 p = ph_add(t->frames[j->b].x, g.r_b);
    relative_row rows[JOINT_ROWS_MAX];
    int rank = 0;
    relative_rows(j, &g, rows);
    for (int r = 0; r < j->row_count && *ok; r++) {
        add_path(t, j->a, j->b, &rows[r], p);
        const bool fresh = is_new(t, scratch, ok);
        redundant[j->first_row + r] = !fresh;
        rank += fresh;
    }
    return rank;
}

// ---- The model ------------------------------------------------------------------------------------------------------

// Returns the rank of the rows of the tree, and in *closing the number of rows that are left.
static int grow_tree(graph *t, bool *redundant, int *closing)
{
    const ph_model *model = t->model;
    int rank = 0;
    *closing = 0;
    for (int i = 0; i < model->joint_count; i++) {
        const joint *j = &model->joints[i];
        link *l = &t->links[i];
        l->first_freedom = -1;
        if (j->gear || !connects(t, j)) {
            *closing += j->row_count;
            continue;
        }
        const geometry g = joint_geometry(j, t->frames);
        l->p = ph_add(t->frames[j->b].x, g.r_b);
        l->first_freedom = t->freedom_count;
        rank += make_link(j, &g, redundant, l);
        t->freedom_count += l->freedom_count;
    }
    return rank;
}

static bool close_loops(graph *t, int closing, bool *redundant, int *rank, arena *scratch)
{
    const size_t freedoms = (size_t)t->freedom_count;
    t->g = arena_alloc_array(scratch, freedoms, sizeof *t->g);
    t->touched = arena_alloc_array(scratch, freedoms, sizeof *t->touched);
    t->touched_index = arena_alloc_array(scratch, freedoms, sizeof *t->touched_index);
    t->kept = arena_alloc_array(scratch, (size_t)closing, sizeof *t->kept);
    bool ok = t->g && t->touched && t->touched_index && t->kept && root_tree(t, scratch);
    for (int i = 0; i < t->model->joint_count && ok; i++) {
        if (!in_tree(t, i)) {
            *rank += close_loop(t, &t->model->joints[i], redundant, scratch, &ok);
        }
    }
    return ok;
}

static bool find_rank(ph_model *model, const frame *frames, arena *scratch)
{
    const size_t nodes = (size_t)model->body_count + 1;
    graph t = {.model = model, .frames = frames};
    t.set = arena_alloc_array(scratch, nodes, sizeof *t.set);
    t.parent = arena_alloc_array(scratch, nodes, sizeof *t.parent);
    t.depth = arena_alloc_array(scratch, nodes, sizeof *t.depth);
    t.links = arena_alloc_array(scratch, (size_t)model->joint_count, sizeof *t.links);
    if (!t.set || !t.parent || !t.depth || !t.links) {
        return false;
    }
    for (int i = 0; i <= model->body_count; i++) {
        t.set[i] = i;
    }
    int closing;
    model->rank = grow_tree(&t, model->row_redundant, &closing);
    return !closing || close_loops(&t, closing, model->row_redundant, &model->rank, scratch);
}

void compile_rank(compiler *c)
{
    ph_model *model = c->model;
    frame *frames = arena_alloc_array(c->scratch, (size_t)model->body_count + 1, sizeof *frames);
    model->row_redundant = arena_alloc_array(model->memory, (size_t)model->row_count, sizeof *model->row_redundant);
    if (!frames || !model->row_redundant) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i <= model->body_count; i++) {
        frames[i] = body_frame(&model->bodies[i]);
    }
    c->out_of_memory |= !find_rank(model, frames, c->scratch);
}
