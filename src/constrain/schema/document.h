#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json.h"
#include "base/result.h"

namespace pleiad::constrain {

/// A schema with all its parts: what references name, and where a part stands.
class SchemaDocument {
 public:
  /// `root` lives as long as this.
  explicit SchemaDocument(const Json& root);

  /// An "$id" that is too long, or with those before it; null where there is none.
  const Json* too_long_address() const { return too_long_; }

  const Json& root() const { return root_; }

  /// What the "$ref" of a part names: "#", a JSON pointer behind it, an anchor, or what a part of
  /// this document calls itself by "$id". Nothing is fetched.
  Result<const Json*> resolve(const Json& part, std::string_view reference) const;

  /// find_member() of a part of the document: in constant time, however many members it has.
  const Json* member(const Json& part, std::string_view key) const;

  /// The JSON pointer of a part, "/properties/age"; empty for the root and for what is no part.
  std::string place(const Json* part) const;

 private:
  using Names = std::unordered_map<std::string_view, const Json*>;

  /// A part that calls itself something, with all within it that does not.
  struct Resource {
    const Json* part;
    std::string address;
  };

  /// `are_named`: it is no schema, but an object of schemas by their names.
  void scan(const Json& part, const Resource* resource, int depth, bool are_named = false);
  const Resource* scan_names(const Json& part, const Resource* resource);
  const Resource* add_resource(const Json& part, std::string_view id, const Resource& outer);
  const Json* step_down(const Json& at, const std::string& key) const;
  const Json* named(std::string_view address, const std::string& base) const;

  const Json& root_;
  Names anchors_;              // the first of a name
  Names resources_;            // by address: as written, and as seen from where it stands
  std::deque<Resource> made_;  // addresses are here alone
  const Resource* root_resource_ = nullptr;
  // Parts with references within a resource that is not the root.
  std::unordered_map<const Json*, const Resource*> homes_;
  std::size_t address_bytes_ = 0;
  const Json* too_long_ = nullptr;
  using Members = std::unordered_map<std::string_view, const Json*>;
  mutable std::unordered_map<const Json*, Members> members_;  // of parts with many
};

/// One more step of a JSON pointer.
std::string pointer_step(std::string_view key);

}  // namespace pleiad::constrain
