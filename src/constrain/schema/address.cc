#include "constrain/schema/address.h"

#include <algorithm>
#include <optional>

namespace pleiad::constrain {
namespace {

struct AddressParts {
  std::optional<std::string_view> scheme, authority;
  std::string_view path;
  std::optional<std::string_view> query;
};

/// What comes before the first of `ends`, which stays.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::size_t length = std::min(text.find_first_of(ends), text.size());
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(length);
  return taken;
}

AddressParts parts_of(std::string_view address) {
  AddressParts out;
  const std::size_t colon = address.find(':');
  if (colon != std::string_view::npos && colon < address.find_first_of("/?")) {
    out.scheme = address.substr(0, colon);
    address.remove_prefix(colon + 1);
  }
  if (address.starts_with("//")) {
    address.remove_prefix(2);
    out.authority = take_until(address, "/?");
  }
  out.path = take_until(address, "?");
  if (!address.empty()) out.query = address.substr(1);
  return out;
}

/// A path without "." and "..", as section 5.2.4 has it.
std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    if (path.starts_with("../") || path.starts_with("./")) {
      path.remove_prefix(path.find('/') + 1);
    } else if (path == "." || path == "..") {
      path = {};
    } else if (path.starts_with("/./") || path == "/.") {
      path = path.size() > 2 ? path.substr(2) : "/";
    } else if (path.starts_with("/../") || path == "/..") {
      path = path.size() > 3 ? path.substr(3) : "/";
      const std::size_t slash = out.rfind('/');
      const bool was_relative = slash == std::string::npos && !out.empty();
      if (was_relative) path.remove_prefix(1);
      out.resize(slash == std::string::npos ? 0 : slash);
    } else {
      const std::size_t length = std::min(path.find('/', 1), path.size());
      out += path.substr(0, length);
      path.remove_prefix(length);
    }
  }
  return out;
}

/// A relative path where the base's last step was.
std::string merged(const AddressParts& base, std::string_view path) {
  if (base.authority && base.path.empty()) return "/" + std::string(path);
  const std::size_t slash = base.path.rfind('/');
  const std::size_t length = slash == std::string_view::npos ? 0 : slash + 1;
  return std::string(base.path.substr(0, length)) + std::string(path);
}

}  // namespace

std::string resolved_address(std::string_view base, std::string_view reference) {
  const AddressParts from = parts_of(base);
  AddressParts to = parts_of(reference);
  std::string path;
  if (to.scheme || to.authority || to.path.starts_with("/")) {
    path = without_dots(to.path);
  } else if (to.path.empty()) {
    path = from.path;
    if (!to.query) to.query = from.query;
  } else {
    path = without_dots(merged(from, to.path));
  }
  if (!to.scheme && !to.authority) to.authority = from.authority;
  if (!to.scheme) to.scheme = from.scheme;
  std::string out;
  if (to.scheme) (out += *to.scheme) += ':';
  if (to.authority) (out += "//") += *to.authority;
  out += path;
  if (to.query) (out += '?') += *to.query;
  return out;
}

}  // namespace pleiad::constrain
