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
  han,
  other
};
inline constexpr int kScripts = 11;

std::string_view name(Script script);

/// The script of a character; nothing for digits and punctuation.
std::optional<Script> script_of(char32_t character);

/// How many letters of each script a text has.
class ScriptCounts {
 public:
  explicit ScriptCounts(std::string_view text);
  std::int64_t letters() const;
  /// Of all letters, 0 to 1; 0 without letters.
  double share(Script script) const;

 private:
  std::int64_t counts_[kScripts] = {};
};

/// Languages that are told apart: by their script, and within Latin, Cyrillic, Arabic, Hebrew and
/// Devanagari by their commonest words and by letters that others have.
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

/// Whether a text of a few sentences is in this language. Short remarks in parentheses do not count
/// ("(Rayleigh scattering)"). Nine tenths of the letters are of the language's script (between
/// Chinese and Japanese characters a word of another script counts as two letters); several of
/// its commonest words are there, and fewer that only another language has; hardly a letter
/// is that only another language writes; and it does not say the same again and again.
bool is_in_language(std::string_view text, Language language);

}  // namespace pleiad::eval
