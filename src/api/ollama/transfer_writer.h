#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/common/cancel_link.h"
#include "api/ollama/route_groups.h"
#include "pull/pull_desk.h"

namespace pleiad::api::ollama {

/// Writes what is heard of a transfer as the lines that Ollama's clients know:
///
///   {"status": "pulling manifest"}
///   {"status": "pulling manifest", "name", "host", "license", "size", ...}   offer_json(), of a
///   pull
///   {"status": "pulling 0123456789ab", "digest", "total", "completed"}
///   {"status": "success"}, of a pull with "left_out" where something was, or {"error": "..."}
///
/// Without `stream` the last one alone, an error as a 500.
class TransferWriter : public pull::TransferListener {
 public:
  TransferWriter(Exchange exchange, std::shared_ptr<CancelLink> link, bool stream,
                 std::vector<std::string> warnings);

  void offered(const pull::Offer& offer) override;
  void progress(const pull::Progress& progress) override;
  void done(const Result<pull::TransferResult>& result) override;

 private:
  void write(const Json& line);

  Exchange exchange_;
  std::shared_ptr<CancelLink> link_;
  bool stream_;
  std::vector<std::string> warnings_;
  bool began_ = false;
};

}  // namespace pleiad::api::ollama
