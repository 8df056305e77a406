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
#define PLEIAD_IPV4 PLEIAD_BYTE "(?:\\." PLEIAD_BYTE "){3}"
// RFC 4291, from one word to the next: behind "::" there are as many as are left of eight at most.
// The last two may be written as MAPPED, which is an IPv4 address or nothing.
#define PLEIAD_LAST_WORDS(MAPPED) PLEIAD_WORD "(?::" PLEIAD_WORD ")?" MAPPED
#define PLEIAD_LEFT(N, MAPPED) "(?:(?:" PLEIAD_WORD ":){0," N "}(?:" PLEIAD_LAST_WORDS(MAPPED) "))?"
#define PLEIAD_NEXT(LEFT, NEXT) "(?::" LEFT "|" PLEIAD_WORD ":" NEXT ")"
#define PLEIAD_BEHIND_6(MAPPED) \
  "(?::(?:" PLEIAD_WORD ")?|" PLEIAD_WORD ":(?:" PLEIAD_WORD "|:)" MAPPED ")"
#define PLEIAD_BEHIND_5(MAPPED) \
  PLEIAD_NEXT("(?:" PLEIAD_LAST_WORDS(MAPPED) ")?", PLEIAD_BEHIND_6(MAPPED))
#define PLEIAD_BEHIND_4(MAPPED) PLEIAD_NEXT(PLEIAD_LEFT("1", MAPPED), PLEIAD_BEHIND_5(MAPPED))
#define PLEIAD_BEHIND_3(MAPPED) PLEIAD_NEXT(PLEIAD_LEFT("2", MAPPED), PLEIAD_BEHIND_4(MAPPED))
#define PLEIAD_BEHIND_2(MAPPED) PLEIAD_NEXT(PLEIAD_LEFT("3", MAPPED), PLEIAD_BEHIND_3(MAPPED))
#define PLEIAD_BEHIND_1(MAPPED) PLEIAD_NEXT(PLEIAD_LEFT("4", MAPPED), PLEIAD_BEHIND_2(MAPPED))
#define PLEIAD_IPV6_WITH(MAPPED) \
  "(?:::" PLEIAD_LEFT("5", MAPPED) "|" PLEIAD_WORD ":" PLEIAD_BEHIND_1(MAPPED) ")"
#define PLEIAD_IPV6 PLEIAD_IPV6_WITH("")
#define PLEIAD_MAPPED_IPV6 PLEIAD_IPV6_WITH("|" PLEIAD_IPV4)

// Networks have zeros behind their prefix. A byte of which so many bits count:
#define PLEIAD_BITS_1 "(?:0|128)"
#define PLEIAD_BITS_2 "(?:0|64|128|192)"
#define PLEIAD_BITS_3 "(?:0|32|64|96|128|160|192|224)"
#define PLEIAD_BITS_4 "(?:0|16|32|48|64|80|96|112|128|144|160|176|192|208|224|240)"
#define PLEIAD_BITS_5                                                                     \
  "(?:[08]|16|24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|" \
  "192|200|208|216|224|232|240|248)"
#define PLEIAD_BITS_6                                                        \
  "(?:[048]|[2468][048]|[13579][26]|1(?:[02468][048]|[13579][26])|2(?:[024]" \
  "[048]|[13][26]|52))"
#define PLEIAD_BITS_7 "(?:[1-9]?[02468]|1\\d[02468]|2[0-4][02468]|25[024])"
#define PLEIAD_CUT(ZEROS, A, B, C, D, E, F, G, H)                                             \
  "(?:" PLEIAD_BITS_1 ZEROS "/" A "|" PLEIAD_BITS_2 ZEROS "/" B "|" PLEIAD_BITS_3 ZEROS "/" C \
  "|" PLEIAD_BITS_4 ZEROS "/" D "|" PLEIAD_BITS_5 ZEROS "/" E "|" PLEIAD_BITS_6 ZEROS "/" F   \
  "|" PLEIAD_BITS_7 ZEROS "/" G "|" PLEIAD_BYTE ZEROS "/" H ")"
#define PLEIAD_NET_8 PLEIAD_CUT("(?:\\.0){3}", "1", "2", "3", "4", "5", "6", "7", "8")
#define PLEIAD_NET_16 \
  PLEIAD_BYTE "\\." PLEIAD_CUT("(?:\\.0){2}", "9", "10", "11", "12", "13", "14", "15", "16")
#define PLEIAD_NET_24 \
  "(?:" PLEIAD_BYTE "\\.){2}" PLEIAD_CUT("\\.0", "17", "18", "19", "20", "21", "22", "23", "24")
#define PLEIAD_NET_32 \
  "(?:" PLEIAD_BYTE "\\.){3}" PLEIAD_CUT("", "25", "26", "27", "28", "29", "30", "31", "32")
#define PLEIAD_UP_TO_128 "|1[01]\\d|12[0-8])"
#define PLEIAD_WORDS(N, FROM) "(?:" PLEIAD_WORD ":){" N "}:/(?:" FROM PLEIAD_UP_TO_128
#define PLEIAD_WORDS_1 PLEIAD_WORDS("1", "1[6-9]|[2-9]\\d")
#define PLEIAD_WORDS_2 PLEIAD_WORDS("2", "3[2-9]|[4-9]\\d")
#define PLEIAD_WORDS_3 PLEIAD_WORDS("3", "4[89]|[5-9]\\d")
#define PLEIAD_WORDS_4 PLEIAD_WORDS("4", "6[4-9]|[7-9]\\d")
#define PLEIAD_WORDS_5 PLEIAD_WORDS("5", "[89]\\d")
#define PLEIAD_WORDS_6 PLEIAD_WORDS("6", "9[6-9]")
#define PLEIAD_WORDS_7 \
  "(?:" PLEIAD_WORD ":){7}:/(?:11[2-9]|12[0-8])|(?:" PLEIAD_WORD ":){7}" PLEIAD_WORD "/128"
#define PLEIAD_INTERFACE_4 PLEIAD_IPV4 "/(?:[12]?\\d|3[0-2])"
#define PLEIAD_INTERFACE_6 PLEIAD_IPV6 "/(?:[1-9]?\\d" PLEIAD_UP_TO_128
#define PLEIAD_NETWORK_4 \
  "(?:0\\.0\\.0\\.0/0|" PLEIAD_NET_8 "|" PLEIAD_NET_16 "|" PLEIAD_NET_24 "|" PLEIAD_NET_32 ")"
// Those whose zeros begin behind a word.
#define PLEIAD_NETWORK_6                                                                         \
  "(?:::/(?:[1-9]?\\d" PLEIAD_UP_TO_128 "|" PLEIAD_WORDS_1 "|" PLEIAD_WORDS_2 "|" PLEIAD_WORDS_3 \
  "|" PLEIAD_WORDS_4 "|" PLEIAD_WORDS_5 "|" PLEIAD_WORDS_6 "|" PLEIAD_WORDS_7 ")"

#define PLEIAD_HEX(N) "[0-9a-fA-F]{" N "}"
#define PLEIAD_UUID(VERSION) \
  PLEIAD_HEX("8")            \
  "-" PLEIAD_HEX("4") "-" VERSION PLEIAD_HEX("3") "-[89abAB]" PLEIAD_HEX("3") "-" PLEIAD_HEX("12")

// RFC 4648, in fours; what is left over at the end has no bits but those of whole bytes.
#define PLEIAD_BASE64(MORE)                                                   \
  "(?:[A-Za-z0-9" MORE "]{4})*(?:[A-Za-z0-9" MORE "][AQgw]==|[A-Za-z0-9" MORE \
  "]{2}[AEIMQUYcgkosw048]=)?"

// RFC 3986, and 3987 with characters beyond ASCII (those that take up to three bytes).
#define PLEIAD_FAR "\\u00A0-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFEF"
#define PLEIAD_ESCAPED "%[0-9A-Fa-f]{2}"
#define PLEIAD_PATH(FAR) "(?:[A-Za-z0-9._~!$&'()*+,;=:@/" FAR "-]|" PLEIAD_ESCAPED ")"
#define PLEIAD_SEGMENT(FAR) "(?:[A-Za-z0-9._~!$&'()*+,;=:@" FAR "-]|" PLEIAD_ESCAPED ")"
#define PLEIAD_FIRST(FAR) "(?:[A-Za-z0-9._~!$&'()*+,;=@" FAR "-]|" PLEIAD_ESCAPED ")"
#define PLEIAD_NAME(FAR) "(?:[A-Za-z0-9._~!$&'()*+,;=" FAR "-]|" PLEIAD_ESCAPED ")"
#define PLEIAD_USER(FAR) "(?:[A-Za-z0-9._~!$&'()*+,;=:" FAR "-]|" PLEIAD_ESCAPED ")"
#define PLEIAD_REST(FAR) "(?:[A-Za-z0-9._~!$&'()*+,;=:@/?" FAR "-]|" PLEIAD_ESCAPED ")*"
#define PLEIAD_FUTURE_ADDRESS "[vV][0-9A-Fa-f]+\\.[A-Za-z0-9._~!$&'()*+,;=:-]+"
#define PLEIAD_HOST(FAR) \
  "(?:\\[(?:" PLEIAD_IPV6 "|" PLEIAD_FUTURE_ADDRESS ")\\]|" PLEIAD_NAME(FAR) "*)"
#define PLEIAD_AUTHORITY(FAR) \
  "//(?:" PLEIAD_USER(FAR) "*@)?" PLEIAD_HOST(FAR) "(?::\\d*)?(?:/" PLEIAD_PATH(FAR) "*)?"
#define PLEIAD_ABSOLUTE(FAR) "/(?:" PLEIAD_SEGMENT(FAR) PLEIAD_PATH(FAR) "*)?"
#define PLEIAD_BEHIND(FAR) "(?:\\?" PLEIAD_REST(FAR) ")?(?:#" PLEIAD_REST(FAR) ")?"
#define PLEIAD_SCHEME "[A-Za-z][A-Za-z0-9+.-]{0,15}:"
// Something stands behind the scheme.
#define PLEIAD_URI(FAR)                                                                      \
  PLEIAD_SCHEME "(?:" PLEIAD_AUTHORITY(FAR) "|" PLEIAD_ABSOLUTE(FAR) "|" PLEIAD_SEGMENT(FAR) \
      PLEIAD_PATH(FAR) "*)" PLEIAD_BEHIND(FAR)
#define PLEIAD_REFERENCE(FAR)                                                                      \
  "(?:(?:" PLEIAD_SCHEME ")?(?:" PLEIAD_AUTHORITY(FAR) "|" PLEIAD_ABSOLUTE(FAR) ")|" PLEIAD_SCHEME \
  PLEIAD_SEGMENT(FAR)                                                                              \
      PLEIAD_PATH(FAR) "*|" PLEIAD_FIRST(FAR) "+(?:/" PLEIAD_PATH(FAR) "*)?|)" PLEIAD_BEHIND(FAR)

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

// RFC 1123; those with "--" in the third and fourth place are left out of host names, as they would
// have to be IDNA's (RFC 5891) to be any.
#define PLEIAD_LABEL "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
#define PLEIAD_HOST_LABEL "(?![A-Za-z0-9-]{2}--)" PLEIAD_LABEL

// RFC 5321: what stands before the "@" has 64 characters at most.
#define PLEIAD_MAIL_WORD "[A-Za-z0-9!#$%&*+/=?^_{|}~-]+"

// Durations have up to six digits a part: with more, they are longer than those that programs
// count with (Python: a billion days).
constexpr std::array<Format, 39> kFormats = {{
    {"date", "^" PLEIAD_DATE "$"},
    {"time", "^" PLEIAD_TIME "$"},
    {"date-time", "^" PLEIAD_DATE "T" PLEIAD_TIME "$"},
    {"duration",
     "^P(?:\\d{1,6}W|(?:\\d{1,6}Y(?:\\d{1,6}M(?:\\d{1,6}D)?)?|\\d{1,6}M(?:\\d{1,6}D)?|\\d{1,6}D)"
     "(?:T(?:\\d{1,6}H(?:\\d{1,6}M(?:\\d{1,6}S)?)?|\\d{1,6}M(?:\\d{1,6}S)?|\\d{1,6}S))?|"
     "T(?:\\d{1,6}H(?:\\d{1,6}M(?:\\d{1,6}S)?)?|\\d{1,6}M(?:\\d{1,6}S)?|\\d{1,6}S))$"},
    {"uuid", "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"},
    {"email", "^(?=[^@]{1,64}@)" PLEIAD_MAIL_WORD "(?:\\." PLEIAD_MAIL_WORD ")*@" PLEIAD_LABEL
              "(?:\\." PLEIAD_LABEL ")+$"},
    {"hostname", "^" PLEIAD_HOST_LABEL "(?:\\." PLEIAD_HOST_LABEL ")*$"},
    {"ipv4", "^" PLEIAD_IPV4 "$"},
    {"ipv6", "^" PLEIAD_MAPPED_IPV6 "$"},
    {"uri", "^" PLEIAD_URI("") "$"},
    {"uri-reference", "^" PLEIAD_REFERENCE("") "$"},
    {"uri-template", "^(?:" PLEIAD_REST("#") PLEIAD_EXPRESSION ")*" PLEIAD_REST("#") "$"},
    {"iri", "^" PLEIAD_URI(PLEIAD_FAR) "$"},
    {"iri-reference", "^" PLEIAD_REFERENCE(PLEIAD_FAR) "$"},
    // Of the versions, with the variant that RFC 9562 gives them.
    {"uuid1", "^" PLEIAD_UUID("1") "$"},
    {"uuid3", "^" PLEIAD_UUID("3") "$"},
    {"uuid4", "^" PLEIAD_UUID("4") "$"},
    {"uuid5", "^" PLEIAD_UUID("5") "$"},
    {"uuid6", "^" PLEIAD_UUID("6") "$"},
    {"uuid7", "^" PLEIAD_UUID("7") "$"},
    {"uuid8", "^" PLEIAD_UUID("8") "$"},
    {"ipvanyaddress", "^(?:" PLEIAD_IPV4 "|" PLEIAD_IPV6 ")$"},
    {"ipv4interface", "^" PLEIAD_INTERFACE_4 "$"},
    {"ipv6interface", "^" PLEIAD_INTERFACE_6 "$"},
    {"ipvanyinterface", "^(?:" PLEIAD_INTERFACE_4 "|" PLEIAD_INTERFACE_6 ")$"},
    {"ipv4network", "^" PLEIAD_NETWORK_4 "$"},
    {"ipv6network", "^" PLEIAD_NETWORK_6 "$"},
    {"ipvanynetwork", "^(?:" PLEIAD_NETWORK_4 "|" PLEIAD_NETWORK_6 ")$"},
    {"base64", "^" PLEIAD_BASE64("+/") "$"},
    {"base64url", "^" PLEIAD_BASE64("_-") "$"},
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
#undef PLEIAD_IPV4
#undef PLEIAD_LAST_WORDS
#undef PLEIAD_LEFT
#undef PLEIAD_NEXT
#undef PLEIAD_BEHIND_1
#undef PLEIAD_BEHIND_2
#undef PLEIAD_BEHIND_3
#undef PLEIAD_BEHIND_4
#undef PLEIAD_BEHIND_5
#undef PLEIAD_BEHIND_6
#undef PLEIAD_IPV6_WITH
#undef PLEIAD_IPV6
#undef PLEIAD_MAPPED_IPV6
#undef PLEIAD_BITS_1
#undef PLEIAD_BITS_2
#undef PLEIAD_BITS_3
#undef PLEIAD_BITS_4
#undef PLEIAD_BITS_5
#undef PLEIAD_BITS_6
#undef PLEIAD_BITS_7
#undef PLEIAD_CUT
#undef PLEIAD_NET_8
#undef PLEIAD_NET_16
#undef PLEIAD_NET_24
#undef PLEIAD_NET_32
#undef PLEIAD_UP_TO_128
#undef PLEIAD_INTERFACE_4
#undef PLEIAD_INTERFACE_6
#undef PLEIAD_NETWORK_4
#undef PLEIAD_NETWORK_6
#undef PLEIAD_WORDS
#undef PLEIAD_WORDS_1
#undef PLEIAD_WORDS_2
#undef PLEIAD_WORDS_3
#undef PLEIAD_WORDS_4
#undef PLEIAD_WORDS_5
#undef PLEIAD_WORDS_6
#undef PLEIAD_WORDS_7
#undef PLEIAD_HEX
#undef PLEIAD_UUID
#undef PLEIAD_BASE64
#undef PLEIAD_FAR
#undef PLEIAD_ESCAPED
#undef PLEIAD_PATH
#undef PLEIAD_SEGMENT
#undef PLEIAD_FIRST
#undef PLEIAD_NAME
#undef PLEIAD_USER
#undef PLEIAD_REST
#undef PLEIAD_FUTURE_ADDRESS
#undef PLEIAD_HOST
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
#undef PLEIAD_LABEL
#undef PLEIAD_HOST_LABEL
#undef PLEIAD_MAIL_WORD

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

std::optional<FormatLength> length_of_format(std::string_view format) {
  // Few labels, of 63 characters but for the first one, or eight of a size.
  if (format == "hostname") {
    return FormatLength{253,
                        "^(?:[A-Za-z0-9-]{1,61}(?:\\.[A-Za-z0-9-]*){0,3}|"
                        "[A-Za-z0-9-]{1,30}(?:\\.[A-Za-z0-9-]{1,30}){0,7})$"};
  }
  if (format == "email") {
    return FormatLength{254,
                        "^[!-?A-~]*@(?:[A-Za-z0-9-]{1,61}(?:\\.[A-Za-z0-9-]*){1,2}|"
                        "[A-Za-z0-9-]{1,22}(?:\\.[A-Za-z0-9-]{1,22}){1,7})$"};
  }
  return std::nullopt;
}

std::optional<std::string_view> pattern_of_unwritten(std::string_view format) {
  if (format == "hostname") return "(?:^|\\.)[A-Za-z0-9-]{2}--";
  return std::nullopt;
}

bool is_written_whole(std::string_view format) {
  constexpr std::array<std::string_view, 17> kMore = {"time",
                                                      "date-time",
                                                      "duration",
                                                      "email",
                                                      "hostname",
                                                      "uri",
                                                      "uri-reference",
                                                      "uri-template",
                                                      "iri",
                                                      "iri-reference",
                                                      "ipvanyaddress",
                                                      "ipv6interface",
                                                      "ipvanyinterface",
                                                      "ipv6network",
                                                      "ipvanynetwork",
                                                      "regex",
                                                      "relative-json-pointer"};
  return std::ranges::find(kMore, format) == kMore.end();
}

std::string known_formats() {
  std::string out;
  for (const Format& known : kFormats) {
    if (!known.pattern.empty()) (out += out.empty() ? "" : ", ") += known.name;
  }
  return out;
}

}  // namespace pleiad::constrain
