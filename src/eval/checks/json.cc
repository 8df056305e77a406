// JSON that validates: small answers, and objects under a schema. Nothing forces the form;
// it is what the model writes by itself.

#include <algorithm>

#include "base/ascii.h"
#include "eval/battery.h"
#include "eval/graders.h"
#include "eval/reply_text.h"

namespace pleiad::eval {
namespace {

/// Whether the value, or one that is in it, is this one: 47 may be "47".
bool contains(const Json& value, const Json& wanted) {
  if (value == wanted) return true;
  if (value.is_string() && wanted.is_string()) {
    return ascii_lower(value.get<std::string>()) == ascii_lower(wanted.get<std::string>());
  }
  if (value.is_string() && wanted.is_number()) return value.get<std::string>() == to_text(wanted);
  return value.is_structured() && std::any_of(value.begin(), value.end(), [&](const Json& part) {
           return contains(part, wanted);
         });
}

Grader object_with(Json wanted) {
  const std::string expected = fmt::format("an object with {}", to_text(wanted));
  return graders::is_json(
      [wanted = std::move(wanted)](const Json& value) {
        return value.is_object() && contains(value, wanted);
      },
      expected);
}

Json object_schema(Json properties) {
  Json required = Json::array();
  for (const auto& item : properties.items()) required.push_back(item.key());
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

struct SchemaRow {
  std::string_view task;
  Json schema;
  Json values;  // by JSON pointer
};

std::vector<SchemaRow> schema_rows() {
  const Json text = {{"type", "string"}};
  const Json whole = {{"type", "integer"}};
  const Json texts = {{"type", "array"}, {"items", text}};
  return {
      {"Extract the person: \"Maria Lopez is 34 years old and lives in Lisbon.\"",
       object_schema({{"name", text}, {"age", whole}, {"city", text}}),
       {{"/name", "Maria Lopez"}, {"/age", 34}, {"/city", "Lisbon"}}},
      {"Extract the order: \"Please send 3 boxes of green tea and 12 cups to Oslo by Friday.\"",
       object_schema({{"destination", text},
                      {"items",
                       {{"type", "array"},
                        {"minItems", 2},
                        {"maxItems", 2},
                        {"items", object_schema({{"product", text}, {"quantity", whole}})}}}}),
       {{"/destination", "Oslo"}, {"/items/0/quantity", 3}, {"/items/1/quantity", 12}}},
      {"Describe the whole number 97.",
       object_schema({{"number", whole},
                      {"is_prime", {{"type", "boolean"}}},
                      {"is_even", {{"type", "boolean"}}},
                      {"digits", {{"type", "array"}, {"items", whole}}}}),
       {{"/number", 97}, {"/is_prime", true}, {"/is_even", false}, {"/digits", {9, 7}}}},
      {"Classify the mood of this review: \"The battery died after two days and nobody answered "
       "my letters.\"",
       object_schema({{"mood", {{"type", "string"}, {"enum", {"good", "bad", "mixed"}}}},
                      {"reasons", {{"type", "array"}, {"items", text}, {"minItems", 1}}}}),
       {{"/mood", "bad"}}},
      {"Give the days of the weekend and the number of working days in a week from Monday to "
       "Friday.",
       object_schema({{"weekend", texts}, {"working_days", whole}}),
       {{"/working_days", 5}}},
      {"Turn this line of a table into an object: \"id=7; tags=red,round; price=2.50; "
       "sold_out=no\"",
       object_schema({{"id", whole},
                      {"tags", texts},
                      {"price", {{"type", "number"}}},
                      {"sold_out", {{"type", "boolean"}}}}),
       {{"/id", 7}, {"/tags", {"red", "round"}}, {"/price", 2.5}, {"/sold_out", false}}},
      {"Plan a walk of two stops: first the museum for 90 minutes, then the park for 45 minutes.",
       object_schema(
           {{"stops",
             {{"type", "array"},
              {"minItems", 2},
              {"maxItems", 2},
              {"items", object_schema({{"place", text},
                                       {"minutes", {{"type", "integer"}, {"minimum", 1}}}})}}},
            {"total_minutes", whole}}),
       {{"/stops/0/minutes", 90}, {"/stops/1/minutes", 45}, {"/total_minutes", 135}}},
      {"The light switch in the hall is on, the one in the kitchen is off.",
       object_schema({{"hall", object_schema({{"on", {{"type", "boolean"}}}})},
                      {"kitchen", object_schema({{"on", {{"type", "boolean"}}}})}}),
       {{"/hall/on", true}, {"/kitchen/on", false}}},
  };
}

}  // namespace

Check small_json_check() {
  struct Row {
    std::string_view question;
    Json wanted;
  };
  const Row rows[] = {
      {"What is 12 + 35?", 47},
      {"What is 80 - 15?", 65},
      {"What day comes after Monday?", "Tuesday"},
      {"What month comes before May?", "April"},
      {"Reverse the word apple.", "elppa"},
      {"Reverse the word river.", "revir"},
      {"How many days has October?", 31},
      {"What is 44 + 21?", 65},
      {"How many letters has lemon?", 5},
      {"How many letters has banana?", 6},
  };
  Check check = {"json", "answers a small question with a JSON object", {}, {}};
  for (const Row& row : rows) {
    Case item;
    item.id = fmt::format("{}", check.cases.size() + 1);
    item.turns.push_back(
        ask(fmt::format("{} Answer in JSON.", row.question), object_with(row.wanted)));
    check.cases.push_back(std::move(item));
  }
  return check;
}

Check json_schema_check() {
  Check check = {
      "json-schema", "writes JSON that validates under a schema, with the right values", {}, {}};
  for (SchemaRow& row : schema_rows()) {
    Case item;
    item.id = fmt::format("{}", check.cases.size() + 1);
    item.max_tokens = 400;
    const std::string question = fmt::format(
        "{}\nAnswer with one JSON object and nothing else. It must be valid under this JSON "
        "schema:\n{}",
        row.task, to_text(row.schema));
    item.turns.push_back(
        ask(question, graders::matches_schema(std::move(row.schema), std::move(row.values))));
    check.cases.push_back(std::move(item));
  }
  return check;
}

}  // namespace pleiad::eval
