// polhode joints: the joint types and the keys they take.

#include "commands.h"
#include "json.h"
#include "options.h"
#include "terminal.h"

#include "polhode/model.h"

static void print_table(void)
{
    const colours c = colours_of(stdout);
    printf("%s%-15s %5s %12s  %s%s\n", c.bold, "type", "rows", "coordinates", "what it is", c.off);
    for (int i = 0; i < ph_joint_type_count(); i++) {
        const ph_joint_type_info t = ph_joint_type(i);
        printf("%-15s %5d %12d  %s\n", t.name, t.rows, t.coordinates, t.title);
        printf("%-36s%skeys: %s%s\n", "", c.faint, t.keys, c.off);
    }
    printf("\nrows: constraint equations, so many freedoms of relative motion fewer than six.\n"
           "coordinates: angles and lengths that are measured, limited and driven.\n");
}

static void print_json(void)
{
    json j = {.file = stdout};
    json_object(&j, NULL);
    json_array(&j, "joints");
    for (int i = 0; i < ph_joint_type_count(); i++) {
        const ph_joint_type_info t = ph_joint_type(i);
        json_object(&j, NULL);
        json_string(&j, "name", t.name);
        json_string(&j, "title", t.title);
        json_integer(&j, "rows", t.rows);
        json_integer(&j, "coordinates", t.coordinates);
        json_words(&j, "keys", t.keys);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
    printf("\n");
}

int command_joints(int count, char **arguments)
{
    bool as_json = false;
    const option table[] = {
        {"json", 0, OPTION_FLAG, &as_json, NULL, "print one JSON object in place of the table"},
    };
    command_line line = {
        .usage = "joints [OPTIONS]",
        .about =
            "Lists the joint types: how many constraint rows and coordinates each has, and its keys in a model file.",
        .examples = "  polhode joints\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) {
        return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    }
    as_json ? print_json() : print_table();
    return EXIT_DONE;
}
