#include "fetch/remote_fetcher.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/clock.h"
#include "base/text_format.h"
#include "client/curl.h"
#include "client/url.h"
#include "fetch/transfer.h"
#include "http/public_address.h"

namespace pleiad::fetch {
namespace {

constexpr std::chrono::milliseconds kAskStopEvery(50);

Failure not_allowed(const client::Url& url, std::string_view how) {
  return {
      fmt::format("{} {}:{}, which is none of the hosts that this server fetches from "
                  "(--media-hosts)",
                  how, printable(url.host), url.port)};
}

}  // namespace

RemoteFetcher::RemoteFetcher(MediaHosts hosts, FetchLimits limits, FetchSurroundings surroundings)
    : hosts_(std::move(hosts)), limits_(limits), surroundings_(std::move(surroundings)) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  if (!surroundings_.may_connect) {
    surroundings_.may_connect = [](const sockaddr& address) { return http::is_public(address); };
  }
  surroundings_.certificates = client::trusted_certificates(surroundings_.certificates);
}

Result<std::string> RemoteFetcher::fetch(std::string_view url, media::MediaKind kind,
                                         const std::function<bool()>& stop) {
  {
    std::unique_lock lock(mutex_);
    while (n_transfers_ >= limits_.max_transfers) {
      ended_.wait_for(lock, kAskStopEvery);
      if (!stop) continue;
      lock.unlock();
      if (stop()) return Failure{"was given up"};
      lock.lock();
    }
    ++n_transfers_;
  }
  const std::unique_ptr<RemoteFetcher, void (*)(RemoteFetcher*)> turn(this, [](RemoteFetcher* own) {
    {
      const std::lock_guard lock(own->mutex_);
      --own->n_transfers_;
    }
    own->ended_.notify_one();
  });
  return fetch_in_turn(url, kind, stop);
}

Result<std::string> RemoteFetcher::fetch_in_turn(std::string_view url, media::MediaKind kind,
                                                 const std::function<bool()>& stop) const {
  TransferLimits limits;
  limits.kind = kind;
  limits.max_bytes = limits_.max_bytes;
  limits.deadline = monotonic_seconds() + limits_.seconds;
  limits.certificates = surroundings_.certificates;
  limits.may_connect = surroundings_.may_connect;
  limits.known_names = surroundings_.known_names;
  std::string next(url);
  bool was_secure = false;
  for (int n_redirects = 0;; ++n_redirects) {
    const Result<client::Url> parsed = client::parse_url(next);
    if (!parsed) return Failure{"has " + parsed.message()};
    const client::Url& target = parsed.value();
    if (!hosts_.allow(target.host, target.port)) {
      return not_allowed(target, n_redirects == 0 ? "is on" : "leads to");
    }
    if (was_secure && !target.secure) return Failure{"leads from https to http"};
    Result<Transferred> came = transfer(target, limits, stop);
    if (!came) return Failure{came.message()};
    Transferred& answer = came.value();
    if (answer.status == 200) {
      if (answer.body.empty()) return Failure{"is empty"};
      return std::move(answer.body);
    }
    if (answer.location.empty()) {
      return Failure{fmt::format("was answered with status {}", answer.status)};
    }
    if (n_redirects == limits_.max_redirects) {
      return Failure{fmt::format("leads on more than {} times", limits_.max_redirects)};
    }
    next = std::move(answer.location);
    was_secure = target.secure;
  }
}

}  // namespace pleiad::fetch
