# One set of objects, two libraries. Every src/<folder>/*.c belongs to it; a new file needs no edit here.
# Files with `yaml`, `hdf5`, `zlib` or `expat` in their name are left out when the option is off.

file(GLOB polhode_sources CONFIGURE_DEPENDS src/*/*.c src/*/*/*.c)
if(NOT POLHODE_WITH_YAML)
    list(FILTER polhode_sources EXCLUDE REGEX "/src/.*/[^/]*yaml[^/]*$")
endif()
if(NOT POLHODE_WITH_HDF5)
    list(FILTER polhode_sources EXCLUDE REGEX "/src/.*/[^/]*hdf5[^/]*$")
endif()
if(NOT POLHODE_WITH_EXPAT)
    list(FILTER polhode_sources EXCLUDE REGEX "/src/.*/[^/]*expat[^/]*$")
endif()
if(NOT POLHODE_WITH_ZLIB)
    list(FILTER polhode_sources EXCLUDE REGEX "/src/.*/[^/]*zlib[^/]*$")
else() # the built viewer lies inside the library
    set(polhode_page ${PROJECT_SOURCE_DIR}/viewer/dist/page.html)
    set_source_files_properties(src/io/page/template_zlib.c PROPERTIES
        COMPILE_DEFINITIONS "PAGE_FILE=\"${polhode_page}\"" OBJECT_DEPENDS ${polhode_page})
endif()

# Devices: a folder of their own above the core, which finds them by name (src/schemes/device.c).
if(POLHODE_CUDA)
    enable_language(CUDA)
    list(APPEND polhode_sources gpu/scheme_card.c gpu/clusters.c gpu/scheme_cuda.c)
elseif(POLHODE_HOST_KERNELS)
    list(APPEND polhode_sources gpu/scheme_card.c gpu/clusters.c)
endif()
if(POLHODE_HOST_KERNELS)
    list(APPEND polhode_sources gpu/scheme_host.c gpu/card_host.c)
endif()

add_library(polhode_objects OBJECT ${polhode_sources})
set_target_properties(polhode_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(polhode_objects PUBLIC include src)
target_compile_definitions(polhode_objects PRIVATE POLHODE_VERSION="${PROJECT_VERSION}")
if(WIN32) # programs that use it need no mark, since it has no public variables
    target_compile_definitions(polhode_objects PRIVATE PH_API=__declspec\(dllexport\))
endif()
# Nobody replaces our functions at load time, so that calls among them may be direct and inlined.
target_compile_options(polhode_objects PRIVATE -fno-semantic-interposition)
target_link_libraries(polhode_objects PRIVATE polhode_flags polhode_dependencies)
if(POLHODE_CUDA)
    target_compile_definitions(polhode_objects PRIVATE PH_WITH_CUDA)
    # Nothing is contracted, so that the card and the processor find the same bits.
    add_library(polhode_card OBJECT gpu/card_cuda.cu)
    target_compile_options(polhode_card PRIVATE -fmad=false -std=c++17 -O3 --expt-relaxed-constexpr)
    set_target_properties(polhode_card PROPERTIES POSITION_INDEPENDENT_CODE ON
        CUDA_ARCHITECTURES "${POLHODE_CUDA_ARCHITECTURES}")
    set(polhode_card_objects $<TARGET_OBJECTS:polhode_card>)
endif()
if(POLHODE_HOST_KERNELS)
    target_compile_definitions(polhode_objects PRIVATE PH_WITH_HOST_KERNELS)
endif()

# Where the library looks for its helper (src/io/result/helper_hdf5.c), besides the folder it lies in.
file(RELATIVE_PATH helper_from_library ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_LIBEXECDIR})
file(RELATIVE_PATH helper_from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBEXECDIR})
set_source_files_properties(src/io/result/helper_hdf5.c PROPERTIES COMPILE_DEFINITIONS
    "HELPER_FROM_LIBRARY=\"${helper_from_library}/polhode/polhode-hdf5\";\
HELPER_FROM_PROGRAM=\"${helper_from_program}/polhode/polhode-hdf5\";\
HELPER_INSTALLED=\"${CMAKE_INSTALL_FULL_LIBEXECDIR}/polhode/polhode-hdf5\";\
HELPER_BUILT=\"${PROJECT_BINARY_DIR}/polhode-hdf5\"")

# Kernels for more than the machine's least; which of them runs is decided there. No vectoriser: it fuses multiplications
# and additions, and the text is in vectors already.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set_source_files_properties(src/heap/kernels_single_avx2.c src/heap/kernels_double_avx2.c
        PROPERTIES COMPILE_OPTIONS "-mavx2;-mno-fma")
    set_source_files_properties(src/heap/kernels_single_avx512.c src/heap/kernels_double_avx512.c
        PROPERTIES COMPILE_OPTIONS "-mavx512f;-mavx512vl;-mavx512dq")
endif()
set_property(SOURCE
    src/heap/kernels_single_base.c src/heap/kernels_single_avx2.c src/heap/kernels_single_avx512.c
    src/heap/kernels_double_base.c src/heap/kernels_double_avx2.c src/heap/kernels_double_avx512.c
    APPEND PROPERTY COMPILE_OPTIONS -fno-tree-vectorize -fno-tree-slp-vectorize -Wno-psabi) # all calls are inlined

function(polhode_public_library target)
    add_library(polhode::${target} ALIAS ${target})
    target_include_directories(${target} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:polhode_flags> $<BUILD_INTERFACE:polhode_dependencies>)
endfunction()

# Shared: exports what the headers mark PH_API and nothing else.
add_library(polhode SHARED $<TARGET_OBJECTS:polhode_objects> ${polhode_card_objects})
polhode_public_library(polhode)
set_target_properties(polhode PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(POLHODE_CUDA)
    find_package(CUDAToolkit REQUIRED)
    target_link_libraries(polhode_dependencies INTERFACE CUDA::cudart_static stdc++)
endif()
target_link_options(polhode PRIVATE ${polhode_as_needed})
if(POLHODE_HAS_SYMBOLIC)
    target_link_options(polhode PRIVATE -Wl,-Bsymbolic-functions)
endif()

# Static: all objects joined into one whose internal names are made local, so that they cannot collide with a program's. Only
# binutils do that: built by zig, or for Windows and macOS, the library is an archive as usual.
if(POLHODE_HAS_SYMBOLIC)
    set(polhode_joined ${CMAKE_CURRENT_BINARY_DIR}/polhode.o)
    add_custom_command(OUTPUT ${polhode_joined}
        COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${polhode_joined} $<TARGET_OBJECTS:polhode_objects>
        COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${polhode_joined}
        DEPENDS polhode_objects $<TARGET_OBJECTS:polhode_objects>
        COMMAND_EXPAND_LISTS VERBATIM)
    add_library(polhode_static STATIC ${polhode_joined} ${polhode_card_objects}) # C++ keeps names of its own
else()
    add_library(polhode_static STATIC $<TARGET_OBJECTS:polhode_objects> ${polhode_card_objects})
endif()
polhode_public_library(polhode_static)
set_target_properties(polhode_static PROPERTIES OUTPUT_NAME polhode LINKER_LANGUAGE C)

# For the tests: the same objects with their internal names.
add_library(polhode_internal STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:polhode_objects> ${polhode_card_objects})
target_include_directories(polhode_internal PUBLIC include src)
target_link_libraries(polhode_internal PUBLIC polhode_flags polhode_dependencies)
if(POLHODE_HOST_KERNELS)
    target_compile_definitions(polhode_internal PUBLIC PH_WITH_HOST_KERNELS)
endif()
