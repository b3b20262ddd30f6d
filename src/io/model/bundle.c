// A model and all files that it includes in one text: what results, pages and FMUs hold. It keeps its parameters.
#include "io/model/reader.h"
#include "io/model/text.h"

#include <string.h>

static void put_files(model_text *t, const node *given, const document *included)
{
    text_map(t, "files");
    for (int i = 0; given && given->kind == NODE_MAP && i < given->count; i++) {
        text_node(t, given->entries[i].key->text, given->entries[i].value, false);
    }
    for (const document *d = included; d; d = d->next) {
        text_node(t, d->path, d->root, false);
    }
    text_end_map(t);
}

static char *bundle_of(const node *root, const document *included)
{
    model_text t = {0};
    text_root(&t);
    for (int i = 0; i < root->count; i++) {
        const char *key = root->entries[i].key->text;
        if (strcmp(key, "files") != 0) text_node(&t, key, root->entries[i].value, true);
    }
    put_files(&t, node_find(root, "files"), included);
    text_end_root(&t);
    if (!t.failed) return t.text;
    mem_free(NULL, t.text);
    return NULL;
}

bool reader_keep_text(reader *r, const node *root)
{
    const bool alone = r->includes == 0 || r->errors > 0;
    char *bundle = alone ? NULL : bundle_of(root, r->document->next);
    const bool kept = (alone || bundle) && ph_spec_set_text(r->spec, bundle ? bundle : r->document->text) == PH_OK;
    mem_free(NULL, bundle);
    return kept;
}
