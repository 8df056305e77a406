#pragma once

#include <string>

namespace pleiad::terminal {

/// What a terminal may be sent as it is: our own sequences, and between them text that went through
/// base/terminal_text.h. A type of its own, so that nobody takes a text from outside for it.
struct TerminalBytes {
  std::string bytes;
};

}  // namespace pleiad::terminal
