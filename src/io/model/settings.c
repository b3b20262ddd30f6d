// Settings: contact, what is recorded, how to run.

#include "expression/expression.h"
#include "io/model/reader.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static bool check_memory(reader *r, ph_status status)
{
    r->out_of_memory = r->out_of_memory || status == PH_OUT_OF_MEMORY;
    return status == PH_OK;
}

// ---- Contact --------------------------------------------------------------------------------------------------------

static_assert(offsetof(ph_contact_pair, body_b) == offsetof(ph_contact_pair, body_a) + sizeof(int), "read as one pair");

#define PAIR(member) FIELD_AT(ph_contact_pair, member)
#define CONTACT(member) FIELD_AT(ph_contact_settings, member)

static const field pair_fields[] = {
    {"bodies", read_bodies, PAIR(body_a), FIELD_REQUIRED},
    {"collide", read_bool, PAIR(collide)},
    {"friction", read_number, PAIR(friction), .rule = NOT_NEGATIVE},
    {"restitution", read_number, PAIR(restitution), .rule = NOT_NEGATIVE},
    {"rolling_friction", read_number, PAIR(rolling_friction), .rule = NOT_NEGATIVE},
    {"spinning_friction", read_number, PAIR(spinning_friction), .rule = NOT_NEGATIVE},
    {"compliance", read_number, PAIR(compliance), .rule = NOT_NEGATIVE},
    {0},
};

const part_table pair_table = {"pair", "pairs", pair_fields, NULL, .about = "What acts between two bodies."};

// `to` points to where the next pair goes.
static bool read_one_pair(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    static const schema table = {"a pair", pair_fields, UINT32_MAX, "pairs", NULL};
    ph_contact_pair **next = to;
    **next = ph_default_pair();
    return read_map(r, n, &table, (*next)++);
}

static bool read_pairs(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_contact_settings *contact = to;
    ph_contact_pair *pairs = arena_alloc_array(r->document->memory, (size_t)n->count, sizeof *pairs);
    if (!pairs) {
        return check_memory(r, PH_OUT_OF_MEMORY);
    }
    contact->pairs = pairs;
    contact->pair_count = n->kind == NODE_LIST ? n->count : 0;
    return read_each(r, n, read_one_pair, &pairs);
}

static bool read_law(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    static const char *const words[] = {"coulomb", "relaxed", NULL};
    int word = 0;
    if (!node_choice(r, n, "law", words, &word)) {
        return false;
    }
    *(ph_contact_law *)to = word == 0 ? PH_LAW_COULOMB : PH_LAW_RELAXED;
    return true;
}

static const field contact_fields[] = {
    {"solver", read_text, CONTACT(solver)},
    {"device", read_text, CONTACT(device)},
    {"law", read_law, CONTACT(law), .form = "law"},
    {"tolerance", read_number, CONTACT(tolerance), .rule = POSITIVE},
    {"iterations", read_integer, CONTACT(iterations), .rule = POSITIVE},
    {"missed", read_integer, CONTACT(missed), .rule = NOT_NEGATIVE},
    {"recovery_speed", read_number, CONTACT(recovery_speed), .rule = NOT_NEGATIVE},
    {"margin", read_number, CONTACT(margin), .rule = POSITIVE},
    {"sleep", read_number, CONTACT(sleep), .rule = NOT_NEGATIVE},
    {"pairs", read_pairs, FIELD_WHOLE, .form = "pairs"},
    {0},
};

const part_table contact_table = {"contact", NULL, contact_fields, NULL, .about = "Makes bodies collide."};

static bool read_contact(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    static const schema table = {"contact", contact_fields, UINT32_MAX, NULL, NULL};
    ph_contact_settings contact = ph_default_contact();
    return (node_is_null(n) || read_map(r, n, &table, &contact)) &&
           check_memory(r, ph_spec_set_contact(r->spec, &contact));
}

bool read_contact_part(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    return read_noted(r, n, read_contact);
}

// A scheme with contact has nothing to do: bodies whose shapes could meet pass through each other, and no joint has a stop.
static bool shapes_pass_through(const ph_spec *spec)
{
    int with_shapes = 0;
    for (int i = 0; i < spec->body_count; i++) {
        bool collides = false;
        for (int k = 0; k < spec->bodies[i].shape_count; k++) {
            collides = collides || spec->bodies[i].shapes[k].collide;
        }
        with_shapes += collides;
    }
    for (int i = 0; i < spec->joint_count; i++) {
        const ph_joint_def *j = &spec->joints[i];
        if (j->has_limit_low || j->has_limit_high || j->friction > 0.0) {
            return false;
        }
    }
    return with_shapes > 1 && !spec->has_contact;
}

typedef struct scheme_name {
    char text[64];
} scheme_name;

// Options stand behind a colon.
static scheme_name without_options(const char *text)
{
    scheme_name name;
    snprintf(name.text, sizeof name.text, "%.*s", (int)strcspn(text, ":"), text);
    return name;
}

void warn_of_missing_contact(reader *r)
{
    const node *run = node_find(r->document->root, "run");
    const node *given = run && run->kind == NODE_MAP ? node_find(run, "scheme") : NULL;
    const int scheme =
        given && given->kind == NODE_SCALAR ? ph_scheme_find(without_options(given->text).text) : PH_NONE;
    if (scheme != PH_NONE && (ph_scheme_get(scheme).traits & PH_HAS_CONTACT) && shapes_pass_through(r->spec)) {
        tell_in(r, given, PH_WARNING, "contact: {} lets them collide",
                "the model has no 'contact': its bodies pass through each other");
    }
}

// ---- Record ---------------------------------------------------------------------------------------------------------

// `to` points to where the next index goes.
static bool read_next_body(reader *r, const node *n, const field *f, void *to)
{
    int **next = to;
    if (!read_body(r, n, f, *next)) {
        return false;
    }
    if (**next == PH_WORLD) {
        return fail(r, n, NULL, "the world has no stress");
    }
    (*next)++;
    return true;
}

// all, or a list of bodies.
static bool read_stress(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_record_settings *record = to;
    if (n->kind == NODE_SCALAR && strcmp(n->text, "all") == 0) {
        record->stress_all = true;
        return true;
    }
    if (n->kind != NODE_LIST) {
        return fail_kind(r, n, "all, or a list of bodies");
    }
    int *bodies = arena_alloc_array(r->document->memory, (size_t)n->count, sizeof *bodies);
    if (!bodies) {
        return check_memory(r, PH_OUT_OF_MEMORY);
    }
    record->stress = bodies;
    record->stress_count = n->count;
    return read_each(r, n, read_next_body, &bodies);
}

static const field record_fields[] = {
    {"stress", read_stress, FIELD_WHOLE, .form = "stress"},
    {"contacts", read_bool, FIELD_AT(ph_record_settings, contacts)},
    {0},
};

const part_table record_table = {"record", NULL, record_fields, NULL, .about = "What is recorded beyond the default."};

bool read_record_part(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    static const schema table = {"record", record_fields, UINT32_MAX, NULL, NULL};
    ph_record_settings record = {0};
    return (node_is_null(n) || read_map(r, n, &table, &record)) &&
           check_memory(r, ph_spec_set_record(r->spec, &record));
}

// ---- Run ------------------------------------------------------------------------------------------------------------

// An option as text: numbers and expressions by their value, other words as they are.
static bool option_text(reader *r, const node *n, char *text, size_t size)
{
    const char *word = NULL;
    double number = 0.0;
    char digits[32];
    if (!node_text(r, n, "a number or a word", &word)) {
        return false;
    }
    if (!expression_is_name(word) || names_find(&r->parameters.names, word) >= 0) {
        if (!node_number(r, n, &number)) {
            return false;
        }
        number_text(number, digits);
        word = digits;
    }
    return snprintf(text, size, "%s", word) < (int)size || fail(r, n, NULL, "the option is too long");
}

// A map of options becomes "name=value,name=value", the form of the command line.
static bool read_options(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    enum { LONGEST = 1024 };
    char value[128], *text = arena_alloc(r->document->memory, LONGEST);
    if (node_is_null(n)) {
        return true;
    }
    if (n->kind != NODE_MAP) {
        return fail_kind(r, n, "a map of options");
    }
    if (!text) {
        return check_memory(r, PH_OUT_OF_MEMORY);
    }
    size_t used = 0;
    for (int i = 0; i < n->count; i++) {
        const node *key = n->entries[i].key;
        if (!*key->text || strpbrk(key->text, ",=: ")) {
            return fail(r, key, NULL, "'%.60s' cannot be the name of an option", key->text);
        }
        if (node_find(n, key->text) != n->entries[i].value) {
            return fail(r, key, NULL, "the option '%.60s' is here twice", key->text);
        }
        if (!option_text(r, n->entries[i].value, value, sizeof value)) {
            return false;
        }
        used += (size_t)snprintf(text + used, LONGEST - used, "%s%s=%s", i > 0 ? "," : "", key->text, value);
        if (used >= LONGEST) {
            return fail(r, n, NULL, "the options are longer than %d characters", LONGEST);
        }
    }
    *(const char **)to = n->count > 0 ? text : NULL;
    return true;
}

static bool read_stop(reader *r, const node *n, const field *f, void *to)
{
    ph_value value = {0};
    if (!read_value(r, n, f, &value)) {
        return false;
    }
    *(const char **)to = value.expression;
    return value.expression || fail(r, n, "an expression of t, inputs, q.<joint> or qd.<joint>", "this never changes");
}

static bool read_scheme(reader *r, const node *n, const field *f, void *to)
{
    const char *names[64];
    int count = 0;
    if (!read_text(r, n, f, to)) {
        return false;
    }
    const scheme_name name = without_options(*(const char **)to);
    if (ph_scheme_find(name.text) != PH_NONE) {
        return true;
    }
    for (; count < 64 && count < ph_scheme_count(); count++) {
        names[count] = ph_scheme_get(count).name;
    }
    return fail(r, n, hint_words(name.text, names, count, "the schemes are").text, "there is no scheme '%s'",
                name.text);
}

#define RUN(member) FIELD_AT(ph_run_settings, member)

static const field run_fields[] = {
    {"scheme", read_scheme, RUN(scheme), .form = "text"},
    {"step", read_number, RUN(step), .rule = POSITIVE},
    {"until", read_number, RUN(until), .rule = POSITIVE},
    {"options", read_options, RUN(options), .form = "options"},
    {"stop_when", read_stop, RUN(stop_when), .form = "number"},
    {0},
};

const part_table run_table = {"run", NULL, run_fields, NULL, .about = "How the model is run."};

static bool read_run(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    static const schema table = {"run", run_fields, UINT32_MAX, NULL, NULL};
    ph_run_settings run = r->spec->run;
    return (node_is_null(n) || read_map(r, n, &table, &run)) && check_memory(r, ph_spec_set_run(r->spec, &run));
}

bool read_run_part(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    return read_noted(r, n, read_run);
}
