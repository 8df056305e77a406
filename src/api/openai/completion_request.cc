#include "api/openai/completion_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/common/field_reader.h"
#include "api/common/local_fields.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/openai/chat_request.h"
#include "api/openai/reply_form_fields.h"
#include "api/openai/shared_fields.h"

namespace pleiad::api::openai {
namespace {

constexpr std::size_t kMaxAnswers = 128;
constexpr int kMaxLogprobs = 20;
/// Of all prompts of a request, alternatives included: some 5 MB of JSON with one each, which a
/// stream holds until its client takes it.
constexpr std::int64_t kMaxPromptLogprobs = 131'072;

void read_prompts(FieldReader& body, CompletionRequest& request) {
  if (auto lists = read_token_lists(body, "prompt", kMaxAnswers)) {
    request.answer.form = serving::AnswerRequest::Form::tokens;
    request.token_prompts = *std::move(lists);
  } else {
    auto texts = body.texts("prompt", kMaxAnswers);
    if (!texts || texts->empty()) {
      body.refuse("prompt", "a string, a list of strings, or lists of tokens' numbers");
    }
    request.prompts = *std::move(texts);
  }
  if (request.n_prompts() * static_cast<std::size_t>(request.n_choices) > kMaxAnswers) {
    throw RequestError("n", fmt::format("more than {} answers to one request", kMaxAnswers));
  }
}

void read_logprob_count(FieldReader& body, CompletionRequest& request) {
  // Clients of chats write a flag.
  const Json* wanted = body.value("logprobs");
  if (!wanted || *wanted == false) return;
  if (*wanted == true) {
    request.answer.sampling.n_logprobs = 0;
  } else {
    request.answer.sampling.n_logprobs =
        static_cast<int>(*body.integer("logprobs", 0, kMaxLogprobs));
  }
}

/// With logprobs those of the prompt's tokens are wanted as well, and then what these say is known.
void read_echo(FieldReader& body, CompletionRequest& request) {
  request.echo = body.flag("echo").value_or(false);
  const std::optional<int> n_top = request.answer.sampling.n_logprobs;
  if (!request.echo || (!n_top && request.token_prompts.empty())) return;
  if (!n_top) {
    throw RequestError("echo", "of lists of tokens needs \"logprobs\"; or give text",
                       "unsupported_parameter");
  }
  const auto n_answers = static_cast<std::int64_t>(request.n_prompts()) * request.n_choices;
  request.answer.prompt_logprobs = {*n_top, kMaxPromptLogprobs / n_answers / (1 + *n_top), "echo"};
}

}  // namespace

CompletionRequest read_completion_request(const Json& json, SpareFields spare) {
  CompletionRequest request;
  RequestNotes notes(spare);
  serving::AnswerRequest& answer = request.answer;
  FieldReader body(json);
  answer.model = body.required_text("model");
  answer.form = serving::AnswerRequest::Form::text;
  request.n_choices = static_cast<int>(body.integer("n", 1, kMaxChoices).value_or(1));
  read_prompts(body, request);
  read_extensions(body, answer, notes.warnings());  // before the fields that overrule `options`
  read_local_fields(body, answer, notes);
  read_sampling(body, answer);
  read_logprob_count(body, request);
  read_echo(body, request);
  if (const auto most = read_token_limit(body, "max_tokens", request.echo ? 0 : 1)) {
    answer.max_tokens = most;
  }
  read_stop(body, answer);
  read_reply_form(body, answer, notes);
  read_labels(body);
  if (const auto best_of = body.integer("best_of", 1, kMaxChoices); best_of.value_or(1) != 1) {
    body.refuse("best_of", "1: ask for several choices (n) and take the best");
  }
  if (const auto suffix = body.text("suffix"); suffix && !suffix->empty()) {
    refuse_given(body, "suffix", "the models cannot fill a gap");
  }
  request.stream = body.flag("stream").value_or(false);
  request.include_usage = read_include_usage(body, request.stream, notes);
  notes.unknown(body);
  request.warnings = notes.take();
  return request;
}

std::vector<serving::AnswerRequest> CompletionRequest::answers() const {
  std::vector<serving::AnswerRequest> requests;
  for (std::size_t i = 0; i < n_prompts(); ++i) {
    for (serving::AnswerRequest& one : one_for_each_choice(answer, n_choices)) {
      if (token_prompts.empty()) {
        one.text = prompts[i];
      } else {
        one.tokens = token_prompts[i];
      }
      requests.push_back(std::move(one));
    }
  }
  return requests;
}

}  // namespace pleiad::api::openai
