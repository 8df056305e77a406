#include "apps/run/media/saved_data.h"

#include <algorithm>
#include <utility>

#include "apps/run/media/media_desk.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/error.h"

namespace pleiad::apps {

namespace {

using ShownKind = ShownMedia::Kind;

}  // namespace

AttachedMedia from_base64(std::string_view base64, ShownKind kind, std::string name,
                          const std::string& where) {
  auto bytes = decode_base64(base64);
  if (!bytes) throw Error("{}: {}", where, bytes.message());
  if (bytes.value().size() > most_bytes(kind)) {
    throw Error("{}: more than {} MiB, which is the most that {} may have", where,
                most_bytes(kind) >> 20, singular(kind));
  }
  AttachedMedia media;
  media.kind = kind;
  // A document that has no name is shown without one.
  media.name =
      name.empty() && kind != ShownKind::document ? std::string(singular(kind)) : std::move(name);
  media.bytes = std::make_shared<const std::string>(std::move(bytes).value());
  return media;
}

AttachedMedia from_address(std::string_view address, ShownKind kind, std::string name,
                           const std::string& where) {
  const std::size_t comma = address.find(',');
  const std::string head = ascii_lower(address.substr(0, std::min(comma, address.size())));
  if (comma == std::string_view::npos || !head.ends_with(";base64")) {
    throw Error("{}: expected data:...;base64,...", where);
  }
  return from_base64(address.substr(comma + 1), kind, std::move(name), where);
}

std::string member_text(const Json& object, const char* key) {
  const Json* found = find_member(object, key);
  return found && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace pleiad::apps
