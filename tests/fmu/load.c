// Loads the library of an FMU 3.0, as an importer of its system does, and prints a motion to the last bit.
//
//   load LIBRARY RESOURCES TOKEN STEP COUNT REFERENCE...      numbers of variables as in modelDescription.xml
#include "fmu/fmi3.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef _WIN32
#include <windows.h>
static void *library_open(const char *path)
{
    return (void *)LoadLibraryA(path);
}
static void *library_find(void *library, const char *name)
{
    return (void *)GetProcAddress((HMODULE)library, name);
}
#else
#include <dlfcn.h>
static void *library_open(const char *path)
{
    return dlopen(path, RTLD_NOW);
}
static void *library_find(void *library, const char *name)
{
    return dlsym(library, name);
}
#endif

enum { MOST = 16 };

static void print_log(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message)
{
    (void)environment, (void)status, (void)category;
    fprintf(stderr, "%s\n", message);
}

static void *find(void *library, const char *name)
{
    void *found = library_find(library, name);
    if (!found) fprintf(stderr, "there is no %s\n", name);
    if (!found) exit(3);
    return found;
}

static fmi3Instance begin(void *library, char **arguments)
{
    fmi3Instance (*make)(fmi3String, fmi3String, fmi3String, bool, bool, bool, bool, const fmi3ValueReference[], size_t,
                         fmi3InstanceEnvironment, fmi3LogMessageCallback, fmi3IntermediateUpdateCallback) =
        find(library, "fmi3InstantiateCoSimulation");
    fmi3Status (*enter)(fmi3Instance, bool, double, double, bool, double) =
        find(library, "fmi3EnterInitializationMode");
    fmi3Status (*leave)(fmi3Instance) = find(library, "fmi3ExitInitializationMode");
    const fmi3Instance one =
        make("one", arguments[3], arguments[2], false, true, false, false, NULL, 0, NULL, print_log, NULL);
    return one && enter(one, false, 0.0, 0.0, false, 0.0) == fmi3OK && leave(one) == fmi3OK ? one : NULL;
}

static int move(void *library, fmi3Instance one, double step, int count, const fmi3ValueReference *of, size_t n)
{
    fmi3Status (*advance)(fmi3Instance, double, double, bool, bool *, bool *, bool *, double *) =
        find(library, "fmi3DoStep");
    fmi3Status (*get)(fmi3Instance, const fmi3ValueReference[], size_t, double[], size_t) =
        find(library, "fmi3GetFloat64");
    for (int k = 0; k < count; k++) {
        bool event, end, early;
        double reached, values[MOST];
        if (advance(one, k * step, step, true, &event, &end, &early, &reached) != fmi3OK) return 5;
        if (get(one, of, n, values, n) != fmi3OK) return 6;
        for (size_t i = 0; i < n; i++) printf("%.17g%s", values[i], i + 1 < n ? " " : "\n");
    }
    return 0;
}

int main(int count, char **arguments)
{
    fmi3ValueReference of[MOST];
    size_t n = 0;
    if (count < 7) return 2;
    for (int k = 6; k < count && n < MOST; k++) of[n++] = (fmi3ValueReference)atoi(arguments[k]);
    void *library = library_open(arguments[1]);
    if (!library) fprintf(stderr, "%s cannot be loaded\n", arguments[1]);
    if (!library) return 1;
    const fmi3Instance one = begin(library, arguments);
    return one ? move(library, one, atof(arguments[4]), atoi(arguments[5]), of, n) : 4;
}
