#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/common/testing/api_harness.h"
#include "api/openai/openai_routes.h"
#include "base/testing/json.h"

namespace pleiad::api::openai {
namespace {

using testing::HasSubstr;

constexpr const char* kResponses = "/v1/responses";

class Responses : public testing::Test {
 protected:
  explicit Responses(std::size_t store_bytes = 20'000) {
    add_openai_routes(api_.router, api_.context, {.response_store_bytes = store_bytes});
  }

  static Json with(const std::string& key, Json value) {
    Json body = {{"model", "demo"}, {"input", "Hi"}};
    body[key] = std::move(value);
    return body;
  }

  Json created(const Json& body) {
    const auto answer = api_.post(kResponses, body);
    EXPECT_EQ(answer->status(), 200) << answer->body();
    return json_of(answer);
  }

  const serving::AnswerRequest& asked() { return api_.service.answers.back(); }

  ApiHarness api_;
};

TEST_F(Responses, AnswersWithEveryFieldThatClientsRequire) {
  api_.service.deltas = {content_delta("Hel"), content_delta("lo")};
  api_.service.end = finished_result(10, 4, 2);
  Json body = created(with("temperature", 0.5));
  EXPECT_EQ(body["id"].get<std::string>().rfind("resp_", 0), 0U);
  EXPECT_EQ(body["output"][0]["id"].get<std::string>().rfind("msg_", 0), 0U);
  body.erase("id");
  body["output"][0].erase("id");
  EXPECT_EQ(body, json_from(R"({
    "object": "response", "created_at": 1700000000, "status": "completed",
    "completed_at": 1700000000, "error": null, "incomplete_details": null, "model": "demo",
    "output": [{"type": "message", "status": "completed", "role": "assistant", "content": [
      {"type": "output_text", "text": "Hello", "annotations": [], "logprobs": []}]}],
    "usage": {"input_tokens": 10,
              "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0},
              "output_tokens": 2, "output_tokens_details": {"reasoning_tokens": 0},
              "total_tokens": 12},
    "instructions": null, "previous_response_id": null, "max_output_tokens": null,
    "temperature": 0.5, "top_p": null, "truncation": "disabled", "tools": [],
    "parallel_tool_calls": true, "tool_choice": "auto", "text": {"format": {"type": "text"}},
    "reasoning": {"effort": null, "summary": null}, "top_logprobs": 0, "metadata": {},
    "service_tier": "default", "background": false, "store": true})"));
  EXPECT_EQ(asked().messages, json_from(R"([{"role": "user", "content": "Hi"}])"));
}

TEST_F(Responses, StreamsEventsInOrder) {
  api_.service.deltas = {thinking_delta("hm"), content_delta("Hel"), content_delta("lo"),
                         call_delta("call_1", "f", {{"a", 1}})};
  api_.service.end = finished_result(10, 4, 9);
  const auto events = events_of(api_.post(kResponses, with("stream", true)));
  std::vector<std::string> types;
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].name, events[i].data["type"]);
    EXPECT_EQ(events[i].data["sequence_number"], i);
    types.push_back(events[i].name.substr(9));
  }
  EXPECT_EQ(types, (std::vector<std::string>{"created",
                                             "in_progress",
                                             "output_item.added",
                                             "reasoning_summary_part.added",
                                             "reasoning_summary_text.delta",
                                             "reasoning_summary_text.done",
                                             "reasoning_summary_part.done",
                                             "output_item.done",
                                             "output_item.added",
                                             "content_part.added",
                                             "output_text.delta",
                                             "output_text.delta",
                                             "output_text.done",
                                             "content_part.done",
                                             "output_item.done",
                                             "output_item.added",
                                             "function_call_arguments.delta",
                                             "function_call_arguments.done",
                                             "output_item.done",
                                             "completed"}));
  const Json text_done = events[12].data;
  EXPECT_EQ(text_done["text"], "Hello");
  EXPECT_EQ(text_done["output_index"], 1);
  EXPECT_EQ(text_done["content_index"], 0);
  EXPECT_EQ(text_done["item_id"], events[8].data["item"]["id"]);
  EXPECT_EQ(events[17].data["arguments"], "{\"a\":1}");
  EXPECT_EQ(events[17].data["item_id"], events[15].data["item"]["id"]);
  EXPECT_EQ(events[18].data["item"]["call_id"], "call_1");
  const Json last = events[19].data["response"];
  EXPECT_EQ(last["status"], "completed");
  ASSERT_EQ(last["output"].size(), 3U);
  EXPECT_EQ(last["output"][0]["summary"][0]["text"], "hm");
  EXPECT_EQ(last["output"][1], events[14].data["item"]);
  EXPECT_EQ(last["output"][2], events[18].data["item"]);
  EXPECT_EQ(last["usage"]["output_tokens_details"]["reasoning_tokens"], nullptr);  // not counted
  EXPECT_EQ(events[0].data["response"]["status"], "in_progress");
}

TEST_F(Responses, TellsForcedTokensAndTheStepsThatTheySaved) {
  api_.service.deltas = {content_delta("Hi")};
  auto result = finished_result(1, 0, 9);
  result.stats.forced_tokens = 7;
  result.stats.saved_steps = 6;
  result.stats.dropped_tokens = 40;
  api_.service.end = result;
  const Json details = json_of(api_.post(
      kResponses, {{"model", "demo"}, {"input", "Hi"}}))["usage"]["output_tokens_details"];
  EXPECT_EQ(details["forced_tokens"], 7);
  EXPECT_EQ(details["saved_steps"], 6);
  EXPECT_EQ(details["dropped_tokens"], 40);
}

TEST_F(Responses, SaysWhatWasCutOff) {
  api_.service.deltas = {content_delta("Hel")};
  auto result = finished_result(1, 0, 1);
  result.reason = FinishReason::length;
  api_.service.end = result;
  const Json body = created(with("max_output_tokens", 1));
  EXPECT_EQ(asked().max_tokens, 1);
  EXPECT_EQ(body["status"], "incomplete");
  EXPECT_EQ(body["incomplete_details"]["reason"], "max_output_tokens");
  EXPECT_EQ(body["output"][0]["status"], "incomplete");
  EXPECT_EQ(events_of(api_.post(kResponses, with("stream", true))).back().name,
            "response.incomplete");
}

TEST_F(Responses, TellsWhatWasEndedForTheModel) {
  api_.service.deltas = {content_delta("a")};
  auto result = finished_result(1, 0, 1);
  result.reason = FinishReason::repetition;
  result.ended_thought = EndedThought{EndedThought::Why::budget, 1000};
  api_.service.end = result;
  const Json body = created(with("reasoning", {{"effort", "medium"}}));
  EXPECT_EQ(asked().thinking_budget->tokens, 8192);
  EXPECT_EQ(body["status"], "incomplete");
  EXPECT_EQ(body["incomplete_details"]["reason"], "max_output_tokens");
  EXPECT_EQ(body["ended_by"], "repetition");
  EXPECT_EQ(body["thinking_ended_by"], "budget");
}

TEST_F(Responses, FailsAsAStatusOrAsTheLastEvent) {
  api_.service.end = service_error(serving::ServiceError::Code::busy, "full");
  EXPECT_EQ(api_.post(kResponses, with("stream", true))->status(), 503);
  api_.service.deltas = {content_delta("a")};
  EXPECT_EQ(api_.post(kResponses, with("store", true))->status(), 503);
  const auto events = events_of(api_.post(kResponses, with("stream", true)));
  EXPECT_EQ(events.back().name, "response.failed");
  EXPECT_EQ(events.back().data["response"]["error"]["message"], "full");
  EXPECT_EQ(events.back().data["response"]["status"], "failed");
}

TEST_F(Responses, GoesOnFromAnEarlierResponse) {
  api_.service.deltas = {thinking_delta("hm"), call_delta("call_1", "f", {{"a", 1}})};
  Json first = with("instructions", "Be kind.");
  const std::string id = created(first)["id"];
  api_.service.deltas = {content_delta("Done")};
  Json second = with("previous_response_id", id);
  second["input"] = json_from(R"([{"type": "function_call_output", "call_id": "call_1",
                                     "output": "42"}])");
  const Json body = created(second);
  EXPECT_EQ(body["previous_response_id"], id);
  EXPECT_EQ(asked().messages, json_from(R"([
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": null,
     "tool_calls": [{"id": "call_1", "type": "function",
                     "function": {"name": "f", "arguments": "{\"a\":1}"}}], "reasoning": "hm"},
    {"role": "tool", "tool_call_id": "call_1", "content": "42"}])"));
  Json third = with("previous_response_id", body["id"]);
  third["instructions"] = "Be brief.";
  (void)created(third);
  EXPECT_EQ(asked().messages.size(), 6U);
  EXPECT_EQ(asked().messages[0], json_from(R"({"role": "system", "content": "Be brief."})"));
  EXPECT_EQ(asked().messages[4], json_from(R"({"role": "assistant", "content": "Done"})"));
}

class LongResponses : public Responses {
 protected:
  LongResponses() : Responses(64'000'000) {}
};

TEST_F(LongResponses, GoOnWhereTheConversationCanBeReadAgain) {
  api_.service.deltas = {content_delta("a")};
  Json turn = with("store", true);
  turn["input"] = std::string(5'000'000, 'x');
  const std::string first = created(turn)["id"];
  turn["previous_response_id"] = first;
  turn["input"] = std::string(4'000'000, 'y');
  const std::string second = created(turn)["id"];
  const auto answer = api_.post(kResponses, with("previous_response_id", second));
  EXPECT_EQ(answer->status(), 400);
  const Json error = json_of(answer)["error"];
  EXPECT_EQ(error["param"], "previous_response_id");
  EXPECT_NE(error["message"].get<std::string>().find("9.0 MB"), std::string::npos) << error;
  (void)created(with("previous_response_id", first));
}

TEST_F(Responses, KeepsAndForgetsResponses) {
  api_.service.deltas = {content_delta("a")};
  const Json body = created(with("store", true));
  const std::string target = std::string(kResponses) + "/" + body["id"].get<std::string>();
  EXPECT_EQ(json_of(api_.call("GET", target)), body);
  EXPECT_EQ(json_of(api_.call("DELETE", target))["deleted"], true);
  for (const char* method : {"GET", "DELETE"}) {
    const auto answer = api_.call(method, target);
    EXPECT_EQ(answer->status(), 404);
    EXPECT_EQ(json_of(answer)["error"]["type"], "invalid_request_error");
  }
  EXPECT_EQ(
      json_of(api_.post(kResponses, with("previous_response_id", body["id"])))["error"]["code"],
      "previous_response_not_found");
}

TEST_F(Responses, OfAnotherKeyAreAnsweredAsUnknownOnes) {
  api_.caller = {.key = 1};
  const std::string kept = created(with("store", true))["id"];
  const std::string unknown = "resp_" + std::string(48, 'a');
  const auto answers = [&](const std::string& id) {
    std::string all;
    const auto add = [&](const ApiHarness::Answer& answer) {
      std::string body = answer->body();
      if (const auto at = body.find(id); at != body.npos) body.replace(at, id.size(), "ID");
      all += std::to_string(answer->status()) + " " + body + "\n";
    };
    const std::string target = std::string(kResponses) + "/" + id;
    add(api_.call("GET", target));
    add(api_.call("GET", target + "/input_items"));
    add(api_.call("GET", target + "/input_items?limit=0"));
    add(api_.call("DELETE", target));
    add(api_.post(kResponses, with("previous_response_id", id)));
    return all;
  };
  const std::size_t n_asked = api_.service.answers.size();
  for (const http::Caller& other : {http::Caller{.key = 2}, http::Caller{}}) {
    api_.caller = other;
    EXPECT_EQ(answers(kept), answers(unknown));
  }
  EXPECT_EQ(api_.service.answers.size(), n_asked) << "nothing went on";
  api_.caller = {.key = 1};
  EXPECT_EQ(api_.call("GET", std::string(kResponses) + "/" + kept)->status(), 200);
  api_.caller = {.key = 3, .sees_all = true};
  (void)created(with("previous_response_id", kept));
  EXPECT_EQ(api_.call("DELETE", std::string(kResponses) + "/" + kept)->status(), 200);
  api_.caller = {.key = 1};
  EXPECT_EQ(api_.call("GET", std::string(kResponses) + "/" + kept)->status(), 404);
}

TEST_F(Responses, DoesNotKeepWhatIsNotToBeStored) {
  const Json body = created(with("store", false));
  const std::string target = std::string(kResponses) + "/" + body["id"].get<std::string>();
  EXPECT_EQ(api_.call("GET", target)->status(), 404);
}

TEST_F(Responses, SayWhereTheyAreTooLargeToKeep) {
  api_.service.deltas = {content_delta("short")};
  const Json kept = created(with("user", "u"));
  EXPECT_FALSE(kept.contains("warnings"));
  api_.service.deltas = {content_delta(std::string(100'000, 'a'))};
  const Json large = created(with("user", "u"));
  EXPECT_EQ(large["status"], "completed");
  ASSERT_TRUE(large.contains("warnings"));
  EXPECT_THAT(large["warnings"][0].get<std::string>(), HasSubstr("too large to keep"));
  const auto get = [&](const Json& body) {
    return api_.call("GET", std::string(kResponses) + "/" + body["id"].get<std::string>());
  };
  EXPECT_EQ(get(large)->status(), 404);
  EXPECT_EQ(get(kept)->status(), 200) << "nothing is given up for it";
  EXPECT_FALSE(created(with("store", false)).contains("warnings"));
}

TEST_F(Responses, StaysWithinItsMemory) {
  std::vector<std::string> targets;
  for (int i = 0; i < 30; ++i) {
    targets.push_back(std::string(kResponses) + "/" +
                      created(with("user", "u"))["id"].get<std::string>());
  }
  EXPECT_EQ(api_.call("GET", targets.front())->status(), 404);
  EXPECT_EQ(api_.call("GET", targets.back())->status(), 200);
}

TEST_F(Responses, ListsInputItemsInPages) {
  const Json input = json_from(R"([{"role": "user", "content": "a", "id": "msg_a"},
      {"role": "assistant", "content": "b", "id": "msg_b"},
      {"role": "user", "content": "c", "id": "msg_c"}])");
  const std::string target = std::string(kResponses) + "/" +
                             created(with("input", input))["id"].get<std::string>() +
                             "/input_items";
  Json page = json_of(api_.call("GET", target));
  EXPECT_EQ(page["object"], "list");
  EXPECT_EQ(page["first_id"], "msg_c");
  EXPECT_EQ(page["has_more"], false);
  page = json_of(api_.call("GET", target + "?order=asc&limit=1&after=msg_a"));
  ASSERT_EQ(page["data"].size(), 1U);
  EXPECT_EQ(page["data"][0], json_from(R"({"id": "msg_b", "type": "message",
      "status": "completed", "role": "assistant",
      "content": [{"type": "output_text", "text": "b"}]})"));
  EXPECT_EQ(page["has_more"], true);
  for (const char* query : {"?limit=0", "?limit=x", "?order=up", "?after=no", "?colour=1"}) {
    EXPECT_EQ(api_.call("GET", target + query)->status(), 400) << query;
  }
}

TEST_F(Responses, SaysWhetherAToolIsStrictAsItIsTreated) {
  const Json tools = json_from(R"([{"type": "function", "name": "f"},
      {"type": "function", "name": "g", "strict": null},
      {"type": "function", "name": "h", "strict": false},
      {"type": "function", "name": "i", "strict": true},
      {"type": "function", "function": {"name": "j", "strict": true}}])");
  const Json answer = created(with("tools", tools));
  ASSERT_EQ(answer["tools"].size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    const bool is_strict = i >= 3;
    EXPECT_EQ(answer["tools"][i]["strict"], is_strict) << i;
    EXPECT_EQ(asked().tools[i]["function"].value("strict", false), is_strict) << i;
  }
}

TEST_F(Responses, HandsEveryParameterOn) {
  Json body = with("input", "Hi");
  body.update(json_from(R"({
    "tools": [{"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": true}],
    "tool_choice": {"type": "function", "name": "f"}, "parallel_tool_calls": false,
    "text": {"format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}},
             "verbosity": "medium"},
    "reasoning": {"effort": "medium", "summary": "auto"}, "top_p": 0.5, "truncation": "auto",
    "include": ["message.output_text.logprobs", "reasoning.encrypted_content"],
    "top_logprobs": 2, "metadata": {"a": "b"}, "user": "u", "service_tier": "flex",
    "keep_alive": 0, "cache": false, "options": {"seed": 5}, "background": false})"));
  const Json answer = created(body);
  const serving::AnswerRequest& request = asked();
  EXPECT_EQ(request.tools, json_from(R"([{"type": "function",
      "function": {"name": "f", "parameters": {"type": "object"}, "strict": true}}])"));
  EXPECT_EQ(request.tool_choice.name, "f");
  EXPECT_FALSE(request.tool_choice.parallel);
  EXPECT_EQ(*request.format, json_from(R"({"type": "object"})"));
  EXPECT_EQ(request.think, true);
  EXPECT_TRUE(request.truncate);
  EXPECT_EQ(request.sampling.n_logprobs, 2);
  EXPECT_EQ(request.sampling.top_p, 0.5);
  EXPECT_EQ(request.sampling.seed, 5U);
  EXPECT_FALSE(request.use_cache);
  EXPECT_EQ(request.keep_alive->seconds, 0);
  EXPECT_EQ(answer["metadata"]["a"], "b");
  EXPECT_EQ(answer["user"], "u");
  EXPECT_EQ(answer["reasoning"]["summary"], "detailed");
  EXPECT_EQ(answer["tools"][0]["name"], "f");
  EXPECT_EQ(answer["tools"][0]["strict"], true);
  EXPECT_EQ(answer["service_tier"], "default");
}

TEST_F(Responses, TakesItemsOfEveryKind) {
  const Json input = json_from(R"([
    {"role": "developer", "content": "s"},
    {"role": "user", "content": [{"type": "input_text", "text": "a"}]},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
    {"type": "function_call", "call_id": "c2", "name": "g", "arguments": "{\"x\":1}"},
    {"type": "function_call_output", "call_id": "c2", "output": "2"},
    {"type": "function_call_output", "call_id": "c1",
     "output": [{"type": "input_text", "text": "1"}]},
    {"type": "message", "role": "assistant", "status": "completed", "id": "msg_1",
     "content": [{"type": "output_text", "text": "b", "annotations": [], "logprobs": []}]},
    {"role": "user", "content": "c"}])");
  (void)created(with("input", input));
  EXPECT_EQ(asked().messages, json_from(R"([
    {"role": "system", "content": "s"},
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": null, "tool_calls": [
      {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
      {"id": "c2", "type": "function", "function": {"name": "g", "arguments": "{\"x\":1}"}}],
     "reasoning": "hm"},
    {"role": "tool", "tool_call_id": "c1", "content": "1"},
    {"role": "tool", "tool_call_id": "c2", "content": "2"},
    {"role": "assistant", "content": "b"},
    {"role": "user", "content": "c"}])"));
}

TEST_F(Responses, GoesOnWithALastMessageOfTheAssistant) {
  Json body = with("input", json_from(R"([
    {"role": "user", "content": "Count"},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
    {"role": "assistant", "content": "1, 2,"}])"));
  EXPECT_THAT(created(body)["warnings"][0].get<std::string>(), HasSubstr("goes on with it"));
  EXPECT_TRUE(asked().continue_last);
  EXPECT_EQ(asked().messages[1],
            json_from(R"({"role": "assistant", "content": "1, 2,", "reasoning": "hm"})"));
  body["continue_final_message"] = false;
  EXPECT_FALSE(created(body).contains("warnings"));
  EXPECT_FALSE(asked().continue_last);
}

TEST_F(Responses, GoesOnWithALastThought) {
  (void)created(with("input", json_from(R"([
    {"role": "user", "content": "Count"},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]}])")));
  EXPECT_EQ(asked().messages[1],
            json_from(R"({"role": "assistant", "content": "", "reasoning": "hm"})"));
}

TEST_F(Responses, OutputsWithoutTheirCallAreAnswered) {
  const Json answer = created(with("input", json_from(R"([
    {"type": "function_call_output", "call_id": "c9", "output": "21"},
    {"role": "user", "content": "Go on"},
    {"type": "function_call", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "output": "22"}])")));
  const Json& messages = asked().messages;
  EXPECT_EQ(messages[0], json_from(R"({"role": "assistant",
                                       "tool_responses": [{"name": "c9", "response": "21"}]})"));
  EXPECT_EQ(messages[2]["tool_calls"][0]["id"], messages[3]["tool_call_id"]);
  EXPECT_EQ(answer["warnings"].size(), 3U) << answer["warnings"];
}

TEST_F(Responses, PutsTheCallsOfATurnBehindItsTexts) {
  const Json input = json_from(R"([
    {"role": "user", "content": "a"},
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
    {"role": "assistant", "content": "I look."},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
    {"type": "function_call", "call_id": "c2", "name": "g", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "1"},
    {"type": "function_call_output", "call_id": "c2", "output": "2"}])");
  (void)created(with("input", input));
  EXPECT_EQ(asked().messages, json_from(R"([
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": "I look."},
    {"role": "assistant", "content": null, "tool_calls": [
      {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
      {"id": "c2", "type": "function", "function": {"name": "g", "arguments": "{}"}}],
     "reasoning": "hm"},
    {"role": "tool", "tool_call_id": "c1", "content": "1"},
    {"role": "tool", "tool_call_id": "c2", "content": "2"}])"));
}

TEST_F(Responses, AreMadeWithoutWhatHasNoEffectAndNameIt) {
  const std::pair<const char*, const char*> spare[] = {
      {"tools[0].type", R"([{"type": "web_search"}])"},
      {"tools[0].tools[0].type", R"([{"type": "namespace", "name": "crm",
                                     "tools": [{"type": "mcp"}]}])"},
      {"reasoning.summary", R"({"summary": "none"})"},
      {"input[0].type", R"([{"type": "web_search_call", "id": "ws_1"},
                            {"role": "user", "content": "a"}])"},
      {"input[0].encrypted_content", R"([{"type": "compaction", "encrypted_content": "gAAAA"},
                                         {"role": "user", "content": "a"}])"},
      {"text.verbosity", R"({"verbosity": "low"})"},
      {"include[0]", R"(["file_search_call.results"])"},
      {"max_tool_calls", "1"},
      {"context_management", "[]"},
      {"stream_options", "{}"},
      {"messages", "[]"},
      {"client_metadata", "{}"},
      {"input[0].x", R"([{"role": "user", "content": "a", "x": 1}])"},
  };
  for (const auto& [path, value] : spare) {
    const std::string key = std::string(path).substr(0, std::string(path).find_first_of("[."));
    const Json body = with(key, json_from(value));
    api_.context.spare_fields = SpareFields::tell;
    const auto answer = api_.post(kResponses, body);
    ASSERT_EQ(answer->status(), 200) << path << answer->body();
    const Json told = json_of(answer)["warnings"];
    ASSERT_EQ(told.size(), 1U) << path;
    EXPECT_THAT(told[0].get<std::string>(), HasSubstr(path));
    EXPECT_EQ(answer->warnings(), told);
    api_.context.spare_fields = SpareFields::refuse;
    EXPECT_EQ(json_of(api_.post(kResponses, body))["error"]["param"], path);
  }
}

TEST_F(Responses, ShowTheModelOnlyToolsThatTheClientRuns) {
  (void)created(with("tools", json_from(R"([{"type": "web_search"},
      {"type": "function", "name": "f", "parameters": {}}])")));
  ASSERT_EQ(asked().tools.size(), 1U);
  EXPECT_EQ(asked().tools[0]["function"]["name"], "f");
}

TEST_F(Responses, NamesWhatItRefuses) {
  const std::pair<const char*, const char*> refusals[] = {
      {"input", "null"},
      {"input", "[]"},
      {"input", "7"},
      {"input[0].type", R"([{"type": "compaction_trigger"}])"},
      {"input[0].id", R"([{"type": "item_reference", "id": "x"}])"},
      {"input[0].id", R"([{"id": "x"}])"},
      {"input", R"([{"type": "web_search_call", "id": "ws_1"}])"},
      {"input[0].role", R"([{"content": "a"}])"},
      {"input[0].content", R"([{"role": "user"}])"},
      {"input[0].content[0].image_url",
       R"([{"role": "user", "content": [{"type": "input_image"}]}])"},
      {"input[0].content[0].file_data",
       R"([{"role": "user", "content": [{"type": "input_file"}]}])"},
      {"input[0].arguments",
       R"([{"type": "function_call", "call_id": "c", "name": "f", "arguments": "x"}])"},
      {"previous_response_id", "\"resp_none\""},
      {"max_output_tokens", "0"},
      {"temperature", "3"},
      {"tool_choice", "\"required\""},
      {"text.format.type", R"({"format": {"type": "xml"}})"},
      {"reasoning.effort", R"({"effort": "huge"})"},
      {"truncation", "\"some\""},
      {"tool_choice.type", R"({"type": "file_search"})"},
      {"metadata.a", R"({"a": 1})"},
      {"conversation", "\"conv\""},
      {"prompt", "{}"},
  };
  for (const auto& [param, value] : refusals) {
    const std::string path = param;
    const auto answer =
        api_.post(kResponses, with(path.substr(0, path.find_first_of("[.")), json_from(value)));
    EXPECT_EQ(answer->status(), 400) << path;
    EXPECT_EQ(json_of(answer)["error"]["param"], path) << answer->body();
  }
  EXPECT_TRUE(api_.service.answers.empty());
}

TEST_F(Responses, LooksInTheCacheOfWhoeverAsks) {
  api_.context.cache_per_key = true;
  api_.caller = {.key = 5};
  (void)created(with("store", false));
  ASSERT_FALSE(api_.service.answers.empty());
  for (const serving::AnswerRequest& request : api_.service.answers) {
    EXPECT_EQ(request.cache_scope, CacheScope(5));
    EXPECT_TRUE(request.sees_cached_text);
    EXPECT_FALSE(request.id.empty());
  }
}

}  // namespace
}  // namespace pleiad::api::openai
