#include "api/openai/token_lists.h"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "api/common/request_error.h"
#include "api/common/request_json.h"

namespace pleiad::api::openai {
namespace {

std::vector<std::int32_t> read_token_list(const Json& list, const std::string& path) {
  if (!list.is_array()) {
    throw RequestError(path,
                       fmt::format("expected a list of tokens' numbers, found {}", describe(list)));
  }
  if (list.empty()) throw RequestError(path, "a list of tokens must not be empty");
  std::vector<std::int32_t> tokens;
  tokens.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json& token = list[i];
    constexpr auto kMost = std::uint64_t{std::numeric_limits<std::int32_t>::max()};
    // Whole numbers from 0 are unsigned wherever JSON is parsed here.
    if (!token.is_number_unsigned() || token.get<std::uint64_t>() > kMost) {
      throw RequestError(element_path(path, i),
                         fmt::format("expected a token's number, found {}", describe(token)));
    }
    tokens.push_back(token.get<std::int32_t>());
  }
  return tokens;
}

}  // namespace

std::optional<TokenLists> read_token_lists(FieldReader& body, std::string_view key,
                                           std::size_t most) {
  const Json* given = body.value(key);
  if (!given || !given->is_array() || given->empty()) return std::nullopt;
  const Json& first = given->front();
  if (first.is_number()) return TokenLists{read_token_list(*given, body.path_of(key))};
  if (!first.is_array()) return std::nullopt;
  (void)body.list(key, most);  // its length
  TokenLists lists;
  lists.reserve(given->size());
  for (std::size_t i = 0; i < given->size(); ++i) {
    lists.push_back(read_token_list((*given)[i], element_path(body.path_of(key), i)));
  }
  return lists;
}

}  // namespace pleiad::api::openai
