#include "constrain/grammars/lark_terminals.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/text_format.h"
#include "base/utf8.h"
#include "constrain/grammars/regex.h"
#include "constrain/texts/code_ranges.h"
#include "constrain/texts/substrings.h"
#include "text/unicode.h"

namespace pleiad::constrain::grammars {
namespace {

constexpr const char* kRegexFields =
    "expected substring_chunks, a list of texts, or substring_words or substring_chars, a text";

constexpr int kTooDeep = static_cast<int>(kMaxDepth) + 1;

bool is_one_character(std::string_view text) {
  return !text.empty() && utf8_length(text) == text.size();
}

/// A letter of ASCII in the other case.
char other_case(char c) {
  if (c >= 'a' && c <= 'z') return static_cast<char>(c - 'a' + 'A');
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c;
}

}  // namespace

Expression LarkTerminals::text(const LarkWord& word) {
  if (word.flags.empty()) return text_of(word.text);
  std::vector<Expression> parts;
  for (const char c : word.text) {
    const char other = other_case(c);
    if (other == c) {
      parts.push_back(text_of(std::string(1, c)));
      continue;
    }
    const auto code = static_cast<char32_t>(static_cast<unsigned char>(c));
    const auto other_code = static_cast<char32_t>(static_cast<unsigned char>(other));
    parts.push_back(characters_of(sorted_apart({{code, code}, {other_code, other_code}})));
  }
  return sequence_of(std::move(parts));
}

Expression LarkTerminals::regex(const LarkWord& word) {
  const auto has = [&word](char flag) { return word.flags.find(flag) != std::string::npos; };
  PatternOptions options = kLarkPattern;
  options.ignores_case = has('i');
  options.dot_is_anything = has('s');
  options.has_lines = has('m');
  options.skips_space = has('x');
  std::size_t problem_at = 0;
  Result<Expression> read = read_regex(word.text, options, problem_at);
  if (read) return std::move(read).value();
  source_.fail_at(word.at + 1 + problem_at, read.message());
  return {};
}

Expression LarkTerminals::range(const LarkWord& first, const LarkWord& last) {
  if (!is_one_character(first.text) || !is_one_character(last.text) || !first.flags.empty() ||
      !last.flags.empty()) {
    source_.fail_at(first.at, "'..' stands between two characters, without flags");
    return {};
  }
  const CodeRange range = {text::first_character(first.text), text::first_character(last.text)};
  if (range.last < range.first) {
    source_.fail_at(first.at, "'..' needs two characters in order");
    return {};
  }
  return characters_of({range});
}

Expression LarkTerminals::part_of_text(const LarkWord& word) {
  const auto fail = [&](const std::string& why) {
    source_.fail_at(word.at, why);
    return Expression();
  };
  const Result<Json> read = read_json(word.text, {});
  if (!read) return fail("in the object that begins here: " + read.message());
  const Json& object = read.value();
  const auto is_text = [](const Json& it) { return it.is_string(); };
  if (object.size() != 1) return fail(kRegexFields);
  const std::string& name = object.begin().key();
  const Json& value = object.begin().value();
  std::vector<std::string> chunks;
  if (name == "substring_chunks" && value.is_array() && std::ranges::all_of(value, is_text)) {
    for (const Json& chunk : value) chunks.push_back(chunk.get<std::string>());
  } else if (name == "substring_words" && value.is_string()) {
    chunks = words_of(value.get_ref<const std::string&>());
  } else if (name == "substring_chars" && value.is_string()) {
    chunks = characters_of_text(value.get_ref<const std::string&>());
  } else {
    return fail(kRegexFields);
  }
  std::size_t steps = budget_.left();
  std::optional<Dfa> dfa = substrings(chunks, steps);
  budget_.spend(budget_.left() - steps);
  if (!dfa) return fail("the parts of this text are too many to be told apart");
  return dfa_of(std::move(*dfa));
}

Expression LarkTerminals::add(Expression body, bool is_lazy) {
  const std::uint32_t rule = names_.add("a terminal", std::move(body));
  names_.tree().rules[rule].is_terminal = true;
  names_.tree().rules[rule].is_lazy = is_lazy;
  return rule_of(rule);
}

void LarkTerminals::check() {
  if (source_.failed()) return;
  const auto& rules = names_.tree().rules;
  depths_.assign(rules.size(), 0);
  for (std::uint32_t rule = 0; rule < rules.size(); ++rule) {
    if (!rules[rule].is_terminal || depth_of(rule, 0) < kTooDeep) continue;
    source_.fail_at(names_.named_at(rule),
                    fmt::format("the terminal \"{}\" leads to itself, or through too many others: "
                                "what repeats in itself is a rule, in lower case",
                                printable(rules[rule].name)));
    return;
  }
}

int LarkTerminals::depth_of(std::uint32_t rule, int above) {
  if (depths_[rule] != 0) return depths_[rule];
  depths_[rule] = kTooDeep;  // for what leads back to it
  depths_[rule] = std::min(kTooDeep, depth_of(names_.tree().rules[rule].body, above));
  return depths_[rule];
}

int LarkTerminals::depth_of(const Expression& what, int above) {
  if (above >= kTooDeep) return kTooDeep;
  if (what.kind == Expression::Kind::rule) return 1 + depth_of(what.rule, above + 1);
  int depth = 0;
  for (const Expression& child : what.children) {
    depth = std::max(depth, depth_of(child, above + 1));
  }
  return 1 + depth;
}

}  // namespace pleiad::constrain::grammars
