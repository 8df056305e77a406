#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace pleiad::constrain {

/// The version of the standard that "$schema" names, as far as it matters here.
enum class SchemaDraft : std::uint8_t { unsaid, up_to_7, of_2019_09, later };

/// A schema with all its parts: what references name, and where a part stands.
class SchemaDocument {
 public:
  /// `root` lives as long as this.
  explicit SchemaDocument(const Json& root);

  /// An "$id" that is too long, or with those before it; null where there is none.
  const Json* too_long_address() const { return too_long_; }

  const Json& root() const { return root_; }

  SchemaDraft draft() const { return draft_; }

  /// Whether a part asks something of what other schemas leave unevaluated.
  bool has_unevaluated() const { return has_unevaluated_; }

  /// What the "$ref" of a part names: "#", a JSON pointer behind it, an anchor, or what a part of
  /// this document calls itself by "$id". Nothing is fetched.
  Result<const Json*> resolve(const Json& part, std::string_view reference) const;

  /// The same of "$dynamicRef" and "$recursiveRef": where the target has an anchor of that kind,
  /// the outermost schema with that anchor on the way here. That is the root's wherever it has one;
  /// where it has none, and others have several, it depends on the way, which is a Failure.
  Result<const Json*> resolve_dynamically(const Json& part, std::string_view reference) const;

  /// find_member() of a part of the document: in constant time, however many members it has.
  const Json* member(const Json& part, std::string_view key) const;

  /// The JSON pointer of a part, "/properties/age"; empty for the root and for what is no part.
  std::string place(const Json* part) const;

  /// The keywords on the way to a part: of "/properties/age/items" "properties" and "items".
  std::vector<std::string> keywords_to(const Json* part) const;

 private:
  using Names = std::unordered_map<std::string_view, const Json*>;

  /// A part that calls itself something, with all within it that does not.
  struct Resource {
    const Json* part;
    std::string address;
  };

  /// From where the references of a part are seen.
  struct Home {
    const Resource* resource;
    const Resource* beside_id;  // the same in drafts up to 7, which see no "$id" beside "$ref"
  };

  struct Anchor {
    const Json* part;
    bool is_dynamic;
  };

  /// `are_named`: it is no schema, but an object of schemas by their names.
  void scan(const Json& part, const Resource* resource, int depth, bool are_named = false);
  const Resource* scan_names(const Json& part, const Resource* resource);
  const Resource* add_resource(const Json& part, std::string_view id, const Resource& outer);
  const Json* step_down(const Json& at, const std::string& key) const;
  const Json* named(std::string_view address, const std::string& base) const;
  void add_anchor(const Resource* resource, std::string_view name, const Json& part,
                  bool is_dynamic);
  Result<Anchor> resolve_from(const Resource& resource, std::string_view reference) const;
  Result<Anchor> resolve_at_home(const Json& part, std::string_view reference) const;
  Home home_of(const Json& part) const;

  const Json& root_;
  const SchemaDraft draft_;
  // By the resource that they stand in, of a name the first.
  std::map<std::pair<const Json*, std::string_view>, Anchor> anchors_;
  std::unordered_map<std::string_view, std::vector<Anchor>> anchors_by_name_;
  std::size_t n_recursive_anchors_ = 0;
  bool has_unevaluated_ = false;
  Names resources_;            // by address: as written, and as seen from where it stands
  std::deque<Resource> made_;  // addresses are here alone
  const Resource* root_resource_ = nullptr;
  // Parts with references within a resource that is not the root, or that call themselves
  // something.
  std::unordered_map<const Json*, Home> homes_;
  std::size_t address_bytes_ = 0;
  const Json* too_long_ = nullptr;
  using Members = std::unordered_map<std::string_view, const Json*>;
  mutable std::unordered_map<const Json*, Members> members_;  // of parts with many
};

/// Whether a keyword's members are schemas by names, whatever they are called.
bool holds_named_schemas(std::string_view keyword);

/// Whether what stands below a keyword are values, whatever they look like.
bool holds_values(std::string_view keyword);

/// One more step of a JSON pointer.
std::string pointer_step(std::string_view key);

}  // namespace pleiad::constrain
