# Compiler flags, collected in the target polhode_flags that every target of the project links privately;
# polhode_portable_flags are the same without what is tuned for this machine.
#
# Same input, same bits: contraction is off, nothing of -ffast-math is on. -fno-math-errno and -fno-trapping-math give up
# errno and exception flags only; no value changes.

if(NOT CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" OR CMAKE_C_COMPILER_FRONTEND_VARIANT STREQUAL "MSVC")
    message(FATAL_ERROR "Polhode needs gcc or clang, and ${CMAKE_C_COMPILER_ID} was found: it would round elsewhere. On Windows: zig or "
        "mingw-w64, see docs/platforms.md")
endif()
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")

add_library(polhode_portable_flags INTERFACE)
add_library(polhode_flags INTERFACE)
target_link_libraries(polhode_flags INTERFACE polhode_portable_flags)
target_compile_features(polhode_portable_flags INTERFACE c_std_17)
set(CMAKE_C_EXTENSIONS OFF)
target_compile_definitions(polhode_portable_flags INTERFACE _XOPEN_SOURCE=700)
target_compile_options(polhode_portable_flags INTERFACE
    -ffp-contract=off -fno-math-errno -fno-trapping-math -fvisibility=hidden
    -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
    -Wall -Wextra -Wpedantic $<$<C_COMPILER_ID:GNU>:-Wshadow=local> -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes
    $<$<C_COMPILER_ID:GNU>:-Wdouble-promotion> -Wvla -Wundef) # clang takes INFINITY for a float that is promoted
# Sanitizers confuse the compiler's analysis: warnings that appear only under them are not errors.
if(POLHODE_WERROR AND NOT POLHODE_SANITIZE)
    target_compile_options(polhode_portable_flags INTERFACE -Werror)
endif()
if(POLHODE_NATIVE)
    target_compile_options(polhode_flags INTERFACE -march=native)
    # GCC's vectoriser makes fused multiply-add-subtract of x*y -+ z pairs also with -ffp-contract=off. Without the
    # instructions it cannot; AVX-512 brings its own.
    include(CheckCCompilerFlag)
    check_c_compiler_flag("-mno-fma -mno-avx512f" POLHODE_HAS_NO_FMA)
    if(POLHODE_HAS_NO_FMA)
        target_compile_options(polhode_flags INTERFACE -mno-fma -mno-avx512f)
    endif()
endif()
if(POLHODE_SANITIZE)
    target_compile_options(polhode_flags INTERFACE
        -fsanitize=${POLHODE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    if(POLHODE_SANITIZE MATCHES memory) # where what is unset came from
        target_compile_options(polhode_flags INTERFACE -fsanitize-memory-track-origins)
    endif()
    target_link_options(polhode_flags INTERFACE -fsanitize=${POLHODE_SANITIZE})
endif()

# What linkers of other systems, and zig, do not know.
include(CheckLinkerFlag)
check_linker_flag(C -Wl,-Bsymbolic-functions POLHODE_HAS_SYMBOLIC)
set(polhode_as_needed "")
if(POLHODE_HAS_SYMBOLIC)
    set(polhode_as_needed -Wl,--as-needed)
endif()
