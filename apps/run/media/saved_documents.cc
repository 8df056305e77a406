#include "apps/run/media/saved_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "apps/run/media/saved_data.h"
#include "base/error.h"
#include "media/budget.h"
#include "media/documents/document_kind.h"
#include "media/documents/page_ranges.h"
#include "serving/media/media.h"

namespace pleiad::apps {

namespace {

using ShownKind = ShownMedia::Kind;

}  // namespace

PageWishes page_wishes(const Json& part, const std::string& where) {
  PageWishes wishes;
  const auto given = [&](const char* key) {
    const Json* found = find_member(part, key);
    return found && !found->is_null() ? found : nullptr;
  };
  if (const Json* pages = given("pages")) {
    if (!pages->is_string()) throw Error("{}.pages: expected a text", where);
    wishes.pages = pages->get<std::string>();
    const auto ranges = media::parse_page_ranges(wishes.pages);
    if (!ranges) throw Error("{}.pages: {}", where, ranges.message());
  }
  if (given("pages_as")) {
    const auto as = read_pages_as(member_text(part, "pages_as"));
    if (!as) throw Error("{}.pages_as: {}", where, as.message());
    wishes.as = as.value();
  }
  if (const Json* budget = given("max_soft_tokens")) {
    const auto read =
        read_picture_budget(budget->is_string() ? budget->get<std::string>() : to_text(*budget));
    if (!read) throw Error("{}.max_soft_tokens: {}", where, read.message());
    wishes.budget = read.value();
  }
  return wishes;
}

AttachedMedia from_document_keys(const Json& object, const DocumentKeys& keys,
                                 const std::string& path, const Json& part,
                                 const std::string& where) {
  const std::string data = member_text(object, keys.data);
  const std::string field = fmt::format("{}.{}", path, keys.data);
  if (data.empty()) throw Error("{}: expected a document in base64", field);
  std::string name = member_text(object, keys.name);
  if (name.size() > serving::kMostNameBytes) {
    throw Error("{}.{}: expected at most {} bytes, found {}", path, keys.name,
                serving::kMostNameBytes, name.size());
  }
  AttachedMedia document = data.starts_with(kDataScheme)
                               ? from_address(data, ShownKind::document, std::move(name), field)
                               : from_base64(data, ShownKind::document, std::move(name), field);
  document.pages = page_wishes(part, where);
  return document;
}

AttachedMedia from_file_part(const Json& part, const std::string& type, const std::string& where) {
  constexpr DocumentKeys kKeys = {"file_data", "filename"};
  if (type == "input_file") return from_document_keys(part, kKeys, where, part, where);
  const Json* file = find_member(part, "file");
  if (!file || !file->is_object()) throw Error("{}.file: expected an object", where);
  return from_document_keys(*file, kKeys, where + ".file", part, where);
}

std::vector<AttachedMedia> listed_documents(const Json& message, const std::string& where) {
  std::vector<AttachedMedia> found;
  const Json* documents = find_member(message, "documents");
  if (!documents || documents->is_null()) return found;
  if (!documents->is_array()) throw Error("{}.documents: expected a list", where);
  for (std::size_t i = 0; i < documents->size(); ++i) {
    const Json& one = (*documents)[i];
    const std::string field = fmt::format("{}.documents[{}]", where, i);
    if (!one.is_object()) throw Error("{}: expected an object with \"data\"", field);
    found.push_back(from_document_keys(one, kListedKeys, field, one, field));
  }
  return found;
}

std::string document_type(std::span<const std::byte> bytes, const std::string& name) {
  const auto kind = media::sniff_document(bytes, name);
  if (!kind) return "application/octet-stream";
  switch (*kind) {
    case media::DocumentKind::pdf:
      return "application/pdf";
    case media::DocumentKind::docx:
      return "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    case media::DocumentKind::html:
      return "text/html";
    case media::DocumentKind::text:
      break;
  }
  return "text/plain";
}

Json file_part(const AttachedMedia& document, const std::string& address) {
  Json file = {{"file_data", address}};
  if (!document.name.empty()) file["filename"] = document.name;
  Json part = {{"type", "file"}, {"file", std::move(file)}};
  add_page_wishes(part, document.pages);
  return part;
}

void add_page_wishes(Json& part, const PageWishes& wishes) {
  if (!wishes.pages.empty()) part["pages"] = wishes.pages;
  if (wishes.as != PageWishes::PagesAs::automatic) part["pages_as"] = pages_as_word(wishes.as);
  if (wishes.budget.automatic) part["max_soft_tokens"] = "auto";
  if (wishes.budget.tokens) part["max_soft_tokens"] = *wishes.budget.tokens;
}

}  // namespace pleiad::apps
