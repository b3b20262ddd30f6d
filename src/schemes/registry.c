// The table of schemes. A new one is its file and its line here; the order is that of listings.
#include "schemes/scheme.h"

#define SCHEMES(X)                                                                                                     \
    X(rattlie)                                                                                                         \
    X(lgvi)                                                                                                            \
    X(rattlie_del)                                                                                                     \
    X(lgvi_del)                                                                                                        \
    X(matrix_rattle)                                                                                                   \
    X(quat_fem)                                                                                                        \
    X(quat_fem_4)                                                                                                      \
    X(rattlie4)                                                                                                        \
    X(rattlie6)                                                                                                        \
    X(rattlie8)                                                                                                        \
    X(lie_alpha)                                                                                                       \
    X(lie_alpha_2)                                                                                                     \
    X(bliedf2)                                                                                                         \
    X(multistep6)                                                                                                      \
    X(multistep8)                                                                                                      \
    X(dop853)                                                                                                          \
    X(rkmk4)                                                                                                           \
    X(clifford)                                                                                                        \
    X(clifford_vi)                                                                                                     \
    X(rk4)                                                                                                             \
    X(rattlie_ns)                                                                                                      \
    X(moreau)                                                                                                          \
    X(exact)

#define SCHEME_EXTERN(name) extern const ph_scheme scheme_##name;
SCHEMES(SCHEME_EXTERN)

#define SCHEME_ENTRY(name) &scheme_##name,
const ph_scheme *const schemes[] = {SCHEMES(SCHEME_ENTRY) NULL};
