#include "api/ollama/transfer_writer.h"

#include <utility>

#include "api/common/stream_text.h"
#include "api/ollama/errors.h"
#include "api/ollama/steps.h"

namespace pleiad::api::ollama {

TransferWriter::TransferWriter(Exchange exchange, std::shared_ptr<CancelLink> link, bool stream,
                               std::vector<std::string> warnings)
    : exchange_(std::move(exchange)),
      link_(std::move(link)),
      stream_(stream),
      warnings_(std::move(warnings)) {}

void TransferWriter::write(const Json& line) {
  if (!stream_) return;
  if (!began_) exchange_->begin(200, std::string(kNdjson));
  began_ = true;
  exchange_->write(ndjson_line(line));
}

void TransferWriter::offered(const pull::Offer& offer) {
  Json line = {{"status", "pulling manifest"}, {"name", offer.name}, {"host", offer.host},
               {"license", offer.license},     {"type", offer.type}, {"size", offer.bytes()},
               {"at_hand", offer.at_hand()}};
  if (!offer.chosen.empty()) line["chosen"] = offer.chosen;
  if (!offer.left_out.empty()) line["left_out"] = offer.left_out;
  write(line);
}

void TransferWriter::progress(const pull::Progress& progress) {
  Json line = {{"status", progress.status}};
  if (progress.total > 0) {
    line["digest"] = progress.digest;
    line["total"] = progress.total;
    line["completed"] = progress.completed;
  }
  write(line);
}

void TransferWriter::done(const Result<std::string>& name) {
  if (!stream_ || (!began_ && !name)) {
    exchange_->respond(name ? json_response(success_json(warnings_))
                            : error_response(500, name.message()));
  } else {
    write(name ? success_json(warnings_) : Json{{"error", name.message()}});
    exchange_->end();
  }
  link_->release();
}

}  // namespace pleiad::api::ollama
