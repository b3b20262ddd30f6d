# The core as WebAssembly, for pages that simulate (polhode view MODEL -o page.html) and the npm package. Made when asked for, where
# Debian's clang, lld, wasi-libc and libclang-rt-14-dev-wasm32 are: by ./run view, by the test browser/simulate, or by
# `cmake --build build/release --target polhode_wasm`.
#
# Small where it may be, fast where it must: what steps of heaps spend their time in is built with -O2. Only the heap's kernels, whose
# text is in vectors, use those of WebAssembly: where clang 14 makes vectors by itself, it changes bits (lie-alpha, rolling joints).

find_program(POLHODE_WASM_CLANG NAMES clang-14 clang)
find_program(POLHODE_WASM_LD NAMES wasm-ld wasm-ld-14)
if(NOT POLHODE_WASM_CLANG OR NOT POLHODE_WASM_LD OR NOT EXISTS /usr/include/wasm32-wasi/stdlib.h OR POLHODE_SANITIZE)
    return()
endif()

file(GLOB polhode_wasm_sources CONFIGURE_DEPENDS wasm/*.c src/live/*.c)
list(APPEND polhode_wasm_sources ${polhode_core_sources} ${PROJECT_SOURCE_DIR}/fmu/without_robots.c
    ${PROJECT_SOURCE_DIR}/src/io/page/scene.c ${PROJECT_SOURCE_DIR}/src/io/page/text.c)
list(FILTER polhode_wasm_sources EXCLUDE REGEX "_avx[0-9]+\\.c$|/src/run/|/src/adjoint/")

set(polhode_wasm_dir ${CMAKE_CURRENT_BINARY_DIR}/wasm)
set(polhode_wasm_file ${polhode_wasm_dir}/polhode.wasm)
set(polhode_wasm_flags --target=wasm32-wasi -std=c17 -ffp-contract=off -fno-math-errno -fno-trapping-math
    -fvisibility=hidden -ffunction-sections -fdata-sections -D_XOPEN_SOURCE=700 -D_WASI_EMULATED_MMAN -D_WASI_EMULATED_SIGNAL
    -DNDEBUG -DPH_API= -DPOLHODE_VERSION=\"${PROJECT_VERSION}\" -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src
    -I${PROJECT_SOURCE_DIR} -w)
set(polhode_wasm_objects "")
foreach(source ${polhode_wasm_sources})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
    string(REPLACE "/" "_" object ${name})
    set(object ${polhode_wasm_dir}/objects/${object}.o)
    set(speed -Oz)
    if(name MATCHES "^src/(heap|math)/|^src/collide/(broad|grid|detector|pair_sphere|pair_plane|tree)")
        set(speed -O2)
    endif()
    if(name MATCHES "^src/heap/kernels_")
        list(APPEND speed -msimd128 -fno-vectorize -fno-slp-vectorize)
    endif()
    add_custom_command(OUTPUT ${object}
        COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${POLHODE_WASM_CLANG} ${polhode_wasm_flags} ${speed} -MD -MF ${object}.d -c ${source} -o ${object}
        DEPENDS ${source} DEPFILE ${object}.d COMMENT "Compiling ${name} for WebAssembly" VERBATIM)
    list(APPEND polhode_wasm_objects ${object})
endforeach()
file(MAKE_DIRECTORY ${polhode_wasm_dir}/objects)
add_custom_command(OUTPUT ${polhode_wasm_file}
    COMMAND ${POLHODE_WASM_CLANG} --target=wasm32-wasi -mexec-model=reactor -Wl,--gc-sections,-s,-z,stack-size=1048576
        ${polhode_wasm_objects} -o ${polhode_wasm_file} -lwasi-emulated-mman -lm
    DEPENDS ${polhode_wasm_objects} COMMENT "The core as WebAssembly" VERBATIM)
add_custom_target(polhode_wasm DEPENDS ${polhode_wasm_file})

install(FILES ${polhode_wasm_file} OPTIONAL DESTINATION ${CMAKE_INSTALL_LIBDIR}/polhode)
