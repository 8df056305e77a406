#pragma once

#include <optional>

#include "apps/common/environment.h"
#include "apps/run/answerer.h"
#include "client/http_client.h"

namespace pleiad::apps {

/// A model that a running server answers for.
class RemoteAnswerer final : public Answerer {
 public:
  /// Asks the server about the model; `shown` is its answer to /api/show.
  RemoteAnswerer(std::unique_ptr<client::HttpClient> server, std::string model, const Json& shown,
                 std::int64_t context_length, const Environment& environment);

  /// How long the server keeps the model afterwards, as typed ("5m", "-1"); "": as it likes.
  void keep_loaded(const std::string& duration) { keep_alive_ = duration; }

  void choose(const std::set<std::string>& parameters, bool system) override {
    chosen_ = parameters;
    chose_system_ = system;
  }
  Result<ChatReply> chat(const ChatRequest& request, const ShownAttachments& shown,
                         const ReplyObserver& observer) override;
  ChatReply complete(const std::string& prompt, const GenerationOptions& options,
                     const ReplyLimits& limits, const std::vector<std::string>& stop,
                     const ReplyObserver& observer) override;
  Result<std::string> set_context_length(std::int64_t length) override;
  std::optional<std::int64_t> document_tokens(const AttachedMedia& document,
                                              const MediaWishes& wishes) override;
  void forget() override {}  // the server finds what it has by content
  ModelFacts facts() const override;
  std::string note() const override { return ""; }
  std::vector<std::pair<std::string, std::string>> details() const override;

  /// What the model samples with unless told otherwise.
  const GenerationOptions& defaults() const { return defaults_; }

 private:
  void take_parameters(const std::string& text);
  void take_vision(const Json& shown);
  /// `media`: of the request.
  Result<ChatReply> stream(const std::string& path, Json body, std::span<AttachedMedia> media,
                           const ReplyObserver& observer);
  Json options(const GenerationOptions& options, const ReplyLimits& limits,
               const std::vector<std::string>& stop) const;

  std::unique_ptr<client::HttpClient> server_;
  std::string model_;
  std::int64_t context_length_;  // 0: as the server has it
  std::string keep_alive_;       // empty: as the server has it
  std::int64_t supported_ = 0;   // by the model; 0: the server did not say
  ModelFacts facts_;
  GenerationOptions defaults_;
  std::set<std::string> chosen_;  // options that are sent
  bool chose_system_ = false;
  bool has_system_ = false;  // the model brings one
  double load_seconds_ = 0;
};

/// The server at PLEIAD_HOST (OLLAMA_HOST, 127.0.0.1:11434), where one of ours runs
/// there and knows the model; null otherwise. Throws Error where one runs that does not let us in
/// (a key is missing or wrong) and may have the model in memory already; a path would be loaded
/// here all the same.
std::unique_ptr<RemoteAnswerer> find_server_for(const std::string& model,
                                                std::int64_t context_length,
                                                const Environment& environment);

}  // namespace pleiad::apps
