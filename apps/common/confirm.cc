#include "apps/common/confirm.h"

#include <iostream>

#include "apps/common/output.h"
#include "apps/common/terminal.h"
#include "base/ascii.h"

namespace pleiad::apps {

bool can_ask() { return is_terminal(stdin) && is_terminal(stderr); }

std::string as_question(const std::string& question) { return question + " [Y/n] "; }

bool is_yes(const std::string& answer) {
  const std::string lower = ascii_lower(ascii_trimmed(answer));
  return lower.empty() || lower == "y" || lower == "yes";
}

bool confirmed(const std::string& question) {
  print_note(as_question(question));
  std::string answer;
  if (!std::getline(std::cin, answer)) {
    print_note("\n");
    return false;
  }
  return is_yes(answer);
}

}  // namespace pleiad::apps
