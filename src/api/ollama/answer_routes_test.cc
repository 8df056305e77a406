#include "api/ollama/testing_client.h"
#include "base/testing/json.h"

namespace pleiad::api::ollama {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = serving::ServiceError::Code;

constexpr const char* kMetrics =
    R"("total_duration":1000000000,"load_duration":0,"prompt_eval_count":12,)"
    R"("prompt_eval_cached_count":8,"prompt_eval_duration":250000000,"eval_count":3,)"
    R"("eval_duration":500000000)";
constexpr const char* kHead = R"({"model":"m","created_at":"1970-01-01T00:00:00Z",)";

std::string line(const std::string& rest) { return kHead + rest + "}\n"; }

class AnswerRoutes : public OllamaTest {
 protected:
  AnswerRoutes() { service_.end = result(); }
};

TEST_F(AnswerRoutes, TellsForcedTokensAndTheStepsThatTheySaved) {
  const std::string body =
      R"({"model": "m", "stream": false, "messages": [{"role": "user", "content": "x"}]})";
  service_.deltas = {content_delta("Hi")};
  const Json plain = json_from(post("/api/chat", body)->body());
  EXPECT_FALSE(plain.contains("eval_forced_count"));
  EXPECT_FALSE(plain.contains("eval_dropped_count"));
  auto forced = result();
  forced.stats.forced_tokens = 7;
  forced.stats.saved_steps = 6;
  forced.stats.dropped_tokens = 40;
  service_.end = forced;
  const Json told = json_from(post("/api/chat", body)->body());
  EXPECT_EQ(told["eval_forced_count"], 7);
  EXPECT_EQ(told["eval_saved_steps"], 6);
  EXPECT_EQ(told["eval_dropped_count"], 40);
}

TEST_F(AnswerRoutes, ChatStreamsThinkingContentAndCallsInOrder) {
  service_.deltas = {thinking_delta("hm"), content_delta("Hi"),
                     call_delta("call_12345678", "add", {{"b", 1}, {"a", 2}}),
                     call_delta("call_abcdefgh", "sub", Json::object())};
  const auto exchange =
      post("/api/chat", R"({"model": "m", "messages": [{"role": "user", "content": "x"}]})");
  EXPECT_EQ(exchange->status(), 200);
  EXPECT_EQ(exchange->content_type(), "application/x-ndjson");
  EXPECT_TRUE(exchange->complete());
  const std::string call =
      R"("message":{"role":"assistant","content":"","tool_calls":[{"id":"call_12345678",)"
      R"("function":{"index":0,"name":"add","arguments":{"b":1,"a":2}}}]},"done":false)";
  const std::string second =
      R"("message":{"role":"assistant","content":"","tool_calls":[{"id":"call_abcdefgh",)"
      R"("function":{"index":1,"name":"sub","arguments":{}}}]},"done":false)";
  EXPECT_THAT(
      exchange->pieces(),
      ElementsAre(
          line(R"("message":{"role":"assistant","content":"","thinking":"hm"},"done":false)"),
          line(R"("message":{"role":"assistant","content":"Hi"},"done":false)"), line(call),
          line(second),
          line(R"("message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",)" +
               std::string(kMetrics))));
}

TEST_F(AnswerRoutes, ChatWithoutAStreamIsOneObject) {
  service_.deltas = {thinking_delta("h"), thinking_delta("m"), content_delta("H"),
                     content_delta("i"), call_delta("call_12345678", "add", Json::object())};
  const auto exchange = post("/api/chat", R"({"model": "m", "stream": false,
                                             "messages": [{"role": "user", "content": "x"}]})");
  EXPECT_EQ(exchange->content_type(), "application/json; charset=utf-8");
  EXPECT_FALSE(exchange->streamed());
  EXPECT_EQ(exchange->body() + "\n",
            line(R"("message":{"role":"assistant","content":"Hi","thinking":"hm","tool_calls":)"
                 R"([{"id":"call_12345678","function":{"index":0,"name":"add","arguments":{}}}]},)"
                 R"("done":true,"done_reason":"stop",)" +
                 std::string(kMetrics)));
}

TEST_F(AnswerRoutes, GenerateStreamsItsResponse) {
  service_.deltas = {thinking_delta("hm"), content_delta("Hi")};
  service_.end = result(FinishReason::length);
  const auto exchange = post("/api/generate", R"({"model": "m", "prompt": "x"})");
  EXPECT_THAT(exchange->pieces(),
              ElementsAre(line(R"("response":"","thinking":"hm","done":false)"),
                          line(R"("response":"Hi","done":false)"),
                          line(R"("response":"","done":true,"done_reason":"length",)" +
                               std::string(kMetrics))));
  EXPECT_EQ(service_.answers.at(0).id, "r1");
}

TEST_F(AnswerRoutes, EndsSayWhy) {
  const auto reason = [this](FinishReason finish) {
    service_.end = result(finish);
    const std::string body =
        answer("/api/generate", R"({"model": "m", "prompt": "x", "stream": false})");
    return json_from(body)["done_reason"].get<std::string>();
  };
  EXPECT_EQ(reason(FinishReason::stop_token), "stop");
  EXPECT_EQ(reason(FinishReason::stop_string), "stop");
  EXPECT_EQ(reason(FinishReason::length), "length");
  EXPECT_EQ(reason(FinishReason::context_full), "length");
  EXPECT_EQ(reason(FinishReason::repetition), "length");
}

TEST_F(AnswerRoutes, TellsWhatWasEndedForTheModel) {
  serving::AnswerResult ended = result(FinishReason::repetition);
  ended.ended_thought = EndedThought{EndedThought::Why::budget, 100};
  service_.end = ended;
  const Json body = json_from(answer("/api/chat", R"({"model": "m", "stream": false, "think": true,
                                        "options": {"thinking_budget": 100},
                                        "messages": [{"role": "user", "content": "x"}]})"));
  EXPECT_EQ(body["thinking_ended_by"], "budget");
  EXPECT_EQ(body["ended_by"], "repetition");
  EXPECT_EQ(service_.answers.at(0).thinking_budget->tokens, 100);
  service_.end = result();
  EXPECT_FALSE(
      json_from(answer("/api/generate", R"({"model": "m", "prompt": "x", "stream": false})"))
          .contains("ended_by"));
}

TEST_F(AnswerRoutes, LogprobsComeWithTheirTokens) {
  serving::AnswerDelta delta = content_delta("A");
  delta.logprobs = {{{5, "A", -0.5}, {{5, "A", -0.5}, {6, "\xc3", -1}}}};
  service_.deltas = {delta};
  auto last = result();
  last.logprobs = {{{7, "", -2}, {}}};
  service_.end = last;
  const auto exchange = post("/api/generate", R"({"model": "m", "prompt": "x", "logprobs": true})");
  EXPECT_EQ(exchange->pieces().at(0),
            line(R"("response":"A","done":false,"logprobs":[{"token":"A","logprob":-0.5,)"
                 R"("bytes":[65],"top_logprobs":[{"token":"A","logprob":-0.5,"bytes":[65]},)"
                 "{\"token\":\"\xef\xbf\xbd\",\"logprob\":-1.0,\"bytes\":[195]}]}]"));
  EXPECT_THAT(exchange->pieces().at(1),
              HasSubstr(R"("logprobs":[{"token":"","logprob":-2.0,"bytes":[]}],"total_duration")"));
}

TEST_F(AnswerRoutes, TheEndCarriesWarningsDropsAndTheCachesStory) {
  auto last = result();
  last.warnings = {"from the engine"};
  last.dropped_messages = 2;
  last.dropped_thinking_bytes = 9;
  last.cache_debug = Json{{"cached_tokens", 8}};
  service_.end = last;
  const std::string body =
      answer("/api/generate", R"({"model": "m", "prompt": "x", "stream": false, "truncate": true,
                                  "cache_debug": true, "options": {"num_gpu": 1}, "tempo": 3})");
  const Json json = json_from(body);
  EXPECT_EQ(json["dropped_messages"], 2);
  EXPECT_EQ(json["cache_debug"]["cached_tokens"], 8);
  ASSERT_EQ(json["warnings"].size(), 4U) << body;
  EXPECT_THAT(json["warnings"][0].get<std::string>(), HasSubstr("options.num_gpu"));
  EXPECT_EQ(json["warnings"][1], "unknown field: tempo");
  EXPECT_EQ(json["warnings"][2], "from the engine");
  EXPECT_EQ(json["warnings"][3], "9 bytes of thinking are left out, since thinking is off");
  EXPECT_TRUE(service_.answers.at(0).truncate);
}

TEST_F(AnswerRoutes, ABrokenCallIsShownAndNamed) {
  serving::AnswerDelta broken = content_delta("call:f{");
  broken.event.kind = text::ReplyEvent::Kind::broken_tool_call;
  broken.event.problem = "no closing brace";
  service_.deltas = {broken};
  const auto exchange =
      post("/api/chat", R"({"model": "m", "messages": [{"role": "user", "content": "x"}]})");
  EXPECT_THAT(exchange->pieces().at(0), HasSubstr(R"("content":"call:f{")"));
  EXPECT_THAT(exchange->pieces().at(1), HasSubstr("(no closing brace); it is shown as content"));
}

TEST_F(AnswerRoutes, WhatFailsBeforeTheFirstLineHasItsOwnStatus) {
  const auto fails = [this](Code code, int status) {
    service_.end = service_error(code, "the reason");
    return answer("/api/chat", R"({"model": "x", "messages": [{"role": "user"}]})", status);
  };
  EXPECT_EQ(fails(Code::model_not_found, 404),
            R"({"error":"model 'x' not found","code":"model_not_found","detail":"the reason"})");
  EXPECT_EQ(fails(Code::busy, 503),
            R"({"error":"server busy, please try again.  maximum pending requests exceeded",)"
            R"("code":"server_busy","detail":"the reason"})");
  EXPECT_EQ(fails(Code::bad_request, 400), R"({"error":"the reason","code":"invalid_request"})");
  EXPECT_EQ(fails(Code::deadline, 408), R"({"error":"the reason","code":"deadline_exceeded"})");
  EXPECT_EQ(fails(Code::internal, 500), R"({"error":"the reason","code":"internal_error"})");
}

TEST_F(AnswerRoutes, ATooLongPromptIsToldInNumbers) {
  serving::ServiceError error = service_error(Code::context_exceeded, "too long");
  error.prompt_tokens = 5000;
  error.limit_tokens = 4096;
  service_.end = error;
  EXPECT_EQ(answer("/api/generate", R"({"model": "m", "prompt": "x"})", 400),
            R"({"error":"too long","code":"context_length_exceeded","prompt_tokens":5000,)"
            R"("context_length":4096})");
}

TEST_F(AnswerRoutes, WhatFailsLaterIsALine) {
  service_.deltas = {content_delta("Hi")};
  service_.end = service_error(Code::internal, "the disk is gone");
  const auto exchange = post("/api/generate", R"({"model": "m", "prompt": "x"})");
  EXPECT_EQ(exchange->status(), 200);
  EXPECT_EQ(exchange->pieces().at(1),
            "{\"error\":\"the disk is gone\",\"code\":\"internal_error\"}\n");
  EXPECT_TRUE(exchange->complete());
}

TEST_F(AnswerRoutes, BadRequestsNameTheField) {
  EXPECT_EQ(
      answer("/api/generate", R"({"model": "m", "prompt": "x", "options": {"top_k": "x"}})", 400),
      R"({"error":"options.top_k: expected an integer from 0 to 1000000, found \"x\"",)"
      R"("code":"invalid_request","field":"options.top_k"})");
  EXPECT_EQ(answer("/api/chat", "", 400),
            R"({"error":"missing request body","code":"invalid_request"})");
  EXPECT_TRUE(service_.answers.empty());
}

TEST_F(AnswerRoutes, LoadAndUnloadNeedNoAnswer) {
  service_.loading = serving::Service::Loaded{1.5};
  EXPECT_EQ(answer("/api/generate", R"({"model": "m"})") + "\n",
            line(R"("response":"","done":true,"done_reason":"load","load_duration":1500000000)"));
  EXPECT_EQ(answer("/api/chat", R"({"model": "m", "messages": [], "keep_alive": "1h"})") + "\n",
            line(R"("message":{"role":"assistant","content":""},"done":true,)"
                 R"("done_reason":"load","load_duration":1500000000)"));
  EXPECT_EQ(service_.loads.at(1).second->seconds, 3600);
  EXPECT_EQ(answer("/api/chat", R"({"model": "m", "messages": [], "keep_alive": 0})") + "\n",
            line(R"("message":{"role":"assistant","content":""},"done":true,)"
                 R"("done_reason":"unload")"));
  EXPECT_EQ(service_.unloads.at(0), "m");
  service_.loading = service_error(Code::model_not_found, "");
  EXPECT_EQ(answer("/api/generate", R"({"model": "m"})", 404),
            R"({"error":"model 'm' not found","code":"model_not_found"})");
  service_.unloading = service_error(Code::model_not_found, "");
  answer("/api/generate", R"({"model": "m", "keep_alive": 0})", 404);
  EXPECT_TRUE(service_.answers.empty());
}

TEST_F(AnswerRoutes, ThePromptItselfCanBeSeen) {
  service_.rendering = serving::Service::Rendering{"<bos>Hi", 2, {}, {}};
  EXPECT_EQ(
      answer("/api/generate", R"({"model": "m", "prompt": "Hi", "_debug_render_only": true})") +
          "\n",
      line(R"("response":"","done":true,"_debug_info":{"rendered_template":"<bos>Hi",)"
           R"("prompt_tokens":2})"));
  EXPECT_EQ(service_.renders.at(0).messages[0]["content"], "Hi");
}

TEST_F(AnswerRoutes, AClientThatLeavesCancelsItsRendering) {
  service_.hold = true;
  const auto exchange =
      post("/api/generate", R"({"model": "m", "prompt": "Hi", "_debug_render_only": true})");
  ASSERT_EQ(service_.held_prompts.size(), 1U);
  exchange->go_away();
  EXPECT_TRUE(service_.held_prompts.at(0).ticket->cancelled);
}

TEST_F(AnswerRoutes, AClientThatLeavesCancelsItsAnswer) {
  service_.hold = true;
  const auto exchange = post("/api/generate", R"({"model": "m", "prompt": "x"})");
  EXPECT_FALSE(service_.held.at(0).ticket->cancelled);
  exchange->go_away();
  EXPECT_TRUE(service_.held.at(0).ticket->cancelled);
  service_.held.at(0).observer->done(result(FinishReason::cancelled));
}

TEST_F(AnswerRoutes, NothingIsKeptOnceAnAnswerHasEnded) {
  service_.hold = true;
  std::weak_ptr<FakeExchange> exchange =
      post("/api/generate", R"({"model": "m", "prompt": "x", "stream": false})");
  FakeService::Held held = std::move(service_.held.at(0));
  service_.held.clear();
  EXPECT_FALSE(exchange.expired());
  held.observer->delta(content_delta("Hi"));
  held.observer->done(result());
  std::weak_ptr<FakeService::FakeTicket> ticket = held.ticket;
  held = {};
  EXPECT_TRUE(exchange.expired());
  EXPECT_TRUE(ticket.expired());
}

TEST_F(AnswerRoutes, TheRootSaysThatItRuns) {
  EXPECT_EQ(send("GET", "/")->body(), "Ollama is running");
  EXPECT_EQ(send("GET", "/", "", {{"accept", "text/html"}})->body(), "Ollama is running");
  OllamaOptions options;
  options.page = [](const http::Request&, const std::shared_ptr<http::Exchange>& exchange) {
    exchange->respond({200, "text/html", "<p>page", {}});
  };
  routes_ = ollama_routes(context_, options);
  EXPECT_EQ(send("GET", "/", "", {{"accept", "*/*"}})->body(), "Ollama is running");
  EXPECT_EQ(send("GET", "/", "", {{"accept", "text/html,*/*"}})->body(), "<p>page");
}

TEST_F(AnswerRoutes, TheVersionIsOneOfOllamaThatClientsTakeAndTheProgramsBesideIt) {
  const std::string current(kOllamaVersion);
  EXPECT_EQ(send("GET", "/api/version")->body(),
            R"({"version":")" + current + R"(","pleiad":"0.1.0"})");
  routes_ = ollama_routes(context_, {{}, "0.99.1"});
  EXPECT_EQ(send("GET", "/api/version")->body(), R"({"version":"0.99.1","pleiad":"0.1.0"})");
}

TEST_F(AnswerRoutes, NobodyIsSignedInAndThereIsNoCloud) {
  EXPECT_EQ(send("GET", "/api/status")->body(), R"({"cloud":{"disabled":true,"source":"config"}})");
  for (const char* path : {"/api/me", "/api/signout"}) {
    const auto exchange = post(path, "");
    EXPECT_EQ(exchange->status(), 401) << path;
    EXPECT_THAT(exchange->body(), HasSubstr("no accounts here")) << path;
    EXPECT_THAT(exchange->body(), testing::Not(HasSubstr("signin_url"))) << path;
  }
  EXPECT_EQ(json_from(post("/api/me", "{}")->body())["error"], "unauthorized");
}

TEST_F(AnswerRoutes, UnknownFieldsGoIntoTheHeadAsWell) {
  const auto exchange = post("/api/chat", R"({"model": "m", "foo": 1, "stream": false,
                                              "messages": [{"role": "user", "content": "Hi"}]})");
  exchange->wait();
  EXPECT_EQ(exchange->status(), 200);
  EXPECT_THAT(exchange->warnings(), testing::ElementsAre("unknown field: foo"));
}

TEST_F(AnswerRoutes, LooksInTheCacheOfWhoeverAsks) {
  context_.cache_per_key = true;
  caller_ = {.key = 5};
  answer("/api/generate", R"({"model": "m", "prompt": "Hi"})");
  answer("/api/chat", R"({"model": "m", "messages": [{"role": "user", "content": "Hi"}]})");
  ASSERT_FALSE(service_.answers.empty());
  for (const serving::AnswerRequest& request : service_.answers) {
    EXPECT_EQ(request.cache_scope, CacheScope(5));
    EXPECT_TRUE(request.sees_cached_text);
    EXPECT_FALSE(request.id.empty());
  }
}

}  // namespace
}  // namespace pleiad::api::ollama
