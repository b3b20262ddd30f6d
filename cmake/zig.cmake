# Toolchain: builds for another platform by zig, which brings the C library of each.
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=cmake/zig.cmake -DPOLHODE_TARGET=x86_64-windows-gnu [-DPOLHODE_ZIG=/path/of/zig] ...
#
# POLHODE_TARGET is zig's name: processor-system-C library, with versions where wanted (x86_64-linux-gnu.2.28, aarch64-macos.11.0).

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES POLHODE_TARGET POLHODE_ZIG)
find_program(POLHODE_ZIG zig REQUIRED)
string(REGEX MATCH "^([^-]+)-([a-z]+)" polhode_matched "${POLHODE_TARGET}")
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
if(CMAKE_MATCH_2 STREQUAL windows)
    set(CMAKE_SYSTEM_NAME Windows)
    set(CMAKE_C_FLAGS_INIT "-fno-sanitize=all -D__USE_MINGW_ANSI_STDIO=1")
elseif(CMAKE_MATCH_2 STREQUAL macos)
    set(CMAKE_SYSTEM_NAME Darwin)
    set(CMAKE_C_FLAGS_INIT "-fno-sanitize=all -D_DARWIN_C_SOURCE")
else()
    set(CMAKE_SYSTEM_NAME Linux)
    set(CMAKE_C_FLAGS_INIT "-fno-sanitize=all")
endif()
set(CMAKE_C_COMPILER ${POLHODE_ZIG} cc -target ${POLHODE_TARGET})

# CMake wants one word for these.
foreach(tool ar ranlib)
    set(polhode_tool ${CMAKE_BINARY_DIR}/zig-${tool})
    if(NOT EXISTS ${polhode_tool})
        file(WRITE ${polhode_tool} "#!/bin/sh\nexec '${POLHODE_ZIG}' ${tool} \"$@\"\n")
        file(CHMOD ${polhode_tool} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    endif()
    string(TOUPPER ${tool} polhode_name)
    set(CMAKE_${polhode_name} ${polhode_tool} CACHE FILEPATH "" FORCE)
endforeach()
foreach(kind EXE SHARED MODULE)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT "-Wl,-s")
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
