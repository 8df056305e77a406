#include "http/core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/random_bytes.h"

namespace pleiad::http {
Core::Core(const Router& routes, const ServerOptions& options,
           std::function<void(const AccessRecord&)> when_finished)
    : router(routes),
      limits(options.limits),
      on_finished(std::move(when_finished)),
      bodies(options.limits.waiting_body_bytes) {
  Result<TrustedProxies> trusted = parse_trusted_proxies(options.trusted_proxies);
  if (!trusted) throw Error("trusted proxies: {}", trusted.message());
  proxies = std::move(trusted).value();
  gate.open_to_others = options.open_to_others;
  gate.origins = options.origins;
  gate.keys = KeyRing(options.use_keys, options.admin_keys);
  gate.body_bytes = options.limits.body_bytes;
  gate.light_body_bytes = std::min(options.limits.body_bytes, options.limits.light_body_bytes);
}

std::string Core::make_request_id() {
  std::uint64_t bits = 0;
  fill_random(std::as_writable_bytes(std::span(&bits, 1)));
  return fmt::format("{:012x}", bits >> 16);
}

}  // namespace pleiad::http
