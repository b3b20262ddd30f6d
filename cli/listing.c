// Commands that list what there is. See listing.h.

#include "listing.h"

#include "commands.h"
#include "options.h"

static void print_json(const listing *list)
{
    json j = {.file = stdout};
    json_object(&j, NULL);
    json_array(&j, list->key);
    for (int i = 0; i < list->count(); i++) {
        json_object(&j, NULL);
        list->print_entry(&j, i);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_close(&j);
}

int run_listing(const listing *list, int count, char **arguments)
{
    bool as_json = false;
    const option table[] = {
        {"json", 0, OPTION_FLAG, &as_json, NULL, "print one JSON object in place of the table"},
    };
    command_line line = {
        .usage = list->usage,
        .about = list->about,
        .examples = list->examples,
        .options = table,
        .option_count = sizeof table / sizeof table[0],
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    if (as_json)
        print_json(list);
    else
        list->print_table();
    return EXIT_DONE;
}
