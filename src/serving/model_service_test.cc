#include "serving/model_service.h"

#include <chrono>
#include <future>
#include <thread>

#include "serving/testing/model_service_fixture.h"

namespace pleiad::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Matcher;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using Kind = text::ReplyEvent::Kind;

TEST_F(ModelServiceTest, AnswersWithDeltasAndCounts) {
  script_.reply = "Hello there, you";
  script_.result.stats.prompt_tokens = 12;
  script_.result.stats.cached_tokens = 5;
  const auto answer = ask("Hi");
  const AnswerResult& result = answer->result();
  EXPECT_EQ(answer->text(), "Hello there, you");
  EXPECT_EQ(result.reason, FinishReason::stop_token);
  EXPECT_EQ(result.stats.prompt_tokens, 12);
  EXPECT_EQ(result.stats.cached_tokens, 5);
  EXPECT_GT(result.load_seconds, 0);
  EXPECT_EQ(last_prompt(), "<bos><|turn>user\nHi<turn|>\n<|turn>model\n");
  EXPECT_EQ(ask("Hi")->result().load_seconds, 0);
  EXPECT_EQ(observer_.n_first, 2);
  EXPECT_GT(observer_.n_gaps, 0);
  EXPECT_EQ(observer_.n_loaded, 1);
  EXPECT_THAT(observer_.outcomes, ElementsAre("stop", "stop"));
}

TEST_F(ModelServiceTest, AnUnknownModelIsNotFound) {
  EXPECT_EQ(ask(chat_request("other", "Hi"))->error().code, ServiceError::Code::model_not_found);
  EXPECT_EQ(observer_.last.model, "") << "nobody counts by what a client made up";
  EXPECT_EQ(observer_.last.asked, "other");
  EXPECT_EQ(ask(chat_request("", "Hi"))->error().field, "model");
}

TEST_F(ModelServiceTest, OurOwnMistakesAreToldToTheLogAlone) {
  script_.failure = EngineFailure{EngineFailure::Kind::internal, "x.cc:7: n > 0", 0, 0};
  const ServiceError error = ask("Hi")->error();
  EXPECT_EQ(error.code, ServiceError::Code::internal);
  EXPECT_EQ(error.message, "internal error");
  EXPECT_EQ(observer_.last.error, "x.cc:7: n > 0");
  EXPECT_EQ(observer_.last.model, "m:latest");
}

TEST_F(ModelServiceTest, ALoadThatFindsNoRoomIsReported) {
  script_.needs["m:latest"] = {1'000'000, 10, 10};
  EXPECT_EQ(ask("Hi")->error().code, ServiceError::Code::load_failed);
  EXPECT_THAT(observer_.load_errors, ElementsAre(HasSubstr("m:latest needs")));
}

TEST_F(ModelServiceTest, ADamagedModelSaysWhatIsWrong) {
  entry_.problem = "m.gguf: is cut off";
  const ServiceError error = ask("Hi")->error();
  EXPECT_EQ(error.code, ServiceError::Code::unsupported);
  EXPECT_EQ(error.message, "m.gguf: is cut off");
}

TEST_F(ModelServiceTest, AStopStringAcrossTokensEndsTheAnswer) {
  script_.reply = "one two three four";
  AnswerRequest request = chat_request("m", "Hi");
  request.stop = {"o thr"};
  const auto answer = ask(request);
  EXPECT_EQ(answer->result().reason, FinishReason::stop_string);
  EXPECT_EQ(answer->result().stop_string, "o thr");
  EXPECT_EQ(answer->text(), "one tw");
}

TEST_F(ModelServiceTest, TokensOfTheRequestEndAnAnswerAsTheModelsOwnDo) {
  AnswerRequest request = chat_request("m", "Hi");
  request.stop_tokens = {7, 11};
  (void)ask(request)->result();
  (void)ask("Hi")->result();
  ASSERT_THAT(script_.generations, SizeIs(2));
  const sampling::StopTokens& more = script_.generations[0].stop_tokens;
  const sampling::StopTokens& own = script_.generations[1].stop_tokens;
  EXPECT_TRUE(more.contains(7) && more.contains(11));
  for (const std::int32_t token : own.tokens()) EXPECT_TRUE(more.contains(token)) << token;
  EXPECT_FALSE(own.contains(7));
}

TEST_F(ModelServiceTest, ThoughtsComeApartWhereTheyAreWanted) {
  script_.reply = "<|channel>thought\nLet me see.<channel|>Yes.";
  AnswerRequest request = chat_request("m", "Hi");
  request.think = true;
  const auto answer = ask(request);
  answer->result();
  EXPECT_EQ(answer->text(Kind::thinking), "Let me see.");
  EXPECT_EQ(answer->text(), "Yes.");
  const auto& tokenizer = TestRuntime::tokenizer().tokenizer;
  const auto thought = tokenizer.encode_with_control("<|channel>thought\nLet me see.<channel|>");
  EXPECT_EQ(answer->result().thinking_tokens, std::ssize(thought));
}

TEST_F(ModelServiceTest, ThoughtsThatNobodyWantedAreCountedAndHaveNoLogprobs) {
  script_.reply = "<|channel>thought\nLet me see.<channel|>Yes.";
  AnswerRequest request = chat_request("m", "Hi");
  request.sampling.n_logprobs = 0;
  const auto answer = ask(request);
  EXPECT_EQ(answer->result().dropped_thinking_bytes, 11U);
  std::string bytes;
  for (const AnswerLogprob& logprob : answer->logprobs()) bytes += logprob.token.bytes;
  EXPECT_EQ(bytes, "Yes.");
}

TEST_F(ModelServiceTest, LogprobsOfAllTokensComeWithTheDeltas) {
  script_.reply = "one two three";
  AnswerRequest request = chat_request("m", "Hi");
  request.sampling.n_logprobs = 2;
  request.stop = {"three!"};  // holds the end back
  const auto answer = ask(request);
  const AnswerResult& result = answer->result();
  std::vector<AnswerLogprob> all = answer->logprobs();
  all.insert(all.end(), result.logprobs.begin(), result.logprobs.end());
  EXPECT_EQ(static_cast<std::int64_t>(all.size()), result.stats.generated_tokens);
  std::string bytes;
  for (const AnswerLogprob& logprob : all) bytes += logprob.token.bytes;
  EXPECT_EQ(bytes, "one two three");
  ASSERT_THAT(all[0].top, SizeIs(2));
  EXPECT_EQ(all[0].top[1].bytes, "<turn|>");  // readable, though it gives no text
}

TEST_F(ModelServiceTest, ToolCallsHaveIdsAndParallelOnesAreEndedWhereAsked) {
  script_.reply =
      "<|tool_call>call:get_weather{city:<|\"|>Paris<|\"|>}<tool_call|>"
      "<|tool_call>call:get_weather{city:<|\"|>Rome<|\"|>}<tool_call|>";
  AnswerRequest request = chat_request("m", "Weather?");
  request.tools = Json::array({weather_tool()});
  const auto both = ask(request);
  EXPECT_TRUE(both->result().called_tools);
  const auto deltas = both->deltas();
  ASSERT_THAT(deltas, SizeIs(2));
  EXPECT_THAT(deltas[0].tool_call_id, MatchesRegex("call_[a-z0-9]{8}"));
  EXPECT_NE(deltas[0].tool_call_id, deltas[1].tool_call_id);
  EXPECT_EQ(deltas[1].event.arguments["city"], "Rome");
  request.tool_choice.parallel = false;
  const auto one = ask(request);
  EXPECT_EQ(one->result().reason, FinishReason::stop_token);
  ASSERT_THAT(one->deltas(), SizeIs(1));
  EXPECT_EQ(one->deltas()[0].event.arguments["city"], "Paris");
}

TEST_F(ModelServiceTest, CallsComeInPiecesToThoseWhoWantThem) {
  script_.reply =
      "<|tool_call>call:get_weather{city:<|\"|>Paris<|\"|>}<tool_call|>"
      "<|tool_call>call:get_weather{}<tool_call|>";
  AnswerRequest request = chat_request("m", "Weather?");
  request.tools = Json::array({weather_tool()});
  request.call_pieces = true;
  const auto answer = ask(request);
  EXPECT_TRUE(answer->result().called_tools);
  std::map<std::string, std::string> json;
  std::vector<std::string> ids;
  for (const AnswerDelta& delta : answer->deltas()) {
    if (delta.event.kind == Kind::call_begun) ids.push_back(delta.tool_call_id);
    ASSERT_FALSE(ids.empty());
    EXPECT_EQ(delta.tool_call_id, ids.back()) << "all of a call has its id";
    if (delta.event.kind == Kind::call_arguments) json[ids.back()] += delta.event.text;
    if (delta.event.kind == Kind::tool_call) {
      EXPECT_EQ(json[ids.back()], to_text(delta.event.arguments));
    }
  }
  ASSERT_THAT(ids, SizeIs(2));
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_EQ(json[ids[0]], R"({"city":"Paris"})");
}

TEST_F(ModelServiceTest, ACallThatIsCutOffIsLeftOutAndNamed) {
  script_.reply = "Let me see. <|tool_call>call:get_weather{city:<|\"|>Par";
  script_.result.reason = FinishReason::length;
  AnswerRequest request = chat_request("m", "Weather?");
  request.tools = Json::array({weather_tool()});
  for (const bool pieces : {false, true}) {
    request.call_pieces = pieces;
    const auto answer = ask(request);
    const AnswerResult& result = answer->result();
    EXPECT_EQ(result.reason, FinishReason::length);
    EXPECT_FALSE(result.called_tools);
    EXPECT_EQ(answer->text(), "Let me see. ");
    EXPECT_EQ(answer->text(text::ReplyEvent::Kind::call_arguments),
              pieces ? R"({"city":"Par)" : "");
    for (const AnswerDelta& delta : answer->deltas()) {
      EXPECT_NE(delta.event.kind, text::ReplyEvent::Kind::broken_tool_call);
    }
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("cut off inside the call")));
  }
}

TEST_F(ModelServiceTest, ACallThatATokenOfTheRequestCutsOffIsLeftOutAndNamed) {
  const text::TokenId closes =
      *TestRuntime::tokenizer().tokenizer.vocabulary().tag(text::Tag::tool_call_close);
  const std::string cut =
      "tools: token 9 of stop_token_ids cut the answer off, so that it may not have this form";
  AnswerRequest request = chat_request("m", "Weather?");
  request.tools = Json::array({weather_tool()});
  request.stop_tokens = {9, closes};
  for (const auto kind : {ToolChoice::Kind::automatic, ToolChoice::Kind::required}) {
    request.tool_choice.kind = kind;
    script_.result.stop_token = 9;
    script_.reply = "<|tool_call>call:get_weather{city:<|\"|>Par";
    const auto answer = ask(request);
    EXPECT_FALSE(answer->result().called_tools);
    EXPECT_EQ(answer->text(), "");
    for (const AnswerDelta& delta : answer->deltas()) {
      EXPECT_NE(delta.event.kind, text::ReplyEvent::Kind::broken_tool_call);
    }
    EXPECT_THAT(answer->result().warnings, ElementsAre(cut, HasSubstr("it is left out")));
    // Where none was begun one is missing only where one had to come.
    script_.reply = "Let me see";
    const bool must_call = kind == ToolChoice::Kind::required;
    EXPECT_THAT(ask(request)->result().warnings,
                must_call ? Matcher<std::vector<std::string>>(ElementsAre(cut)) : IsEmpty());
    // The token that closes a call comes where that is whole.
    script_.result.stop_token = closes;
    script_.reply = "<|tool_call>call:get_weather{city:<|\"|>Paris<|\"|>}";
    const auto whole = ask(request);
    EXPECT_TRUE(whole->result().called_tools);
    EXPECT_THAT(whole->result().warnings, IsEmpty());
  }
}

// The token that opens a call is out, however a request prefers it.
TEST_F(ModelServiceTest, WithoutToolsACallCannotOpen) {
  const auto opens =
      *TestRuntime::tokenizer().tokenizer.vocabulary().tag(text::Tag::tool_call_open);
  const auto suppressed = [&](const AnswerRequest& request) {
    ask(request)->result();
    const GenerationOptions generation = script_.get(&TestScript::generations).back();
    const std::vector<std::int32_t>& tokens = generation.sampling.suppressed_tokens;
    return std::find(tokens.begin(), tokens.end(), opens) != tokens.end();
  };
  AnswerRequest request = chat_request("m", "Weather?");
  EXPECT_TRUE(suppressed(request));
  request.tools = Json::array({weather_tool()});
  EXPECT_FALSE(suppressed(request));
  request.tool_choice.kind = ToolChoice::Kind::none;
  EXPECT_TRUE(suppressed(request));
  AnswerRequest text;
  text.model = "m";
  text.form = AnswerRequest::Form::text;
  text.text = "a";
  EXPECT_FALSE(suppressed(text)) << "there control tokens are their spelling";
}

TEST_F(ModelServiceTest, ToolsThatMustNotBeCalledAreNotOffered) {
  AnswerRequest request = chat_request("m", "Weather?");
  request.tools = Json::array({weather_tool()});
  ask(request)->result();
  EXPECT_THAT(last_prompt(), HasSubstr("get_weather"));
  request.tool_choice.kind = ToolChoice::Kind::none;
  ask(request)->result();
  EXPECT_THAT(last_prompt(), ::testing::Not(HasSubstr("get_weather")));
  request.tool_choice.kind = ToolChoice::Kind::named;
  request.tool_choice.name = "get_time";
  EXPECT_EQ(ask(request)->error().field, "tool_choice");
}

TEST_F(ModelServiceTest, TheRequestComesBeforeTheModelfileAndThatBeforeTheCheckpoint) {
  entry_.recipe.system = "Be brief.";
  entry_.recipe.messages = Json::array(
      {{{"role", "user"}, {"content", "A?"}}, {{"role", "assistant"}, {"content", "B."}}});
  entry_.recipe.parameters = {{"top_k", 7},        {"temperature", 0.5}, {"stop", "END"},
                              {"num_predict", 33}, {"num_ctx", 512},     {"mirostat", 1}};
  AnswerRequest request = chat_request("m", "Hi");
  const AnswerResult result = ask(request)->result();
  const GenerationOptions generation = script_.get(&TestScript::generations).back();
  EXPECT_EQ(generation.sampling.temperature, 0);  // the request's
  EXPECT_EQ(generation.sampling.top_k, 7);        // the Modelfile's
  EXPECT_EQ(generation.sampling.top_p, 0.95);     // nobody's
  EXPECT_EQ(generation.max_tokens, 33);
  EXPECT_EQ(script_.get(&TestScript::context_lengths).back(), 512);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("mirostat")));
  EXPECT_EQ(
      last_prompt(),
      "<bos><|turn>system\nBe brief.<turn|>\n<|turn>user\nA?<turn|>\n<|turn>model\nB.<turn|>\n"
      "<|turn>user\nHi<turn|>\n<|turn>model\n");
  const Json own = {{"role", "system"}, {"content", "Mine."}};
  request.messages.insert(request.messages.begin(), own);
  ask(request)->result();
  EXPECT_THAT(last_prompt(), HasSubstr("Mine."));
  EXPECT_THAT(last_prompt(), ::testing::Not(HasSubstr("Be brief.")));
}

TEST_F(ModelServiceTest, BadOptionsAreNamed) {
  AnswerRequest request = chat_request("m", "Hi");
  request.sampling.top_p = 1.5;
  const ServiceError error = ask(request)->error();
  EXPECT_EQ(error.code, ServiceError::Code::bad_request);
  EXPECT_EQ(error.field, "top_p");
  request = chat_request("m", "Hi");
  request.stop_tokens = {262'144};
  EXPECT_EQ(ask(request)->error().field, "stop_token_ids");
  request = chat_request("m", "Hi");
  request.stop = {""};
  EXPECT_EQ(ask(request)->error().field, "stop");
  request = chat_request("m", "Hi");
  request.messages[0]["content"] = 7;
  EXPECT_THAT(ask(request)->error().field, HasSubstr("messages[0]"));
  request.messages = Json::array();
  EXPECT_EQ(ask(request)->error().field, "messages");
  EXPECT_THAT(script_.prompts, SizeIs(0));
}

TEST_F(ModelServiceTest, APromptThatIsTooLongIsRefusedWithNumbers) {
  AnswerRequest request = chat_request("m", std::string(400, 'x') + " y z w");
  request.context_length = 20;
  const ServiceError error = ask(request)->error();
  EXPECT_EQ(error.code, ServiceError::Code::context_exceeded);
  EXPECT_EQ(error.limit_tokens, 20);
  EXPECT_GT(error.prompt_tokens, 20);
}

TEST_F(ModelServiceTest, TruncatingDropsTheOldestMessagesAndSaysSo) {
  AnswerRequest request = chat_request("m", "the last");
  Json messages = Json::array({{{"role", "system"}, {"content", "Be kind."}}});
  for (int i = 0; i < 40; ++i) {
    messages.push_back({{"role", "user"}, {"content", "question " + std::to_string(i)}});
    messages.push_back({{"role", "assistant"}, {"content", "answer " + std::to_string(i)}});
  }
  messages.push_back(request.messages[0]);
  request.messages = messages;
  request.context_length = 200;
  request.truncate = true;
  const AnswerResult result = ask(request)->result();
  EXPECT_GT(result.dropped_messages, 0);
  EXPECT_LT(result.dropped_messages, 80);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("oldest messages were dropped")));
  EXPECT_THAT(last_prompt(), HasSubstr("Be kind."));
  EXPECT_THAT(last_prompt(), HasSubstr("the last"));
  EXPECT_THAT(last_prompt(), HasSubstr("answer 39"));
  EXPECT_THAT(last_prompt(), ::testing::Not(HasSubstr("question 0<")));
  EXPECT_LE(script_.prompts.back().size(), 150U);  // a quarter is left for the reply
}

TEST_F(ModelServiceTest, ATextIsContinuedAsItIs) {
  script_.reply = "c d";
  AnswerRequest request = chat_request("m", "");
  request.form = AnswerRequest::Form::text;
  request.text = "<|turn>user\na b";
  const auto answer = ask(request);
  answer->result();
  EXPECT_EQ(last_prompt(), "<bos><|turn>user\na b");
  EXPECT_EQ(answer->text(), "c d");
}

TEST_F(ModelServiceTest, WhereAPromptLeftTheCacheIsShownAsText) {
  const text::Tokenizer& tokenizer = TestRuntime::tokenizer().tokenizer;
  script_.result.cache =
      CacheExplanation{64, 70, CacheDetail::tokens, tokenizer.encode_text("Monday"),
                       tokenizer.encode_text("Tuesday")};
  AnswerRequest request = chat_request("m", "Hi");
  request.explain_cache = true;
  request.sees_cached_text = true;
  const AnswerResult result = ask(request)->result();
  ASSERT_TRUE(result.cache_debug);
  EXPECT_EQ((*result.cache_debug)["cached_tokens"], 64);
  EXPECT_EQ((*result.cache_debug)["common_tokens"], 70);
  EXPECT_EQ((*result.cache_debug)["cached_text"], "Monday");
  EXPECT_EQ((*result.cache_debug)["prompt_text"], "Tuesday");
}

TEST_F(ModelServiceTest, WhatTheCacheHoldsIsCountedForWhoMayNotSeeIt) {
  script_.result.cache = CacheExplanation{64, 64, CacheDetail::pages, {}, {}};
  AnswerRequest request = chat_request("m", "Hi");
  request.explain_cache = true;
  const AnswerResult result = ask(request)->result();
  ASSERT_TRUE(result.cache_debug);
  EXPECT_EQ(*result.cache_debug, (Json{{"cached_tokens", 64}, {"common_tokens", 64}}));
}

TEST_F(ModelServiceTest, AnAnswersScopeAndWhatItMaySeeReachTheEngine) {
  AnswerRequest request = chat_request("m", "Hi");
  ask(request)->result();
  request.cache_scope = CacheScope(5);
  request.explain_cache = true;
  ask(request)->result();
  request.sees_cached_text = true;
  ask(request)->result();
  EXPECT_THAT(script_.cache_scopes, ElementsAre(CacheScope::common, CacheScope(5), CacheScope(5)));
  EXPECT_THAT(script_.cache_details,
              ElementsAre(CacheDetail::none, CacheDetail::pages, CacheDetail::tokens));
}

TEST_F(ModelServiceTest, CancellingWhileTheModelLoadsEndsTheAnswerAtOnce) {
  script_.hold_loads = true;
  const auto answer = ask("Hi");
  ASSERT_TRUE(eventually([&] { return service().loaded().size() == 1; }));
  ticket_->cancel();
  EXPECT_EQ(answer->result().reason, FinishReason::cancelled);
  script_.set(&TestScript::hold_loads, false);
  ticket_->cancel();
  EXPECT_EQ(answer->n_ends(), 1);
  EXPECT_THAT(script_.prompts, SizeIs(0));
}

TEST_F(ModelServiceTest, CancellingARunningAnswerReachesTheEngine) {
  script_.hold_replies = true;
  const auto answer = ask("Hi");
  ASSERT_TRUE(eventually([&] { return script_.get(&TestScript::prompts).size() == 1; }));
  ticket_->cancel();
  EXPECT_EQ(answer->result().reason, FinishReason::cancelled);
  EXPECT_THAT(answer->deltas(), SizeIs(0));
}

TEST_F(ModelServiceTest, WhatAnEngineRefusesIsTold) {
  script_.failure = EngineFailure{EngineFailure::Kind::busy, "full", 0, 0};
  EXPECT_EQ(ask("Hi")->error().code, ServiceError::Code::busy);
  EXPECT_THAT(ask("Hi")->error().message, HasSubstr("maximum pending requests exceeded"));
  {
    const std::lock_guard guard(script_.mutex);
    script_.failure = EngineFailure{EngineFailure::Kind::deadline, "too slow", 0, 0};
  }
  EXPECT_EQ(ask("Hi")->error().code, ServiceError::Code::deadline);
}

TEST_F(ModelServiceTest, MoreThanMayWaitAreTurnedAway) {
  options_.pool.max_waiting = 2;
  script_.hold_loads = true;
  const auto first = ask("Hi");
  const auto second = ask("Hi");
  EXPECT_EQ(ask("Hi")->error().code, ServiceError::Code::busy);
  script_.set(&TestScript::hold_loads, false);
  first->result();
  second->result();
}

TEST_F(ModelServiceTest, CountsRenderingsAndEmbeddingsWaitInTheQueueAsWell) {
  std::promise<void> go_on;
  const std::shared_future<void> held = go_on.get_future().share();
  std::atomic<int> n_running = 0;
  on_find_ = [&] {
    ++n_running;
    held.wait();
  };
  options_.pool.max_waiting = 4;
  std::vector<std::unique_ptr<Awaited<Service::TokenCount>>> counts;
  for (int i = 0; i < 3; ++i) {
    counts.push_back(std::make_unique<Awaited<Service::TokenCount>>());
    service().count_tokens(chat_request("m", "Hi"), counts.back()->callback());
  }
  Awaited<Service::TokenCount> left;
  const auto ticket = service().count_tokens(chat_request("m", "Hi"), left.callback());
  ASSERT_TRUE(eventually([&] { return n_running == 2; }));
  // Both workers are held: these are refused when one is free.
  Awaited<Service::TokenCount> count;
  service().count_tokens(chat_request("m", "Hi"), count.callback());
  Awaited<Service::Rendering> rendering;
  service().render(chat_request("m", "Hi"), rendering.callback());
  EmbedRequest embed;
  embed.model = "m";
  embed.inputs = {"a"};
  Awaited<EmbedResult> embedding;
  service().embed(embed, embedding.callback());
  ticket->cancel();
  EXPECT_EQ(left.error().code, ServiceError::Code::shutting_down) << "at once";
  go_on.set_value();
  EXPECT_EQ(count.error().code, ServiceError::Code::busy);
  EXPECT_EQ(rendering.error().code, ServiceError::Code::busy);
  EXPECT_EQ(embedding.error().code, ServiceError::Code::busy);
  for (const auto& waiting : counts) EXPECT_GT(waiting->value().tokens, 5);
  EXPECT_TRUE(eventually([&] {
    Awaited<Service::TokenCount> later;
    service().count_tokens(chat_request("m", "Hi"), later.callback());
    return std::holds_alternative<Service::TokenCount>(later.outcome());
  }));
}

TEST_F(ModelServiceTest, WhatGoesOnIsNotRefusedByAFullQueue) {
  options_.pool.max_waiting = 1;
  script_.hold_loads = true;
  const auto first = ask("Hi");
  ASSERT_TRUE(eventually([&] { return !script_.get(&TestScript::loads).empty(); }));
  EXPECT_EQ(ask("Hi")->error().code, ServiceError::Code::busy);
  AnswerRequest later = chat_request("m", "Hi");
  later.goes_on = true;
  const auto last = ask(later);
  script_.set(&TestScript::hold_loads, false);
  EXPECT_EQ(first->result().reason, FinishReason::stop_token);
  EXPECT_EQ(last->result().reason, FinishReason::stop_token);
}

TEST_F(ModelServiceTest, CountsAndRendersWithoutLoading) {
  Awaited<Service::TokenCount> count;
  service().count_tokens(chat_request("m", "Hi"), count.callback());
  Awaited<Service::Rendering> rendering;
  service().render(chat_request("m", "Hi"), rendering.callback());
  EXPECT_EQ(rendering.value().text, "<bos><|turn>user\nHi<turn|>\n<|turn>model\n");
  EXPECT_EQ(rendering.value().tokens, count.value().tokens);
  EXPECT_GT(count.value().tokens, 5);
  EXPECT_THAT(service().loaded(), SizeIs(0));
}

TEST_F(ModelServiceTest, LoadsAndUnloadsWithoutARequest) {
  Awaited<Service::Loaded> loaded;
  service().load("m", KeepAlive{60}, loaded.callback());
  EXPECT_GT(loaded.value().load_seconds, 0);
  EXPECT_THAT(service().loaded(), SizeIs(1));
  Awaited<Service::Unloaded> unloaded;
  service().unload("m", unloaded.callback());
  unloaded.value();
  EXPECT_THAT(service().loaded(), SizeIs(0));
  Awaited<Service::Unloaded> again;
  service().unload("m", again.callback());
  again.value();
}

TEST_F(ModelServiceTest, AFileIsUnloadedThoughItsNameHasGone) {
  Awaited<Service::Loaded> loaded;
  service().load("m", KeepAlive{60}, loaded.callback());
  loaded.value();
  service().unload_file("another.gguf");
  EXPECT_THAT(service().loaded(), SizeIs(1));
  service().unload_file(entry_.path);
  for (int i = 0; i < 3000 && !service().loaded().empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_THAT(service().loaded(), SizeIs(0));
}

TEST_F(ModelServiceTest, ShuttingDownLetsRunningAnswersEnd) {
  script_.hold_replies = true;
  const auto answer = ask("Hi");
  ASSERT_TRUE(eventually([&] { return script_.get(&TestScript::prompts).size() == 1; }));
  std::thread ending([&] { service().shutdown(1e6); });
  script_.set(&TestScript::hold_replies, false);
  ending.join();
  EXPECT_EQ(answer->result().reason, FinishReason::stop_token);
  EXPECT_EQ(ask("Hi")->error().code, ServiceError::Code::shutting_down);
}

TEST_F(ModelServiceTest, ShuttingDownCancelsWhatOutlastsItsGrace) {
  script_.hold_replies = true;
  const auto running = ask("Hi");
  ASSERT_TRUE(eventually([&] { return script_.get(&TestScript::prompts).size() == 1; }));
  service().shutdown(0);
  EXPECT_EQ(running->result().reason, FinishReason::cancelled);
  service().shutdown(0);
}

TEST_F(ModelServiceTest, ShuttingDownEndsWhatWaitsForAModel) {
  script_.hold_loads = true;
  const auto waiting = ask("Hi");
  Awaited<Service::Loaded> loaded;
  service().load("m", {}, loaded.callback());
  ASSERT_TRUE(eventually([&] { return service().loaded().size() == 1; }));
  service().shutdown(0);
  EXPECT_TRUE(waiting->ended());
  EXPECT_EQ(loaded.error().code, ServiceError::Code::shutting_down);
}

}  // namespace
}  // namespace pleiad::serving
