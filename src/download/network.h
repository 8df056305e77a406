#pragma once

#include <sys/socket.h>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "client/curl.h"
#include "download/exchange.h"
#include "download/surroundings.h"
#include "download/target.h"

namespace pleiad::download {

/// An exchange, and what keeps its connections for the next one.
struct Line {
  explicit Line(Network& network) : exchange(network) {}
  client::Multi multi = client::new_multi();
  Exchange exchange;
};

/// What a session's requests have in common. For several threads.
class Network {
 public:
  /// Throws Error for an insecure host that is none.
  explicit Network(Surroundings surroundings);

  const Surroundings& surroundings() const { return surroundings_; }
  const TargetRules& rules() const { return rules_; }
  /// Of the authorities that https trusts; may be empty: libcurl's own choice.
  const std::filesystem::path& certificates() const { return certificates_; }
  bool is_public(const sockaddr& address) const;

  /// Whether the host has answered before: then it is worth waiting for.
  bool was_reached(const Target& target) const;
  /// Whether that was at an address of the public internet; of others what their names say.
  bool met_public(const Target& target) const;
  void note_reached(const Target& target, bool met_public);

  /// One that is not in use, or a new one.
  std::unique_ptr<Line> take_line();
  void give_back(std::unique_ptr<Line> line);

 private:
  const Surroundings surroundings_;
  const TargetRules rules_;
  const std::filesystem::path certificates_;
  mutable std::mutex mutex_;
  std::map<std::string, bool> reached_;  // host()s, and whether they were met on the internet
  std::vector<std::unique_ptr<Line>> idle_;
};

}  // namespace pleiad::download
