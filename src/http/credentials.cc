#include "http/credentials.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/check.h"
#include "http/ascii.h"

namespace pleiad::http {
namespace {

/// Of "Authorization: Bearer KEY", else of "x-api-key: KEY"; may be empty.
std::string_view presented_key(const Request& request) {
  constexpr std::string_view kBearer = "bearer ";
  const auto authorization = request.header("authorization");
  if (authorization && authorization->size() > kBearer.size() &&
      equal_ignoring_case(authorization->substr(0, kBearer.size()), kBearer)) {
    return trimmed(authorization->substr(kBearer.size()));
  }
  return trimmed(request.header("x-api-key").value_or(""));
}

}  // namespace

KeyRing::KeyRing(const std::vector<std::string>& use, const std::vector<std::string>& admin) {
  add(admin, true);
  add(use, false);
}

void KeyRing::add(const std::vector<std::string>& keys, bool is_admin) {
  has_admin_keys_ = has_admin_keys_ || (is_admin && !keys.empty());
  for (const std::string& key : keys) {
    if (find(key).id != 0) continue;
    keys_.push_back({digest_of(key), {keys_.size() + 1, is_admin}});
  }
}

KeyRing::Digest KeyRing::digest_of(std::string_view key) {
  Digest digest = {};
  CHECK(EVP_Digest(key.data(), key.size(), digest.data(), nullptr, EVP_sha256(), nullptr) == 1);
  return digest;
}

KeyRing::Found KeyRing::find(std::string_view key) const {
  const Digest digest = digest_of(key);
  Found found;
  for (const Key& candidate : keys_) {
    const bool equal = CRYPTO_memcmp(digest.data(), candidate.digest.data(), digest.size()) == 0;
    found = equal ? candidate.found : found;
  }
  return found;
}

Judgement judge_access(Scope scope, const Request& request, const KeyRing& keys, bool is_local) {
  if (keys.empty()) return {Access::granted, {.key = 0, .sees_all = true}};
  if (scope == Scope::open) return {Access::granted, {}};
  const std::string_view presented = presented_key(request);
  if (presented.empty()) return {Access::key_missing, {}};
  const KeyRing::Found found = keys.find(presented);
  if (found.id == 0) return {Access::key_unknown, {}};
  const bool may_administer = found.is_admin || (!keys.has_admin_keys() && is_local);
  if (scope == Scope::admin && !may_administer) return {Access::admin_key_needed, {}};
  // Who is alone has nobody to keep anything from.
  return {Access::granted, {.key = found.id, .sees_all = found.is_admin || keys.size() == 1}};
}

}  // namespace pleiad::http
