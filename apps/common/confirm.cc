#include "apps/common/confirm.h"

#include <iostream>

#include "apps/common/output.h"
#include "apps/common/terminal.h"
#include "base/ascii.h"

namespace pleiad::apps {

bool can_ask() { return is_terminal(stdin) && is_terminal(stderr); }

bool confirmed(const std::string& question) {
  print_note(question + " [Y/n] ");
  std::string answer;
  if (!std::getline(std::cin, answer)) {
    std::cin.clear();  // a chat in which Ctrl-C was pressed here goes on
    print_note("\n");
    return false;
  }
  const std::string lower = ascii_lower(ascii_trimmed(answer));
  return lower.empty() || lower == "y" || lower == "yes";
}

}  // namespace pleiad::apps
