#pragma once

#include <filesystem>
#include <utility>

#include "apps/run/answerer.h"
#include "base/error.h"

namespace pleiad::apps {

/// In the place of a model that could not be loaded: the conversation is there, and nobody answers.
class MissingAnswerer final : public Answerer {
 public:
  explicit MissingAnswerer(std::filesystem::path home) : home_(std::move(home)) {}

  Result<ChatReply> chat(const ChatRequest& /*request*/, const ShownAttachments& /*shown*/,
                         const ReplyObserver& /*observer*/) override {
    return Failure{kWhatToDo};
  }
  ChatReply complete(const std::string& /*prompt*/, const GenerationOptions& /*options*/,
                     const ReplyLimits& /*limits*/, const std::vector<std::string>& /*stop*/,
                     const ReplyObserver& /*observer*/) override {
    throw Error("{}", kWhatToDo);
  }
  Result<std::string> set_context_length(std::int64_t /*length*/) override {
    return Failure{kWhatToDo};
  }
  void forget() override {}
  std::optional<std::int64_t> document_tokens(const AttachedMedia& /*document*/,
                                              const MediaWishes& /*wishes*/) override {
    return std::nullopt;
  }
  ModelFacts facts() const override {
    ModelFacts facts;
    facts.description = "none";
    facts.backend = "nothing";
    facts.vocab_size = 262'144;  // what a parameter is checked with until there is one
    facts.home = home_;
    facts.blind = "could not be loaded";
    return facts;
  }
  std::string note() const override { return ""; }
  std::vector<std::pair<std::string, std::string>> details() const override { return {}; }

 private:
  static constexpr const char* kWhatToDo =
      "no model is loaded; /model NAME loads one, /save FILE keeps the conversation";
  std::filesystem::path home_;
};

}  // namespace pleiad::apps
