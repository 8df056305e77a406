#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/request.h"

namespace pleiad::http {

/// The keys of a server, of which it keeps digests alone. To look one up takes the same
/// time whatever they are and however many letters they have in common with it.
class KeyRing {
 public:
  KeyRing() = default;
  /// `admin` ones open everything. A key that is named twice is one key, of both kinds
  /// an admin key.
  KeyRing(const std::vector<std::string>& use, const std::vector<std::string>& admin);

  bool empty() const { return keys_.empty(); }
  std::size_t size() const { return keys_.size(); }
  bool has_admin_keys() const { return has_admin_keys_; }

  struct Found {
    std::uint64_t id = 0;  // 1, 2, ...; 0: there is no such key
    bool is_admin = false;
  };
  Found find(std::string_view key) const;

 private:
  using Digest = std::array<unsigned char, 32>;  // SHA-256
  struct Key {
    Digest digest;
    Found found;
  };
  static Digest digest_of(std::string_view key);
  void add(const std::vector<std::string>& keys, bool is_admin);

  std::vector<Key> keys_;
  bool has_admin_keys_ = false;
};

enum class Access : std::uint8_t {
  granted,
  key_missing,
  key_unknown,
  admin_key_needed,
};

/// What a request's key lets it do, and who it makes of the caller.
struct Judgement {
  Access access = Access::key_missing;
  Caller caller;
};

/// Without any keys everything is granted. An admin key opens everything. With use keys
/// alone, whoever has one may administer from this machine (`is_local`: loopback or a Unix
/// socket); what others wrote stays closed to him there as well.
Judgement judge_access(Scope scope, const Request& request, const KeyRing& keys, bool is_local);

}  // namespace pleiad::http
