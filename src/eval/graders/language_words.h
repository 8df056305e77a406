#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "eval/graders/language.h"

namespace pleiad::eval {

/// What tells a language from others of its script. Some stand here only to be told apart.
struct LanguageWords {
  std::string_view code;  // ISO 639
  Script script;
  std::set<std::string> words;  // the commonest, in lower case
  std::u32string_view letters;  // that no other language here has in its script
};

const std::vector<LanguageWords>& language_words();

}  // namespace pleiad::eval
