# What the library may use. Each becomes a private requirement: no public header mentions it.

set(polhode_requires "") # pkg-config names, for polhode.pc
add_library(polhode_dependencies INTERFACE)

if(POLHODE_WITH_YAML OR POLHODE_WITH_HDF5 OR POLHODE_WITH_ZLIB OR POLHODE_WITH_EXPAT)
    find_package(PkgConfig REQUIRED)
endif()

if(POLHODE_WITH_YAML)
    pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
    target_link_libraries(polhode_dependencies INTERFACE PkgConfig::YAML)
    target_compile_definitions(polhode_dependencies INTERFACE PH_WITH_YAML=1)
    list(APPEND polhode_requires yaml-0.1)
endif()

if(POLHODE_WITH_HDF5)
    pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
    target_compile_definitions(polhode_dependencies INTERFACE PH_WITH_HDF5=1) # only the helper links it (program.cmake)
endif()

if(POLHODE_WITH_ZLIB)
    pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
    target_link_libraries(polhode_dependencies INTERFACE PkgConfig::ZLIB)
    target_compile_definitions(polhode_dependencies INTERFACE PH_WITH_ZLIB=1)
    list(APPEND polhode_requires zlib)
endif()

if(POLHODE_WITH_EXPAT)
    pkg_check_modules(EXPAT REQUIRED IMPORTED_TARGET expat)
    target_link_libraries(polhode_dependencies INTERFACE PkgConfig::EXPAT)
    target_compile_definitions(polhode_dependencies INTERFACE PH_WITH_EXPAT=1)
    list(APPEND polhode_requires expat)
endif()

target_link_libraries(polhode_dependencies INTERFACE m)
