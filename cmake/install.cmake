# Installation: headers, both libraries, the program, polhode.pc and the CMake package. The tree may be moved afterwards.

include(CMakePackageConfigHelpers)
set(polhode_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/polhode)

install(DIRECTORY include/polhode DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS polhode polhode_static EXPORT polhodeTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET polhode_helper)
    install(TARGETS polhode_helper DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/polhode)
endif()
if(TARGET polhode_program)
    install(TARGETS polhode_program DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(EXPORT polhodeTargets NAMESPACE polhode:: DESTINATION ${polhode_package_dir})
configure_package_config_file(cmake/polhodeConfig.cmake.in polhodeConfig.cmake
    INSTALL_DESTINATION ${polhode_package_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(polhodeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/polhodeConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/polhodeConfigVersion.cmake
    DESTINATION ${polhode_package_dir})

# polhode.pc finds its prefix from where it lies.
file(RELATIVE_PATH polhode_pc_prefix
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" polhode_pc_prefix "${polhode_pc_prefix}")
list(JOIN polhode_requires ", " polhode_pc_requires)
configure_file(cmake/polhode.pc.in polhode.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/polhode.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
