# Writes the commit that is being built to OUTPUT, and touches the file only
# when that changes.
execute_process(
  COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=9 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define PLEIAD_COMMIT \"${commit}\"\n" @ONLY)
