// polhode schema: what editors need to complete and check model files.

#include "commands.h"
#include "options.h"
#include "terminal.h"

#include "polhode/polhode.h"

#include <stdio.h>
#include <stdlib.h>

int command_schema(int count, char **arguments)
{
    command_line line = {
        .usage = "schema",
        .about = "Prints the JSON schema of the model file. Editors that know the YAML language server use it where a\n"
                 "file begins with   # yaml-language-server: $schema=polhode.schema.json",
        .examples = "  polhode schema > polhode.schema.json\n",
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    const int length = ph_model_schema(NULL, 0);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (!text) {
        print_error("%s", ph_status_text(PH_OUT_OF_MEMORY));
        return EXIT_FAILED;
    }
    ph_model_schema(text, (size_t)length + 1);
    fputs(text, stdout);
    free(text);
    return EXIT_DONE;
}
