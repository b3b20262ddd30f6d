// polhode schemes: the integration schemes, what each keeps and what can be chosen.

#include "commands.h"
#include "describe.h"
#include "listing.h"
#include "terminal.h"

#include "polhode/sim.h"

#include <stdio.h>

static void print_options(int scheme)
{
    for (int i = 0; i < ph_scheme_options(scheme); i++) {
        const ph_scheme_option o = ph_scheme_option_get(scheme, i);
        printf("%-21s option %s: %s; default %g, from %g to %g\n", "", o.name, o.title, o.value, o.low, o.high);
    }
}

static void print_table(void)
{
    const colours c = colours_of(stdout);
    printf("%s%-14s %5s  %-56s %s%s\n", c.bold, "name", "order", "keeps", "what it is", c.off);
    for (int i = 0; i < ph_scheme_count(); i++) {
        const ph_scheme_info s = ph_scheme_get(i);
        char traits[DESCRIPTION_ROOM];
        char order[16] = "-"; // of the exact motion
        if (s.order > 0) snprintf(order, sizeof order, "%d", s.order);
        printf("%-14s %5s  %-56s %s\n", s.name, order, describe_traits(s.traits, traits), s.title);
        if (s.aliases) printf("%-21s also called: %s\n", "", s.aliases);
        print_options(i);
        printf("%-21s %s%s%s\n", "", c.faint, s.reference, c.off);
    }
    printf("\nkeeps: position, velocity: the joints, to round-off, in positions and in velocities; momentum: what the\n"
           "model's symmetry conserves; symplectic, reversible: no drift of the energy over long times.\n"
           "Options are written --scheme lie-alpha:rho=0.8, or in a model file run: {options: {rho: 0.8}}.\n");
}

static void print_entry(json *j, int index)
{
    const ph_scheme_info s = ph_scheme_get(index);
    char traits[DESCRIPTION_ROOM];
    json_string(j, "name", s.name);
    json_string(j, "title", s.title);
    json_integer(j, "order", s.order);
    json_words(j, "traits", describe_traits(s.traits, traits));
    json_words(j, "aliases", s.aliases);
    json_array(j, "options");
    for (int i = 0; i < ph_scheme_options(index); i++) {
        const ph_scheme_option o = ph_scheme_option_get(index, i);
        json_object(j, NULL);
        json_string(j, "name", o.name);
        json_string(j, "title", o.title);
        json_number(j, "default", o.value);
        json_number(j, "low", o.low);
        json_number(j, "high", o.high);
        json_end_object(j);
    }
    json_end_array(j);
    json_string(j, "reference", s.reference);
}

int command_schemes(int count, char **arguments)
{
    static const listing list = {
        .usage = "schemes [OPTIONS]",
        .about = "Lists the integration schemes: name, order, what each keeps, its options, and where it comes from.",
        .examples = "  polhode schemes\n"
                    "  polhode run pendulum.yaml --scheme lie-alpha:rho=0.8\n",
        .key = "schemes",
        .count = ph_scheme_count,
        .print_table = print_table,
        .print_entry = print_entry,
    };
    return run_listing(&list, count, arguments);
}
