#include "constrain/schema/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "constrain/schema/address.h"
#include "constrain/schema/one_of.h"
#include "constrain/schema/parameter_path.h"

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

constexpr std::array<const char*, 2> kUnevaluatedKeywords = {"unevaluatedProperties",
                                                             "unevaluatedItems"};

SchemaDraft draft_of(const Json& root) {
  const Json* draft = find_member(root, "$schema");
  if (!draft || !draft->is_string()) return SchemaDraft::unsaid;
  const std::string_view name = draft->get_ref<const std::string&>();
  const auto names = [&](const char* part) { return name.find(part) != std::string_view::npos; };
  if (names("/draft-0")) return SchemaDraft::up_to_7;
  if (names("/draft/2019-09")) return SchemaDraft::of_2019_09;
  return names("/draft/20") ? SchemaDraft::later : SchemaDraft::unsaid;
}

template <std::size_t N>
bool has_one_of(const Json& part, const std::array<const char*, N>& keywords) {
  return std::ranges::any_of(
      keywords, [&](const char* keyword) { return find_member(part, keyword) != nullptr; });
}

bool has_recursive_anchor(const Json& part) {
  const Json* anchor = find_member(part, "$recursiveAnchor");
  return anchor && *anchor == true;
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

bool holds_named_schemas(std::string_view keyword) { return is_one_of(kNamedSchemas, keyword); }

bool holds_values(std::string_view keyword) { return is_one_of(kValueKeywords, keyword); }

std::string pointer_step(std::string_view key) {
  std::string out = "/";
  for (const char c : key) {
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

SchemaDocument::SchemaDocument(const Json& root) : root_(root), draft_(draft_of(root)) {
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
    if (!are_named && holds_values(item.key())) continue;
    scan(item.value(), resource, depth + 1, !are_named && holds_named_schemas(item.key()));
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
    if (hash > 0) resource = add_resource(part, text.substr(0, hash), outer);
    if (!fragment.empty()) add_anchor(resource, fragment, part, false);
  }
  for (const char* keyword : {"$dynamicAnchor", "$anchor"}) {
    const Json* name = find_member(part, keyword);
    if (!name || !name->is_string()) continue;
    add_anchor(resource, name->get_ref<const std::string&>(), part,
               std::string_view(keyword) == "$dynamicAnchor");
  }
  if (has_recursive_anchor(part)) ++n_recursive_anchors_;
  has_unevaluated_ = has_unevaluated_ || has_one_of(part, kUnevaluatedKeywords);
  if (has_one_of(part, kReferences) && (resource != root_resource_ || resource != &outer)) {
    homes_.try_emplace(&part, Home{resource, &outer});
  }
  return resource;
}

void SchemaDocument::add_anchor(const Resource* resource, std::string_view name, const Json& part,
                                bool is_dynamic) {
  const Anchor anchor{&part, is_dynamic};
  const auto [known, is_new] = anchors_.try_emplace({resource->part, name}, anchor);
  if (is_new || is_dynamic) anchors_by_name_[name].push_back(anchor);
}

const SchemaDocument::Resource* SchemaDocument::add_resource(const Json& part, std::string_view id,
                                                             const Resource& outer) {
  if (too_long_) return &outer;
  std::string address = resolved_address(outer.address, id);
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
       {resolved_address(base, address), resolved_address(root_resource_->address, address),
        std::string(address)}) {
    const auto found = resources_.find(name);
    if (found != resources_.end()) return found->second;
  }
  return nullptr;
}

SchemaDocument::Home SchemaDocument::home_of(const Json& part) const {
  const auto home = homes_.find(&part);
  return home == homes_.end() ? Home{root_resource_, root_resource_} : home->second;
}

Result<SchemaDocument::Anchor> SchemaDocument::resolve_from(const Resource& resource,
                                                            std::string_view reference) const {
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
    if (const auto anchor = anchors_.find({at, rest}); anchor != anchors_.end()) {
      return anchor->second;
    }
    // Another part's, where it is the only one that can be meant.
    const auto others = anchors_by_name_.find(rest);
    if (others == anchors_by_name_.end() || others->second.size() != 1) return missing();
    return others->second.front();
  }
  while (at && !rest.empty()) {
    rest.remove_prefix(1);
    const std::size_t length = std::min(rest.find('/'), rest.size());
    at = step_down(*at, unescaped(rest.substr(0, length)));
    rest.remove_prefix(length);
  }
  if (!at) return missing();
  return Anchor{at, false};
}

Result<SchemaDocument::Anchor> SchemaDocument::resolve_at_home(const Json& part,
                                                               std::string_view reference) const {
  const Home home = home_of(part);
  Result<Anchor> found = resolve_from(*home.resource, reference);
  if (home.beside_id == home.resource) return found;
  const bool is_old = draft_ == SchemaDraft::up_to_7;
  if (!is_old && draft_ != SchemaDraft::unsaid) return found;
  Result<Anchor> without_id = resolve_from(*home.beside_id, reference);
  if (is_old || !found) return without_id;
  if (without_id && without_id.value().part != found.value().part) {
    return Failure{
        "what it names depends on whether the \"$id\" beside it counts: \"$schema\" does not say"};
  }
  return found;
}

Result<const Json*> SchemaDocument::resolve(const Json& part, std::string_view reference) const {
  const Result<Anchor> found = resolve_at_home(part, reference);
  if (!found) return Failure{found.message()};
  return found.value().part;
}

Result<const Json*> SchemaDocument::resolve_dynamically(const Json& part,
                                                        std::string_view reference) const {
  const Result<Anchor> found = resolve_at_home(part, reference);
  if (!found) return Failure{found.message()};
  const Failure unknown{"what it names depends on the way to it, which is not supported"};
  if (has_recursive_anchor(*found.value().part)) {
    if (has_recursive_anchor(root_)) return &root_;
    if (n_recursive_anchors_ > 1) return unknown;
  }
  if (!found.value().is_dynamic) return found.value().part;
  const std::string_view name =
      reference.substr(std::min(reference.find('#') + 1, reference.size()));
  const auto outermost = anchors_.find({&root_, name});
  if (outermost != anchors_.end() && outermost->second.is_dynamic) return outermost->second.part;
  const auto& all = anchors_by_name_.find(name)->second;
  if (std::ranges::count_if(all, &Anchor::is_dynamic) > 1) return unknown;
  return found.value().part;
}

std::string SchemaDocument::place(const Json* part) const {
  std::string pointer;
  if (!find_place(root_, part, pointer, 0)) pointer.clear();
  return pointer;
}

std::vector<std::string> SchemaDocument::keywords_to(const Json* part) const {
  std::vector<std::string> out;
  const Json* at = &root_;
  bool is_schema = true;  // else it holds some
  for (const std::string& step : pointer_steps(place(part))) {
    if (is_schema) out.push_back(step);
    at = step_down(*at, step);
    if (!at) break;
    is_schema = !is_schema || !(holds_named_schemas(step) || at->is_array());
  }
  return out;
}

}  // namespace pleiad::constrain
