#include "api/anthropic/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/common/time_text.h"

namespace pleiad::api::anthropic {
namespace {

constexpr std::size_t kMaxPage = 1000;
constexpr std::size_t kUsualPage = 20;

using Query = std::map<std::string, std::string>;
using Entries = std::vector<const store::ModelEntry*>;

std::size_t read_limit(const Query& query) {
  const auto found = query.find("limit");
  if (found == query.end()) return kUsualPage;
  const std::string& text = found->second;
  std::size_t limit = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (problem != std::errc() || end != text.data() + text.size() || limit < 1 || limit > kMaxPage) {
    throw RequestError("limit", fmt::format("expected an integer from 1 to {}, found {}", kMaxPage,
                                            describe(Json(text))));
  }
  return limit;
}

/// Where the model that the query names stands, or `otherwise` where it names none.
std::size_t position(const Entries& entries, const Query& query, const std::string& key,
                     std::size_t otherwise) {
  const auto id = query.find(key);
  if (id == query.end()) return otherwise;
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto* entry) { return entry->name == id->second; });
  if (found == entries.end()) {
    throw RequestError(key, fmt::format("there is no model {}", describe(Json(id->second))));
  }
  return static_cast<std::size_t>(found - entries.begin()) + (key == "after_id" ? 1 : 0);
}

}  // namespace

Json model_json(const store::ModelEntry& entry) {
  Json model = {{"type", "model"},
                {"id", entry.name},
                {"display_name", entry.name},
                {"created_at", rfc3339(entry.modified)},
                {"lifecycle", "active"}};
  if (entry.details) model["max_input_tokens"] = entry.details->context_length;
  return model;
}

Json model_list(const std::vector<store::ModelEntry>& entries, const Query& query) {
  Entries usable;
  for (const store::ModelEntry& entry : entries) {
    if (entry.problem.empty()) usable.push_back(&entry);
  }
  const std::size_t limit = read_limit(query);
  std::size_t first = position(usable, query, "after_id", 0);
  const std::size_t end = position(usable, query, "before_id", usable.size());
  // Before an id: those next to it.
  const bool backwards = query.count("before_id") > 0;
  first = std::min(first, end);
  const bool has_more = end - first > limit;
  if (backwards && has_more) first = end - limit;
  const std::size_t last = std::min(end, first + limit);
  Json data = Json::array();
  for (std::size_t i = first; i < last; ++i) data.push_back(model_json(*usable[i]));
  return {{"data", data},
          {"has_more", has_more},
          {"first_id", data.empty() ? Json(nullptr) : data.front()["id"]},
          {"last_id", data.empty() ? Json(nullptr) : data.back()["id"]}};
}

}  // namespace pleiad::api::anthropic
