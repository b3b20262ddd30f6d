# What the library may use. Each becomes a private requirement: no public header mentions it.

set(polhode_requires "") # pkg-config names, for polhode.pc
add_library(polhode_dependencies INTERFACE)

if(POLHODE_WITH_YAML OR POLHODE_WITH_HDF5 OR POLHODE_WITH_ZLIB OR POLHODE_WITH_EXPAT)
    find_package(PkgConfig)
    if(NOT PKG_CONFIG_FOUND)
        message(FATAL_ERROR "pkg-config is missing: Polhode finds libyaml, HDF5, zlib and expat by it (Debian: pkg-config; Homebrew: pkg-config)")
    endif()
endif()

# need(PREFIX LIBRARY DEBIAN_PACKAGE HOMEBREW_PACKAGE NAME...): the first of the names that pkg-config knows.
macro(need prefix library debian homebrew)
    pkg_search_module(${prefix} QUIET IMPORTED_TARGET ${ARGN})
    if(NOT ${prefix}_FOUND)
        message(FATAL_ERROR "${library} is missing (Debian: ${debian}; Homebrew: ${homebrew}). "
            "Where it is installed, PKG_CONFIG_PATH must name the folder of its .pc file; -DPOLHODE_WITH_${prefix}=OFF does without it.")
    endif()
endmacro()

if(POLHODE_WITH_YAML)
    need(YAML libyaml libyaml-dev libyaml yaml-0.1)
    target_link_libraries(polhode_dependencies INTERFACE PkgConfig::YAML)
    target_compile_definitions(polhode_dependencies INTERFACE PH_WITH_YAML=1)
    list(APPEND polhode_requires yaml-0.1)
endif()

if(POLHODE_WITH_HDF5)
    need(HDF5 HDF5 libhdf5-dev hdf5 hdf5-serial hdf5)
    target_compile_definitions(polhode_dependencies INTERFACE PH_WITH_HDF5=1) # only the helper links it (program.cmake)
endif()

if(POLHODE_WITH_ZLIB)
    need(ZLIB zlib zlib1g-dev zlib zlib)
    target_link_libraries(polhode_dependencies INTERFACE PkgConfig::ZLIB)
    target_compile_definitions(polhode_dependencies INTERFACE PH_WITH_ZLIB=1)
    list(APPEND polhode_requires zlib)
endif()

if(POLHODE_WITH_EXPAT)
    need(EXPAT expat libexpat1-dev expat expat)
    target_link_libraries(polhode_dependencies INTERFACE PkgConfig::EXPAT)
    target_compile_definitions(polhode_dependencies INTERFACE PH_WITH_EXPAT=1)
    list(APPEND polhode_requires expat)
endif()

target_link_libraries(polhode_dependencies INTERFACE m)
