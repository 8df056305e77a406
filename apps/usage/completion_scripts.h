#pragma once

#include <string_view>
#include <vector>

namespace pleiad::apps {

struct CompletionScript {
  std::string_view shell;  // "bash"
  std::string_view place;  // where the shell looks for it, below share/
  std::string_view text;
};

/// What tells bash, zsh and fish to ask the program itself (`pleiad complete`) for what may stand
/// at the cursor, so that the scripts know no flags and cannot differ from the program.
const std::vector<CompletionScript>& completion_scripts();

}  // namespace pleiad::apps
