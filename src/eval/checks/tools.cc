// Calls of tools: which one, with which arguments, and none where none is needed.

#include "eval/battery.h"
#include "eval/graders/graders.h"

namespace pleiad::eval {
namespace {

Json tool(std::string_view name, std::string_view what, Json properties, Json required) {
  return {{"type", "function"},
          {"function",
           {{"name", name},
            {"description", what},
            {"parameters",
             {{"type", "object"},
              {"properties", std::move(properties)},
              {"required", std::move(required)}}}}}};
}

Json of_type(std::string_view type, std::string_view what) {
  return {{"type", type}, {"description", what}};
}

Json weather_tool() {
  return tool("get_weather", "Get the weather of a city.",
              {{"city", of_type("string", "The city")}}, {"city"});
}
Json time_tool() {
  return tool("get_time", "Get the time in a city.", {{"city", of_type("string", "The city")}},
              {"city"});
}
Json timer_tool() {
  return tool("set_timer", "Start a timer.", {{"minutes", of_type("integer", "Number of minutes")}},
              {"minutes"});
}
Json search_tool() {
  return tool("search", "Search the web.", {{"query", of_type("string", "The search text")}},
              {"query"});
}

/// A city, alone or with its country.
Json city(std::string_view name, std::string_view country) {
  return {{"$one_of", {name, fmt::format("{}, {}", name, country)}}};
}
Json folder(std::string_view path) { return {{"$one_of", {path, fmt::format("{}/", path)}}}; }

struct Builder {
  Check check;

  void add(Json tools, std::string_view question, Grader grade) {
    add_turns(std::move(tools), {ask(question, std::move(grade))});
  }
  void add_turns(Json tools, std::vector<Turn> turns) {
    for (Turn& turn : turns) {
      turn.grade = graders::all_of({std::move(turn.grade), graders::calls_as_declared(tools)});
    }
    Case item;
    item.id = fmt::format("{}", check.cases.size() + 1);
    item.tools = std::move(tools);
    item.turns = std::move(turns);
    check.cases.push_back(std::move(item));
  }
};

/// A question, the call that it led to and what the tool said; the model has the next word.
Turn after_call(std::string_view question, std::string_view name, const Json& arguments,
                std::string_view response, Grader grade) {
  Json call = {{"id", "call_0"},
               {"type", "function"},
               {"function", {{"name", name}, {"arguments", arguments}}}};
  Json messages = Json::array();
  messages.push_back({{"role", "user"}, {"content", question}});
  messages.push_back(
      {{"role", "assistant"}, {"content", ""}, {"tool_calls", Json::array({std::move(call)})}});
  messages.push_back(
      {{"role", "tool"}, {"tool_call_id", "call_0"}, {"name", name}, {"content", response}});
  return {std::move(messages), std::move(grade)};
}

}  // namespace

Check simple_tools_check() {
  using graders::calls;
  Builder build = {{"tool-call", "calls the one tool that fits, or none", {}, {}}};
  const Json both = Json::array({weather_tool(), time_tool()});
  const Json three = Json::array({timer_tool(), weather_tool(), search_tool()});
  build.add(Json::array({weather_tool()}), "What is the weather in Paris?",
            calls("get_weather", {{"city", city("Paris", "France")}}));
  build.add(both, "What is the weather in Madrid?",
            calls("get_weather", {{"city", city("Madrid", "Spain")}}));
  build.add(both, "What time is it in Tokyo?",
            calls("get_time", {{"city", city("Tokyo", "Japan")}}));
  build.add(both, "How is the weather in Oslo?",
            calls("get_weather", {{"city", city("Oslo", "Norway")}}));
  build.add(three, "Set a timer for 15 minutes.", calls("set_timer", {{"minutes", 15}}));
  build.add(three, "How is the weather in Berlin?",
            calls("get_weather", {{"city", city("Berlin", "Germany")}}));
  build.add(three, "Search the web for red flowers.", calls("search", {{"query", "red flowers"}}));
  build.add(both, "What is 12 + 35?",
            graders::all_of({graders::calls_nothing(), graders::ends_with_number(47, "12 + 35")}));
  build.add(both, "Reverse the word lemon.",
            graders::all_of({graders::calls_nothing(), graders::reverses("lemon")}));
  build.add_turns(Json::array({weather_tool()}),
                  {after_call("What is the weather in Rome?", "get_weather", {{"city", "Rome"}},
                              "sunny, 21 degrees",
                              graders::all_of({graders::calls_nothing(), graders::has_word("sunny"),
                                               graders::ends_with_number(21)}))});
  return build.check;
}

Check tool_choice_check() {
  using graders::calls;
  Builder build = {{"tool-choice", "chooses among six tools with typed arguments", {}, {}}};
  const Json unit = {{"type", "string"}, {"enum", {"celsius", "fahrenheit"}}};
  const Json priority = {{"type", "string"}, {"enum", {"low", "normal", "high"}}};
  const Json tools = Json::array(
      {tool("get_weather", "Current weather of a place",
            {{"city", of_type("string", "City name")}, {"unit", unit}}, {"city"}),
       tool("get_forecast", "Weather of the next days",
            {{"city", of_type("string", "City name")}, {"days", of_type("integer", "1 to 14")}},
            {"city", "days"}),
       tool("convert_currency", "Convert an amount of money",
            {{"amount", of_type("number", "How much")},
             {"from", of_type("string", "Currency code, such as EUR")},
             {"to", of_type("string", "Currency code")}},
            {"amount", "from", "to"}),
       tool("create_task", "Put a task on the list",
            {{"title", of_type("string", "What is to be done")}, {"priority", priority}},
            {"title", "priority"}),
       tool("send_email", "Send an e-mail",
            {{"to", of_type("string", "Address")},
             {"subject", of_type("string", "Subject")},
             {"body", of_type("string", "Text")}},
            {"to", "subject", "body"}),
       tool("list_files", "List the files of a folder",
            {{"path", of_type("string", "The folder")},
             {"recursive", of_type("boolean", "With the folders below")}},
            {"path"})});
  build.add(tools, "What's it like outside in Helsinki right now, in celsius?",
            calls("get_weather", {{"city", city("Helsinki", "Finland")}, {"unit", "celsius"}}));
  build.add(tools, "Will it rain in Lima over the next 5 days?",
            calls("get_forecast", {{"city", city("Lima", "Peru")}, {"days", 5}}));
  build.add(tools, "How much are 249.90 euros in US dollars?",
            calls("convert_currency", {{"amount", 249.9}, {"from", "EUR"}, {"to", "USD"}}));
  build.add(tools, "Remind me to water the plants. It is not urgent at all: low priority.",
            graders::all_of({calls("create_task", {{"priority", "low"}}, {"title"}),
                             graders::argument_has_word("title", "plants")}));
  build.add(tools,
            "Send an e-mail to anna@example.org with the subject \"Lunch\" and the text \"At "
            "noon?\"",
            calls("send_email",
                  {{"to", "anna@example.org"}, {"subject", "Lunch"}, {"body", "At noon?"}}));
  build.add(tools, "Which files are in /var/log? Look in the folders below as well.",
            calls("list_files", {{"path", folder("/var/log")}, {"recursive", true}}));
  build.add(tools, "Show me what lies in /home/max.",
            calls("list_files", {{"path", folder("/home/max")}}, {"recursive"}));
  build.add(tools, "What is the capital of France?",
            graders::all_of({graders::calls_nothing(), graders::has_word("paris")}));
  build.add(tools, "Write a rhyme of two lines about rain.",
            graders::all_of({graders::calls_nothing(), graders::writes_lines(2, "rain")}));
  build.add_turns(
      tools, {after_call("How much are 10 pounds in yen?", "convert_currency",
                         {{"amount", 10}, {"from", "GBP"}, {"to", "JPY"}}, "{\"result\": 1934}",
                         graders::all_of(
                             {graders::calls_nothing(), graders::ends_with_number(1934, "10")}))});
  return build.check;
}

}  // namespace pleiad::eval
