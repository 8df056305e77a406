#include "eval/graders/language.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/utf8.h"
#include "eval/graders/language_words.h"
#include "eval/graders/plain_text.h"
#include "eval/graders/reply_text.h"

namespace pleiad::eval {
namespace {

struct Range {
  char32_t first;
  char32_t last;
  Script script;
};
constexpr Range kRanges[] = {
    {U'A', U'Z', Script::latin},      {U'a', U'z', Script::latin},
    {0xC0, 0x24F, Script::latin},     {0x370, 0x3FF, Script::greek},
    {0x400, 0x52F, Script::cyrillic}, {0x5D0, 0x5F2, Script::hebrew},
    {0x620, 0x6FF, Script::arabic},   {0x900, 0x97F, Script::devanagari},
    {0xE01, 0xE5B, Script::thai},     {0x1100, 0x11FF, Script::hangul},
    {0x1E00, 0x1EFF, Script::latin},  {0x1F00, 0x1FFF, Script::greek},
    {0x3041, 0x30FF, Script::kana},   {0x31F0, 0x31FF, Script::kana},
    {0x3400, 0x4DBF, Script::han},    {0x4E00, 0x9FFF, Script::han},
    {0xAC00, 0xD7A3, Script::hangul}, {0x20000, 0x323AF, Script::han},
};

/// A text without short remarks in parentheses: translations, formulas, years.
std::string without_remarks(std::string_view text) {
  constexpr std::size_t kLongest = 60;  // bytes
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t close = text[at] == '(' ? text.find(')', at) : std::string_view::npos;
    if (close != std::string_view::npos && close - at <= kLongest) {
      at = close + 1;
    } else {
      plain += text[at++];
    }
  }
  return plain;
}

const LanguageWords* words_of(Language language) {
  constexpr std::string_view kCodes[] = {"en", "de", "fr", "es", "it", "pt", "ru", "el",
                                         "ar", "he", "hi", "th", "ko", "ja", "zh"};
  const std::string_view code = kCodes[static_cast<std::size_t>(language)];
  for (const LanguageWords& entry : language_words()) {
    if (entry.code == code) return &entry;
  }
  return nullptr;
}

Script script_of_language(Language language) {
  switch (language) {
    case Language::korean:
      return Script::hangul;
    case Language::thai:
      return Script::thai;
    case Language::japanese:
      return Script::kana;
    case Language::chinese:
      return Script::han;
    default:
      return words_of(language)->script;
  }
}

/// Arabic's article is written with its word.
bool has_arabic_article(const std::string& word) {
  return word.starts_with("ال") && word.size() > 6;
}

/// How many of the words are common in one language and not in this one.
double count_only_in(const LanguageWords& other, const LanguageWords& own,
                     const std::vector<std::string>& words) {
  return static_cast<double>(
      std::count_if(words.begin(), words.end(), [&](const std::string& word) {
        return other.words.contains(word) && !own.words.contains(word);
      }));
}

/// Whether the commonest words are this language's. Words that two languages share count
/// for the one that is asked about.
bool has_words_of(const LanguageWords& own, const std::vector<std::string>& words) {
  constexpr double kLeast = 0.1;
  constexpr double kMost = 0.8;  // nothing but common words says nothing
  double n_own = 0;
  for (const std::string& word : words) {
    const bool has_article = own.code == "ar" && has_arabic_article(word);
    n_own += has_article || own.words.contains(word) ? 1 : 0;
  }
  const auto n_words = static_cast<double>(words.size());
  if (n_own < kLeast * n_words || n_own > kMost * n_words) return false;
  for (const LanguageWords& other : language_words()) {
    if (other.script != own.script || &other == &own) continue;
    const double n_other = count_only_in(other, own, words);
    if (2 * n_other > n_own) return false;
  }
  return true;
}

/// Calls with every character of a text that is well-formed.
template <typename Visit>
void for_each_character(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length > 0) visit(code_point(text.substr(0, length)));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

/// Whether letters are there, more than one in a hundred, that only other languages write; or none
/// that only this one does, in a text where they would be, and words of others.
bool has_letters_of_others(const LanguageWords& own, std::string_view text) {
  constexpr double kManyLetters = 60;
  double n_letters = 0;
  double n_own = 0;
  double n_foreign = 0;
  for_each_character(text, [&](char32_t character) {
    if (script_of(character) != own.script) return;
    ++n_letters;
    if (own.letters.find(character) != std::u32string_view::npos) {
      ++n_own;
      return;
    }
    n_foreign += std::any_of(language_words().begin(), language_words().end(),
                             [&](const LanguageWords& other) {
                               return other.script == own.script &&
                                      other.letters.find(character) != std::u32string_view::npos;
                             })
                     ? 1
                     : 0;
  });
  if (n_foreign > 0.01 * n_letters) return true;
  if (own.letters.empty() || n_own > 0 || n_letters < kManyLetters) return false;
  const std::vector<std::string> words = words_in(text);
  return std::any_of(language_words().begin(), language_words().end(),
                     [&](const LanguageWords& other) {
                       return other.script == own.script && count_only_in(other, own, words) > 0;
                     });
}

/// Whether the first letters say the same again and again: few different runs of three.
bool repeats_itself(std::string_view text) {
  constexpr std::size_t kLetters = 300;
  std::u32string letters;
  for_each_character(text, [&](char32_t character) {
    if (letters.size() < kLetters && script_of(character)) letters += character;
  });
  if (letters.size() < 20) return false;
  std::set<std::u32string> runs;
  for (std::size_t i = 0; i + 2 < letters.size(); ++i) runs.insert(letters.substr(i, 3));
  return static_cast<double>(runs.size()) < 0.4 * static_cast<double>(letters.size() - 2);
}

/// How many words of Latin letters a text has.
double count_latin_words(std::string_view text) {
  double n = 0;
  bool inside = false;
  for_each_character(text, [&](char32_t character) {
    const bool is_latin = script_of(character) == Script::latin;
    n += is_latin && !inside ? 1 : 0;
    inside = is_latin;
  });
  return n;
}

}  // namespace

std::string_view name(Script script) {
  constexpr std::string_view kNames[] = {"Latin",  "Greek",      "Cyrillic", "Hebrew",
                                         "Arabic", "Devanagari", "Thai",     "Hangul",
                                         "Kana",   "Han",        "another"};
  return kNames[static_cast<std::size_t>(script)];
}

std::string_view name(Language language) {
  constexpr std::string_view kNames[] = {"English",    "German",  "French", "Spanish",  "Italian",
                                         "Portuguese", "Russian", "Greek",  "Arabic",   "Hebrew",
                                         "Hindi",      "Thai",    "Korean", "Japanese", "Chinese"};
  return kNames[static_cast<std::size_t>(language)];
}

std::optional<Script> script_of(char32_t character) {
  if (character == 0xD7 || character == 0xF7) return std::nullopt;  // times, divided by
  for (const Range& range : kRanges) {
    if (character >= range.first && character <= range.last) return range.script;
  }
  // Armenian and what follows: letters but for signs, and what this table has no script for.
  const bool is_sign = (character >= 0x2000 && character <= 0x2BFF) ||
                       (character >= 0x3000 && character <= 0x303F) ||
                       (character >= 0xFE00 && character <= 0xFFFF) ||
                       (character >= 0x1F000 && character <= 0x1FAFF) || character >= 0xE0000;
  const bool is_other =
      character >= 0x531 && !is_sign && !(character >= 0x591 && character <= 0x61F);
  return is_other ? std::optional(Script::other) : std::nullopt;
}

ScriptCounts::ScriptCounts(std::string_view text) {
  for_each_character(text, [&](char32_t character) {
    const auto script = script_of(character);
    if (script) ++counts_[static_cast<std::size_t>(*script)];
  });
}

std::int64_t ScriptCounts::letters() const {
  std::int64_t sum = 0;
  for (const std::int64_t count : counts_) sum += count;
  return sum;
}

double ScriptCounts::share(Script script) const {
  const std::int64_t sum = letters();
  return sum == 0 ? 0
                  : static_cast<double>(counts_[static_cast<std::size_t>(script)]) /
                        static_cast<double>(sum);
}

bool is_in_language(std::string_view written, Language language) {
  constexpr double kNearlyAll = 0.9;
  const std::string text = without_remarks(with_ascii_signs(without_markup(written)));
  const ScriptCounts scripts(text);
  if (scripts.letters() == 0 || repeats_itself(text)) return false;
  const auto n = [&](Script script) {
    return scripts.share(script) * static_cast<double>(scripts.letters());
  };
  const Script script = script_of_language(language);
  if (script == Script::kana || script == Script::han) {
    const double n_others = static_cast<double>(scripts.letters()) - n(Script::han) -
                            n(Script::kana) - n(Script::latin) + 2 * count_latin_words(text);
    const double n_own = n(Script::han) + n(Script::kana);
    if (n_own < kNearlyAll * (n_own + n_others)) return false;
    // Kana between its characters, or next to none.
    return script == Script::kana ? n(Script::kana) >= 0.2 * n_own
                                  : n(Script::kana) <= 0.05 * n_own;
  }
  if (scripts.share(script) < kNearlyAll) return false;
  const LanguageWords* words = words_of(language);
  if (!words) return true;
  return has_words_of(*words, words_in(text)) && !has_letters_of_others(*words, text);
}

}  // namespace pleiad::eval
