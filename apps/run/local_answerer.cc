#include "apps/run/local_answerer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "apps/common/interrupt.h"
#include "apps/common/progress_bar.h"
#include "apps/common/weights_text.h"
#include "apps/run/parameters.h"
#include "apps/run/recipe.h"
#include "base/text_format.h"
#include "constrain/replies/call_check.h"
#include "engine/media/prompt_towers.h"

namespace pleiad::apps {

namespace {

/// What the flag says, else the model's own recipe.
std::int64_t context_length(const ModelFlags& flags, const store::Recipe& recipe,
                            const LoadedModel& model) {
  if (flags.context_length > 0) return flags.context_length;
  return recipe_context_length(recipe, model.checkpoint().config().context_length);
}

/// What is to be told of calls that are complete and not valid.
std::vector<std::string> broken_calls(const Json& tools, const text::Reply& reply) {
  std::vector<std::string> problems;
  for (const text::ReplyEvent& call : reply.tool_calls) {
    if (call.kind != text::ReplyEvent::Kind::tool_call) continue;
    auto problem = constrain::call_problem(tools, {}, call);
    if (problem) problems.push_back(std::move(problem->message));
  }
  return problems;
}

}  // namespace

LocalAnswerer::LocalAnswerer(const ModelFlags& flags, const store::ModelEntry& entry,
                             const Environment& environment)
    : home_(environment.home),
      loaded_(load_model(flags.with_projector_of(entry), entry.path, environment, 1,
                         InterruptGuard::throw_if_pressed)),
      kv_type_(flags.kv_type),
      session_(std::make_unique<Session>(
          *loaded_.model, session_options(context_length(flags, entry.recipe, *loaded_.model)))) {}

SessionOptions LocalAnswerer::session_options(std::int64_t context_length) {
  SessionOptions options;
  options.kv_type = kv_type_;
  options.context_length = context_length;
  return options;
}

Result<std::string> LocalAnswerer::set_context_length(std::int64_t length) {
  const std::int64_t supported = model().checkpoint().config().context_length;
  if (Result<bool> fits = check_context_length(length, supported); !fits)
    return Failure{fits.message()};
  // The old cache goes before the new one comes; the conversation is computed again.
  session_.reset();
  session_ = std::make_unique<Session>(*loaded_.model, session_options(length));
  return context_length_text(length);
}

Result<ChatReply> LocalAnswerer::chat(const ChatRequest& request, const ShownAttachments& /*shown*/,
                                      const ReplyObserver& observer) {
  constrain::AskedForm asked;
  asked.format = &request.format;
  if (!request.tools.empty()) asked.tools = &request.tools;
  asked.policy.must_call = false;
  asked.policy.parallel = true;
  std::vector<std::string> told;
  Result<ChatReply> reply =
      answer_chat(*session_, *loaded_.model, request, observer,
                  [&](const Json& /*format*/, const text::ReplyOptions& options) {
                    asked.start = constrain::start_of(options);
                    return constraint(asked, told);
                  });
  if (!reply) return reply;
  if (std::string unused = constrain::unused_form(asked); !unused.empty()) {
    told.push_back(std::move(unused));
  }
  // Behind a whole form nothing comes in which a stop string could be.
  if (reply.value().reason == FinishReason::stop_string && asked.has_format()) {
    told.push_back(constrain::cut_form(asked.format_path, "a stop string"));
  }
  if (asked.tools && !told.empty()) {  // what is not enforced may be broken
    std::ranges::move(broken_calls(*asked.tools, reply.value().reply), std::back_inserter(told));
  }
  std::vector<std::string>& warnings = reply.value().warnings;
  warnings.insert(warnings.begin(), told.begin(), told.end());
  return reply;
}

constrain::ReplyForms::Constraint LocalAnswerer::constraint(const constrain::AskedForm& asked,
                                                            std::vector<std::string>& warnings) {
  if (!asked.has_format() && !asked.tools) return std::unique_ptr<sampling::TokenConstraint>();
  if (!forms_) {
    forms_.emplace(model().tokenizer(), model().stop_tokens().tokens());
  }
  return constrain::make_asked_form(*forms_, asked, warnings);
}

ChatReply LocalAnswerer::complete(const std::string& prompt, const GenerationOptions& options,
                                  const ReplyLimits& limits, const std::vector<std::string>& stop,
                                  const ReplyObserver& observer) {
  return complete_text(*session_, *loaded_.model, prompt, options, limits, stop, observer);
}

std::optional<std::int64_t> LocalAnswerer::document_tokens(const AttachedMedia& document,
                                                           const MediaWishes& /*wishes*/) {
  text::EncodeLimit limit;
  limit.tokens = static_cast<std::size_t>(session_->context_length());
  limit.stop = InterruptGuard::pressed;
  const text::Encoding pages = model().tokenizer().encode(text_of(document.shown), limit);
  InterruptGuard::throw_if_pressed();
  if (!pages.whole) return std::nullopt;
  return document.shown.n_soft_tokens() + static_cast<std::int64_t>(pages.least_count);
}

ModelFacts LocalAnswerer::facts() const {
  ModelFacts facts;
  facts.description = describe(*loaded_.model);
  facts.backend = loaded_.backend->description();
  facts.context_length = session_->context_length();
  facts.vocab_size = static_cast<std::size_t>(model().checkpoint().config().vocab_size);
  facts.cache_bytes = session_->cache().bytes_for(session_->context_length());
  facts.home = home_;
  facts.towers = prompt_towers(model().checkpoint());
  const VisionPrompt& vision = facts.towers.vision;
  if (vision.sees()) {
    facts.picture_budget = vision.default_budget;
  } else {
    facts.blind = vision.problem;
  }
  return facts;
}

std::string LocalAnswerer::note() const {
  const std::string unused = describe_unused(*loaded_.model);
  return unused.empty() ? "" : fmt::format("{}: {}", model().checkpoint().config().name, unused);
}

std::vector<std::pair<std::string, std::string>> LocalAnswerer::details() const {
  std::vector<std::pair<std::string, std::string>> lines;
  lines.emplace_back("load", format_seconds(model().load_seconds()));
  const std::string weights = weights_text(loaded_.backend->packed_weights());
  if (!weights.empty()) lines.emplace_back("weights", weights);
  lines.emplace_back(
      "context", fmt::format("{} of {} tokens, cache {}", session_->tokens().size(),
                             format_count(static_cast<std::uint64_t>(session_->context_length())),
                             format_bytes(session_->cache().used_bytes())));
  return lines;
}

}  // namespace pleiad::apps
