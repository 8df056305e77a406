#include "api/openai/responses/item_lookup.h"

#include <fmt/format.h>

#include <utility>

#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "base/text_format.h"

namespace pleiad::api::openai {

Json ItemLookup::find(const std::string& id) {
  auto found = items_.find(id);
  if (found == items_.end()) {
    const auto response = with_item_(id);
    if (!response) return nullptr;
    parse(*response);
    found = items_.find(id);
    if (found == items_.end()) return nullptr;
  }
  spend(n_given_, to_text(found->second).size());
  return found->second;
}

void ItemLookup::parse(const StoredResponse& response) {
  spend(n_parsed_, response.input_items.size() + response.output_items.size());
  for (const std::string* text : {&response.input_items, &response.output_items}) {
    for (Json& item : parse_json(*text, "the stored response")) {
      items_.insert_or_assign(item["id"].get<std::string>(), std::move(item));
    }
  }
}

void ItemLookup::spend(std::size_t& spent, std::size_t n_bytes) const {
  spent += n_bytes;
  if (spent <= ResponseStore::kMaxConversationBytes) return;
  throw RequestError("input", fmt::format("the items that are referred to have more than the {} "
                                          "that are read again",
                                          format_bytes(ResponseStore::kMaxConversationBytes)));
}

}  // namespace pleiad::api::openai
