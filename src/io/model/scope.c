#include "io/model/scope.h"

#include "polhode/spec.h"

#include <stdio.h>
#include <string.h>

const char *scope_tell(const scope *s, const char *text, arena *memory)
{
    char story[256] = "";
    size_t used = 0;
    for (; s; s = s->outer) {
        if (s->story && used < sizeof story) {
            used += (size_t)snprintf(story + used, sizeof story - used, "%s%s", used ? ", " : "", s->story);
        }
    }
    if (!*story) {
        return text;
    }
    const size_t bytes = strlen(text) + strlen(story) + 8;
    char *told = arena_alloc(memory, bytes);
    if (told) {
        snprintf(told, bytes, "%s (%s)", text, story);
    }
    return told ? told : text;
}

// ---- Values ---------------------------------------------------------------------------------------------------------

static const constant *find_plain(const scope *s, const constants *file, const char *name)
{
    for (; s; s = s->outer) {
        const int index = names_find(&s->values.names, name);
        if (index >= 0 && index < s->values.count) {
            return &s->values.values[index];
        }
        if (s->sealed) {
            return NULL;
        }
    }
    const int index = file->names.slots ? names_find(&file->names, name) : PH_NONE;
    return index >= 0 && index < file->count ? &file->values[index] : NULL;
}

const constant *scope_find(const scope *s, const constants *file, const char *name, constant *room)
{
    const constant *found = find_plain(s, file, name);
    const char *dot = found ? NULL : strrchr(name, '.');
    char base[128];
    if (!dot || !dot[1] || dot[2] || (size_t)(dot - name) >= sizeof base || dot[1] < 'x' || dot[1] > 'z') {
        return found;
    }
    memcpy(base, name, (size_t)(dot - name));
    base[dot - name] = '\0';
    const constant *list = scope_find(s, file, base, room);
    const int entry = dot[1] - 'x';
    if (!list || list->kind != CONSTANT_LIST || entry >= list->count) {
        return NULL;
    }
    const bool varies = list->varies;
    *room = list->items[entry];
    room->varies |= varies;
    return room;
}

// ---- Names ----------------------------------------------------------------------------------------------------------

const char *scope_resolve(const scope *s, const char *name, char room[SCOPE_NAME_MAX + 1])
{
    for (; s; s = s->outer) {
        const node *alias = s->is_part && s->aliases ? node_find(s->aliases, name) : NULL;
        if (alias && alias->kind == NODE_SCALAR) {
            name = alias->text; // as the outer scope means it
        } else if (s->is_part && names_find(&s->own, name) >= 0) {
            snprintf(room, SCOPE_NAME_MAX + 1, "%s%s", s->prefix, name);
            return room;
        }
    }
    return name;
}

const char *scope_prefix(const scope *s)
{
    while (s && !s->is_part) {
        s = s->outer;
    }
    return s ? s->prefix : "";
}

const part_pose *scope_pose(const scope *s)
{
    while (s && !s->is_part) {
        s = s->outer;
    }
    return s ? s->pose : NULL;
}

const char *scope_folder(const scope *s)
{
    while (s && !s->is_part) {
        s = s->outer;
    }
    return s ? s->folder : "";
}

ph_vec3 pose_point(const part_pose *pose, ph_vec3 x)
{
    return pose ? ph_add(pose->position, ph_quat_rotate(pose->orientation, x)) : x;
}

ph_vec3 pose_turn(const part_pose *pose, ph_vec3 v)
{
    return pose ? ph_quat_rotate(pose->orientation, v) : v;
}
