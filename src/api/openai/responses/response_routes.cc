#include "api/openai/responses/response_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/openai/openai_error.h"

namespace pleiad::api::openai {
namespace {

constexpr int kMaxItems = 100;
constexpr int kUsualItems = 20;

http::Response not_found(const std::string& id) {
  return error_response(
      404,
      fmt::format("no response {} is kept: it was not stored, was deleted, or was given up for "
                  "later ones",
                  describe(Json(id))));
}

/// The query's parameters are these at most.
void check_query(const http::Request& request, std::initializer_list<std::string_view> allowed) {
  for (const auto& [key, value] : request.query) {
    const std::string name = key.substr(0, key.find('['));  // "include[]"
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
      throw RequestError(describe(Json(key)), "unknown parameter", "unknown_parameter");
    }
  }
}

std::string query_value(const http::Request& request, const std::string& key) {
  const auto found = request.query.find(key);
  return found == request.query.end() ? std::string() : found->second;
}

std::size_t read_limit(const http::Request& request) {
  const std::string text = query_value(request, "limit");
  if (text.empty()) return kUsualItems;
  int limit = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (problem != std::errc() || end != text.data() + text.size() || limit < 1 ||
      limit > kMaxItems) {
    throw RequestError("limit", fmt::format("expected an integer from 1 to {}, found {}", kMaxItems,
                                            describe(Json(text))));
  }
  return static_cast<std::size_t>(limit);
}

/// Newest first unless the client asks for "asc".
bool is_ascending(const http::Request& request) {
  const std::string order = query_value(request, "order");
  if (order.empty() || order == "desc") return false;
  if (order == "asc") return true;
  throw RequestError("order",
                     fmt::format("expected \"asc\" or \"desc\", found {}", describe(Json(order))));
}

}  // namespace

http::Response get_response(const http::Request& request, KeptResponses& kept) {
  check_query(request, {"include", "include_obfuscation", "stream", "starting_after"});
  const std::string stream = query_value(request, "stream");
  if (stream == "true" || stream == "True" || stream == "1" ||
      !query_value(request, "starting_after").empty()) {
    throw RequestError("stream",
                       "not supported: the events of a response are given once, to who asked for "
                       "it; without \"stream\" its state is given",
                       "unsupported_parameter");
  }
  const auto stored = kept.find(request.caller, request.arguments.at(0));
  if (!stored) return not_found(request.arguments.at(0));
  http::Response response;
  response.body = stored->body;
  return response;
}

http::Response delete_response(const http::Request& request, KeptResponses& kept) {
  check_query(request, {});
  const std::string& id = request.arguments.at(0);
  if (!kept.remove(request.caller, id)) return not_found(id);
  http::Response response;
  response.body = to_text({{"id", id}, {"object", "response"}, {"deleted", true}});
  return response;
}

http::Response cancel_response(const http::Request& request, KeptResponses& kept) {
  check_query(request, {});
  const std::string& id = request.arguments.at(0);
  http::Response response;
  if (const auto made = kept.background.find(request.caller, id)) {
    auto ended = std::make_shared<StoredResponse>(made->snapshot());
    Json body = parse_json(ended->body, "the response");
    body["status"] = ended->status = "cancelled";
    response.body = ended->body = to_text(body);
    if (kept.cancel(*made, std::move(ended))) return response;
  }
  const auto stored = kept.find(request.caller, id);
  if (!stored) return not_found(id);
  if (stored->status != "cancelled") {
    return error_response(
        400, stored->background
                 ? fmt::format("the response is {} and cannot be cancelled", stored->status)
                 : "only a response that was asked for with \"background\": true can be cancelled");
  }
  response.body = stored->body;
  return response;
}

http::Response list_input_items(const http::Request& request, KeptResponses& kept) {
  check_query(request, {"include", "limit", "order", "after"});
  const std::size_t limit = read_limit(request);
  const bool ascending = is_ascending(request);
  const auto stored = kept.find(request.caller, request.arguments.at(0));
  if (!stored) return not_found(request.arguments.at(0));
  Json items = parse_json(stored->input_items, "the stored response");
  if (!ascending) std::reverse(items.begin(), items.end());
  auto first = items.begin();
  if (const std::string after = query_value(request, "after"); !after.empty()) {
    first = std::find_if(items.begin(), items.end(),
                         [&](const Json& item) { return item["id"] == after; });
    if (first == items.end()) throw RequestError("after", "no input item has this id");
    ++first;
  }
  const auto n_left = static_cast<std::size_t>(items.end() - first);
  const Json page(std::vector<Json>(first, first + std::min(limit, n_left)));
  http::Response response;
  response.body = to_text({{"object", "list"},
                           {"data", page},
                           {"first_id", page.empty() ? Json("") : page.front()["id"]},
                           {"last_id", page.empty() ? Json("") : page.back()["id"]},
                           {"has_more", n_left > limit}});
  return response;
}

}  // namespace pleiad::api::openai
