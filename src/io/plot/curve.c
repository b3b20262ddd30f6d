// Finding quantities by name.

#include "io/plot/curve.h"

#include <stdio.h>
#include <string.h>

ph_curves *ph_curves_create(ph_result *result)
{
    if (!result) return NULL;
    arena *memory = arena_create(NULL);
    ph_curves *all = memory ? arena_alloc(memory, sizeof *all) : NULL;
    if (!all) {
        arena_destroy(memory);
        return NULL;
    }
    *all = (ph_curves){.result = result, .memory = memory};
    curves_list(all);
    if (all->failed) {
        ph_curves_destroy(all);
        return NULL;
    }
    return all;
}

void ph_curves_destroy(ph_curves *all)
{
    if (all) {
        mem_free(NULL, all->list);
        arena_destroy(all->memory);
    }
}

int ph_curves_count(const ph_curves *all)
{
    return all ? all->count : 0;
}

ph_curve ph_curves_get(const ph_curves *all, int index)
{
    return all && index >= 0 && index < all->count ? all->list[index].about : (ph_curve){"", "", "", "", ""};
}

// ---- Names ----------------------------------------------------------------------------------------------------------

static char fold(char c)
{
    return c == '/' ? '.' : c;
}

// How many of the first characters are the same.
static size_t common(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && fold(a[n]) == fold(b[n])) {
        n++;
    }
    return n;
}

static int find_exactly(const ph_curves *all, const char *name)
{
    for (int i = 0; i < all->count; i++) {
        const char *known = all->list[i].about.name;
        const size_t n = common(name, known);
        if (!name[n] && !known[n]) {
            return i;
        }
    }
    return PH_NONE;
}

// Endings of the columns of a CSV result, and ours.
static const char *const short_names[][2] = {
    {".x", ".position.x"},          {".y", ".position.y"},          {".z", ".position.z"},
    {".vx", ".velocity.x"},         {".vy", ".velocity.y"},         {".vz", ".velocity.z"},
    {".wx", ".angular_velocity.x"}, {".wy", ".angular_velocity.y"}, {".wz", ".angular_velocity.z"},
    {".qw", ".orientation.w"},      {".qx", ".orientation.x"},      {".qy", ".orientation.y"},
    {".qz", ".orientation.z"},
};

static int find_short(const ph_curves *all, const char *name)
{
    enum { ROOM = 512 };
    char text[ROOM + 64];
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof short_names / sizeof short_names[0]; i++) {
        const size_t n = strlen(short_names[i][0]);
        if (length > n && length < ROOM && strcmp(name + length - n, short_names[i][0]) == 0) {
            snprintf(text, sizeof text, "%.*s%s", (int)(length - n), name, short_names[i][1]);
            return find_exactly(all, text);
        }
    }
    return PH_NONE;
}

static const char *without_prefix(const char *name)
{
    name += *name == '/';
    return strncmp(name, "bodies.", 7) == 0 || strncmp(name, "bodies/", 7) == 0 ? name + 7 : name;
}

int ph_curves_find(const ph_curves *all, const char *name)
{
    if (!all || !name) return PH_NONE;
    int found = find_exactly(all, name);
    found = found != PH_NONE ? found : find_exactly(all, without_prefix(name));
    return found != PH_NONE ? found : find_short(all, name);
}

int ph_curves_match(const ph_curves *all, const char *name, int *list, int room)
{
    if (!all || !name || (!list && room > 0)) return 0;
    const int found = ph_curves_find(all, name);
    const char *begin = without_prefix(name);
    int count = 0;
    if (found != PH_NONE) {
        if (room > 0) {
            list[0] = found;
        }
        return 1;
    }
    for (int i = 0; i < all->count; i++) {
        const char *known = all->list[i].about.name;
        const size_t n = common(begin, known);
        if (!begin[n] && known[n] == '.' && !strchr(known + n + 1, '.') && !all->list[i].extra) {
            if (count < room) {
                list[count] = i;
            }
            count++;
        }
    }
    return count;
}

const char *ph_curves_suggest(const ph_curves *all, const char *name)
{
    if (!all || !name) return NULL;
    const char **names = mem_alloc_array(NULL, (size_t)all->count, sizeof *names);
    for (int i = 0; names && i < all->count; i++) {
        names[i] = all->list[i].about.name;
    }
    const char *near = names ? ph_suggest(without_prefix(name), names, all->count) : NULL;
    mem_free(NULL, names);
    return near;
}
