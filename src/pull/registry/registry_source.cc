#include "pull/registry/registry_source.h"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <thread>

#include "base/check.h"
#include "base/error.h"
#include "base/text_format.h"
#include "download/disk_room.h"
#include "pull/registry/model_layers.h"
#include "pull/registry/registry_client.h"
#include "store/arrivals.h"
#include "store/manifest.h"
#include "store/store_lock.h"

namespace pleiad::pull {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kDigitsShown = 12;  // of a digest, in statuses

struct RegistryPlan : Offer::Plan {
  store::ModelName name;
  std::string pulled;             // as store::Manifest has it
  std::vector<Descriptor> files;  // the model, and its projector where it has one
  store::Recipe recipe;
};

std::string first_line(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  return printable(text.substr(begin, text.find_first_of("\r\n", begin) - begin), 100);
}

std::uint64_t bytes_at_hand(const fs::path& store, const Descriptor& blob) {
  if (store::has_whole_blob(store, blob.hex, blob.size)) return blob.size;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(store::partial_path(store, blob.hex), error);
  return error ? 0 : std::min<std::uint64_t>(size, blob.size);
}

/// Why what is still to come of these does not fit the disk.
std::optional<download::Problem> find_no_room(const fs::path& store,
                                              const std::vector<Descriptor>& blobs) {
  std::uint64_t missing = 0;
  for (const Descriptor& blob : blobs) missing += blob.size - bytes_at_hand(store, blob);
  return download::find_no_room(store / "partial", missing);
}

/// Brings the files of one offer; throws Error, caught in fetch().
class BlobFetch {
 public:
  BlobFetch(const RegistryOptions& options, RegistryClient& client, const ProgressSink& sink,
            const Stop& stop)
      : options_(options), client_(client), sink_(sink), stop_(stop) {}

  void fetch(const Descriptor& blob) {
    const std::string status = "pulling " + blob.hex.substr(0, kDigitsShown);
    const auto tell = [&](std::uint64_t so_far) {
      sink_({status, "sha256:" + blob.hex, blob.size, so_far});
    };
    const fs::path partial = store::partial_path(options_.store, blob.hex);
    check_length(blob, partial);
    auto request = client_.blob_request(blob, partial, stop_);
    if (!request) throw Error("{}", request.message());
    request.value().note = [&](const std::string& text) { sink_({text, "", 0, 0}); };
    // While another process brings the same blob, its end is waited for.
    for (bool told = false; !store::has_whole_blob(options_.store, blob.hex, blob.size);) {
      const auto receipt = download::download_file(client_.session(), request.value(), tell, stop_);
      if (receipt) {
        arrived_.insert(blob.hex);
        return;
      }
      if (receipt.trouble() != download::Trouble::busy) throw Error("{}", receipt.message());
      if (!told)
        sink_({"waiting for another process that pulls " + blob.hex.substr(0, kDigitsShown), "", 0,
               0});
      told = true;
      wait();
    }
    tell(blob.size);
  }

  const std::set<std::string>& arrived() const { return arrived_; }

 private:
  /// A prefix that is longer than the file is another's beginning: of two hosts one does not tell
  /// the truth, and what the other one sent is not thrown away for it.
  void check_length(const Descriptor& blob, const fs::path& partial) const {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(partial, error);
    if (error || size <= blob.size) return;
    throw Error(
        "{}: says that sha256:{} has {}, but {} of it have come before; where that is wrong, "
        "`pleiad prune` takes them away",
        client_.address().host, blob.hex, format_bytes(blob.size), format_bytes(size));
  }

  void wait() const {
    if (stop_ && stop_()) throw Error("{}: stopped", client_.address().host);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }

  const RegistryOptions& options_;
  RegistryClient& client_;
  const ProgressSink& sink_;
  const Stop& stop_;
  std::set<std::string> arrived_;  // in partial/, and checked
};

}  // namespace

Result<Offer> RegistrySource::offer(const ModelReference& reference, const Stop& stop) {
  CHECK(reference.place == Place::registry);
  try {
    store::require_root(options_.store);
    options_.catalog.check_writable(reference.name.text());
  } catch (const Error& error) {
    return Failure{error.what()};
  }
  RegistryClient client(options_.session, reference.name, options_.credentials, Access::pull);
  const std::string who = fmt::format("{}: {}:{}", client.address().host,
                                      client.address().repository, client.address().tag);
  auto tagged = client.manifest(stop);
  if (!tagged) return Failure{tagged.message()};
  const ImageManifest& manifest = tagged.value().manifest;
  ImageConfig config;
  if (manifest.config && manifest.config->size <= kLongestTextLayer) {
    const auto text = client.text_blob(*manifest.config, stop);
    if (!text) return Failure{text.message()};
    config = parse_image_config(text.value());
  }
  // Before the layers: what of them is missing, or strange, has its reason there.
  if (const std::string problem = problem_of_config(config); !problem.empty()) {
    return Failure{fmt::format("{} {}", who, problem)};
  }
  auto layers = sort_layers(manifest);
  if (!layers) return Failure{fmt::format("{} {}", who, layers.message())};

  auto plan = std::make_shared<RegistryPlan>();
  plan->name = reference.name;
  plan->pulled = fmt::format("{}/{}:{}@sha256:{}", client.address().host,
                             client.address().repository, client.address().tag, tagged.value().hex);
  plan->files.push_back(layers.value().model);
  if (layers.value().projector) plan->files.push_back(*layers.value().projector);
  Offer offer;
  offer.left_out = std::move(layers.value().left_out);
  for (const TextLayer& layer : layers.value().texts) {
    const auto text = client.text_blob(layer.blob, stop);
    if (!text) return Failure{text.message()};
    const auto added = add_text(plan->recipe, layer.kind, text.value(), offer.left_out);
    if (!added) return Failure{fmt::format("{}: {}", who, added.message())};
  }
  if (const auto problem = find_no_room(options_.store, plan->files)) {
    return Failure{fmt::format("{} does not fit the disk: {}", who, problem->message)};
  }
  offer.name = reference.name.text();
  offer.host = client.address().host;
  offer.revision = "sha256:" + tagged.value().hex;
  offer.type = printable(config.type, 40);
  if (!plan->recipe.licenses.empty()) offer.license = first_line(plan->recipe.licenses.front());
  for (std::size_t i = 0; i < plan->files.size(); ++i) {
    const Descriptor& blob = plan->files[i];
    offer.files.push_back({i == 0 ? "model" : "projector", "sha256:" + blob.hex, blob.size,
                           bytes_at_hand(options_.store, blob)});
  }
  offer.destination = options_.store;
  offer.plan = std::move(plan);
  return offer;
}

Result<TransferResult> RegistrySource::fetch(const Offer& offer, const ProgressSink& sink,
                                             const Stop& stop) {
  const auto* plan = dynamic_cast<const RegistryPlan*>(offer.plan.get());
  CHECK(plan != nullptr, "{}: no offer of a registry", offer.name);
  try {
    const store::ArrivalsLock arriving(options_.store);
    RegistryClient client(options_.session, plan->name, options_.credentials, Access::pull);
    BlobFetch files(options_, client, sink, stop);
    if (const auto problem = find_no_room(options_.store, plan->files)) {
      return Failure{problem->message};
    }
    for (const Descriptor& blob : plan->files) files.fetch(blob);
    sink({"verifying sha256 digest", "", 0, 0});  // was done while they came
    sink({"writing manifest", "", 0, 0});
    store::Manifest manifest;
    manifest.blob = plan->files[0].hex;
    if (plan->files.size() > 1) manifest.projector_blob = plan->files[1].hex;
    manifest.pulled = plan->pulled;
    manifest.recipe = plan->recipe;
    TransferResult result{plan->name.text(), offer.left_out};
    const std::string left_out = options_.catalog.install(result.name, manifest, files.arrived());
    if (!left_out.empty()) result.left_out.push_back("its projector: " + left_out);
    return result;
  } catch (const Error& error) {
    return Failure{error.what()};
  }
}

}  // namespace pleiad::pull
