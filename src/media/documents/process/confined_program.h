#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "media/documents/process/run_converter.h"
#include "media/helper/helper_process.h"
#include "media/reader.h"

namespace pleiad::media {

/// One run of a process that reads a document.
struct ProgramJob {
  std::vector<std::string> words;  // converter_words()
  int input = -1;                  // a file, read from its beginning
  std::size_t max_output = 0;      // bytes; at more it is ended
};

struct ProgramResult {
  enum class End : std::uint8_t {
    exited,    // with `status`
    killed,    // by the signal `status`
    late,      // ended by us: its time is over
    stopped,   // ended by us: nobody wants it any more
    too_long,  // ended by us: more output than it may have
  };
  End end = End::exited;
  int status = 0;
  std::string output;
  std::string errors;  // the beginning of what it said of itself
  ProgramConfinement confinement;
};

/// Starts it, reads what it writes, and sees it end; none is left. Throws Error where it cannot be
/// started or confined.
ProgramResult run_confined_program(const HelperProgram& program, const ProgramJob& job,
                                   const Patience& patience);

/// Reads "confined 7" and takes it from the beginning of `errors`. False where it is not there.
bool take_announcement(std::string& errors, ProgramConfinement& confinement);

}  // namespace pleiad::media
