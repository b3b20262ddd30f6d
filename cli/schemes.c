// polhode schemes: the integration schemes and what each keeps.

#include "commands.h"
#include "describe.h"
#include "json.h"
#include "options.h"
#include "terminal.h"

#include "polhode/sim.h"

#include <stdio.h>

static void print_table(void)
{
    const colours c = colours_of(stdout);
    printf("%s%-14s %5s  %-48s %s%s\n", c.bold, "name", "order", "keeps", "what it is", c.off);
    for (int i = 0; i < ph_scheme_count(); i++) {
        const ph_scheme_info s = ph_scheme_get(i);
        char traits[DESCRIPTION_ROOM];
        char order[16] = "-"; // of the exact motion
        if (s.order > 0) {
            snprintf(order, sizeof order, "%d", s.order);
        }
        printf("%-14s %5s  %-48s %s\n", s.name, order, describe_traits(s.traits, traits), s.title);
        if (s.aliases) {
            printf("%-21s also called: %s\n", "", s.aliases);
        }
        if (s.options) {
            printf("%-21s options: %s\n", "", s.options);
        }
        printf("%-21s %s%s%s\n", "", c.faint, s.reference, c.off);
    }
    printf("\nkeeps: position, velocity: the joints, to round-off, in positions and in velocities; momentum: what the\n"
           "model's symmetry conserves; symplectic, reversible: no drift of the energy over long times.\n");
}

static void print_json(void)
{
    json j = {.file = stdout};
    json_object(&j, NULL);
    json_array(&j, "schemes");
    for (int i = 0; i < ph_scheme_count(); i++) {
        const ph_scheme_info s = ph_scheme_get(i);
        char traits[DESCRIPTION_ROOM];
        json_object(&j, NULL);
        json_string(&j, "name", s.name);
        json_string(&j, "title", s.title);
        json_integer(&j, "order", s.order);
        json_words(&j, "traits", describe_traits(s.traits, traits));
        json_words(&j, "aliases", s.aliases);
        json_string(&j, "options", s.options);
        json_string(&j, "reference", s.reference);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
    printf("\n");
}

int command_schemes(int count, char **arguments)
{
    bool as_json = false;
    const option table[] = {
        {"json", 0, OPTION_FLAG, &as_json, NULL, "print one JSON object in place of the table"},
    };
    command_line line = {
        .usage = "schemes [OPTIONS]",
        .about = "Lists the integration schemes: name, order, what each keeps, and where it comes from.",
        .examples = "  polhode schemes\n"
                    "  polhode run pendulum.yaml --scheme rattlie\n",
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
