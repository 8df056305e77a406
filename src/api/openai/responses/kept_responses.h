#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "api/openai/responses/background_responses.h"
#include "api/openai/responses/response_stores.h"
#include "http/exchange.h"
#include "http/request.h"

namespace pleiad::api::openai {

/// Responses that can be asked for by id: those that have ended, and those that are being made in
/// the background. One that ends is in the stores before it is no longer under way. Threads may
/// share it.
struct KeptResponses {
  explicit KeptResponses(StoreLimits limits, StoreClock clock = steady_seconds)
      : stores(limits, std::move(clock)), background(limits.bytes) {}

  /// As GET shows it; null where the caller has none of this name.
  std::shared_ptr<const StoredResponse> find(const http::Caller& caller, const std::string& id);
  /// Ends what is under way; `ended` is kept in its place (null: nothing). False where another has
  /// ended it: what he keeps is there by then.
  bool end(BackgroundResponse& made, std::shared_ptr<const StoredResponse> ended);
  /// The same for what nobody wants any more: nobody goes on making it.
  bool cancel(BackgroundResponse& made, std::shared_ptr<const StoredResponse> ended);
  /// Of one that is under way, nothing will be kept. False where find() would give null.
  bool remove(const http::Caller& caller, const std::string& id);

  ResponseStores stores;
  BackgroundResponses background;
};

/// A response under way, with whoever makes it: when he lets go of it, however that comes about, it
/// has ended.
class BackgroundPlace {
 public:
  /// `asked`: its share of the memory for all bodies is kept as long as the place.
  BackgroundPlace(std::shared_ptr<KeptResponses> kept, std::shared_ptr<http::Exchange> asked)
      : kept_(std::move(kept)), asked_(std::move(asked)) {}
  BackgroundPlace(const BackgroundPlace&) = delete;
  BackgroundPlace& operator=(const BackgroundPlace&) = delete;
  ~BackgroundPlace() {
    if (made_) kept_->end(*made_, nullptr);
  }

  /// Once, first. Null where the key has too many under way.
  std::shared_ptr<BackgroundResponse> begin(std::uint64_t key, StoredResponse draft) {
    made_ = kept_->background.begin(key, std::move(draft));
    return made_;
  }
  /// How it ended, where nobody ended it before.
  void end(StoredResponse ended) {
    kept_->end(*made_, std::make_shared<StoredResponse>(std::move(ended)));
  }

 private:
  const std::shared_ptr<KeptResponses> kept_;
  const std::shared_ptr<http::Exchange> asked_;
  std::shared_ptr<BackgroundResponse> made_;
};

}  // namespace pleiad::api::openai
