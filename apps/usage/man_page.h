#pragma once

#include <string>
#include <vector>

#include "apps/usage/program_text.h"

namespace pleiad::apps {

/// What a manual page says beside the flags.
struct ManFacts {
  std::string version;  // "0.1.0"
  std::string date;     // of the commit: "2026-11-24"
};

/// A variable of the environment, or a place, and what it is for.
struct NamedText {
  std::string name;
  std::string about;
};

struct ManPage {
  std::string file;  // "pleiad-run.1"
  std::string text;
};

/// pleiad(1), and a page for each command that is not hidden. `settings`: the variables of
/// pleiad-serve(1).
std::vector<ManPage> man_pages(const ProgramText& program, const ManFacts& facts,
                               const std::vector<NamedText>& settings);

/// The variables and places that pleiad(1) names.
const std::vector<NamedText>& environment_texts();
const std::vector<NamedText>& place_texts();

}  // namespace pleiad::apps
