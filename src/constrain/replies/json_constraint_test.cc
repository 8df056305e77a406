#include "constrain/replies/json_constraint.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"

namespace pleiad::constrain {
namespace {

std::shared_ptr<Grammar> json_grammar(const Json& format, Start start = Start::at_once) {
  auto grammar = make_json_grammar(test_vocabulary().trie, format, start);
  if (!grammar) throw std::runtime_error(grammar.message());
  return std::move(grammar).value();
}

TEST(JsonConstraint, AnyObjectIsParsedWhateverTokensAreChosen) {
  const auto grammar = json_grammar(Json("json"));
  std::mt19937 random(1);
  int finished = 0;
  for (int round = 0; round < 200; ++round) {
    const auto reply = random_reply(*grammar, random, round < 20);
    if (HasFatalFailure()) return;
    if (!reply) continue;
    ++finished;
    const Json value = json_or_discarded(text_of(*reply));
    EXPECT_TRUE(value.is_object()) << text_of(*reply);
  }
  EXPECT_GT(finished, 150);
}

TEST(JsonConstraint, TakesObjectsInTheUsualStyles) {
  const auto grammar = json_grammar(Json("json"));
  EXPECT_TRUE(takes(*grammar, R"({"a":[1,2.5,-3e10,"x\n\"\u00e9\ud83d\ude00é日本😀",true,null]})"));
  EXPECT_TRUE(takes(*grammar, R"({"a": {"b": []}, "c": {}})"));
  EXPECT_TRUE(takes(*grammar, "{\n  \"a\": [\n    1,\n    2\n  ]\n}"));
  EXPECT_FALSE(takes(*grammar, "[1]"));
  EXPECT_FALSE(takes(*grammar, "{\"a\": 01}"));
  EXPECT_FALSE(takes(*grammar, "{\"a\": \"\\ud83d\"}"));
  EXPECT_FALSE(takes(*grammar, "{\"a\": \"\xC0\x80\"}"));
  EXPECT_FALSE(takes(*grammar, "{  \"a\": 1}"));
}

TEST(JsonConstraint, FormatsOfStrings) {
  const auto expect = [](const char* format, std::vector<const char*> valid,
                         std::vector<const char*> invalid) {
    Json schema = {{"type", "string"}};
    schema["format"] = format;
    const auto grammar = json_grammar(schema);
    for (const char* text : valid) EXPECT_TRUE(takes(*grammar, to_text(Json(text)))) << text;
    for (const char* text : invalid) EXPECT_FALSE(takes(*grammar, to_text(Json(text)))) << text;
  };
  expect("date", {"2024-02-29", "2000-02-29", "1999-12-31"},
         {"0000-10-20", "2023-02-29", "1900-02-29", "2024-04-31", "2024-13-01", "24-01-01"});
  expect("time", {"23:59:59Z", "00:00:00.123+02:00"}, {"24:00:00Z", "12:00:00", "1:2:3Z"});
  expect("date-time", {"2024-02-29T12:00:00Z"}, {"2024-02-29 12:00:00Z", "2024-02-30T12:00:00Z"});
  expect("uuid", {"123e4567-e89b-12d3-a456-426614174000"}, {"123e4567e89b12d3a456426614174000"});
  expect("uuid4", {"123e4567-e89b-42d3-a456-426614174000", "123E4567-E89B-42D3-B456-426614174000"},
         {"123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-42d3-c456-426614174000"});
  expect("uuid1", {"123e4567-e89b-12d3-a456-426614174000"},
         {"123e4567-e89b-42d3-a456-426614174000"});
  expect("ipvanyaddress", {"127.0.0.1", "::1"}, {"localhost", "1.2.3"});
  expect("ipv4interface", {"10.1.2.3/8", "0.0.0.0/0", "1.2.3.4/32"}, {"10.1.2.3", "1.2.3.4/33"});
  expect("ipv6interface", {"fe80::1/64", "::/128"}, {"fe80::1", "::/129"});
  expect("ipvanyinterface", {"10.1.2.3/8", "fe80::1/64"}, {"10.1.2.3", "fe80::1", "a/8"});
  expect("ipvanynetwork", {"10.0.0.0/8", "2001:db8::/32"}, {"10.0.0.1/8", "2001:db8::1/64"});
  expect("ipv4network",
         {"0.0.0.0/0", "128.0.0.0/1", "10.0.0.0/8", "10.96.0.0/11", "172.16.0.0/12", "1.2.252.0/22",
          "1.2.3.0/24", "1.2.3.254/31", "1.2.3.4/32"},
         {"10.0.0.1/8", "10.0.0.0/33", "1.2.3.255/31", "1.2.254.0/22", "10.80.0.0/11", "1.2.3.4"});
  expect("ipv6network", {"::/0", "2001:db8::/32", "2001:db8::/128", "1:2:3:4::/64"},
         {"2001:db8::/31", "2001:db8::1/64", "::/129"});
  expect("base64", {"", "YWI=", "YQ==", "YWJj", "+/+/"}, {"YWI", "YR==", "YWJ=", "-_-_", "=YWI"});
  expect("base64url", {"", "YWI=", "-_-_"}, {"YWI", "+/+/"});
  const std::string label(63, 'b');
  const std::string longest = "a@" + label + ".org";
  const std::string too_long = "a@" + label + "b.org";
  expect("email", {"a.b+c@example.org", "a@b.c.d.e.f", longest.c_str()},
         {"a@b", "@example.org", "a b@example.org", "a@b-.org", too_long.c_str()});
  expect("ipv4", {"127.0.0.1", "255.255.255.255"}, {"256.0.0.1", "1.2.3"});
  expect("ipv6", {"::", "::1", "1::", "fe80::1:2", "1:2:3:4:5:6:7:8", "1:2:3::6:7:8"},
         {"1", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::"});
  expect("uri",
         {"https://example.org/a?b=c#d", "http://a:b@c:80/%C3%A9", "urn:a:b", "mailto:a@b.c"},
         {"example", "https://a b", "a:", "http://a:b:c", "a:#b#c", "a:%4", "a:\xC3\xA9"});
  expect("uri-reference", {"", "/a", "a/b:c", "?x", "#", "//a/b", "https://a"},
         {"://", ":a", "a b", "##"});
  expect("iri", {"https://\xE6\x97\xA5\xE6\x9C\xAC/a"}, {"not-an-iri", "https://a b"});
  expect("iri-reference", {"\xC3\xA9/b", "https://\xC3\xA9"}, {"\xC3\xA9:b", "a b"});
  expect("uri-template", {"/a/{b}", "{?x,y*}", "{+p:3}/x", ""}, {"/{", "{}", "}", "{a", "{a:0}"});
  expect("json-pointer", {"", "/", "/a~0b/~1", "/a b"}, {"a", "/~2", "/a~"});
  expect("relative-json-pointer", {"0", "1/a", "12#"}, {"", "/a", "01", "1#/a", "-1"});
  expect("regex", {"", "^[a-z]+$", "(a|b)*c?", "\\d{2,}", "((a)b(?:c))", "^\\w{3,16}$"},
         {"*", "\\", "(", "a)", "[z-a]", "a{", "a{3,2}", "[]"});
  expect("duration", {"P1D", "PT5M", "P1Y2M3DT4H5M6S"}, {"P", "1D", "PT", "P1234567D"});
  expect("hostname", {"example.org", "a"}, {"-a", "a..b"});
  expect("password", {"anything"}, {});
}

std::string failure_of(const Json& schema) {
  const auto grammar = make_json_grammar(test_vocabulary().trie, schema, Start::at_once);
  return grammar.ok() ? std::string("it was accepted") : grammar.message();
}

// What is chosen here and there is chosen each with each.
TEST(JsonConstraint, LimitsHowManyAlternativesThereAre) {
  Json choices = Json::array();
  for (int i = 0; i < 30; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    choices.push_back({{"anyOf", {{{"required", {name}}}, {{"maxProperties", i}}}}});
  }
  EXPECT_THAT(failure_of({{"allOf", choices}}), testing::HasSubstr("too many"));
  Json apart = {{"x-note", std::string(8000, 'x')}};
  for (int i = 0; i < 1000; ++i) apart["anyOf"].push_back({{"type", "null"}});
  EXPECT_EQ(failure_of(apart), "it was accepted");
}

// Whether two branches are disjoint is asked of their properties, whose branches are asked
// likewise.
TEST(JsonConstraint, BranchesThatHoldEachOtherAreNotAskedForEver) {
  Json ways = Json::array();
  for (const char* kind : {"A", "B", "C", "D"}) {
    ways.push_back({{"type", "object"},
                    {"properties",
                     {{"kind", {{"type", "string"}, {"pattern", std::string("^") + kind + "$"}}},
                      {"content", {{"$ref", "#/definitions/rule"}}}}},
                    {"required", {"kind", "content"}}});
  }
  ways.push_back({{"type", "null"}});
  const auto grammar = json_grammar(
      {{"definitions", {{"rule", {{"oneOf", ways}}}}}, {"$ref", "#/definitions/rule"}});
  EXPECT_TRUE(takes(*grammar, R"({"kind":"A","content":{"kind":"B","content":null}})"));
  EXPECT_FALSE(takes(*grammar, R"({"kind":"A","content":{"kind":"E","content":null}})"));
}

TEST(JsonConstraint, CharactersOfKeysAreNoProperties) {
  const auto grammar = json_grammar(json_from(
      R"({"type":"object","maxProperties":1,"additionalProperties":{"type":"integer"}})"));
  EXPECT_TRUE(takes(*grammar, "{\"\xC3\xA9\xC3\xA9\xE6\x97\xA5\":1}"));
  EXPECT_FALSE(takes(*grammar, R"({"a":1,"b":2})"));
  const auto two = json_grammar(json_from(
      R"({"type":"object","minProperties":2,"additionalProperties":{"type":"integer"}})"));
  EXPECT_FALSE(takes(*two, "{\"\xC3\xA9\xC3\xA9\":1}"));
  EXPECT_TRUE(takes(*two, "{\"\xC3\xA9\":1,\"a\":2}"));
}

TEST(JsonConstraint, APrefixIsOfItsOwnSchema) {
  for (const char* schema :
       {R"({"prefixItems":[{"type":"integer"}],"allOf":[{"items":{"maximum":3}}]})",
        R"({"items":{"maximum":3},"allOf":[{"prefixItems":[{"type":"integer"}]}]})"}) {
    const auto grammar = json_grammar(json_from(schema));
    EXPECT_TRUE(takes(*grammar, "[2,1.5]"));
    EXPECT_FALSE(takes(*grammar, "[1.5]"));
    EXPECT_FALSE(takes(*grammar, "[4]"));
    EXPECT_FALSE(takes(*grammar, "[2,4]"));
  }
}

TEST(JsonConstraint, AFormatThatIsNotKnownIsIgnoredAndTold) {
  const auto grammar = json_grammar(
      json_from(R"({"type":"object","properties":{"c":{"type":"string","format":"colour"}}})"));
  EXPECT_TRUE(takes(*grammar, R"({"c":"red"})"));
  ASSERT_EQ(grammar->unenforced().size(), 1U);
  EXPECT_THAT(grammar->unenforced()[0],
              testing::StartsWith("format.properties.c.format: this format is not known"));
}

TEST(JsonConstraint, FormatsOfNumbersAreTheirBounds) {
  const auto small = json_grammar(json_from(R"({"type":"integer","format":"int32"})"));
  EXPECT_TRUE(takes(*small, "2147483647"));
  EXPECT_TRUE(takes(*small, "-2147483648"));
  EXPECT_FALSE(takes(*small, "2147483648"));
  EXPECT_FALSE(takes(*small, "-2147483649"));
  EXPECT_TRUE(small->unenforced().empty());
  const auto byte =
      json_grammar(json_from(R"({"type":"integer","format":"uint8","minimum":7,"maximum":999})"));
  EXPECT_TRUE(takes(*byte, "255"));
  EXPECT_FALSE(takes(*byte, "256"));
  EXPECT_FALSE(takes(*byte, "6"));
  const auto any = json_grammar(json_from(R"({"type":"number","format":"double"})"));
  EXPECT_TRUE(takes(*any, "-1.5e30"));
  EXPECT_TRUE(any->unenforced().empty());
  // What one kind of value has is nothing to the other.
  const auto both = json_grammar(json_from(R"({"type":["string","integer"],"format":"int32"})"));
  EXPECT_TRUE(takes(*both, R"("red")"));
  EXPECT_FALSE(takes(*both, "2147483648"));
  EXPECT_TRUE(both->unenforced().empty());
  const auto odd = json_grammar(json_from(R"({"type":"number","format":"ports"})"));
  EXPECT_TRUE(takes(*odd, "1.5"));
  ASSERT_EQ(odd->unenforced().size(), 1U);
  EXPECT_THAT(odd->unenforced()[0], testing::StartsWith("format.format: this format is not known"));
}

TEST(JsonConstraint, AFormatOfOtherValuesSaysNothingAndIsToldAsThat) {
  const auto told = [](const char* schema) {
    return json_grammar(json_from(schema))->unenforced();
  };
  const std::string of_numbers =
      "format.format: this is a format of numbers, so it says nothing of strings";
  const std::string of_strings =
      "format.format: this is a format of strings, so it says nothing of numbers";
  for (const char* name : {"int64", "double", "double-int"}) {
    Json schema = {{"type", "string"}, {"format", name}};
    EXPECT_THAT(json_grammar(schema)->unenforced(), testing::ElementsAre(of_numbers)) << name;
    EXPECT_TRUE(takes(*json_grammar(schema), R"("red")"));
  }
  for (const char* name : {"date", "uuid", "password"}) {
    Json schema = {{"type", "integer"}, {"format", name}};
    EXPECT_THAT(json_grammar(schema)->unenforced(), testing::ElementsAre(of_strings)) << name;
    EXPECT_TRUE(takes(*json_grammar(schema), "7"));
  }
  EXPECT_THAT(told(R"({"type":["number","null"],"format":"date"})"),
              testing::ElementsAre(of_strings));
  // It is asked of the strings alone.
  EXPECT_THAT(told(R"({"type":["string","integer"],"format":"date"})"), testing::IsEmpty());
  EXPECT_THAT(told(R"({"anyOf":[{"type":"string"},{"type":"integer"}],"format":"date"})"),
              testing::IsEmpty());
}

TEST(JsonConstraint, ReferencesNameAnchorsAndIds) {
  const char* schemas[] = {
      R"({"$defs":{"x":{"$anchor":"small","type":"integer","maximum":3}},"type":"array",
          "items":{"$ref":"#small"}})",
      R"({"$defs":{"x":{"$dynamicAnchor":"small","type":"integer","maximum":3}},"type":"array",
          "items":{"$dynamicRef":"#small"}})",
      R"({"definitions":{"x":{"$id":"#small","type":"integer","maximum":3}},"type":"array",
          "items":{"$ref":"#small"}})",
      R"({"$id":"https://example.org/all.json","type":"array","items":{"$ref":"small.json#/a%25b"},
          "$defs":{"x":{"$id":"small.json","a%b":{"$ref":"#/c"},
                        "c":{"type":"integer","maximum":3}}}})"};
  for (const char* schema : schemas) {
    const auto grammar = json_grammar(json_from(schema));
    EXPECT_TRUE(takes(*grammar, "[1,3]")) << schema;
    EXPECT_FALSE(takes(*grammar, "[4]")) << schema;
  }
}

// One keyword that is left out leaves the others as they are.
TEST(JsonConstraint, WhereItMayBeLeftOutTheRestHolds) {
  SchemaPolicy policy;
  policy.refuse_unenforced = false;
  const auto made = make_json_grammar(
      test_vocabulary().trie,
      json_from(R"({"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"array",
                    "items":{"type":"string"},"not":{"uniqueItems":true}}},"required":["n"]})"),
      Start::at_once, policy);
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(takes(*made.value(), R"({"n":1,"s":["a","b"]})"));
  EXPECT_FALSE(takes(*made.value(), R"({"s":["a"]})"));
  EXPECT_FALSE(takes(*made.value(), R"({"n":1,"s":[1]})"));
  ASSERT_EQ(made.value()->unenforced().size(), 1U);
  EXPECT_THAT(made.value()->unenforced()[0],
              testing::StartsWith("format.properties.s.not.uniqueItems: "));
}

TEST(JsonConstraint, TheFailureNamesWhatIsNotSupported) {
  const auto message = [](const char* schema) { return failure_of(json_from(schema)); };
  const auto begins = [](const char* text) { return testing::StartsWith(text); };
  EXPECT_THAT(message(R"({"properties":{"a/b":{"extends":{}}}})"),
              begins("format.properties[\"a/b\"].extends: this keyword is not supported"));
  EXPECT_THAT(message(R"({"type":"array","uniqueItems":true})"), begins("format.uniqueItems: "));
  EXPECT_THAT(message(R"({"anyOf":[{},{"disallow":"string"}]})"),
              begins("format.anyOf[1].disallow: "));
  EXPECT_THAT(message(R"({"not":{"patternProperties":{"a":{}}}})"),
              begins("format.not.patternProperties: its opposite cannot be enforced"));
  EXPECT_THAT(message(R"({"type":"strin"})"),
              testing::AllOf(begins("format.type: expected one of object, array"),
                             testing::EndsWith(", or a list of them, found \"strin\"")));
  EXPECT_THAT(message(R"({"$ref":"https://example.org/a"})"),
              begins("format.$ref: only references"));
  EXPECT_THAT(message(R"({"$ref":"#/x"})"), begins("format.$ref: there is no \"#/x\""));
  EXPECT_THAT(message(R"({"$ref":"#"})"), begins("format: a \"$ref\" leads back to itself"));
  EXPECT_THAT(message(R"({"anyOf":[{"$ref":"#"},{"type":"null"}]})"),
              begins("format: a \"$ref\" leads back to itself"));
  EXPECT_THAT(message(R"({"allOf":[{"$ref":"#"},{"type":"object"}]})"),
              begins("format: a \"$ref\" leads back to itself"));
  EXPECT_THAT(message(R"({"type":"string","pattern":"(?<=a)c"})"),
              begins("format.pattern: looking back"));
  EXPECT_THAT(message(R"({"type":"string","minLength":-1})"), begins("format.minLength: expected"));
  EXPECT_THAT(message(R"({"type":"string","minLength":3,"maxLength":2})"),
              begins("format: no value can satisfy it (\"minLength\" is greater"));
  EXPECT_THAT(message(R"({"type":"number","multipleOf":1e-30})"), begins("format.multipleOf: "));
  EXPECT_THAT(message(R"({"type":"integer","minimum":5,"maximum":4})"),
              begins("format: no value can satisfy it (\"minimum\" is greater"));
  for (const char* schema :
       {R"({"enum":[]})", R"({"not":{}})", R"({"enum":["a"],"minLength":2})",
        R"({"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]})",
        R"({"type":"object","properties":{},"required":["a"],"additionalProperties":false})",
        R"({"type":"object","minProperties":2,"properties":{"a":{}}})",
        R"({"type":"string","minLength":2,"pattern":"^$"})",
        R"({"allOf":[{"minLength":3},{"maxLength":2}],"type":"string"})",
        R"({"oneOf":[{"type":"string"},{"type":"string"}]})", R"({"oneOf":[true,true,false]})"}) {
    EXPECT_THAT(message(schema), testing::HasSubstr(": no value can satisfy it")) << schema;
  }
  EXPECT_THAT(message("[]"), begins("format: expected \"json\" or"));
  EXPECT_THAT(message("\"yaml\""), begins("format: expected \"json\" or"));
  EXPECT_EQ(message(R"({"title":"t","description":"d","default":1,"examples":[1],"$schema":"s",
                        "$comment":"c","deprecated":true,"x-own":{"not":1},"uniqueItems":false})"),
            "it was accepted");
}

// What must not be is kept out beside lengths that no state is made for.
TEST(JsonConstraint, DeniedWordsBesideALongLength) {
  const auto word = json_grammar(
      json_from(R"({"type":"string","minLength":2,"maxLength":5000,"not":{"enum":["none","ü"]}})"));
  for (const char* text : {"\"non\"", "\"nones\"", "\"xx\"", "\"üü\""}) {
    EXPECT_TRUE(takes(*word, text)) << text;
  }
  for (const char* text : {"\"none\"", "\"x\"", "\"ü\""}) EXPECT_FALSE(takes(*word, text)) << text;
  const auto most = [](std::size_t n) { return '"' + std::string(n, 'a') + '"'; };
  EXPECT_TRUE(takes(*word, most(5000)));
  EXPECT_FALSE(takes(*word, most(5001)));
  const auto one =
      json_grammar(json_from(R"({"oneOf":[{"const":"x"},{"type":"string","maxLength":4000}]})"));
  EXPECT_TRUE(takes(*one, "\"y\""));
  EXPECT_TRUE(takes(*one, "\"\""));
  EXPECT_FALSE(takes(*one, "\"x\"")) << "it is valid under both";
}

TEST(JsonConstraint, LengthsThatAFormatKeepsAnyway) {
  const auto host = json_grammar(
      json_from(R"({"type":"string","format":"hostname","minLength":1,"maxLength":253})"));
  EXPECT_TRUE(takes(*host, "\"a.example\""));
  EXPECT_FALSE(takes(*host, "\"\""));
}

// What is left out because it is too large is told, wherever it comes from.
TEST(JsonConstraint, NothingIsDroppedWithoutAWord) {
  const auto message = [](const char* schema) { return failure_of(json_from(schema)); };
  const auto begins = [](const char* text) { return testing::StartsWith(text); };
  EXPECT_THAT(message(R"({"type":"string","pattern":"a.{8}$","allOf":[{"pattern":"b.{7}$"}]})"),
              begins("format.pattern: with all else"));
  EXPECT_THAT(message(R"({"type":"array","not":{"items":{"type":"integer"}},"maxItems":30000})"),
              begins("format.not.items: to count so many items takes too many states"));
  EXPECT_THAT(message(R"({"type":"integer","divisibleBy":100003})"),
              begins("format.divisibleBy: "));
  EXPECT_THAT(message(R"({"type":"integer","multipleOf":100003})"), begins("format.multipleOf: "));
}

TEST(JsonConstraint, TwoPatternsThatMeetAreCounted) {
  EXPECT_EQ(failure_of(json_from(R"({"type":"string","pattern":"^(ab|cd)*$","maxLength":30000,
                                     "allOf":[{"pattern":"^(ab|ce)*$"}]})")),
            "it was accepted");
}

// Rules of a kind that the standard does not allow, wherever they are looked at first.
TEST(JsonConstraint, MisusedKeywordsAreNamed) {
  const auto expect = [](const char* schema, const char* begin) {
    EXPECT_THAT(failure_of(json_from(schema)), testing::StartsWith(begin)) << schema;
  };
  expect(R"({"propertyNames":{"pattern":5}})", "format.propertyNames.pattern: expected a string");
  expect(R"({"propertyNames":{"format":5}})", "format.propertyNames.format: expected a string");
  expect(R"({"not":{"oneOf":{"a":{},"b":{}}}})", "format.not.oneOf: expected a list of at least");
  expect(R"({"not":{"anyOf":null}})", "format.not.anyOf: expected a list of at least");
  expect(R"({"type":"string","not":{"minLength":"x"}})", "format.not.minLength: expected a whole");
  expect(R"({"type":"string","not":{"enum":5}})", "format.not.enum: expected a list of values");
  expect(R"({"items":[{},{}],"prefixItems":5,"enum":[[1]]})",
         "format.prefixItems: expected a list of schemas");
  expect(R"({"enum":[["x"]],"items":{"not":{"type":"strin"}}})", "format.items.not.type: expected");
  expect(R"({"dependencies":{"a":["b",1]}})", "format.dependencies: expected names");
  expect(R"({"multipleOf":0})", "format.multipleOf: expected a number greater than 0");
  expect(R"({"multipleOf":1e-20})", "format.multipleOf: supported are numbers of up to 9 digits");
  expect(R"({"type":"number","not":{"multipleOf":-1}})",
         "format.not.multipleOf: expected a number greater than 0");
  expect(R"({"pattern":"^a{2,1}$"})", "format.pattern: '{2,1}' asks for more than it allows");
  expect(R"({"pattern":"^b(ab){1001}$"})", "format.pattern: a number in braces is 1,000 at most");
  expect(R"({"pattern":"(?=a)b"})", "format.pattern: no string matches it");
}

// "prefixItems" says nothing beside a list in "items", of whichever length.
TEST(JsonConstraint, PrefixItemsBesideAnOlderTuple) {
  const auto grammar = json_grammar(
      json_from(R"({"items":[{},{},{}],"prefixItems":[{"type":"string"}],"enum":[[0,0,0]]})"));
  EXPECT_TRUE(takes(*grammar, "[0,0,0]"));
  const auto shorter = json_grammar(json_from(
      R"({"items":[{"type":"integer"}],"prefixItems":[{},{},{}],"enum":[[0,0,0],["a"]]})"));
  EXPECT_TRUE(takes(*shorter, "[0,0,0]"));
  EXPECT_FALSE(takes(*shorter, "[\"a\"]"));
}

// What an object is asked may come from what must not hold alone.
TEST(JsonConstraint, ALongNameThatMustBeMissing) {
  EXPECT_THAT(failure_of({{"not", {{"required", Json::array({std::string(210'000, 'a')})}}}}),
              testing::HasSubstr("too"));
}

TEST(JsonConstraint, ABranchThatNothingSatisfiesIsLeftOut) {
  const auto grammar = json_grammar(
      json_from(R"({"anyOf":[{"minimum":5,"maximum":4,"type":"integer"},{"type":"null"}]})"));
  EXPECT_TRUE(takes(*grammar, "null"));
  EXPECT_FALSE(takes(*grammar, "5"));
  EXPECT_THAT(failure_of(json_from(R"({"not":{"properties":{}}})")),
              "format: no value can satisfy it");
  EXPECT_THAT(failure_of(json_from(R"({"not":{"required":[]}})")),
              "format: no value can satisfy it");
  EXPECT_THAT(failure_of(json_from(R"({"not":{"disallow":"string"}})")),
              "format.not.disallow: this keyword is not supported");
  EXPECT_EQ(failure_of(json_from(R"({"type":"string","contentMediaType":"application/json",
                                     "contentSchema":{"type":"integer"}})")),
            "it was accepted");
}

TEST(JsonConstraint, NotesThatAreTooManyAreCounted) {
  SchemaPolicy policy;
  policy.refuse_unenforced = false;
  Json schema = {{"type", "object"}};
  for (int i = 0; i < 20; ++i) {
    schema["properties"]["p" + std::to_string(i)] = {{"type", "array"}, {"uniqueItems", true}};
  }
  const auto made = make_json_grammar(test_vocabulary().trie, schema, Start::at_once, policy);
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made.value()->unenforced().size(), 17U);
  EXPECT_EQ(made.value()->unenforced().back(), "format: 4 more keywords are not enforced");
}

TEST(JsonConstraint, NullableBesideEnumAndConst) {
  for (const char* schema :
       {R"({"type":"string","enum":["a"],"nullable":true})", R"({"enum":["a"],"nullable":true})",
        R"({"const":"a","nullable":true})"}) {
    const auto grammar = json_grammar(json_from(schema));
    EXPECT_TRUE(takes(*grammar, "null")) << schema;
    EXPECT_TRUE(takes(*grammar, "\"a\"")) << schema;
    EXPECT_FALSE(takes(*grammar, "\"b\"")) << schema;
  }
  const auto not_so = json_grammar(json_from(R"({"enum":["a"],"nullable":false})"));
  EXPECT_FALSE(takes(*not_so, "null"));
}

TEST(JsonConstraint, ADeniedDependencyOnOneName) {
  const auto grammar = json_grammar(json_from(R"({"type":"object","properties":{"a":{},"b":{}},
                                                  "not":{"dependencies":{"a":"b"}}})"));
  EXPECT_TRUE(takes(*grammar, R"({"a":1})"));
  EXPECT_FALSE(takes(*grammar, R"({"a":1,"b":1})"));
  EXPECT_FALSE(takes(*grammar, "{}"));
}

TEST(JsonConstraint, NestsNoDeeperThanReadersGo) {
  const auto grammar = json_grammar(Json("json"));
  const auto nested = [](std::size_t levels) {
    return "{\"a\":" + std::string(levels, '[') + "1" + std::string(levels, ']') + "}";
  };
  EXPECT_TRUE(takes(*grammar, nested(40)));
  EXPECT_FALSE(takes(*grammar, nested(64)));
  // The masks near the limit are those of the limit.
  GrammarConstraint constraint(grammar);
  const auto accept = [&](char c) {
    constraint.accept(test_vocabulary().vocabulary->byte_piece(static_cast<std::uint8_t>(c)));
  };
  for (const char c : std::string("{\"a\":")) accept(c);
  const text::TokenId open = test_vocabulary().vocabulary->byte_piece('[');
  int depth = 0;
  for (;; ++depth) {
    const Bits bits = allowed_by(constraint);
    expect_exact(constraint, bits);
    if (HasFatalFailure()) return;
    if (!has(bits, open)) break;
    constraint.accept(open);
  }
  EXPECT_GT(depth, 50);
  EXPECT_LT(depth, 62);
  accept('1');
  for (int i = 0; i < depth; ++i) accept(']');
  accept('}');
  EXPECT_TRUE(constraint.may_end());
}

TEST(JsonConstraint, BlanksAreBounded) {
  const auto grammar = json_grammar(Json("json"));
  EXPECT_TRUE(takes(*grammar, "{\n" + std::string(40, ' ') + "\"a\":1}"));
  EXPECT_FALSE(takes(*grammar, "{\n" + std::string(41, ' ') + "\"a\":1}"));
  EXPECT_FALSE(takes(*grammar, "{\n\n\"a\":1}"));
  EXPECT_FALSE(takes(*grammar, "{} "));
}

TEST(JsonConstraint, OnlyEndTokensFollowTheValue) {
  GrammarConstraint constraint(json_grammar(Json("json")));
  for (const char c : {'{', '}'}) {
    constraint.accept(test_vocabulary().vocabulary->byte_piece(static_cast<std::uint8_t>(c)));
  }
  const Bits bits = allowed_by(constraint);
  for (std::size_t i = 0; i < test_vocabulary().vocabulary->size(); ++i) {
    const auto token = static_cast<text::TokenId>(i);
    EXPECT_EQ(has(bits, token), test_vocabulary().is_end(token)) << test_vocabulary().pieces[i];
  }
}

TEST(JsonConstraint, AThoughtMayComeFirstAndIsFree) {
  const TestVocabulary& test = test_vocabulary();
  const auto token_of = [&](const char* piece) { return test.vocabulary->find(piece); };
  GrammarConstraint constraint(json_grammar(Json("json"), Start::after_thought));
  Bits bits = allowed_by(constraint);
  EXPECT_TRUE(has(bits, token_of("{")));
  EXPECT_FALSE(has(bits, token_of("hello")));
  ASSERT_TRUE(has(bits, test.tag(text::Tag::channel_open)));
  constraint.accept(test.tag(text::Tag::channel_open));
  bits = allowed_by(constraint);
  for (const char* piece : {"hello", "}", "\n", "<0xF0>", "```json"}) {
    EXPECT_TRUE(has(bits, token_of(piece))) << piece;
  }
  EXPECT_FALSE(has(bits, test.ends[0]));
  EXPECT_FALSE(has(bits, test.tag(text::Tag::image)));
  constraint.accept(token_of("hello"));
  bits = allowed_by(constraint);
  ASSERT_TRUE(has(bits, test.tag(text::Tag::channel_close)));
  constraint.accept(test.tag(text::Tag::channel_close));
  bits = allowed_by(constraint);
  EXPECT_TRUE(has(bits, token_of("{")));
  EXPECT_FALSE(has(bits, token_of("hello")));
  EXPECT_FALSE(has(bits, test.tag(text::Tag::channel_open)));
}

TEST(JsonConstraint, AThoughtThatThePromptBeganGoesOn) {
  const TestVocabulary& test = test_vocabulary();
  GrammarConstraint constraint(json_grammar(Json("json"), Start::in_thought));
  EXPECT_TRUE(has(allowed_by(constraint), test.vocabulary->find("hello")));
  constraint.accept(test.tag(text::Tag::channel_close));
  EXPECT_FALSE(has(allowed_by(constraint), test.vocabulary->find("hello")));
}

TEST(JsonConstraint, AtOnceLeavesNoRoomForAThought) {
  GrammarConstraint constraint(json_grammar(Json("json")));
  EXPECT_FALSE(has(allowed_by(constraint), test_vocabulary().tag(text::Tag::channel_open)));
}

}  // namespace
}  // namespace pleiad::constrain
