#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "apps/usage/program_text.h"

namespace pleiad::apps {

/// A word that the one at the cursor can become.
struct Candidate {
  std::string word;
  std::string about;  // empty: nothing to say
  bool operator==(const Candidate&) const = default;
};

struct Completion {
  enum class Paths { none, files, folders };

  std::vector<Candidate> candidates;
  Paths paths = Paths::none;  // what the shell offers beside them
};

/// Where names come from that no flag knows; asked only where they are wanted.
struct NameSources {
  std::function<std::vector<std::string>()> models;
  std::function<std::vector<std::string>()> loaded_models;
};

/// What may stand at the cursor. `words`: those behind the program's name up to the cursor, of
/// which the last, maybe empty, is the one to complete.
Completion complete_words(const ProgramText& program, std::span<const std::string> words,
                          const NameSources& names);

/// As the shells' scripts read it: "none", "files" or "folders" in the first line, then a candidate
/// a line, with a tab before what is said about it.
std::string to_lines(const Completion& completion);

}  // namespace pleiad::apps
