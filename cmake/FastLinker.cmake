# mold or lld where the compiler finds one of them: a test program links in a tenth of the time.
# For Windows the compiler's own: mold links none of its programs.
if(WIN32)
  return()
endif()
include(CheckLinkerFlag)
foreach(linker mold lld)
  check_linker_flag(CXX -fuse-ld=${linker} PLEIAD_LINKS_WITH_${linker})
  if(PLEIAD_LINKS_WITH_${linker})
    add_link_options(-fuse-ld=${linker})
    break()
  endif()
endforeach()
