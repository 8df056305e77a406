# With ccache, where it is installed: what was compiled once on this machine, in this clone or in
# another one, is not compiled again, unless a file that it includes changed while it was. Paths are relative to the clone, so that clones share.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(PLEIAD_CCACHE ccache)
  mark_as_advanced(PLEIAD_CCACHE)
  if(PLEIAD_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
        CCACHE_SLOPPINESS=pch_defines,time_macros
        ${PLEIAD_CCACHE})
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      list(TRANSFORM CMAKE_CXX_COMPILER_LAUNCHER REPLACE "^${PLEIAD_CCACHE}$"
           "CCACHE_PCH_EXTSUM=1;${PROJECT_SOURCE_DIR}/cmake/cached-clang;${PLEIAD_CCACHE}")
    endif()
  endif()
endif()
