#include "api/ollama/transfer_writer.h"

#include <utility>

#include "api/common/stream_text.h"
#include "api/ollama/errors.h"
#include "api/ollama/steps.h"
#include "pull/transfer_json.h"

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

void TransferWriter::offered(const pull::Offer& offer) { write(pull::offer_json(offer)); }

void TransferWriter::progress(const pull::Progress& progress) {
  write(pull::progress_json(progress));
}

void TransferWriter::done(const Result<pull::TransferResult>& result) {
  Json last = result ? success_json(warnings_) : Json{{"error", result.message()}};
  if (result && !result.value().left_out.empty()) last["left_out"] = result.value().left_out;
  if (!stream_ || (!began_ && !result)) {
    exchange_->respond(result ? json_response(last) : error_response(500, result.message()));
  } else {
    write(last);
    exchange_->end();
  }
  link_->release();
}

}  // namespace pleiad::api::ollama
