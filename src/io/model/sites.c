// Sites. They are read before joints and forces, which may attach to them.

#include "io/model/reader.h"

#include <assert.h>
#include <string.h>

#define SITE(member) FIELD_AT(ph_site_def, member)

static const field site_fields[] = {
    {"name", read_text, SITE(name), FIELD_REQUIRED},
    {"body", read_body, SITE(body), FIELD_REQUIRED},
    {"position", read_vector, SITE(position)},
    {"orientation", read_orientation, SITE(orientation)},
    {0},
};

const part_table site_table = {"site", "sites", site_fields, NULL, .about = "A named frame on a body."};

// Also after mistakes the site is added, so that indices stay those of the file.
static bool read_one_site(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    static const schema table = {"a site", site_fields, UINT32_MAX, "sites", NULL};
    ph_site_def site = ph_default_site();
    const bool read = read_map(r, n, &table, &site);
    const part_pose *pose = site.body == PH_WORLD ? scope_pose(n->scope) : NULL;
    site.position = pose_point(pose, site.position);
    site.orientation = pose ? ph_quat_mul(pose->orientation, site.orientation) : site.orientation;
    r->out_of_memory = r->out_of_memory || ph_spec_add_site(r->spec, &site) < 0;
    return read;
}

void read_sites(reader *r)
{
    const node *sites = node_find(r->document->root, "sites");
    if (sites) {
        const size_t length = path_enter_key(r, "sites");
        const int before = r->touched;
        read_elements(r, sites, read_one_site, offsetof(ph_spec, site_count));
        path_leave(r, length);
        r->sites_vary = r->touched > before;
    }
}

bool node_site(reader *r, const node *n, const ph_site_def **to)
{
    const char *name = NULL;
    char room[SCOPE_NAME_MAX + 1];
    if (!node_text(r, n, "the name of a site", &name)) {
        return false;
    }
    const int index = names_find(&r->site_names, scope_resolve(n->scope, name, room));
    if (index < 0 || index >= r->spec->site_count) {
        return fail_unknown(r, n,
                            r->site_count ? hint_words(name, r->site_names.names, r->site_count, "the sites are").text
                                          : "sites: [{name: ..., body: ..., position: ...}]",
                            "there is no site '%.60s'", name);
    }
    r->touched += r->sites_vary;
    *to = &r->spec->sites[index];
    return true;
}

bool node_sites(reader *r, const node *n, const ph_site_def *to[2])
{
    if (n->kind != NODE_LIST || n->count != 2) {
        return fail_kind(r, n, "a list of 2 sites");
    }
    return node_site(r, n->entries[0].value, &to[0]) && node_site(r, n->entries[1].value, &to[1]);
}
