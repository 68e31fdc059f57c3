# Manual pages, made from what the command's --help prints, and the shells' completions, which ask it.

find_program(AWK awk)
if(AWK AND NOT CMAKE_CROSSCOMPILING)
  set(manual_pages)
  foreach(page trawl trawl-grep trawl-find trawl-grid trawl-compile trawl-info trawl-engines trawl-devices)
    set(output ${PROJECT_BINARY_DIR}/man/${page}.1)
    add_custom_command(OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
      COMMAND sh ${PROJECT_SOURCE_DIR}/tools/manpage.sh $<TARGET_FILE:trawl_command> ${page} ${output}
      DEPENDS trawl_command tools/manpage.sh tools/manpage.awk VERBATIM)
    list(APPEND manual_pages ${output})
  endforeach()
  add_custom_target(manual ALL DEPENDS ${manual_pages})
  install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

install(FILES completions/trawl.bash RENAME trawl
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/_trawl DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/trawl.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
