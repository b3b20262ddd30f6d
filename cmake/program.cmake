# The program: cli/main.c and one file for each command. It sees the public headers only.

file(GLOB polhode_cli_sources CONFIGURE_DEPENDS cli/*.c)
if(polhode_cli_sources)
    add_executable(polhode_program ${polhode_cli_sources})
    set_target_properties(polhode_program PROPERTIES OUTPUT_NAME polhode)
    target_link_options(polhode_program PRIVATE -Wl,--as-needed)
    target_link_libraries(polhode_program PRIVATE polhode_static polhode_flags)
endif()
