# The core alone, as FMUs and pages hold it: schemes, and models from JSON; no optional library, and portable code also
# where all else is tuned for this machine. It is a second build of most sources, so it is made when asked for: by ./run export,
# by the test package/fmu, or by `cmake --build build/release --target polhode_fmu`.

file(GLOB polhode_core_sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS src/*/*.c src/io/model/*.c)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cmake/not_in_core.txt)
file(STRINGS cmake/not_in_core.txt polhode_not_in_core REGEX "^[^#]")
foreach(pattern IN LISTS polhode_not_in_core)
    list(FILTER polhode_core_sources EXCLUDE REGEX "${pattern}")
endforeach()
list(TRANSFORM polhode_core_sources PREPEND ${PROJECT_SOURCE_DIR}/)
file(GLOB polhode_fmu_sources CONFIGURE_DEPENDS fmu/*.c)

option(POLHODE_FMU "Build what goes into FMUs (polhode export)" ${PROJECT_IS_TOP_LEVEL})
if(POLHODE_SANITIZE)
    set(POLHODE_FMU OFF)
endif()
if(NOT POLHODE_FMU)
    return()
endif()

# binaries/<platform>/polhode.so, and sources/ with sources.txt: polhode export takes them from here.
set(polhode_fmu_dir ${CMAKE_CURRENT_BINARY_DIR}/fmu)
string(TOLOWER ${CMAKE_SYSTEM_NAME} polhode_fmu_system)
string(REGEX REPLACE "^amd64$|^AMD64$" "x86_64" polhode_fmu_processor ${CMAKE_SYSTEM_PROCESSOR})
string(REGEX REPLACE "^arm64$" "aarch64" polhode_fmu_processor ${polhode_fmu_processor})
set(polhode_fmu_platform ${polhode_fmu_processor}-${polhode_fmu_system})

add_library(polhode_fmu MODULE EXCLUDE_FROM_ALL ${polhode_core_sources} ${polhode_fmu_sources})
set_target_properties(polhode_fmu PROPERTIES PREFIX "" OUTPUT_NAME polhode C_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${polhode_fmu_dir}/binaries/${polhode_fmu_platform}
    RUNTIME_OUTPUT_DIRECTORY ${polhode_fmu_dir}/binaries/${polhode_fmu_platform})
target_include_directories(polhode_fmu PRIVATE include src .)
target_compile_definitions(polhode_fmu PRIVATE POLHODE_VERSION="${PROJECT_VERSION}" PH_API=)
target_compile_options(polhode_fmu PRIVATE -ffunction-sections -fdata-sections)
target_link_libraries(polhode_fmu PRIVATE polhode_portable_flags m)
if(NOT APPLE)
    target_link_options(polhode_fmu PRIVATE -Wl,--gc-sections -Wl,-s)
endif()

# The sources as they go in: src/ and include/ side by side, fmu/ beside them.
file(GLOB_RECURSE polhode_core_headers CONFIGURE_DEPENDS src/*.h include/*.h fmu/*.h)
list(FILTER polhode_core_headers EXCLUDE REGEX "/src/(lab|batch|fit|live)/|/src/io/(page|plot|export|fmu|result)/")
set(polhode_fmu_list "")
set(polhode_fmu_copies "")
foreach(file ${polhode_core_sources} ${polhode_fmu_sources} ${polhode_core_headers})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${file})
    string(REGEX REPLACE "^(src|include)/" "" name ${name})
    string(APPEND polhode_fmu_list "${name}\n")
    set(copy ${polhode_fmu_dir}/sources/${name})
    add_custom_command(OUTPUT ${copy} COMMAND ${CMAKE_COMMAND} -E copy ${file} ${copy} DEPENDS ${file} VERBATIM)
    list(APPEND polhode_fmu_copies ${copy})
endforeach()
file(GENERATE OUTPUT ${polhode_fmu_dir}/sources.txt CONTENT "${polhode_fmu_list}")
add_custom_target(polhode_fmu_files DEPENDS ${polhode_fmu_copies})
add_dependencies(polhode_fmu polhode_fmu_files)

install(DIRECTORY ${polhode_fmu_dir}/ OPTIONAL DESTINATION ${CMAKE_INSTALL_LIBDIR}/polhode/fmu)
