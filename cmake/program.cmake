# The program: cli/main.c and one file for each command. It sees the public headers, and of the library's own base the calls of
# the operating system, which it compiles for itself: the library does not give them out.

file(GLOB polhode_cli_sources CONFIGURE_DEPENDS cli/*.c)
if(polhode_cli_sources)
    file(GLOB polhode_system_sources CONFIGURE_DEPENDS src/base/system*.c src/base/clock.c)
    add_executable(polhode_program ${polhode_cli_sources} ${polhode_system_sources})
    target_include_directories(polhode_program PRIVATE src)
    target_compile_definitions(polhode_program PRIVATE POLHODE_LIBDIR="${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(polhode_program PROPERTIES OUTPUT_NAME polhode)
    target_link_options(polhode_program PRIVATE ${polhode_as_needed})
    target_link_libraries(polhode_program PRIVATE polhode_static polhode_flags)
endif()

# The helper in which HDF5 works for the library: nothing else links HDF5.
if(POLHODE_WITH_HDF5)
    file(GLOB polhode_helper_sources CONFIGURE_DEPENDS helper/*.c)
    add_executable(polhode_helper ${polhode_helper_sources})
    set_target_properties(polhode_helper PROPERTIES OUTPUT_NAME polhode-hdf5)
    target_include_directories(polhode_helper PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(polhode_helper PRIVATE POLHODE_VERSION="${PROJECT_VERSION}")
    target_link_options(polhode_helper PRIVATE ${polhode_as_needed})
    target_link_libraries(polhode_helper PRIVATE polhode_internal polhode_flags PkgConfig::HDF5)
    add_dependencies(polhode polhode_helper)
    add_dependencies(polhode_static polhode_helper)
endif()
