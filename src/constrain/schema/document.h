#pragma once

#include <map>
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

  const Json& root() const { return root_; }

  /// What the "$ref" of a part names: "#", a JSON pointer behind it, an anchor, or what a part of
  /// this document calls itself by "$id". Nothing is fetched.
  Result<const Json*> resolve(const Json& part, std::string_view reference) const;

  /// The JSON pointer of a part, "/properties/age"; empty for the root and for what is no part.
  std::string place(const Json* part) const;

 private:
  using Names = std::map<std::string, const Json*, std::less<>>;

  void scan(const Json& part, const Json& resource, const std::string& base, int depth);
  const Json* named(std::string_view address, const std::string& base) const;

  const Json& root_;
  Names anchors_;    // the first of a name
  Names resources_;  // by address: as written, and as seen from where it stands
  // Parts with a "$ref" within a resource that is not the root.
  struct Home {
    const Json* resource;
    std::string base;
  };
  std::unordered_map<const Json*, Home> homes_;
  std::string root_address_;
};

/// One more step of a JSON pointer.
std::string pointer_step(std::string_view key);

}  // namespace pleiad::constrain
