#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/request.h"

namespace pleiad::http {

struct Keys {
  std::vector<std::string> use;
  std::vector<std::string> admin;
};

enum class Access : std::uint8_t {
  granted,
  key_missing,
  key_unknown,
  admin_key_needed,
};

/// What a request's key lets it do. Without any keys: everything. An admin key
/// opens everything. With use keys alone, whoever has one may administer from this
/// machine (`is_local`: loopback or a Unix socket).
Access check_access(Scope scope, const Request& request, const Keys& keys, bool is_local);

}  // namespace pleiad::http
