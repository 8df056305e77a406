#include "eval/language.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/utf8.h"
#include "eval/reply_text.h"

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
    {0x3041, 0x30FF, Script::kana},   {0x3400, 0x4DBF, Script::han},
    {0x4E00, 0x9FFF, Script::han},    {0xAC00, 0xD7A3, Script::hangul},
    {0x20000, 0x323AF, Script::han},
};

/// The character at the front of well-formed bytes of this length.
char32_t decode(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() == 1) return byte(0);
  char32_t value = byte(0) & (0x7FU >> bytes.size());
  for (std::size_t i = 1; i < bytes.size(); ++i) value = (value << 6) | (byte(i) & 0x3FU);
  return value;
}

struct LatinLanguage {
  Language language;
  std::vector<std::string> words;  // the commonest, lower case
};

const std::vector<LatinLanguage>& latin_languages() {
  static const std::vector<LatinLanguage> languages = {
      {Language::english, words_in("the of and to in is that it as with for are was by this be at "
                                   "which or from an on not have has its their because when")},
      {Language::german, words_in("der die das und ist nicht ein eine einen zu den mit von auf für "
                                  "im dem des sich es wird werden auch als durch weil wenn wir")},
      {Language::french, words_in("le la les et est un une des du que qui dans pour pas sur au aux "
                                  "avec ce cette sont par plus nous il elle ne se ou lorsque")},
      {Language::spanish, words_in("el la los las y es un una que de en del por con para no se su "
                                   "al lo como más son esta este cuando porque sus o muy")},
      {Language::italian, words_in("il lo la gli le e è un una che di del della nel nella per con "
                                   "non si sono da dal al alla più come questo quando perché i")},
      {Language::portuguese, words_in("o a os as e é um uma que de do da dos das em no na nos nas "
                                      "por com para não se ao mais são como quando isso muito")},
  };
  return languages;
}

bool is_latin_language(std::string_view text, Language language) {
  const std::vector<std::string> words = words_in(text);
  std::size_t own = 0;
  std::size_t best_other = 0;
  for (const LatinLanguage& candidate : latin_languages()) {
    const auto n = static_cast<std::size_t>(
        std::count_if(words.begin(), words.end(), [&](const std::string& word) {
          return std::find(candidate.words.begin(), candidate.words.end(), word) !=
                 candidate.words.end();
        }));
    if (candidate.language == language) {
      own = n;
    } else {
      best_other = std::max(best_other, n);
    }
  }
  return own > best_other && own * 10 >= words.size();
}

}  // namespace

std::string_view name(Script script) {
  constexpr std::string_view kNames[] = {"Latin",      "Greek", "Cyrillic", "Hebrew", "Arabic",
                                         "Devanagari", "Thai",  "Hangul",   "Kana",   "Han"};
  return kNames[static_cast<std::size_t>(script)];
}

std::string_view name(Language language) {
  constexpr std::string_view kNames[] = {"English",    "German",  "French", "Spanish",  "Italian",
                                         "Portuguese", "Russian", "Greek",  "Arabic",   "Hebrew",
                                         "Hindi",      "Thai",    "Korean", "Japanese", "Chinese"};
  return kNames[static_cast<std::size_t>(language)];
}

std::optional<Script> script_of(char32_t character) {
  for (const Range& range : kRanges) {
    const bool is_sign = character == 0xD7 || character == 0xF7;  // times, divided by
    if (character >= range.first && character <= range.last && !is_sign) return range.script;
  }
  return std::nullopt;
}

ScriptCounts::ScriptCounts(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
    const auto script = script_of(decode(text.substr(0, length)));
    if (script) ++counts_[static_cast<std::size_t>(*script)];
    text.remove_prefix(length);
  }
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

bool is_in_language(std::string_view text, Language language) {
  constexpr double kNearlyAll = 0.9;
  const ScriptCounts scripts(text);
  const auto nearly_all = [&](Script script) { return scripts.share(script) >= kNearlyAll; };
  switch (language) {
    case Language::english:
    case Language::german:
    case Language::french:
    case Language::spanish:
    case Language::italian:
    case Language::portuguese:
      return nearly_all(Script::latin) && is_latin_language(text, language);
    case Language::russian:
      return nearly_all(Script::cyrillic);
    case Language::greek:
      return nearly_all(Script::greek);
    case Language::arabic:
      return nearly_all(Script::arabic);
    case Language::hebrew:
      return nearly_all(Script::hebrew);
    case Language::hindi:
      return nearly_all(Script::devanagari);
    case Language::thai:
      return nearly_all(Script::thai);
    case Language::korean:
      return nearly_all(Script::hangul);
    case Language::japanese:  // kana between its characters
      return scripts.share(Script::kana) >= 0.2 &&
             scripts.share(Script::kana) + scripts.share(Script::han) >= kNearlyAll;
    case Language::chinese:
      return nearly_all(Script::han);
  }
  return false;
}

}  // namespace pleiad::eval
