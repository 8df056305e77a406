#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace pleiad::eval {

enum class Script : std::uint8_t {
  latin,
  greek,
  cyrillic,
  hebrew,
  arabic,
  devanagari,
  thai,
  hangul,
  kana,
  han
};
inline constexpr int kScripts = 10;

std::string_view name(Script script);

/// The script of a character; nothing for digits, punctuation and scripts we do not tell apart.
std::optional<Script> script_of(char32_t character);

/// How many letters of each script a text has.
class ScriptCounts {
 public:
  explicit ScriptCounts(std::string_view text);
  std::int64_t letters() const;
  /// Of all letters that we know, 0 to 1; 0 without letters.
  double share(Script script) const;

 private:
  std::int64_t counts_[kScripts] = {};
};

/// Languages that are told apart: by their script, or in Latin script by their
/// commonest words.
enum class Language : std::uint8_t {
  english,
  german,
  french,
  spanish,
  italian,
  portuguese,
  russian,
  greek,
  arabic,
  hebrew,
  hindi,
  thai,
  korean,
  japanese,
  chinese
};

std::string_view name(Language language);

/// Whether a text of a few sentences is in this language: nine tenths of its letters in
/// the language's script, and in Latin script more of the language's commonest words than of any
/// other's, and one word in ten at least.
bool is_in_language(std::string_view text, Language language);

}  // namespace pleiad::eval
