#include "api/common/field_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/common/request_error.h"
#include "api/common/testing/request_problem.h"
#include "base/testing/json.h"

namespace pleiad::api {
namespace {

using ::testing::ElementsAre;

/// The message that `read` throws for this object.
template <typename Read>
std::string field_problem(const std::string& json, Read read, const std::string& path = "options") {
  const Json object = json_from(json);
  return problem_of([&] {
    FieldReader fields(object, path);
    read(fields);
  });
}

TEST(FieldReader, GivesFieldsOfEveryType) {
  const Json object = json_from(
      R"({"s": "x", "b": true, "i": -3, "w": 7.0, "n": 0.5, "l": ["a", "b"], "o": {"k": 1}})");
  FieldReader fields(object);
  EXPECT_EQ(fields.text("s"), "x");
  EXPECT_EQ(fields.flag("b"), true);
  EXPECT_EQ(fields.integer("i", -5, 5), -3);
  EXPECT_EQ(fields.integer("w", 0, 10), 7);
  EXPECT_EQ(fields.number("n", 0, 1), 0.5);
  EXPECT_EQ(fields.texts("l", 2), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(fields.texts("s", 2), (std::vector<std::string>{"x"}));
  EXPECT_EQ(fields.one_of("s", {"x", "y"}), "x");
  EXPECT_EQ(fields.child("o")->integer("k", 0, 1), 1);
  EXPECT_THAT(fields.unknown(), ElementsAre());
}

TEST(FieldReader, TakesNullForAbsent) {
  const Json object = json_from(R"({"a": null})");
  FieldReader fields(object);
  EXPECT_FALSE(fields.text("a"));
  EXPECT_FALSE(fields.integer("b", 0, 1));
  EXPECT_EQ(fields.list("a"), nullptr);
  EXPECT_FALSE(fields.child("a"));
}

TEST(FieldReader, TellsOfJsonThatIsGivenAsItsText) {
  const auto object_problem = [](const char* text) {
    return field_problem(to_text(Json{{"o", text}}), [](auto& f) { f.object("o", "a schema"); });
  };
  EXPECT_EQ(object_problem(" {\"a\": 1}\n"),
            "options.o: expected a schema, found a string that looks like JSON: give the value "
            "itself, not its text");
  EXPECT_EQ(object_problem("{a"), "options.o: expected a schema, found \"{a\"");
  EXPECT_EQ(object_problem(" "), "options.o: expected a schema, found \" \"");
  EXPECT_EQ(field_problem(R"({"l": "[1, 2]"})", [](auto& f) { f.list("l"); }),
            "options.l: expected a list, found a string that looks like JSON: give the value "
            "itself, not its text");
}

TEST(FieldReader, NamesTheFieldWhatWasExpectedAndWhatWasFound) {
  EXPECT_EQ(field_problem(R"({"top_k": "x"})", [](auto& f) { f.integer("top_k", 0, 1000000); }),
            "options.top_k: expected an integer from 0 to 1000000, found \"x\"");
  EXPECT_EQ(field_problem(R"({"n": 1.5})", [](auto& f) { f.integer("n", 0, 9); }),
            "options.n: expected an integer from 0 to 9, found 1.5");
  EXPECT_EQ(field_problem(R"({"n": 1})", [](auto& f) { f.text("n"); }, ""),
            "n: expected a string, found 1");
  EXPECT_EQ(field_problem(R"({"n": 1})", [](auto& f) { f.flag("n"); }),
            "options.n: expected true or false, found 1");
  EXPECT_EQ(field_problem(R"({"n": [1, 2]})", [](auto& f) { f.number("n", 0, 1); }),
            "options.n: expected a number from 0 to 1, found a list of 2");
  EXPECT_EQ(field_problem(R"({"n": 0})", [](auto& f) { f.number_above("n", 0, 1); }),
            "options.n: expected a number above 0 and at most 1, found 0");
  EXPECT_EQ(field_problem(R"({"n": {}})", [](auto& f) { f.list("n"); }),
            "options.n: expected a list, found an object");
  EXPECT_EQ(field_problem(R"({"n": ["a", 1]})", [](auto& f) { f.texts("n", 5); }),
            "options.n[1]: expected a string, found 1");
  EXPECT_EQ(field_problem(R"({"n": ["a", "b"]})", [](auto& f) { f.texts("n", 1); }),
            "options.n: expected at most 1 entries, found a list of 2");
  EXPECT_EQ(field_problem(R"({"n": "z"})",
                          [](auto& f) {
                            f.one_of("n", {"x", "y"});
                          }),
            "options.n: expected one of \"x\", \"y\", found \"z\"");
  EXPECT_EQ(field_problem("{}", [](auto& f) { f.required_text("n"); }),
            "options.n: missing; expected a string");
  EXPECT_EQ(field_problem("[]", [](auto&) {}), "options: expected an object, found a list of 0");
}

TEST(FieldReader, RefusesIntegersThatDoNotFit) {
  using Limits = std::numeric_limits<std::int64_t>;
  const auto read = [](auto& f) { f.integer("n", Limits::min(), Limits::max()); };
  EXPECT_NE(field_problem(R"({"n": 18446744073709551615})", read), "no problem");
  EXPECT_NE(field_problem(R"({"n": 1e300})", read), "no problem");
  EXPECT_NE(field_problem(R"({"n": 99999999999999999999})", read), "no problem");
  EXPECT_EQ(field_problem(R"({"n": 9223372036854775807})", read), "no problem");
  EXPECT_EQ(field_problem(R"({"n": -9223372036854775808})", read), "no problem");
}

TEST(FieldReader, NamesFieldsThatNobodyAskedFor) {
  const Json object = json_from(R"({"a": 1, "b": 2, "c": null})");
  FieldReader fields(object, "options");
  (void)fields.integer("a", 0, 1);
  EXPECT_THAT(fields.unknown(), ElementsAre("options.b"));
}

TEST(FieldReader, KeepsHostileTextOutOfMessages) {
  EXPECT_EQ(field_problem(R"({"n": "a\nb\u001b[31m"})", [](auto& f) { f.flag("n"); }),
            R"(options.n: expected true or false, found "a\x0ab\x1b[31m")");
}

}  // namespace
}  // namespace pleiad::api
