#pragma once

#include "apps/common/model_flags.h"
#include "apps/run/answerer.h"
#include "engine/session.h"
#include "store/model_entry.h"

namespace pleiad::apps {

/// A model loaded into this process.
class LocalAnswerer final : public Answerer {
 public:
  LocalAnswerer(const ModelFlags& flags, const store::ModelEntry& entry,
                const Environment& environment);

  Result<ChatReply> chat(const ChatRequest& request, const ReplyObserver& observer) override;
  ChatReply complete(const std::string& prompt, const GenerationOptions& options,
                     const std::vector<std::string>& stop, const ReplyObserver& observer) override;
  void forget() override { session_.clear(); }
  ModelFacts facts() const override;
  std::string note() const override;
  std::vector<std::pair<std::string, std::string>> details() const override;

  const LoadedModel& model() const { return *loaded_.model; }

 private:
  std::filesystem::path home_;
  RunnableModel loaded_;
  Session session_;
};

}  // namespace pleiad::apps
