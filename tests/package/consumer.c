// What a program outside the project does first. Its own `suggest` must not collide with a name inside the library.
#include <polhode/polhode.h>

#include <stdio.h>

const char *suggest(void);

const char *suggest(void)
{
    return "mine";
}

int main(void)
{
    ph_problems *problems = ph_problems_create();
    const int count = ph_problems_count(problems);
    ph_problems_destroy(problems);
    printf("polhode %s: %s, %s\n", ph_version(), ph_status_text(PH_OK), suggest());
    return count;
}
