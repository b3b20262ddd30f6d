// The motions that a comparison records, and the page that shows them together. See compare_page.h.

#include "compare_page.h"

#include "base/system.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

static bool is_taken(const compare_page *page, const char *name)
{
    for (int i = 0; i < page->count; i++)
        if (strcmp(page->names[i], name) == 0) return true;
    return false;
}

// Letters that a file name may have anywhere; the others become '_'.
static void clean(char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
    for (char *c = text; *c; c++) *c = strchr(plain, *c) ? *c : '_';
}

static bool add_name(compare_page *page, const char *trial)
{
    const size_t room = strlen(trial) + 16, path_room = strlen(page->folder) + room + 2;
    char *name = malloc(room), *path = malloc(path_room);
    if (!name || !path) {
        free(name);
        free(path);
        return false;
    }
    snprintf(name, room, "%s", trial);
    clean(name);
    const size_t length = strlen(name);
    snprintf(name + length, room - length, ".h5");
    for (int i = 2; is_taken(page, name); i++) // the same trial once more
        snprintf(name + length, room - length, "_%d.h5", i);
    snprintf(path, path_room, "%s/%s", page->folder, name);
    page->names[page->count] = name;
    page->paths[page->count++] = path;
    return true;
}

bool compare_page_begin(compare_page *page, const char *folder, const text_list *trials)
{
    *page = (compare_page){.folder = folder};
    bool good = true;
    for (int i = 0; good && ph_page_supported() && i < trials->count; i++) {
        good = add_name(page, trials->texts[i]);
        if (good) system_remove(page->paths[i]); // one of an earlier comparison
    }
    return good;
}

static bool write_page(const char *folder, const char *const *results, int count)
{
    const size_t room = strlen(folder) + sizeof "/page.html";
    char *path = malloc(room);
    ph_page_def def = ph_default_page();
    ph_error error = {.text = "out of memory"};
    def.results = results;
    def.result_count = count;
    def.folder = "/"; // the results are our own, of a moment ago
    if (path) snprintf(path, room, "%s/page.html", folder);
    const bool good = path && ph_page_write(path, &def, NULL, &error) == PH_OK;
    if (!good) print_error("%s", error.text);
    free(path);
    return good;
}

bool compare_page_write(const compare_page *page, const ph_comparison *comparison, text_list *written)
{
    const char *results[TEXT_LIST_MAX];
    int count = 0;
    for (int i = 0; i < page->count && i < comparison->trial_count; i++) {
        if (system_may(page->paths[i], SYSTEM_READ) && comparison->trials[i].summary.steps > 0) {
            results[count++] = page->paths[i];
            written->texts[written->count++] = page->names[i];
        }
    }
    if (count == 0) return true;
    const bool good = write_page(page->folder, results, count);
    if (good) written->texts[written->count++] = "page.html";
    return good;
}

void compare_page_free(compare_page *page)
{
    for (int i = 0; i < page->count; i++) {
        free(page->names[i]);
        free(page->paths[i]);
    }
}
