#include "model/spelled_tokens.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/mapped_file.h"
#include "formats/bounded_json.h"

namespace pleiad {
namespace {

BoundedJson added_tokens_of(const MappedFile& file, const std::string& name) {
  const auto* text = reinterpret_cast<const char*>(file.bytes().data());
  try {
    const BoundedJson root = parse_bounded_json({text, file.bytes().size()}, name);
    const auto found = root.is_object() ? root.find("added_tokens") : root.end();
    if (found != root.end() && found->is_array()) return *found;
  } catch (const LoadError&) {  // none is said
  }
  return BoundedJson::array();
}

}  // namespace

std::vector<std::optional<std::int32_t>> added_tokens_spelled(
    const std::filesystem::path& tokenizer_json, std::initializer_list<std::string_view> pieces) {
  const MappedFile file(tokenizer_json);
  std::vector<std::optional<std::int32_t>> tokens(pieces.size());
  for (const BoundedJson& added : added_tokens_of(file, tokenizer_json.string())) {
    if (!added.is_object()) continue;
    const auto content = added.find("content");
    const auto id = added.find("id");
    if (content == added.end() || id == added.end()) continue;
    if (!content->is_string() || !id->is_number_unsigned()) continue;
    const auto number = id->get<std::uint64_t>();
    if (number > std::numeric_limits<std::int32_t>::max()) continue;
    const auto* piece = std::ranges::find(pieces, content->get_ref<const std::string&>());
    if (piece == pieces.end()) continue;
    tokens[static_cast<std::size_t>(piece - pieces.begin())] = static_cast<std::int32_t>(number);
  }
  return tokens;
}

}  // namespace pleiad
