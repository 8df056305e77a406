#pragma once

#include <string>

namespace pleiad::apps {

/// There is somebody to ask: both the input and the error output are a terminal.
bool can_ask();

/// Asks "QUESTION [Y/n] " on the error output; Enter means yes. False where the input ends, or
/// Ctrl-C comes.
bool confirmed(const std::string& question);

/// For who asks otherwise: "QUESTION [Y/n] ", and whether that was answered by Enter or yes.
std::string as_question(const std::string& question);
bool is_yes(const std::string& answer);

}  // namespace pleiad::apps
