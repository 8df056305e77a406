#pragma once

#include <sys/socket.h>

#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "fetch/media_hosts.h"
#include "media/fetcher.h"

namespace pleiad::fetch {

/// What fetching may cost.
struct FetchLimits {
  std::size_t max_bytes = std::size_t{32} << 20;
  double seconds = 15;  // all of it: names, connections, redirects
  int max_redirects = 3;
  int max_transfers = 8;  // at a time; others wait
};

/// Where tests lead it: to a server of their own, by names of their own.
struct FetchSurroundings {
  std::function<bool(const sockaddr&)> may_connect;  // empty: http::is_public()
  std::vector<std::string> known_names;              // "HOST:PORT:ADDRESS", not asked for
  std::filesystem::path certificates;                // empty: those of the system
};

/// Fetches from some hosts of the public internet, by http and https. Who sends a URL decides where
/// this machine connects to, so: the host and the port must be named (MediaHosts); a name is looked
/// up by the connection itself, and each address is looked at before there is a socket to it, so
/// that no name can mean one address here and another there; a redirect is a new URL, to which all
/// of this applies, and never leads from https to http; nothing secret goes out, and what comes in
/// is bounded.
class RemoteFetcher : public media::MediaFetcher {
 public:
  explicit RemoteFetcher(MediaHosts hosts, FetchLimits limits = {},
                         FetchSurroundings surroundings = {});

  Result<std::string> fetch(std::string_view url, media::MediaKind kind,
                            const std::function<bool()>& stop) override;

 private:
  Result<std::string> fetch_in_turn(std::string_view url, media::MediaKind kind,
                                    const std::function<bool()>& stop) const;

  const MediaHosts hosts_;
  const FetchLimits limits_;
  FetchSurroundings surroundings_;
  std::mutex mutex_;
  std::condition_variable ended_;
  int n_transfers_ = 0;
};

}  // namespace pleiad::fetch
