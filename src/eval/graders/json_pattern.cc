#include "eval/graders/json_pattern.h"

#include <algorithm>
#include <vector>

#include "eval/graders/plain_text.h"
#include "eval/graders/reply_text.h"

namespace pleiad::eval {
namespace {

/// In lower case, blanks as one space each and none around.
std::string as_read(const Json& text) {
  std::string plain;
  for (const char c : lower_text(with_ascii_signs(text.get<std::string>()))) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_blank) {
      plain += c;
    } else if (!plain.empty() && plain.back() != ' ') {
      plain += ' ';
    }
  }
  while (plain.ends_with(' ') || plain.ends_with('.')) plain.pop_back();
  return plain;
}

bool has_stem(const Json& value, const Json& stem) {
  if (!value.is_string()) return false;
  const std::vector<std::string> words = words_in(value.get<std::string>());
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word.starts_with(stem.get<std::string>());
  });
}

/// Whether patterns from `next` on find elements of their own. Lists are short.
bool finds_all(const Json& list, const Json& patterns, std::size_t next, std::vector<bool>& taken) {
  if (next == patterns.size()) return true;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (taken[i] || !matches_pattern(list[i], patterns[next])) continue;
    taken[i] = true;
    if (finds_all(list, patterns, next + 1, taken)) return true;
    taken[i] = false;
  }
  return false;
}

}  // namespace

bool matches_pattern(const Json& value, const Json& pattern) {
  const auto matches = [&](const Json& part) { return matches_pattern(value, part); };
  if (const Json* choices = find_member(pattern, "$one_of")) {
    return std::any_of(choices->begin(), choices->end(), matches);
  }
  if (const Json* patterns = find_member(pattern, "$any_order")) {
    if (!value.is_array() || value.size() != patterns->size()) return false;
    std::vector<bool> taken(value.size(), false);
    return finds_all(value, *patterns, 0, taken);
  }
  if (const Json* stem = find_member(pattern, "$stem")) return has_stem(value, *stem);
  if (const Json* element = find_member(pattern, "$some")) {
    return value.is_array() && std::any_of(value.begin(), value.end(), [&](const Json& part) {
             return matches_pattern(part, *element);
           });
  }
  if (value.is_number() && pattern.is_number()) return value.get<double>() == pattern.get<double>();
  if (value.is_string() && pattern.is_string()) return as_read(value) == as_read(pattern);
  if (value.is_array() && pattern.is_array()) {
    return value.size() == pattern.size() &&
           std::equal(value.begin(), value.end(), pattern.begin(), matches_pattern);
  }
  if (value.is_object() && pattern.is_object()) {
    return std::all_of(pattern.items().begin(), pattern.items().end(), [&](const auto& item) {
      const Json* member = find_member(value, item.key());
      return member && matches_pattern(*member, item.value());
    });
  }
  return value == pattern;
}

}  // namespace pleiad::eval
