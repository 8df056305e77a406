#include "constrain/texts/string_formats.h"

#include <algorithm>
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
#define PLEIAD_WORD "[0-9a-fA-F]{1,4}"

// RFC 3986, and 3987 with characters beyond ASCII (those that take up to three bytes).
#define PLEIAD_FAR "\\u00A0-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFEF"
#define PLEIAD_ESCAPED "%[0-9A-Fa-f]{2}"
#define PLEIAD_PATH(FAR) "(?:[A-Za-z0-9._~!$&'()*+,;=:@/" FAR "-]|" PLEIAD_ESCAPED ")"
#define PLEIAD_SEGMENT(FAR) "(?:[A-Za-z0-9._~!$&'()*+,;=:@" FAR "-]|" PLEIAD_ESCAPED ")"
#define PLEIAD_FIRST(FAR) "(?:[A-Za-z0-9._~!$&'()*+,;=@" FAR "-]|" PLEIAD_ESCAPED ")"
#define PLEIAD_NAME(FAR) "(?:[A-Za-z0-9._~!$&'()*+,;=" FAR "-]|" PLEIAD_ESCAPED ")"
#define PLEIAD_USER(FAR) "(?:[A-Za-z0-9._~!$&'()*+,;=:" FAR "-]|" PLEIAD_ESCAPED ")"
#define PLEIAD_REST(FAR) "(?:[A-Za-z0-9._~!$&'()*+,;=:@/?" FAR "-]|" PLEIAD_ESCAPED ")*"
#define PLEIAD_AUTHORITY(FAR) \
  "//(?:" PLEIAD_USER(FAR) "*@)?" PLEIAD_NAME(FAR) "*(?::\\d*)?(?:/" PLEIAD_PATH(FAR) "*)?"
#define PLEIAD_ABSOLUTE(FAR) "/(?:" PLEIAD_SEGMENT(FAR) PLEIAD_PATH(FAR) "*)?"
#define PLEIAD_BEHIND(FAR) "(?:\\?" PLEIAD_REST(FAR) ")?(?:#" PLEIAD_REST(FAR) ")?"
#define PLEIAD_SCHEME "[A-Za-z][A-Za-z0-9+.-]{0,15}:"
// Something stands behind the scheme.
#define PLEIAD_URI(FAR)                                                                      \
  PLEIAD_SCHEME "(?:" PLEIAD_AUTHORITY(FAR) "|" PLEIAD_ABSOLUTE(FAR) "|" PLEIAD_SEGMENT(FAR) \
      PLEIAD_PATH(FAR) "*)" PLEIAD_BEHIND(FAR)
#define PLEIAD_REFERENCE(FAR)                                                                   \
  "(?:" PLEIAD_URI(FAR) "|(?:" PLEIAD_AUTHORITY(FAR) "|" PLEIAD_ABSOLUTE(FAR) "|" PLEIAD_FIRST( \
      FAR) "+(?:/" PLEIAD_PATH(FAR) "*)?)?" PLEIAD_BEHIND(FAR) ")"

// RFC 6570: names in braces amid what a URI may have.
#define PLEIAD_VARIABLE                                                       \
  "(?:[A-Za-z0-9_]|" PLEIAD_ESCAPED ")+(?:\\.(?:[A-Za-z0-9_]|" PLEIAD_ESCAPED \
  ")+)*"                                                                      \
  "(?:\\*|:[1-9]\\d{0,3})?"
#define PLEIAD_EXPRESSION "\\{[+#./;?&]?" PLEIAD_VARIABLE "(?:," PLEIAD_VARIABLE ")*\\}"

// Of regular expressions those that all dialects read alike, with groups in groups in groups.
#define PLEIAD_TIMES                                                                          \
  "(?:[*+?]|\\{(?:\\d{1,3},?|[01],[1-9]|2,[2-9]|3,[3-9]|4,[4-9]|5,[5-9]|6,[6-9]|7,[789]|\\d," \
  "[1-9]\\d|[1-9]\\d,[1-9]\\d\\d)\\})?"
#define PLEIAD_CODE "\\\\[dDwWsSnrt.*+?^$|()\\[\\]{}/\\\\]"
#define PLEIAD_MEMBER "(?:a-z|A-Z|0-9|[A-Za-z0-9 _.,:;@!#$%&*+=/?~'\"<>|(){}]|" PLEIAD_CODE ")"
#define PLEIAD_ONE "[A-Za-z0-9 _,:;@!#%&=/~'\"<>.-]|" PLEIAD_CODE "|\\[\\^?" PLEIAD_MEMBER "+-?\\]"
#define PLEIAD_BRANCHES(ONE) "(?:" ONE ")" PLEIAD_TIMES "(?:\\|?(?:" ONE ")" PLEIAD_TIMES ")*"
#define PLEIAD_GROUP(INSIDE) "|\\((?:\\?:)?" INSIDE "\\)"
#define PLEIAD_INNER PLEIAD_BRANCHES(PLEIAD_ONE)
#define PLEIAD_MIDDLE PLEIAD_BRANCHES(PLEIAD_ONE PLEIAD_GROUP(PLEIAD_INNER))
#define PLEIAD_OUTER PLEIAD_BRANCHES(PLEIAD_ONE PLEIAD_GROUP(PLEIAD_MIDDLE))

// Durations have up to six digits a part: with more, they are longer than those that programs
// count with (Python: a billion days).
constexpr std::array<Format, 23> kFormats = {{
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
    {"ipv6", "^(?:(?:" PLEIAD_WORD ":){7}" PLEIAD_WORD "|(?:" PLEIAD_WORD ":){1,7}:|(?:" PLEIAD_WORD
             ":){1,6}:" PLEIAD_WORD "|(?:" PLEIAD_WORD ":){1,5}(?::" PLEIAD_WORD
             "){2}|(?:" PLEIAD_WORD ":){1,4}(?::" PLEIAD_WORD "){3}|(?:" PLEIAD_WORD
             ":){1,3}(?::" PLEIAD_WORD "){4}|(?:" PLEIAD_WORD ":){1,2}(?::" PLEIAD_WORD
             "){5}|" PLEIAD_WORD ":(?::" PLEIAD_WORD "){6}|:(?:(?::" PLEIAD_WORD "){1,7}|:))$"},
    {"uri", "^" PLEIAD_URI("") "$"},
    {"uri-reference", "^" PLEIAD_REFERENCE("") "$"},
    {"uri-template", "^(?:" PLEIAD_REST("#") PLEIAD_EXPRESSION ")*" PLEIAD_REST("#") "$"},
    {"iri", "^" PLEIAD_URI(PLEIAD_FAR) "$"},
    {"iri-reference", "^" PLEIAD_REFERENCE(PLEIAD_FAR) "$"},
    {"json-pointer", "^(?:/(?:[^/~]|~[01])*)*$"},
    {"relative-json-pointer", "^(?:0|[1-9]\\d{0,5})(?:#|(?:/(?:[^/~]|~[01])*)*)$"},
    {"regex", "^\\^?(?:" PLEIAD_OUTER ")?\\$?$"},
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
#undef PLEIAD_WORD
#undef PLEIAD_FAR
#undef PLEIAD_ESCAPED
#undef PLEIAD_PATH
#undef PLEIAD_SEGMENT
#undef PLEIAD_FIRST
#undef PLEIAD_NAME
#undef PLEIAD_USER
#undef PLEIAD_REST
#undef PLEIAD_AUTHORITY
#undef PLEIAD_ABSOLUTE
#undef PLEIAD_BEHIND
#undef PLEIAD_SCHEME
#undef PLEIAD_URI
#undef PLEIAD_REFERENCE
#undef PLEIAD_VARIABLE
#undef PLEIAD_EXPRESSION
#undef PLEIAD_TIMES
#undef PLEIAD_CODE
#undef PLEIAD_MEMBER
#undef PLEIAD_ONE
#undef PLEIAD_BRANCHES
#undef PLEIAD_GROUP
#undef PLEIAD_INNER
#undef PLEIAD_MIDDLE
#undef PLEIAD_OUTER

}  // namespace

std::optional<std::string_view> pattern_of_format(std::string_view format) {
  for (const Format& known : kFormats) {
    if (known.name == format) return known.pattern;
  }
  return std::nullopt;
}

std::optional<std::string_view> pattern_around_format(std::string_view format) {
  constexpr std::array<Format, 9> kAround = {{{"date", "^\\d{4}-\\d\\d-\\d\\d$"},
                                              {"time", "^\\d\\d:\\d\\d:"},
                                              {"date-time", "^\\d{4}-\\d\\d-\\d\\d[Tt ]"},
                                              {"uuid", "^[0-9A-Fa-f]{8}-"},
                                              {"email", "@"},
                                              {"ipv4", "^\\d+\\.\\d+\\.\\d+\\.\\d+$"},
                                              {"ipv6", ":"},
                                              {"uri", ":"},
                                              {"iri", ":"}}};
  const auto* known = std::ranges::find(kAround, format, &Format::name);
  return known == kAround.end() ? std::nullopt : std::optional(known->pattern);
}

std::string known_formats() {
  std::string out;
  for (const Format& known : kFormats) {
    if (!known.pattern.empty()) (out += out.empty() ? "" : ", ") += known.name;
  }
  return out;
}

}  // namespace pleiad::constrain
