#include "api/openai/transcriptions/languages.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"

namespace pleiad::api::openai {
namespace {

using CodeAndName = std::pair<std::string_view, std::string_view>;

// ISO 639-1, those that other servers of this API take.
constexpr std::array<CodeAndName, 57> kLanguages = {{
    {"af", "Afrikaans"},  {"ar", "Arabic"},    {"hy", "Armenian"},  {"az", "Azerbaijani"},
    {"be", "Belarusian"}, {"bs", "Bosnian"},   {"bg", "Bulgarian"}, {"ca", "Catalan"},
    {"zh", "Chinese"},    {"hr", "Croatian"},  {"cs", "Czech"},     {"da", "Danish"},
    {"nl", "Dutch"},      {"en", "English"},   {"et", "Estonian"},  {"fi", "Finnish"},
    {"fr", "French"},     {"gl", "Galician"},  {"de", "German"},    {"el", "Greek"},
    {"he", "Hebrew"},     {"hi", "Hindi"},     {"hu", "Hungarian"}, {"is", "Icelandic"},
    {"id", "Indonesian"}, {"it", "Italian"},   {"ja", "Japanese"},  {"kn", "Kannada"},
    {"kk", "Kazakh"},     {"ko", "Korean"},    {"lv", "Latvian"},   {"lt", "Lithuanian"},
    {"mk", "Macedonian"}, {"ms", "Malay"},     {"mr", "Marathi"},   {"mi", "Maori"},
    {"ne", "Nepali"},     {"no", "Norwegian"}, {"fa", "Persian"},   {"pl", "Polish"},
    {"pt", "Portuguese"}, {"ro", "Romanian"},  {"ru", "Russian"},   {"sr", "Serbian"},
    {"sk", "Slovak"},     {"sl", "Slovenian"}, {"es", "Spanish"},   {"sw", "Swahili"},
    {"sv", "Swedish"},    {"tl", "Tagalog"},   {"ta", "Tamil"},     {"th", "Thai"},
    {"tr", "Turkish"},    {"uk", "Ukrainian"}, {"ur", "Urdu"},      {"vi", "Vietnamese"},
    {"cy", "Welsh"},
}};

}  // namespace

std::optional<std::string_view> language_name(std::string_view said) {
  const std::string lower = ascii_lower(said);
  const auto* found = std::ranges::find_if(kLanguages, [&](const CodeAndName& one) {
    return lower == one.first || lower == ascii_lower(one.second);
  });
  if (found == kLanguages.end()) return std::nullopt;
  return found->second;
}

}  // namespace pleiad::api::openai
