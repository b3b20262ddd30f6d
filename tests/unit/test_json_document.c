// JSON without a library: the same tree as libyaml's, and mistakes with their place.

#include "rig.h"

#include "io/model/json.h"

#include <stdio.h>
#include <string.h>

static document *parse(const char *text, bool json, ph_problems *problems)
{
    document *d = document_create("a.json", text, strlen(text));
    const bool good = json ? document_parse_json(d, problems) : document_parse(d, problems);
    if (!good) document_destroy(d);
    return good ? d : NULL;
}

static bool same(const node *a, const node *b)
{
    bool equal = a->kind == b->kind && a->plain == b->plain && a->line == b->line && a->column == b->column &&
                 a->size == b->size && a->count == b->count && a->text_column == b->text_column;
    equal = equal && (a->kind != NODE_SCALAR || strcmp(a->text, b->text) == 0);
    for (int i = 0; equal && i < a->count; i++) {
        equal = (!a->entries[i].key || same(a->entries[i].key, b->entries[i].key)) &&
                same(a->entries[i].value, b->entries[i].value);
    }
    return equal;
}

TEST(the_tree_is_that_of_libyaml)
{
    NEEDS_YAML;
    static const char *const texts[] = {
        "{\"name\": \"a\", \"bodies\": [{\"mass\": 1.5e-3, \"fixed\": true}, {}], \"x\": []}",
        "{\n  \"parameters\": {\"l\": 1, \"m\": \"2 l\"},\n  \"r\": [1, -2.5, null, \"a\\tb\\u00e4\\\"q\\\"\"]\n}\n",
        "{\"b\": {\"c\": {\"d\": [[1, 2], [3, 4]]}}, \"\xc3\xa4\": \"\xc3\xb6 \xc3\xbc\", \"e\": 1}",
    };
    for (int i = 0; i < 3; i++) {
        document *ours = parse(texts[i], true, NULL), *theirs = parse(texts[i], false, NULL);
        if (CHECK(ours && theirs) && !CHECK(same(ours->root, theirs->root))) printf("  text %d\n", i);
        document_destroy(ours);
        document_destroy(theirs);
    }
}

TEST(letters_beyond_16_bits_are_pairs)
{
    document *d = parse("{\"a\": \"\\ud83d\\ude00\"}", true, NULL);
    if (CHECK(d)) CHECK_STR(node_find(d->root, "a")->text, "\xf0\x9f\x98\x80");
    document_destroy(d);
}

TEST(mistakes_are_told_with_their_place)
{
    static const struct {
        const char *text, *message;
        int line, column;
    } cases[] = {
        {"{\"a\": 1,\n \"b\" 2}", "broken JSON: expected ':' after the key", 2, 6},
        {"{\"a\": [1, 2}", "broken JSON: expected ',' or ']'", 1, 12},
        {"{\"a\": 1", "broken JSON: expected ',' or '}'", 1, 1},
        {"{\"a\": \"b", "broken JSON: a text in quotes that does not end", 1, 7},
        {"{\"a\": \"\\q\"}", "broken JSON: an unknown escape after '\\'", 1, 8},
        {"{\"a\": \"\\ud800x\"}", "broken JSON: an unknown escape after '\\'", 1, 8},
        {"{a: 1}", "broken JSON: expected a key in double quotes", 1, 2},
        {"{\"a\": }", "broken JSON: expected a value", 1, 7},
        {"{} {}", "broken JSON: text that belongs to nothing", 1, 4},
        {"{\"a\": 1,}", "broken JSON: expected a key in double quotes", 1, 9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ph_problems *problems = ph_problems_create();
        CHECK(!parse(cases[i].text, true, problems));
        if (CHECK_EQ_INT(ph_problems_count(problems), 1)) {
            const ph_problem *p = ph_problems_get(problems, 0);
            CHECK_STR(p->text, cases[i].message);
            CHECK_EQ_INT(p->line, cases[i].line);
            CHECK_EQ_INT(p->column, cases[i].column);
        }
        ph_problems_destroy(problems);
    }
}

TEST(nesting_is_bounded)
{
    char deep[2 * DOCUMENT_NESTING_MAX + 8];
    memset(deep, '[', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    ph_problems *problems = ph_problems_create();
    CHECK(!parse(deep, true, problems));
    CHECK_STR(ph_problems_get(problems, 0)->text, "lists and maps are nested too deeply");
    ph_problems_destroy(problems);
}
