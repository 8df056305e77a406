// What the formats of strings take: as their standards say, and never more.
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"

namespace pleiad::constrain {
namespace {

using testing::HasSubstr;

Result<std::shared_ptr<Grammar>> made_of(const Json& schema) {
  return make_json_grammar(test_vocabulary().trie, schema, Start::at_once, {}, "format");
}

void expect_format(const char* format, const std::vector<std::string>& valid,
                   const std::vector<std::string>& invalid) {
  const auto made = made_of({{"type", "string"}, {"format", format}});
  ASSERT_TRUE(made) << made.message();
  for (const std::string& text : valid) {
    EXPECT_TRUE(takes(*made.value(), to_text(Json(text)))) << format << ": " << text;
  }
  for (const std::string& text : invalid) {
    EXPECT_FALSE(takes(*made.value(), to_text(Json(text)))) << format << ": " << text;
  }
}

/// So many labels of so many characters, with dots between them.
std::string labels(std::size_t n, std::size_t length, char letter = 'b') {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += (i > 0 ? "." : "") + std::string(length, letter);
  return out;
}

// RFC 4291, 2.2.
TEST(StringFormats, Ipv6MayEndAsIpv4Does) {
  expect_format("ipv6",
                {"::192.0.2.1", "::ffff:192.0.2.1", "64:ff9b::0.0.0.255", "1:2:3:4:5:6:7.8.9.10",
                 "1:2:3:4:5::6.7.8.9", "1::2:3:4:5:6.7.8.9", "1:2:3:4:5:6::8", "1::3:4:5:6:7:8",
                 "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8"},
                {"192.0.2.1", "1:2:3:4:5:6:7:8.9.10.11", "1:2:3:4:5:6.7.8.9", "::1.2.3",
                 "::1.2.3.4.5", "::256.0.0.1", "::01.2.3.4", "::a.2.3.4", "::1.2.3.4:5",
                 "1.2.3.4::", "1:2:3:4:5:6::7.8.9.10", "::2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::"});
}

// RFC 3986, 3.2.2.
TEST(StringFormats, HostsOfUrisMayBeAddressesInBrackets) {
  for (const char* format : {"uri", "iri", "uri-reference", "iri-reference"}) {
    expect_format(format,
                  {"http://[::1]/", "http://u:p@[2001:db8::7]:80/a?b#c", "ldap://[::]",
                   "http://[v1.fe:d]/p", "http://[1:2:3:4:5:6:7:8]"},
                  {"http://[]/", "http://[1.2.3.4]", "http://[::1", "http://::1]", "http://[::1]a",
                   "http:/[::1]", "http:[::1]", "http://[v.fe]", "http://[::1%25eth0]",
                   "http://a[::1]", "http://[::12345]"});
  }
  expect_format("uri-reference", {"//[::1]", "//[::1]/a", "", "a/b:c", "a:b", "x:/", "?", "//"},
                {"/[::1]", "[::1]", ":a", "1a:b", "a:", "//[::1]]"});
}

// RFC 1123, and 253 characters at most as what is sent of a name has 255.
TEST(StringFormats, HostNamesHaveAsManyLabelsAsFit) {
  expect_format("hostname",
                {labels(1, 63), labels(3, 63) + "." + labels(1, 61), labels(127, 1),
                 labels(5, 50).substr(0, 253), "a--b.com", "abc--d", "a-b"},
                {labels(1, 64), labels(3, 63) + "." + labels(1, 62), labels(4, 63), labels(128, 1),
                 "a.", ".a", "a-.b", "a.-b", ""});
  // What IDNA reads: some of these are names and others are not.
  expect_format("hostname", {}, {"xn--X", "XN--aa---o47jg78q", "a.xn--9n2bp8q", "ab--c"});
}

// RFC 5321, 4.5.3.1: 64 characters before the "@", and 254 together.
TEST(StringFormats, MailAddressesAreNoLongerThanTheyMayBe) {
  const std::string domain = labels(2, 63) + "." + labels(1, 61);
  expect_format("email",
                {labels(1, 64, 'a') + "@b.c", labels(32, 1, 'a') + "@b.c",
                 labels(1, 64, 'a') + "@" + domain, "a@" + labels(126, 1)},
                {labels(1, 65, 'a') + "@b.c", labels(2, 32, 'a') + "@b.c",
                 labels(1, 64, 'a') + "@" + domain + "b", "a@" + labels(127, 1),
                 "a@" + labels(4, 63), "a..b@c.d", ".a@c.d", "a.@c.d", "a@b@c.d"});
}

// What else is asked of the string, and names, which are not counted.
TEST(StringFormats, LengthsHoldBesideOtherKeywords) {
  const auto takes_text = [](const char* schema, const std::string& text) {
    const auto made = made_of(json_from(schema));
    EXPECT_TRUE(made) << made.message();
    return made && takes(*made.value(), text);
  };
  const auto quoted = [](const std::string& text) { return '"' + text + '"'; };
  const std::string longest = labels(3, 63) + "." + labels(1, 61);
  const char* at_least = R"({"type":"string","format":"hostname","minLength":200,"maxLength":300})";
  EXPECT_TRUE(takes_text(at_least, quoted(longest)));
  EXPECT_FALSE(takes_text(at_least, quoted(longest + "b")));
  EXPECT_FALSE(takes_text(at_least, quoted("a.b")));
  // It ends too far from where the length can be counted.
  const char* of_one =
      R"({"type":"string","format":"email","pattern":"\\.svc\\.cluster\\.local$"})";
  EXPECT_TRUE(takes_text(of_one, quoted("a@b.svc.cluster.local")));
  EXPECT_FALSE(takes_text(of_one, quoted("a@b.cluster.local")));
  EXPECT_FALSE(takes_text(of_one, quoted("a@" + labels(60, 3) + ".svc.cluster.local")));
  const char* names = R"({"type":"object","propertyNames":{"format":"hostname"},
                          "additionalProperties":{"type":"null"}})";
  const auto named = [&](const std::string& name) { return "{" + quoted(name) + ":null}"; };
  EXPECT_TRUE(takes_text(names, named(labels(1, 61) + "." + labels(3, 63))));
  EXPECT_TRUE(takes_text(names, named(labels(8, 30))));
  EXPECT_FALSE(takes_text(names, named(labels(4, 63))));
  EXPECT_FALSE(takes_text(names, named("-a")));
  EXPECT_EQ(made_of(json_from(R"({"type":"string","format":"email","minLength":255})")).message(),
            "format: no value can satisfy it");
}

// What is never written of a format may be listed, if it is known to be of it.
TEST(StringFormats, ListedTextsAreJudged) {
  const auto message = [](const char* format, const std::string& text) {
    const auto made = made_of({{"enum", {text}}, {"format", format}});
    return made ? std::string() : made.message();
  };
  for (const auto& [format, text] :
       {std::pair{"ipv6", "::ffff:192.0.2.1"}, {"hostname", "a--b.c"}, {"uri", "http://[::1]/"}}) {
    EXPECT_EQ(message(format, text), "") << text;
  }
  for (const auto& [format, text] : {std::pair{"ipv6", std::string("fe80::1%eth0")},
                                     {"ipv6", "::1.2.3"},
                                     {"hostname", "a_b"},
                                     {"hostname", labels(4, 63)},
                                     {"email", "a b"}}) {
    EXPECT_THAT(message(format, text), HasSubstr("format: no value can satisfy it")) << text;
  }
  for (const auto& [format, text] : {std::pair{"hostname", "xn--9n2bp8q"},
                                     {"uri", "http://[::ffff:1.2.3.4]"},
                                     {"email", "\"a b\"@c.d"},
                                     {"email", "a@[::1]"}}) {
    EXPECT_THAT(message(format, text), HasSubstr("not all texts of this format are known")) << text;
  }
}

}  // namespace
}  // namespace pleiad::constrain
