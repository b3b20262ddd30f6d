// polhode joints: the joint types and the keys they take.

#include "commands.h"
#include "listing.h"
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

static void print_entry(json *j, int index)
{
    const ph_joint_type_info t = ph_joint_type(index);
    json_string(j, "name", t.name);
    json_string(j, "title", t.title);
    json_integer(j, "rows", t.rows);
    json_integer(j, "coordinates", t.coordinates);
    json_words(j, "keys", t.keys);
}

int command_joints(int count, char **arguments)
{
    static const listing list = {
        .usage = "joints [OPTIONS]",
        .about =
            "Lists the joint types: how many constraint rows and coordinates each has, and its keys in a model file.",
        .examples = "  polhode joints\n",
        .key = "joints",
        .count = ph_joint_type_count,
        .print_table = print_table,
        .print_entry = print_entry,
    };
    return run_listing(&list, count, arguments);
}
