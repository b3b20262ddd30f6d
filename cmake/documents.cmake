# Manual pages and completion scripts, from the same tables as --help. The program prints them, so there are none when it
# is built for another machine.

if(TARGET polhode_program AND NOT CMAKE_CROSSCOMPILING)
    set(polhode_documents ${CMAKE_CURRENT_BINARY_DIR}/documents)
    add_custom_command(OUTPUT ${polhode_documents}/man1/polhode.1
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/make_documents $<TARGET_FILE:polhode_program> ${polhode_documents}
        DEPENDS polhode_program ${CMAKE_CURRENT_SOURCE_DIR}/tools/make_documents VERBATIM)
    add_custom_target(polhode_documents ALL DEPENDS ${polhode_documents}/man1/polhode.1)

    install(DIRECTORY ${polhode_documents}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
    install(FILES ${polhode_documents}/bash/polhode
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
    install(FILES ${polhode_documents}/zsh/_polhode DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
    install(FILES ${polhode_documents}/fish/polhode.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d OPTIONAL)
endif()
