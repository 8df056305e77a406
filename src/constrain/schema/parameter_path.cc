#include "constrain/schema/parameter_path.h"

#include <algorithm>

#include "base/json.h"
#include "base/utf8.h"

namespace pleiad::constrain {
namespace {

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word_character(char c) {
  return is_decimal_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$' || c == '-';
}

/// To what is named in a message, of whole characters.
void shorten(std::string& step) {
  constexpr std::size_t kMost = 80;
  if (step.size() <= kMost) return;
  step.resize(kMost);
  step.resize(kMost - utf8_unfinished(step));
}

}  // namespace

std::vector<std::string> pointer_steps(std::string_view pointer) {
  std::vector<std::string> steps;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/' || steps.empty()) {
      steps.emplace_back();
    } else if (pointer[i] == '~' && i + 1 < pointer.size()) {
      steps.back() += pointer[++i] == '1' ? '/' : '~';
    } else {
      steps.back() += pointer[i];
    }
  }
  return steps;
}

std::string parameter_path(std::string_view schema, std::string_view pointer) {
  std::string out(schema);
  for (std::string& step : pointer_steps(pointer)) {
    shorten(step);
    if (!step.empty() && std::ranges::all_of(step, is_decimal_digit)) {
      out.append("[").append(step).append("]");
    } else if (!step.empty() && std::ranges::all_of(step, is_word_character)) {
      out.append(".").append(step);
    } else {
      out.append("[").append(to_text(Json(step))).append("]");
    }
  }
  return out;
}

std::string_view leading_path(std::string_view message) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < message.size(); ++i) {
    if (is_quoted && message[i] == '\\') {
      ++i;
    } else if (message[i] == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && message[i] == ' ') {
      return {};
    } else if (!is_quoted && message.substr(i).starts_with(": ")) {
      return message.substr(0, i);
    }
  }
  return {};
}

}  // namespace pleiad::constrain
