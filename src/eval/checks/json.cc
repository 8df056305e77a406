// JSON that validates: small answers, and objects under a schema. Nothing forces the form;
// it is what the model writes by itself.

#include "eval/battery.h"
#include "eval/checks/days_and_months.h"
#include "eval/graders/answers.h"
#include "eval/graders/graders.h"
#include "eval/graders/reply_text.h"

namespace pleiad::eval {
namespace {

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
  Json values;  // patterns by JSON pointer
};

/// Words for what the review complains of.
Json stems_of_the_review() {
  Json stems = Json::array();
  for (const std::string_view stem :
       {"batter", "die", "dead", "day", "answer", "repl", "respon", "letter", "support", "service",
        "contact", "ignor", "communicat", "customer", "durab", "short"}) {
    stems.push_back({{"$stem", stem}});
  }
  return {{"$one_of", std::move(stems)}};
}

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
       {{"/destination", "Oslo"},
        {"/items",
         {{"$any_order", Json::array({{{"product", {{"$stem", "tea"}}}, {"quantity", 3}},
                                      {{"product", {{"$stem", "cup"}}}, {"quantity", 12}}})}}}}},
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
       {{"/mood", "bad"}, {"/reasons", {{"$some", stems_of_the_review()}}}}},
      {"Give the days of the weekend and the number of working days in a week from Monday to "
       "Friday.",
       object_schema({{"weekend", texts}, {"working_days", whole}}),
       {{"/weekend", {{"$any_order", {"Saturday", "Sunday"}}}}, {"/working_days", 5}}},
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
       {{"/stops", Json::array({{{"place", {{"$stem", "museum"}}}, {"minutes", 90}},
                                {{"place", {{"$stem", "park"}}}, {"minutes", 45}}})},
        {"/total_minutes", 135}}},
      {"The light switch in the hall is on, the one in the kitchen is off.",
       object_schema({{"hall", object_schema({{"on", {{"type", "boolean"}}}})},
                      {"kitchen", object_schema({{"on", {{"type", "boolean"}}}})}}),
       {{"/hall/on", true}, {"/kitchen/on", false}}},
  };
}

}  // namespace

Check small_json_check() {
  Check check = {"json", "answers a small question with a JSON object", {}, {}};
  const auto add = [&](std::string_view question, const AnswerReader& read,
                       std::string_view expected) {
    Case item;
    item.id = fmt::format("{}", check.cases.size() + 1);
    item.turns.push_back(ask(fmt::format("{} Answer in JSON.", question),
                             graders::answers_in_json(read, question, expected)));
    check.cases.push_back(std::move(item));
  };
  const auto number = [&](std::string_view question, int value) {
    add(question, reads_number(value, numbers_in(question)), fmt::format("{}", value));
  };
  const auto name = [&](std::string_view question, std::string_view value, std::string asked) {
    add(question, reads_name(value, days_and_months(), {std::move(asked)}), value);
  };
  const auto reversed = [&](std::string_view word) {
    add(fmt::format("Reverse the word {}.", word), reads_reversed(word),
        std::string(word.rbegin(), word.rend()));
  };
  number("What is 12 + 35?", 47);
  number("What is 80 - 15?", 65);
  name("What day comes after Monday?", "Tuesday", "Monday");
  name("What month comes before May?", "April", "May");
  reversed("apple");
  reversed("river");
  number("How many days has October?", 31);
  number("What is 44 + 21?", 65);
  number("How many letters has lemon?", 5);
  number("How many letters has banana?", 6);
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
