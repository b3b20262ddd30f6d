#include "schemes/device.h"

#include <string.h>

// Devices that this build may know, the option that builds each, and the scheme it offers in place of `moreau`.
#ifdef PH_WITH_CUDA
extern const ph_scheme scheme_moreau_gpu;
#define GPU &scheme_moreau_gpu
#else
#define GPU NULL
#endif
#ifdef PH_WITH_HOST_KERNELS
extern const ph_scheme scheme_moreau_host;
#define HOST &scheme_moreau_host
#else
#define HOST NULL
#endif

#ifdef PH_WITH_MPI // in the program polhode-mpi alone
extern const ph_scheme scheme_moreau_mpi;
#define MPI &scheme_moreau_mpi
#else
#define MPI NULL
#endif

typedef struct device {
    const char *name, *option;
    const ph_scheme *scheme; // NULL: not in this build
} device;

static const device devices[] = {
    {"gpu", "POLHODE_CUDA", GPU}, {"host", "POLHODE_HOST_KERNELS", HOST}, {"mpi", "POLHODE_MPI", MPI}};

const ph_scheme *device_scheme(const char *name, const ph_scheme *scheme, ph_error *error)
{
    if (!name || !*name || strcmp(name, "cpu") == 0) return scheme;
    for (size_t k = 0; k < sizeof devices / sizeof *devices; k++) {
        if (strcmp(devices[k].name, name) != 0) continue;
        if (strcmp(scheme->name, "moreau") != 0) {
            error_set(error, PH_NOT_SUPPORTED, "the device '%s' steps by scheme 'moreau' alone, not by '%s'", name,
                      scheme->name);
            return NULL;
        }
        if (!devices[k].scheme)
            error_set(error, PH_NOT_SUPPORTED,
                      "this build has no device '%s': build with -D%s=ON, or leave the device out", name,
                      devices[k].option);
        return devices[k].scheme;
    }
    error_set(error, PH_NOT_FOUND, "there is no device '%s'; there are cpu and gpu", name);
    return NULL;
}
