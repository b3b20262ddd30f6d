// Expressions: compiled, evaluated, differentiated.

#include "fuzz.h"

#include "expression/expression.h"

#include <math.h>

// a, b and t are variables, l is a constant, and names with a dot belong to joints.
static int look_up(const char *name, double *constant, void *user)
{
    (void)user;
    *constant = 1.5;
    return strcmp(name, "t") == 0   ? 0
           : strcmp(name, "a") == 0 ? 1
           : strchr(name, '.')      ? 2
           : strcmp(name, "l")      ? -1
                                    : -2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const double variables[3] = {0.75, -2.0, 1e3};
    expression_error error = {0};
    arena *memory = arena_create(NULL);
    char *text = malloc(size + 1);
    if (memory && text) {
        memcpy(text, data, size);
        text[size] = '\0';
        const expression *e = expression_compile(text, look_up, NULL, memory, &error);
        if (e) {
            const double value = expression_value(e, variables);
            const expression_jet jet = expression_derivatives(e, variables, 0);
            MUST(value == jet.value || (isnan(value) && isnan(jet.value)));
            MUST(!expression_is_constant(e) || (jet.rate == 0.0 && jet.second == 0.0));
        } else {
            MUST(error.text[0] && error.position >= 0 && (size_t)error.position <= strlen(text));
        }
        expression_is_name(text);
    }
    free(text);
    arena_destroy(memory);
    return 0;
}
