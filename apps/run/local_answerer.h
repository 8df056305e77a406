#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/model_flags.h"
#include "apps/run/answerer.h"
#include "constrain/replies/asked_form.h"
#include "constrain/replies/reply_forms.h"
#include "engine/session.h"
#include "store/model_entry.h"

namespace pleiad::apps {

/// A model loaded into this process. Where an InterruptGuard lives, Ctrl-C ends the loading: throws
/// Interrupted.
class LocalAnswerer final : public Answerer {
 public:
  LocalAnswerer(const ModelFlags& flags, const store::ModelEntry& entry,
                const Environment& environment);

  Result<ChatReply> chat(const ChatRequest& request, const ShownAttachments& shown,
                         const ReplyObserver& observer) override;
  ChatReply complete(const std::string& prompt, const GenerationOptions& options,
                     const ReplyLimits& limits, const std::vector<std::string>& stop,
                     const ReplyObserver& observer) override;
  Result<std::string> set_context_length(std::int64_t length) override;
  void forget() override { session_->clear(); }
  std::optional<std::int64_t> document_tokens(const AttachedMedia& document,
                                              const MediaWishes& wishes) override;
  ModelFacts facts() const override;
  std::string note() const override;
  std::vector<std::pair<std::string, std::string>> details() const override;

  const LoadedModel& model() const { return *loaded_.model; }

 private:
  /// Null where nothing is asked for; `warnings` learns what of it is left out.
  constrain::ReplyForms::Constraint constraint(const constrain::AskedForm& asked,
                                               std::vector<std::string>& warnings);
  SessionOptions session_options(std::int64_t context_length);

  std::filesystem::path home_;
  RunnableModel loaded_;
  std::optional<constrain::ReplyForms>
      forms_;  // made when first asked for: goes over the vocabulary
  KvType kv_type_;
  std::unique_ptr<Session> session_;
};

}  // namespace pleiad::apps
