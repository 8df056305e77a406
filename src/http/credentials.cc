#include "http/credentials.h"

#include <cstddef>

#include "http/ascii.h"

namespace pleiad::http {
namespace {

/// Takes as long for a key that is wrong early as for one that is wrong late.
bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = difference | (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

bool is_one_of(std::string_view key, const std::vector<std::string>& keys) {
  bool found = false;
  for (const std::string& candidate : keys) {
    found = equal_in_constant_time(key, candidate) || found;
  }
  return found;
}

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

Access check_access(Scope scope, const Request& request, const Keys& keys, bool is_local) {
  if (scope == Scope::open || (keys.use.empty() && keys.admin.empty())) return Access::granted;
  const std::string_view key = presented_key(request);
  if (key.empty()) return Access::key_missing;
  if (is_one_of(key, keys.admin)) return Access::granted;
  if (!is_one_of(key, keys.use)) return Access::key_unknown;
  if (scope == Scope::use) return Access::granted;
  return keys.admin.empty() && is_local ? Access::granted : Access::admin_key_needed;
}

}  // namespace pleiad::http
