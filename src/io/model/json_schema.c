// The JSON schema of the model file, made from the tables that read it: editors complete keys and underline mistakes with it.
//
// Every table is a definition. A key that only some types of an element take is refused for the others by "if"/"then". Values
// that may be expressions, have units or stand for lists may be texts.

#include "base/memory.h"
#include "io/model/expand.h"
#include "io/model/text.h"
#include "polhode/io.h"

#include <stdio.h>
#include <string.h>

#define REF(name) "{\"$ref\":\"#/definitions/" name "\"}"
#define LIST(of, least, most) "{\"type\":\"array\",\"items\":" of ",\"minItems\":" least ",\"maxItems\":" most "}"
#define EITHER(a, b) "{\"anyOf\":[" a "," b "]}"
#define TEXT "{\"type\":\"string\"}"
#define MAP_OF(of) "{\"type\":[\"object\",\"null\"],\"additionalProperties\":" of "}"
#define LIST_OF(of) "{\"type\":[\"array\",\"null\"],\"items\":" of "}"
#define WORDS(words) "{\"enum\":[" words "]}"

// Forms of values, by name.
static const struct {
    const char *name, *schema;
} forms[] = {
    {"number",
     "{\"type\":[\"number\",\"string\"],\"description\":\"A number, an expression (l/2), or with a unit (10 cm).\"}"},
    {"positive", "{\"type\":[\"number\",\"string\"],\"exclusiveMinimum\":0}"},
    {"not_negative", "{\"type\":[\"number\",\"string\"],\"minimum\":0}"},
    {"bool", "{\"type\":\"boolean\"}"},
    {"text", "{\"type\":[\"string\",\"number\"]}"},
    {"vector", EITHER(LIST(REF("number"), "3", "3"), TEXT)},
    {"numbers3", EITHER(LIST(REF("number"), "3", "3"), TEXT)},
    {"numbers4", EITHER(LIST(REF("number"), "4", "4"), TEXT)},
    {"row6", EITHER(LIST(REF("number"), "6", "6"), TEXT)},
    {"matrix3", EITHER(LIST(REF("vector"), "3", "3"), TEXT)},
    {"matrix6", EITHER(LIST(EITHER(REF("number"), REF("row6")), "6", "6"), TEXT)},
    {"inertia", EITHER(LIST(EITHER(REF("number"), REF("vector")), "3", "6"), TEXT)},
    {"table", EITHER("{\"type\":\"array\"}", TEXT)},
    {"names2", LIST(REF("text"), "2", "2")},
    {"reference", EITHER(REF("vector"), WORDS("\"com\",\"origin\""))},
    {"path", TEXT},
    {"color", TEXT},
    {"frame", WORDS("\"world\",\"body\"")},
    {"law", WORDS("\"coulomb\",\"relaxed\"")},
    {"euler", "{\"type\":\"string\",\"pattern\":\"^[xyz]{3}$\"}"},
    {"lock", LIST("{\"type\":\"boolean\"}", "6", "6")},
    {"limits", EITHER(LIST("{\"type\":[\"number\",\"string\",\"null\"]}", "2", "2"), TEXT)},
    {"given", EITHER(REF("number"), LIST("{\"type\":[\"number\",\"string\",\"null\"]}", "1", "5"))},
    {"shapes", LIST_OF(REF("shape"))},
    {"motor", REF("motor_map")},
    {"surface", WORDS("\"plane\",\"sphere\",\"cylinder\"")},
    {"joint_frame", WORDS("\"a\",\"b\"")},
    {"velocity_rows", LIST(REF("velocity_row"), "1", "6")},
    {"chain_motions", LIST(REF("chain_motion"), "1", "6")},
    {"pairs", LIST_OF(REF("pair"))},
    {"stress", EITHER(WORDS("\"all\""), "{\"type\":\"array\",\"items\":" REF("text") "}")},
    {"options", MAP_OF("{\"type\":[\"number\",\"string\",\"boolean\"]}")},
    {"values", MAP_OF(REF("number"))},
    {"parameters", MAP_OF("{\"type\":[\"number\",\"string\",\"array\"]}")},
    {"keyframe_joints", MAP_OF("{\"anyOf\":[" REF("given") "," REF("keyframe_joint") "]}")},
    {"keyframe_bodies", MAP_OF(REF("keyframe_body"))},
    {"version", "{\"type\":[\"number\",\"string\"]}"},
    {"initial", EITHER(REF("text"), "{\"type\":\"array\",\"items\":" REF("text") "}")},
    {"bodies", LIST_OF(REF("body"))},
    {"sites", LIST_OF(REF("site"))},
    {"joints", LIST_OF(REF("joint"))},
    {"forces", LIST_OF(REF("force"))},
    {"names", "{\"type\":\"array\",\"items\":" REF("text") ",\"minItems\":2}"},
    {"tendons", LIST_OF(REF("tendon"))},
    {"actuators", LIST_OF(REF("actuator"))},
    {"sensors", LIST_OF(REF("sensor"))},
    {"keyframes", LIST_OF(REF("keyframe"))},
    {"contact", EITHER(REF("contact_map"), "{\"type\":\"null\"}")},
    {"record", EITHER(REF("record_map"), "{\"type\":\"null\"}")},
    {"run", EITHER(REF("run_map"), "{\"type\":\"null\"}")},
    {"defaults", MAP_OF("{\"type\":[\"object\",\"null\"]}")},
    {"repeat", EITHER(REF("number"),
                      "{\"type\":\"object\",\"additionalProperties\":{\"type\":[\"number\",\"string\",\"array\"]}}")},
    {"models", MAP_OF("{\"type\":\"object\"}")},
    {"files", MAP_OF("{\"type\":\"object\"}")},
    {"parts", LIST_OF(REF("part"))},
};

// The form of a field: what it says, or what its reader says.
static const char *form_of(const field *f)
{
    static const struct {
        field_reader read;
        const char *form;
    } readers[] = {
        {read_number, "number"},  {read_integer, "number"},          {read_bool, "bool"},
        {read_text, "text"},      {read_vector, "vector"},           {read_value, "number"},
        {read_values3, "vector"}, {read_direction, "vector"},        {read_body, "text"},
        {read_joint, "text"},     {read_bodies, "names2"},           {read_joints, "names2"},
        {read_numbers, "vector"}, {read_orientation, "orientation"},
    };
    if (f->rule != ANY && (f->read == read_number || f->read == read_integer)) {
        return f->rule == POSITIVE ? "positive" : "not_negative";
    }
    for (size_t k = 0; !f->form && k < sizeof readers / sizeof readers[0]; k++) {
        if (readers[k].read == f->read) {
            return readers[k].form;
        }
    }
    return f->form ? f->form : "anything";
}

static void put_ref(model_text *t, const char *key, const char *form)
{
    char target[96];
    snprintf(target, sizeof target, "#/definitions/%s", form);
    text_map(t, key);
    text_string(t, "$ref", target);
    text_end_map(t);
}

static void put_types(model_text *t, const part_table *table)
{
    uint32_t kind;
    text_map(t, "type");
    text_list(t, "enum");
    for (int i = 0; table->type(i, &kind); i++) {
        text_string(t, NULL, table->type(i, &kind));
    }
    text_end_list(t);
    text_end_map(t);
}

static bool is_first(const part_table *table, const field *f)
{
    for (const field *g = table->fields; g < f; g++) {
        if (strcmp(g->key, f->key) == 0) {
            return false;
        }
    }
    return true;
}

// A key that stands in the table several times, for different types, may have any of the forms.
static void put_property(model_text *t, const part_table *table, const field *f)
{
    const field *other = f + 1;
    while (other->key && strcmp(other->key, f->key) != 0) {
        other++;
    }
    if (!other->key) {
        put_ref(t, f->key, form_of(f));
        return;
    }
    text_map(t, f->key);
    text_list(t, "anyOf");
    for (const field *g = table->fields; g->key; g++) {
        if (strcmp(g->key, f->key) == 0) {
            put_ref(t, NULL, form_of(g));
        }
    }
    text_end_list(t);
    text_end_map(t);
}

static bool takes(const part_table *table, const char *key, uint32_t kind)
{
    for (const field *f = table->fields; f->key; f++) {
        if (strcmp(f->key, key) == 0 && (f->takers == 0 || (f->takers & kind) != 0)) {
            return true;
        }
    }
    return false;
}

// if type is ... then none of the keys that it does not take
static void put_condition(model_text *t, const part_table *table, const char *type, uint32_t kind)
{
    text_map(t, NULL);
    text_map(t, "if");
    text_map(t, "properties");
    text_map(t, "type");
    text_string(t, "const", type);
    text_end_map(t);
    text_end_map(t);
    text_list(t, "required");
    text_string(t, NULL, "type");
    text_end_list(t);
    text_end_map(t);
    text_map(t, "then");
    text_map(t, "properties");
    for (const field *f = table->fields; f->key; f++) {
        if (is_first(table, f) && !takes(table, f->key, kind)) {
            text_bool(t, f->key, false);
        }
    }
    text_end_map(t);
    text_end_map(t);
    text_end_map(t);
}

static void put_conditions(model_text *t, const part_table *table)
{
    uint32_t kind;
    text_list(t, "allOf");
    for (int i = 0; table->type(i, &kind); i++) {
        put_condition(t, table, table->type(i, &kind), kind);
    }
    text_end_list(t);
}

static void put_required(model_text *t, const part_table *table)
{
    const bool whole = strcmp(table->name, "model") == 0;
    text_list(t, "required");
    for (const field *f = table->fields; f->key; f++) {
        if (f->needers == UINT32_MAX && strcmp(f->key, whole ? "polhode" : "name") == 0) {
            text_string(t, NULL, f->key);
        }
    }
    text_end_list(t);
}

static bool has_form(const char *name)
{
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        if (strcmp(forms[k].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void put_table(model_text *t, const part_table *of)
{
    char name[64];
    field room[FIELDS_MAX];
    part_table whole = *of;
    const part_table *table = &whole;
    whole.fields = table_fields(of, room);
    snprintf(name, sizeof name, "%s%s", table->name, has_form(table->name) ? "_map" : "");
    text_map(t, name);
    text_string(t, "type", "object");
    text_string(t, "description", table->about);
    text_map(t, "properties");
    for (const field *f = table->fields; f->key; f++) {
        if (table->type && strcmp(f->key, "type") == 0) {
            put_types(t, table);
        } else if (is_first(table, f)) {
            put_property(t, table, f);
        }
    }
    if (table->part) {
        put_ref(t, "repeat", "repeat");
    }
    text_end_map(t);
    text_bool(t, "additionalProperties", false);
    put_required(t, table);
    if (table->type) {
        put_conditions(t, table);
    }
    text_end_map(t);
}

// What `parts:` lists.
static void put_part(model_text *t)
{
    static const char *const texts[] = {"include", "model", "prefix"};
    text_map(t, "part");
    text_string(t, "type", "object");
    text_string(t, "description",
                "A file, a model of `models`, or elements, with parameters and a place of their own.");
    text_map(t, "properties");
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        put_ref(t, texts[k], "text");
    }
    text_word(t, "names", MAP_OF(TEXT));
    put_ref(t, "repeat", "repeat");
    put_ref(t, "position", "vector");
    put_ref(t, "orientation", "orientation");
    put_ref(t, "parameters", "parameters");
    put_ref(t, "defaults", "defaults");
    put_ref(t, "models", "models");
    put_ref(t, "parts", "parts");
    for (int k = 0; k < EXPANSION_LISTS; k++) {
        put_ref(t, element_lists[k], k == EXPANSION_INPUTS ? "values" : element_lists[k]);
    }
    text_end_map(t);
    text_bool(t, "additionalProperties", false);
    text_end_map(t);
}

static void put_schema(model_text *t)
{
    text_root(t);
    text_string(t, "$schema", "http://json-schema.org/draft-07/schema#");
    text_string(t, "title", "Polhode model");
    text_string(t, "$ref", "#/definitions/model");
    text_map(t, "definitions");
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        text_word(t, forms[k].name, forms[k].schema);
    }
    for (int k = 0; part_tables[k]; k++) {
        put_table(t, part_tables[k]);
    }
    put_part(t);
    text_end_map(t);
    text_end_root(t);
}

int ph_model_schema(char *text, size_t size)
{
    model_text t = {.json = true};
    put_schema(&t);
    const int length = t.failed ? -1 : t.length;
    if (length >= 0 && text && size > 0) {
        snprintf(text, size, "%s", t.text);
    }
    mem_free(NULL, t.text);
    return length;
}
