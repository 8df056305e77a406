#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "apps/run/media/attached_media.h"
#include "base/json.h"

namespace pleiad::apps {

// Documents in a conversation's file. `where` is the place of what is read, which errors name.

/// What may stand beside a document: "pages", "pages_as", "max_soft_tokens". Throws Error.
PageWishes page_wishes(const Json& part, const std::string& where);
/// Puts it there, as far as it was said.
void add_page_wishes(Json& part, const PageWishes& wishes);

/// Where the bytes and the name of a document stand in an object.
struct DocumentKeys {
  const char* data;
  const char* name;
};
/// The document of an object at `path`; `part`: the object itself, or the one around it at `where`,
/// with the pages. Throws Error.
AttachedMedia from_document_keys(const Json& object, const DocumentKeys& keys,
                                 const std::string& path, const Json& part,
                                 const std::string& where);

/// {"type": "file", "file": {"file_data": ..., "filename": ...}} or {"type": "input_file",
/// "file_data": ..., "filename": ...}. Throws Error.
AttachedMedia from_file_part(const Json& part, const std::string& type, const std::string& where);
/// A part "file" with the document at that address ("data:...").
Json file_part(const AttachedMedia& document, const std::string& address);

/// Those of a document among a message's "documents" or "images".
inline constexpr DocumentKeys kListedKeys = {"data", "name"};
/// A message's "documents", as a server takes them: [{"data": base64, "name": "a.pdf"}]. Throws
/// Error.
std::vector<AttachedMedia> listed_documents(const Json& message, const std::string& where);

/// "application/pdf" and so on, by the content; the name as a hint.
std::string document_type(std::span<const std::byte> bytes, const std::string& name);

}  // namespace pleiad::apps
