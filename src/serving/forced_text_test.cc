// What forms compel, on the demo model: a reply has the same tokens and bits, whether these are
// computed in one step or one by one.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/json.h"
#include "constrain/grammars/text_grammar.h"
#include "constrain/replies/reply_forms.h"
#include "engine/testing/demo_engine_test.h"

namespace pleiad::serving {
namespace {

using constrain::ReplyForms;
using constrain::Start;
using testing_support::ask;
using testing_support::cold;
using testing_support::CollectingSink;
using testing_support::expect_same_reply;
using testing_support::random_tokens;
using testing_support::Reply;
using Form = std::unique_ptr<sampling::TokenConstraint>;

/// A form whose masks have nothing beside what it forces: the model writes that token by token.
class OneByOne final : public sampling::TokenConstraint {
 public:
  explicit OneByOne(Form form) : form_(std::move(form)) {}

  bool allowed_next(std::span<std::uint64_t> allowed) override {
    const std::vector<std::int32_t> forced = form_->forced_next(1);
    if (forced.empty()) return form_->allowed_next(allowed);
    std::ranges::fill(allowed, 0);
    const auto token = static_cast<std::size_t>(forced.front());
    allowed[token / 64] |= std::uint64_t{1} << (token % 64);
    return true;
  }
  void accept(std::int32_t token) override { form_->accept(token); }
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<OneByOne>(*this);
  }

 private:
  sampling::OwnedConstraint form_;
};

class ForcedForms : public testing_support::DemoEngineTest<96, 6> {
 protected:
  enum Kind { schema, calls, free_text_and_calls, grammar };
  static constexpr Kind kKinds[] = {schema, calls, free_text_and_calls, grammar};

  static EngineOptions options() {
    EngineOptions options = DemoEngineTest::options();
    options.max_running = 4;
    return options;
  }

  Form form(Kind kind) {
    if (!forms_) forms_.emplace(model_->tokenizer(), model_->stop_tokens().tokens());
    if (kind == schema) return std::move(forms_->json(1, kTask, Start::at_once)).value();
    if (kind == grammar) {
      const Json text = constrain::grammars::text_grammar(
          "gbnf", R"(root ::= "The answer is " [0-9]{1,3} ", and nothing else.")");
      return std::move(forms_->json(1, text, Start::at_once)).value();
    }
    constrain::ToolPolicy policy;
    policy.must_call = kind == calls;
    return std::move(forms_->tools(1, kTools, policy, Start::at_once)).value();
  }
  EngineRequest request(Kind kind, std::uint32_t seed) {
    EngineRequest asked = cold(testing_support::request(random_tokens(20 + seed, seed), seed, 60));
    asked.generation.stop_tokens = model_->stop_tokens();
    asked.constraint = form(kind);
    // Where calls may stand in text, the model is led to one.
    if (kind == free_text_and_calls) {
      const auto open = model_->tokenizer().vocabulary().tag(text::Tag::tool_call_open);
      asked.generation.sampling.logit_bias = {{*open, 100.0F}};
    }
    return asked;
  }
  EngineRequest one_by_one(EngineRequest asked) {
    asked.constraint = std::make_unique<OneByOne>(std::move(asked.constraint));
    return asked;
  }

  const Json kTask = json_from(R"({"type": "object", "properties": {
      "first_name": {"const": "Ada Lovelace"}, "state": {"enum": ["in_progress", "in_review"]},
      "number_of_items": {"type": "integer", "minimum": 0, "maximum": 99}},
      "required": ["first_name", "state", "number_of_items"], "additionalProperties": false})");
  const Json kTools = json_from(R"([{"function": {"name": "get_weather", "parameters": {
      "type": "object", "properties": {"days_ahead": {"type": "integer", "minimum": 0,
      "maximum": 9}, "temperature_unit": {"enum": ["celsius", "fahrenheit"]}},
      "required": ["days_ahead", "temperature_unit"]}}}])");
  std::optional<ReplyForms> forms_;
};

TEST_F(ForcedForms, RepliesHaveTheBitsOfThoseThatAreWrittenTokenByToken) {
  Engine engine(*model_, options());
  for (const Kind kind : kKinds) {
    for (const std::optional<int> n_logprobs : {std::optional<int>(), std::optional<int>(2)}) {
      for (const double penalty : {1.0, 1.4}) {
        SCOPED_TRACE(testing::Message() << kind << " " << n_logprobs.has_value() << " " << penalty);
        const auto asked = [&] {
          EngineRequest made = request(kind, 5);
          made.generation.sampling.n_logprobs = n_logprobs;
          made.generation.sampling.repeat_penalty = penalty;
          return made;
        };
        const Reply fast = ask(engine, asked());
        const Reply slow = ask(engine, one_by_one(asked()));
        expect_same_reply(fast, slow);
        EXPECT_GT(fast.result->stats.forced_tokens, 8);
        EXPECT_GT(fast.result->stats.saved_steps, 2);
        EXPECT_EQ(slow.result->stats.forced_tokens, 0);
        EXPECT_EQ(slow.result->stats.saved_steps, 0);
        EngineRequest refused = asked();
        refused.generation.forced_runs = false;
        EXPECT_EQ(ask(engine, std::move(refused)).result->stats.forced_tokens, 0);
      }
    }
  }
}

TEST_F(ForcedForms, CompanyChangesNothing) {
  Engine engine(*model_, options());
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  for (std::uint32_t i = 0; i < 12; ++i) {
    sinks.push_back(std::make_shared<CollectingSink>());
    engine.submit(request(kKinds[i % std::size(kKinds)], i), sinks.back());
  }
  for (std::uint32_t i = 0; i < 12; ++i) {
    const Kind kind = kKinds[i % std::size(kKinds)];
    expect_same_reply(sinks[i]->wait(), ask(engine, one_by_one(request(kind, i))));
  }
}

}  // namespace
}  // namespace pleiad::serving
