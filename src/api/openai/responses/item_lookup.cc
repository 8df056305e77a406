#include "api/openai/responses/item_lookup.h"

#include <fmt/format.h>

#include <utility>

#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/openai/media_part.h"
#include "base/text_format.h"

namespace pleiad::api::openai {

// Whoever keeps them says which response has the latest: one that is parsed may have an earlier one
// of the same id.
Json ItemLookup::find(const std::string& id) {
  const auto response = with_item_(id);
  if (!response) return nullptr;
  auto parsed = parsed_.find(response);
  if (parsed == parsed_.end()) parsed = parsed_.emplace(response, parse(*response)).first;
  const auto found = parsed->second.find(id);
  if (found == parsed->second.end()) return nullptr;
  const std::size_t n_media = media_bytes(found->second);
  spend(n_given_, to_text(found->second).size() - n_media);
  spend_media(n_given_media_, n_media);
  return found->second;
}

ItemLookup::Items ItemLookup::parse(const StoredResponse& response) {
  spend(n_parsed_, response.text_bytes());
  spend_media(n_parsed_media_, response.media_bytes);
  Items items;
  for (const std::string* text : {&response.input_items, &response.output_items}) {
    for (Json& item : parse_json(*text, "the stored response")) {
      items.insert_or_assign(item["id"].get<std::string>(), std::move(item));
    }
  }
  return items;
}

void ItemLookup::spend(std::size_t& spent, std::size_t n_bytes) {
  spent += n_bytes;
  if (spent <= ResponseStore::kMaxConversationBytes) return;
  throw RequestError("input", fmt::format("the items that are referred to have more than the {} "
                                          "that are read again",
                                          format_bytes(ResponseStore::kMaxConversationBytes)));
}

void ItemLookup::spend_media(std::size_t& spent, std::size_t n_bytes) {
  spent += n_bytes;
  if (spent <= ResponseStore::kMaxMediaBytes) return;
  throw RequestError("input",
                     fmt::format("the media of the responses that are referred to have more "
                                 "than the {} that are read again",
                                 format_bytes(ResponseStore::kMaxMediaBytes)));
}

}  // namespace pleiad::api::openai
