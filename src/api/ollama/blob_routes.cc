#include <memory>
#include <utility>

#include "api/ollama/errors.h"
#include "api/ollama/route_groups.h"
#include "base/check.h"

namespace pleiad::api::ollama {
namespace {

constexpr std::uint64_t kMaxBlobBytes = std::uint64_t{1} << 41;  // the disk says no before

/// Takes a blob's bytes; those of one that is there already go nowhere.
class BlobSink : public http::BodySink {
 public:
  explicit BlobSink(std::unique_ptr<store::Catalog::BlobWriter> writer)
      : writer_(std::move(writer)) {}

  void write(std::span<const char> piece) override {
    if (writer_) writer_->write(piece);
  }
  bool was_there() const { return !writer_; }
  /// Throws Error where the digest differs.
  void finish() { writer_->finish(); }

 private:
  std::unique_ptr<store::Catalog::BlobWriter> writer_;
};

std::unique_ptr<http::BodySink> open_sink(ApiContext& context, const http::Request& head) {
  store::Catalog& catalog = context.service.catalog();
  const std::string& digest = head.arguments.at(0);
  if (catalog.has_blob(digest)) return std::make_unique<BlobSink>(nullptr);
  return std::make_unique<BlobSink>(catalog.write_blob(digest));
}

http::Response status_alone(int status) {
  http::Response response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  return response;
}

void find(ApiContext& context, const std::string& digest, Exchange exchange) {
  on_worker(context, exchange, [&context, exchange, digest] {
    exchange->respond(status_alone(context.service.catalog().has_blob(digest) ? 200 : 404));
  });
}

void keep(ApiContext& context, std::unique_ptr<http::BodySink> body, Exchange exchange) {
  CHECK(dynamic_cast<BlobSink*>(body.get()), "the server gave no sink");
  std::shared_ptr<BlobSink> sink(static_cast<BlobSink*>(body.release()));
  if (sink->was_there()) return exchange->respond(status_alone(200));
  on_worker(context, exchange, [exchange, sink] {
    sink->finish();
    exchange->respond(status_alone(201));
  });
}

}  // namespace

void add_blob_routes(Routes& routes, ApiContext& context) {
  routes.push_back({"HEAD", "/api/blobs/{digest}", http::Scope::admin,
                    [&context](const http::Request& request, Exchange exchange) {
                      find(context, request.arguments.at(0), std::move(exchange));
                    }});
  routes.push_back({"POST",
                    "/api/blobs/{digest}",
                    http::Scope::admin,
                    [&context](http::Request request, Exchange exchange) {
                      keep(context, std::move(request.sink), std::move(exchange));
                    },
                    {},
                    kMaxBlobBytes,
                    [&context](const http::Request& head) { return open_sink(context, head); }});
}

}  // namespace pleiad::api::ollama
