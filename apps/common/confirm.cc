#include "apps/common/confirm.h"

#include <algorithm>
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
  answer.erase(0, std::min(answer.find_first_not_of(" \t\r"), answer.size()));
  answer.erase(answer.find_last_not_of(" \t\r") + 1);
  const std::string lower = ascii_lower(answer);
  return lower.empty() || lower == "y" || lower == "yes";
}

}  // namespace pleiad::apps
