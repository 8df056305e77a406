# Writes the commit that is being built to OUTPUT, and touches the file only
# when that changes.
execute_process(
  COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=9 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "$ENV{PLEIAD_COMMIT}")  # of sources without their repository, as in a container's build
endif()
if(NOT commit)
  set(commit "unknown")
endif()
# For manual pages; where there is no git, today, or what SOURCE_DATE_EPOCH says.
execute_process(
  COMMAND git -C ${SOURCE_DIR} log -1 --format=%cs
  OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT date)
  string(TIMESTAMP date "%Y-%m-%d" UTC)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
  "#define PLEIAD_COMMIT \"${commit}\"\n#define PLEIAD_COMMIT_DATE \"${date}\"\n" @ONLY)
