#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include "api/openai/responses/response_request.h"
#include "base/json.h"

namespace pleiad::api::openai {

/// Items of kept responses by their ids, for one request that refers to them: of several of one id
/// the latest. Each response is parsed once; what is parsed, and what is given, has
/// kMaxConversationBytes at most, and kMaxMediaBytes of media.
class ItemLookup {
 public:
  explicit ItemLookup(const KeptBefore::Find& with_item) : with_item_(with_item) {}

  /// The item; null where the caller keeps none of this id. Throws RequestError beyond the limit.
  Json find(const std::string& id);

 private:
  using Items = std::unordered_map<std::string, Json>;

  Items parse(const StoredResponse& response);
  static void spend(std::size_t& spent, std::size_t n_bytes);
  static void spend_media(std::size_t& spent, std::size_t n_bytes);

  const KeptBefore::Find& with_item_;
  std::unordered_map<std::shared_ptr<const StoredResponse>, Items> parsed_;
  std::size_t n_parsed_ = 0;  // bytes
  std::size_t n_given_ = 0;
  std::size_t n_parsed_media_ = 0;
  std::size_t n_given_media_ = 0;
};

}  // namespace pleiad::api::openai
