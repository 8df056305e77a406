#include "pull/hugging_face/repository_answers.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "base/ascii.h"
#include "base/json.h"
#include "base/text_format.h"
#include "digest/sha256.h"
#include "pull/hugging_face/file_path.h"
#include "store/hugging_face_layout.h"

namespace pleiad::pull::hugging_face {
namespace {

constexpr std::size_t kGitDigits = 40;
constexpr std::size_t kSha256Digits = 64;
// Of an answer: a page has a thousand entries.
constexpr JsonLimits kAnswerLimits = {.depth = 32,
                                      .values = 1'000'000,
                                      .keys_per_object = 100'000,
                                      .memory_bytes = 100'000'000,
                                      .key_comparisons = 100'000'000};

/// A size in bytes.
std::optional<std::uint64_t> size_of(const Json& object) {
  const Json* value = find_member(object, "size");
  if (value == nullptr || !value->is_number_integer()) return std::nullopt;
  if (!value->is_number_unsigned() && value->get<std::int64_t>() < 0) return std::nullopt;
  const auto size = value->get<std::uint64_t>();
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50;  // a petabyte: sums of sizes fit
  return size <= kMost ? std::optional(size) : std::nullopt;
}

/// A text, or a list of texts with commas between; empty for all else.
std::string joined_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string text;
  if (!value.is_array()) return text;
  for (const Json& item : value) {
    if (!item.is_string()) continue;
    text += (text.empty() ? "" : ", ") + item.get<std::string>();
  }
  return text;
}

/// Of the model's card; where that has none, of its tags.
std::string license_of(const Json& info) {
  constexpr std::string_view kTag = "license:";
  if (const Json* card = find_member(info, "cardData"); card != nullptr && card->is_object()) {
    const std::string* name = find_text_member(*card, "license_name");
    const Json* license = find_member(*card, "license");
    std::string text = license == nullptr ? "" : joined_text(*license);
    if (text == "other" && name != nullptr && !name->empty()) return *name;
    if (!text.empty()) return text;
  }
  if (const Json* tags = find_member(info, "tags"); tags != nullptr && tags->is_array()) {
    for (const Json& tag : *tags) {
      const auto* text = tag.get_ptr<const std::string*>();
      if (text != nullptr && text->starts_with(kTag)) return text->substr(kTag.size());
    }
  }
  return {};
}

/// A file's own id and size, or those of its large bytes. A Failure begins with the field's name.
Result<HubFile> parse_file(const Json& entry) {
  HubFile file;
  const std::string* id = find_text_member(entry, "oid");
  if (id == nullptr || !is_hex(*id, kGitDigits)) {
    return Failure{"'oid' is not the 40 hex digits of a git id"};
  }
  file.git_id = *id;
  const Json* large = find_member(entry, "lfs");
  const bool is_large = large != nullptr && !large->is_null();
  if (is_large) {
    if (!large->is_object()) return Failure{"'lfs' is no object"};
    const std::string* digest = find_text_member(*large, "oid");
    constexpr std::string_view kPrefix = "sha256:";
    const std::string_view digits = digest == nullptr ? std::string_view()
                                    : digest->starts_with(kPrefix)
                                        ? std::string_view(*digest).substr(kPrefix.size())
                                        : std::string_view(*digest);
    if (!is_hex(digits, kSha256Digits)) {
      return Failure{"'lfs.oid' is not the 64 hex digits of a SHA-256"};
    }
    file.sha256 = digits;
  }
  const auto size = size_of(is_large ? *large : entry);
  if (!size) return Failure{fmt::format("'{}size' is no number of bytes", is_large ? "lfs." : "")};
  file.size = *size;
  if (is_large && file.size == 0 && file.sha256 != sha256_hex("")) {
    return Failure{"'lfs.size' is 0, but 'lfs.oid' is not the SHA-256 of nothing"};
  }
  return file;
}

Result<Json> parse_answer(std::string_view json) {
  auto value = read_json(json, kAnswerLimits);
  if (!value) return Failure{"is " + value.message()};
  return value;
}

}  // namespace

Result<RepositoryInfo> parse_repository_info(std::string_view json) {
  const auto info = parse_answer(json);
  if (!info) return Failure{info.message()};
  if (!info.value().is_object()) return Failure{"is no JSON object"};
  const std::string* commit = find_text_member(info.value(), "sha");
  if (commit == nullptr || !store::is_commit(*commit)) {
    return Failure{"has no 'sha' with the 40 hex digits of a commit"};
  }
  constexpr std::size_t kLongestLicense = 100;
  return RepositoryInfo{*commit, printable(license_of(info.value()), kLongestLicense)};
}

Result<TreePage> parse_tree_page(std::string_view json) {
  const auto list = parse_answer(json);
  if (!list) return Failure{list.message()};
  if (!list.value().is_array()) return Failure{"is no JSON list"};
  TreePage page;
  for (const Json& entry : list.value()) {
    const std::string* path = find_text_member(entry, "path");
    const std::string* type = find_text_member(entry, "type");
    if (path == nullptr || type == nullptr) {
      return Failure{"has an entry without the texts 'type' and 'path'"};
    }
    if (*type != "file") continue;
    const std::string problem = path_problem(*path);
    if (!problem.empty()) {
      page.refused.push_back(fmt::format("'{}' {}", printable(*path), problem));
      continue;
    }
    auto file = parse_file(entry);
    if (!file) return Failure{fmt::format("'{}': {}", printable(*path), file.message())};
    file.value().path = *path;
    page.files.push_back(std::move(file).value());
  }
  return page;
}

}  // namespace pleiad::pull::hugging_face
