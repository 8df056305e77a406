#include "api/openai/completion_answer.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "api/common/request_json.h"
#include "api/common/thinking_fields.h"
#include "api/openai/choice_warnings.h"
#include "api/openai/event_stream.h"
#include "api/openai/openai_error.h"
#include "base/utf8.h"

namespace pleiad::api::openai {
namespace {

using serving::AnswerDelta;
using serving::AnswerLogprob;
using serving::AnswerResult;

bool is_well_formed(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// A token as text; of a part of a character "bytes:\xe2\x80".
std::string token_name(const std::string& bytes) {
  if (is_well_formed(bytes)) return bytes;
  std::string name = "bytes:";
  for (const char byte : bytes) name += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return name;
}

/// The logprobs of one choice, in the form of completions.
class CompletionLogprobs {
 public:
  /// Those of a prompt's tokens. The very first follows nothing; where the text does not have it,
  /// it takes no room there.
  void add(const serving::PromptScores& scores) {
    for (std::size_t i = 0; i < scores.tokens.size(); ++i) {
      const AnswerLogprob& logprob = scores.tokens[i];
      if (i > 0 || !scores.begins) {
        add(logprob);
        continue;
      }
      add_token(logprob, scores.began_with_bos ? 0 : utf8_count(logprob.token.bytes));
      values_.push_back(nullptr);
      tops_.push_back(nullptr);
    }
  }

  void add(const AnswerLogprob& logprob) {
    add_token(logprob, utf8_count(logprob.token.bytes));
    values_.push_back(finite_logprob(logprob.token.logprob));
    Json& top = tops_.emplace_back(Json::object());
    for (const serving::TokenText& token : logprob.top) {
      // Tokens can be spelled alike; the likeliest comes first.
      top.emplace(token_name(token.bytes), finite_logprob(token.logprob));
    }
  }

  bool empty() const { return tokens_.empty(); }

  /// What was added since the last time; what is added next begins where that ends.
  Json take() {
    return {{"tokens", std::exchange(tokens_, Json::array())},
            {"token_logprobs", std::exchange(values_, Json::array())},
            {"top_logprobs", std::exchange(tops_, Json::array())},
            {"text_offset", std::exchange(offsets_, Json::array())}};
  }

 private:
  void add_token(const AnswerLogprob& logprob, std::size_t n_characters) {
    tokens_.push_back(token_name(logprob.token.bytes));
    offsets_.push_back(offset_);
    offset_ += static_cast<std::int64_t>(n_characters);
  }

  Json tokens_ = Json::array(), values_ = Json::array(), tops_ = Json::array(),
       offsets_ = Json::array();
  std::int64_t offset_ = 0;  // where the next token begins, in characters
};

/// What the two forms of the answer share.
class CompletionFollower : public AnswerFollower {
 protected:
  CompletionFollower(const CompletionRequest& request, AnswerHead head)
      : head_(std::move(head)),
        n_choices_(static_cast<std::size_t>(request.n_choices)),
        wants_logprobs_(request.answer.sampling.n_logprobs.has_value()),
        warnings_(request.warnings, false, request.n_prompts() * n_choices_),
        prompts_(request.echo && !request.answer.prompt_logprobs ? request.prompts
                                                                 : std::vector<std::string>()) {}

  void count(std::size_t index, const AnswerResult& result) {
    usage_.add_reply(result);
    if (index % n_choices_ == 0) usage_.add_prompt(result);
    if (index == 0) first_result_ = result;
  }

  /// Clients that score prompts ask for a token of a reply and leave out the last logprob: there is
  /// one even where that token ended the reply, and elsewhere nothing is told of it.
  static bool ended_at_once(const AnswerResult& result) {
    return result.reason == FinishReason::stop_token && result.stats.generated_tokens == 0;
  }

  /// What comes before the answer.
  std::string echoed(std::size_t index) const {
    return prompts_.empty() ? std::string() : prompts_[index / n_choices_];
  }

  Json choice(std::size_t index, std::string text, Json logprobs, Json reason) const {
    return {{"text", std::move(text)},
            {"index", index},
            {"logprobs", std::move(logprobs)},
            {"finish_reason", std::move(reason)}};
  }

  AnswerHead head_;
  std::size_t n_choices_;
  bool wants_logprobs_;
  ChoiceWarnings warnings_;
  std::vector<std::string> prompts_;  // empty: not echoed, or with their logprobs
  Usage usage_;
  AnswerResult first_result_;
};

class WholeCompletion : public CompletionFollower {
 public:
  WholeCompletion(const CompletionRequest& request, AnswerHead head,
                  std::shared_ptr<http::Exchange> exchange)
      : CompletionFollower(request, std::move(head)),
        exchange_(std::move(exchange)),
        choices_(request.n_prompts() * n_choices_) {
    for (std::size_t i = 0; i < choices_.size(); ++i) choices_[i].text = echoed(i);
  }

  void scored(std::size_t index, serving::PromptScores scores) override {
    choices_[index].text += scores.text;
    choices_[index].logprobs.add(scores);
    choices_[index].end = std::move(scores.end);
  }

  void delta(std::size_t index, const AnswerDelta& delta) override {
    choices_[index].text += delta.event.text;
    keep(index, delta.logprobs);
  }

  void done(std::size_t index, const AnswerResult& result) override {
    keep(index, result.logprobs);
    if (ended_at_once(result) && choices_[index].end) {
      choices_[index].logprobs.add(*choices_[index].end);
    }
    choices_[index].reason = finish_reason(result);
    add_limit_ends(choices_[index].ends, result);
    warnings_.done(index, result);
    count(index, result);
  }

  void finished() override {
    Json body = head_.body("text_completion");
    Json& choices = body["choices"] = Json::array();
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      Json logprobs;
      if (wants_logprobs_) logprobs = choices_[i].logprobs.take();
      choices.push_back(choice(i, std::move(choices_[i].text), std::move(logprobs),
                               std::move(choices_[i].reason)));
      choices.back().update(choices_[i].ends);
    }
    body["usage"] = usage_.json();
    add_warnings(body, warnings_.all());
    add_remarks(body, first_result_);
    http::Response response;
    response.body = to_text(body);
    exchange_->respond(std::move(response));
  }

  void failed(const serving::ServiceError& error) override {
    exchange_->respond(error_response(error));
  }

 private:
  struct Choice {
    std::string text;
    CompletionLogprobs logprobs;
    std::optional<AnswerLogprob> end;  // see PromptScores
    Json reason;
    Json ends = Json::object();  // see add_limit_ends()
  };

  void keep(std::size_t index, const std::vector<AnswerLogprob>& logprobs) {
    for (const AnswerLogprob& logprob : logprobs) choices_[index].logprobs.add(logprob);
  }

  std::shared_ptr<http::Exchange> exchange_;
  std::vector<Choice> choices_;
};

class CompletionStream : public CompletionFollower {
 public:
  CompletionStream(const CompletionRequest& request, AnswerHead head,
                   std::shared_ptr<http::Exchange> exchange)
      : CompletionFollower(request, std::move(head)),
        wants_usage_(request.include_usage),
        stream_(std::move(exchange)),
        choices_(request.n_prompts() * n_choices_) {}

  void scored(std::size_t index, serving::PromptScores scores) override {
    choices_[index].logprobs.add(scores);
    choices_[index].end = std::move(scores.end);
    if (scores.tokens.empty()) return;
    send(index, scores.text, {}, nullptr);
  }

  void delta(std::size_t index, const AnswerDelta& delta) override {
    send(index, delta.event.text, delta.logprobs, nullptr);
  }

  void done(std::size_t index, const AnswerResult& result) override {
    count(index, result);
    if (ended_at_once(result) && choices_[index].end) {
      choices_[index].logprobs.add(*choices_[index].end);
    }
    Json last = chunk_of(index, "", result.logprobs, finish_reason(result));
    add_limit_ends(last["choices"][0], result);
    // Clients look at choices[0] of every chunk, so remarks have none of their own.
    if (index == 0) add_remarks(last, result);
    if (warnings_.done(index, result)) add_warnings(last, warnings_.all());
    stream_.send(last);
  }

  void finished() override {
    if (wants_usage_) {
      Json last = chunk();
      last["usage"] = usage_.json();
      stream_.send(last);
    }
    stream_.finish();
  }

  void failed(const serving::ServiceError& error) override { stream_.fail(error); }

 private:
  struct Choice {
    bool has_begun = false;
    CompletionLogprobs logprobs;
    std::optional<AnswerLogprob> end;  // as in WholeCompletion
  };

  Json chunk() const {
    Json chunk = head_.body("text_completion");
    chunk["choices"] = Json::array();
    if (wants_usage_) chunk["usage"] = nullptr;
    return chunk;
  }

  void send(std::size_t index, const std::string& text, const std::vector<AnswerLogprob>& logprobs,
            Json reason) {
    stream_.send(chunk_of(index, text, logprobs, std::move(reason)));
  }

  Json chunk_of(std::size_t index, const std::string& text,
                const std::vector<AnswerLogprob>& logprobs, Json reason) {
    Choice& state = choices_[index];
    std::string whole = state.has_begun ? text : echoed(index) + text;
    state.has_begun = true;
    Json spelled;
    for (const AnswerLogprob& logprob : logprobs) state.logprobs.add(logprob);
    if (wants_logprobs_ && !state.logprobs.empty()) spelled = state.logprobs.take();
    Json message = chunk();
    message["choices"].push_back(
        choice(index, std::move(whole), std::move(spelled), std::move(reason)));
    return message;
  }

  bool wants_usage_;
  EventStream stream_;
  std::vector<Choice> choices_;
};

}  // namespace

std::unique_ptr<AnswerFollower> completion_follower(const CompletionRequest& request,
                                                    AnswerHead head,
                                                    std::shared_ptr<http::Exchange> exchange) {
  if (request.stream) {
    return std::make_unique<CompletionStream>(request, std::move(head), std::move(exchange));
  }
  return std::make_unique<WholeCompletion>(request, std::move(head), std::move(exchange));
}

}  // namespace pleiad::api::openai
