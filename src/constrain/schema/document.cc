#include "constrain/schema/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace pleiad::constrain {
namespace {

constexpr int kMaxPartDepth = 500;
constexpr std::size_t kMaxAddressBytes = 2048;
constexpr std::size_t kMaxBytesOfAddresses = 1U << 20;  // of all
constexpr std::array<const char*, 3> kReferences = {"$ref", "$dynamicRef", "$recursiveRef"};
/// What stands below them are values, whatever they look like.
constexpr std::array<std::string_view, 5> kValueKeywords = {"enum", "const", "default", "examples",
                                                            "example"};
/// What stands below them are schemas, whatever they are called.
constexpr std::array<std::string_view, 6> kNamedSchemas = {
    "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"};

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_absolute(std::string_view address) {
  const std::size_t colon = address.find(':');
  return colon != std::string_view::npos && colon < address.find_first_of("/?#");
}

/// An address as it is seen from another one. Not all of RFC 3986: no "..".
std::string seen_from(const std::string& base, std::string_view address) {
  if (is_absolute(address) || base.empty()) return std::string(address);
  if (address.starts_with("/")) {
    const std::size_t host = base.find("://");
    const std::size_t path = host == std::string::npos ? 0 : base.find('/', host + 3);
    return base.substr(0, path) + std::string(address);
  }
  const std::size_t slash = base.rfind('/');
  return (slash == std::string::npos ? std::string() : base.substr(0, slash + 1)) +
         std::string(address);
}

/// Behind percent signs, and behind the ~ of JSON pointers.
std::string unescaped(std::string_view step) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      const char c = step[at];
      return kHex.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
    };
    if (step[i] == '%' && i + 2 < step.size() && digit(i + 1) != std::string_view::npos &&
        digit(i + 2) != std::string_view::npos) {
      out += static_cast<char>(digit(i + 1) * 16 + digit(i + 2));
      i += 2;
    } else {
      out += step[i];
    }
  }
  std::string plain;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool escaped =
        out[i] == '~' && i + 1 < out.size() && (out[i + 1] == '0' || out[i + 1] == '1');
    plain += escaped ? (out[++i] == '0' ? '~' : '/') : out[i];
  }
  return plain;
}

bool find_place(const Json& at, const Json* wanted, std::string& pointer, int depth) {
  if (&at == wanted) return true;
  if (depth > kMaxPartDepth || !at.is_structured()) return false;
  const std::size_t length = pointer.size();
  std::size_t index = 0;
  for (const auto& item : at.items()) {
    pointer += at.is_object() ? pointer_step(item.key()) : fmt::format("/{}", index);
    if (find_place(item.value(), wanted, pointer, depth + 1)) return true;
    pointer.resize(length);
    ++index;
  }
  return false;
}

}  // namespace

std::string pointer_step(std::string_view key) {
  std::string out = "/";
  for (const char c : key.substr(0, 80)) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

SchemaDocument::SchemaDocument(const Json& root) : root_(root) {
  root_resource_ = &made_.emplace_back(Resource{&root, {}});
  scan(root, root_resource_, 0);
}

void SchemaDocument::scan(const Json& part, const Resource* resource, int depth, bool are_named) {
  if (depth > kMaxPartDepth) return;
  if (part.is_array()) {
    for (const Json& item : part) {
      if (item.is_structured()) scan(item, resource, depth + 1);
    }
    return;
  }
  if (!part.is_object()) return;
  if (!are_named) resource = scan_names(part, resource);
  for (const auto& item : part.items()) {
    if (!item.value().is_structured()) continue;
    if (!are_named && is_among(kValueKeywords, item.key())) continue;
    scan(item.value(), resource, depth + 1, !are_named && is_among(kNamedSchemas, item.key()));
  }
}

/// What a schema calls itself, and from where its references are seen. Gives the resource that it
/// belongs to.
const SchemaDocument::Resource* SchemaDocument::scan_names(const Json& part,
                                                           const Resource* resource) {
  const Resource& outer = *resource;
  for (const char* keyword : {"$id", "id"}) {
    const Json* id = find_member(part, keyword);
    if (!id || !id->is_string()) continue;
    const std::string_view text = id->get_ref<const std::string&>();
    const std::size_t hash = std::min(text.find('#'), text.size());
    const std::string_view fragment = text.substr(std::min(hash + 1, text.size()));
    if (!fragment.empty()) anchors_.try_emplace(fragment, &part);
    if (hash > 0) resource = add_resource(part, text.substr(0, hash), outer);
  }
  for (const char* keyword : {"$anchor", "$dynamicAnchor"}) {
    const Json* name = find_member(part, keyword);
    if (name && name->is_string()) anchors_.try_emplace(name->get_ref<const std::string&>(), &part);
  }
  const bool refers = std::ranges::any_of(
      kReferences, [&](const char* keyword) { return find_member(part, keyword) != nullptr; });
  if (refers && resource != root_resource_) homes_.try_emplace(&part, resource);
  return resource;
}

const SchemaDocument::Resource* SchemaDocument::add_resource(const Json& part, std::string_view id,
                                                             const Resource& outer) {
  if (too_long_) return &outer;
  std::string address = seen_from(outer.address, id);
  address_bytes_ += address.size();
  if (address.size() > kMaxAddressBytes || address_bytes_ > kMaxBytesOfAddresses) {
    too_long_ = &part;
    return &outer;
  }
  const Resource& made = made_.emplace_back(Resource{&part, std::move(address)});
  resources_.try_emplace(id, &part);
  resources_.try_emplace(made.address, &part);
  if (&part == &root_) root_resource_ = &made;
  return &made;
}

const Json* SchemaDocument::member(const Json& part, std::string_view key) const {
  constexpr std::size_t kFew = 16;
  if (!part.is_object() || part.size() <= kFew) return find_member(part, key);
  const auto [members, is_new] = members_.try_emplace(&part);
  if (is_new) {
    for (const auto& item : part.items()) members->second.try_emplace(item.key(), &item.value());
  }
  const auto found = members->second.find(key);
  return found == members->second.end() ? nullptr : found->second;
}

const Json* SchemaDocument::step_down(const Json& at, const std::string& key) const {
  if (at.is_object()) return member(at, key);
  const bool is_index =
      !key.empty() && key.size() < 7 && key.find_first_not_of("0123456789") == std::string::npos;
  if (!at.is_array() || !is_index) return nullptr;
  const auto index = static_cast<std::size_t>(std::stoi(key));
  return index < at.size() ? &at[index] : nullptr;
}

const Json* SchemaDocument::named(std::string_view address, const std::string& base) const {
  for (const std::string& name :
       {seen_from(base, address), seen_from(root_resource_->address, address),
        std::string(address)}) {
    const auto found = resources_.find(name);
    if (found != resources_.end()) return found->second;
  }
  return nullptr;
}

Result<const Json*> SchemaDocument::resolve(const Json& part, std::string_view reference) const {
  const auto home = homes_.find(&part);
  const Resource& resource = home == homes_.end() ? *root_resource_ : *home->second;
  const Json* at = resource.part;
  const std::size_t hash = std::min(reference.find('#'), reference.size());
  if (hash > 0) {
    at = named(reference.substr(0, hash), resource.address);
    if (!at) {
      return Failure{
          "only references within the schema (\"#/...\", anchors, its own \"$id\"s) are supported"};
    }
  }
  std::string_view rest = reference.substr(std::min(hash + 1, reference.size()));
  const auto missing = [&] {
    return Failure{fmt::format("there is no \"{}\"", reference.substr(0, 80))};
  };
  if (!rest.empty() && rest.front() != '/') {
    const auto anchor = anchors_.find(rest);
    if (anchor == anchors_.end()) return missing();
    return anchor->second;
  }
  while (at && !rest.empty()) {
    rest.remove_prefix(1);
    const std::size_t length = std::min(rest.find('/'), rest.size());
    at = step_down(*at, unescaped(rest.substr(0, length)));
    rest.remove_prefix(length);
  }
  if (!at) return missing();
  return at;
}

std::string SchemaDocument::place(const Json* part) const {
  std::string pointer;
  if (!find_place(root_, part, pointer, 0)) pointer.clear();
  return pointer;
}

}  // namespace pleiad::constrain
