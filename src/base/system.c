// What follows from the calls of the system alone. See system.h.

#include "base/system.h"

bool system_is_folder(const char *path)
{
    system_facts facts;
    return system_look(path, &facts) && facts.kind == SYSTEM_FOLDER;
}

bool system_same_file(const char *a, const char *b)
{
    system_facts of_a, of_b;
    return system_look(a, &of_a) && system_look(b, &of_b) && of_a.device == of_b.device && of_a.number == of_b.number;
}
