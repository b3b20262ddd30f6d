# One set of objects, two libraries. Every src/<folder>/*.c belongs to it; a new file needs no edit here.
# Files with `yaml` or `hdf5` in their name are left out when the option is off.

file(GLOB polhode_sources CONFIGURE_DEPENDS src/*/*.c)
if(NOT POLHODE_WITH_YAML)
    list(FILTER polhode_sources EXCLUDE REGEX "/src/[^/]*/[^/]*yaml[^/]*$")
endif()
if(NOT POLHODE_WITH_HDF5)
    list(FILTER polhode_sources EXCLUDE REGEX "/src/[^/]*/[^/]*hdf5[^/]*$")
endif()

add_library(polhode_objects OBJECT ${polhode_sources})
set_target_properties(polhode_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(polhode_objects PUBLIC include src)
target_compile_definitions(polhode_objects PRIVATE POLHODE_VERSION="${PROJECT_VERSION}")
target_link_libraries(polhode_objects PRIVATE polhode_flags polhode_dependencies)

function(polhode_public_headers target)
    target_include_directories(${target} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

add_library(polhode SHARED $<TARGET_OBJECTS:polhode_objects>)
add_library(polhode::polhode ALIAS polhode)
set_target_properties(polhode PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
polhode_public_headers(polhode)
target_link_options(polhode PRIVATE -Wl,--as-needed)
target_link_libraries(polhode PRIVATE $<BUILD_INTERFACE:polhode_flags> $<BUILD_INTERFACE:polhode_dependencies>)

add_library(polhode_static STATIC $<TARGET_OBJECTS:polhode_objects>)
add_library(polhode::polhode_static ALIAS polhode_static)
set_target_properties(polhode_static PROPERTIES OUTPUT_NAME polhode)
polhode_public_headers(polhode_static)
target_link_libraries(polhode_static PRIVATE $<BUILD_INTERFACE:polhode_flags> $<BUILD_INTERFACE:polhode_dependencies>)
