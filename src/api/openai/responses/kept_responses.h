#pragma once

#include "api/openai/responses/background_responses.h"
#include "api/openai/responses/response_stores.h"

namespace pleiad::api::openai {

/// Responses that can be asked for by id: those that have ended, and those that are being made in
/// the background. One that ends is in the stores before it is no longer under way.
struct KeptResponses {
  explicit KeptResponses(StoreLimits limits, StoreClock clock = steady_seconds)
      : stores(limits, std::move(clock)), background(limits.bytes) {}

  /// As GET shows it; null where the caller has none of this name.
  std::shared_ptr<const StoredResponse> find(const http::Caller& caller, const std::string& id) {
    if (const auto made = background.find(caller, id)) {
      return std::make_shared<StoredResponse>(made->snapshot());
    }
    return stores.find(caller, id);
  }

  ResponseStores stores;
  BackgroundResponses background;
};

}  // namespace pleiad::api::openai
