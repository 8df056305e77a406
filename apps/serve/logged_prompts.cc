#include "apps/serve/logged_prompts.h"

namespace pleiad::apps {

std::shared_ptr<serving::Ticket> LoggedPrompts::answer(
    serving::AnswerRequest request, std::shared_ptr<serving::AnswerObserver> observer) {
  Log::Fields fields = {{"request", request.id}, {"model", request.model}};
  if (request.form == serving::AnswerRequest::Form::text) {
    fields.emplace_back("text", request.text);
  } else if (request.form == serving::AnswerRequest::Form::tokens) {
    fields.emplace_back("tokens", request.tokens);
  } else {
    fields.emplace_back("messages", request.messages);
    if (!request.tools.empty()) fields.emplace_back("tools", request.tools);
  }
  log_.write(Log::Level::info, "prompt", fields);
  return service_.answer(std::move(request), std::move(observer));
}

std::shared_ptr<serving::Ticket> LoggedPrompts::embed(
    serving::EmbedRequest request, serving::Callback<serving::EmbedResult> done) {
  Log::Fields fields = {{"request", request.id}, {"model", request.model}};
  if (request.token_inputs.empty()) {
    fields.emplace_back("inputs", request.inputs);
  } else {
    fields.emplace_back("tokens", request.token_inputs);
  }
  log_.write(Log::Level::info, "prompt", fields);
  return service_.embed(std::move(request), std::move(done));
}

}  // namespace pleiad::apps
