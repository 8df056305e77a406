#include "constrain/texts/string_formats.h"

#include <array>

namespace pleiad::constrain {
namespace {

struct Format {
  std::string_view name;
  std::string_view pattern;
};

// Not the year 0, which languages like Python have no dates of.
#define PLEIAD_YEAR "(?:[1-9]\\d{3}|0[1-9]\\d\\d|00[1-9]\\d|000[1-9])"
#define PLEIAD_DATE                                                                      \
  "(?:" PLEIAD_YEAR                                                                      \
  "-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|" \
  "02-(?:0[1-9]|1\\d|2[0-8]))|(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|"               \
  "(?:0[48]|[2468][048]|[13579][26])00)-02-29)"
#define PLEIAD_TIME \
  "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)"
#define PLEIAD_BYTE "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)"
#define PLEIAD_LABEL "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"

// Addresses of the sixth version without the short forms. Durations have up to six digits a part:
// with more, they are longer than those that programs count with (Python: a billion days).
constexpr std::array<Format, 16> kFormats = {{
    {"date", "^" PLEIAD_DATE "$"},
    {"time", "^" PLEIAD_TIME "$"},
    {"date-time", "^" PLEIAD_DATE "T" PLEIAD_TIME "$"},
    {"duration",
     "^P(?:\\d{1,6}W|(?:\\d{1,6}Y(?:\\d{1,6}M(?:\\d{1,6}D)?)?|\\d{1,6}M(?:\\d{1,6}D)?|\\d{1,6}D)"
     "(?:T(?:\\d{1,6}H(?:\\d{1,6}M(?:\\d{1,6}S)?)?|\\d{1,6}M(?:\\d{1,6}S)?|\\d{1,6}S))?|"
     "T(?:\\d{1,6}H(?:\\d{1,6}M(?:\\d{1,6}S)?)?|\\d{1,6}M(?:\\d{1,6}S)?|\\d{1,6}S))$"},
    {"uuid", "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"},
    {"email",
     "^[A-Za-z0-9!#$%&*+/=?^_{|}~-]{1,32}(?:\\.[A-Za-z0-9!#$%&*+/=?^_{|}~-]{1,32}){0,3}@"
     "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+$"},
    {"hostname",
     "^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
     "(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?){0,3}$"},
    {"ipv4", "^" PLEIAD_BYTE "(?:\\." PLEIAD_BYTE "){3}$"},
    {"ipv6", "^(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}$"},
    {"uri", "^[A-Za-z][A-Za-z0-9+.-]{0,15}:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]+$"},
    // These say how a program holds the text, or what a person may see of it.
    {"binary", ""},
    {"byte", ""},
    {"password", ""},
    {"path", ""},
    {"string", ""},
    {"text", ""},
}};

#undef PLEIAD_YEAR
#undef PLEIAD_DATE
#undef PLEIAD_TIME
#undef PLEIAD_BYTE
#undef PLEIAD_LABEL

}  // namespace

std::optional<std::string_view> pattern_of_format(std::string_view format) {
  for (const Format& known : kFormats) {
    if (known.name == format) return known.pattern;
  }
  return std::nullopt;
}

std::string known_formats() {
  std::string out;
  for (const Format& known : kFormats) {
    if (!known.pattern.empty()) (out += out.empty() ? "" : ", ") += known.name;
  }
  return out;
}

}  // namespace pleiad::constrain
