#include "apps/pull/model_hosts.h"

#include <fmt/format.h>

#include <utility>

#include "base/text_format.h"
#include "download/session.h"
#include "pull/hugging_face/endpoint.h"
#include "pull/hugging_face/hugging_face_source.h"
#include "pull/registry/registry_destination.h"
#include "pull/registry/registry_source.h"
#include "store/small_file.h"

namespace pleiad::apps {
namespace {

using pull::ModelReference;
using pull::Place;

download::Surroundings surroundings_of(const Environment& environment,
                                       std::vector<std::string> insecure_hosts) {
  download::Surroundings surroundings;
  surroundings.certificates = environment.certificates;
  surroundings.http_proxy = environment.network.http_proxy;
  surroundings.https_proxy = environment.network.https_proxy;
  surroundings.no_proxy = environment.network.no_proxy;
  surroundings.netrc = environment.network.netrc;
  surroundings.insecure_hosts = std::move(insecure_hosts);
  return surroundings;
}

/// What the commands of Hugging Face have left for those who sign in by them.
std::string hub_token(const NetworkEnvironment& network) {
  if (!network.hub_token.empty()) return network.hub_token;
  constexpr std::size_t kLongest = 4096;
  const auto text = store::read_small_file(network.hub_token_file, kLongest);
  return text ? text.value() : std::string();
}

pull::HuggingFaceOptions hub_options(const Environment& environment) {
  pull::HuggingFaceOptions options;
  if (!environment.network.hub_endpoint.empty()) {
    options.endpoint = environment.network.hub_endpoint;
  }
  options.token = hub_token(environment.network);
  options.offline = environment.network.hub_offline;
  if (!environment.hugging_face.empty()) options.cache = environment.hugging_face.front();
  return options;
}

pull::RegistryOptions registry_options(download::Session& session, const Environment& environment,
                                       store::Catalog& catalog) {
  return {session, catalog, environment.own_models,
          pull::Credentials{{}, environment.network.docker_config}};
}

/// Whom `insecure` is of: the registry, or a mirror of Hugging Face, never Hugging Face itself.
std::vector<std::string> with_insecure(std::vector<std::string> hosts,
                                       const ModelReference& reference,
                                       const NetworkEnvironment& network) {
  if (reference.place == Place::registry) {
    hosts.push_back(reference.host());
    return hosts;
  }
  const std::string mirror = pull::hugging_face::mirror_authority(network.hub_endpoint);
  if (!mirror.empty()) hosts.push_back(mirror);
  return hosts;
}

/// A source with the connections that it stands on.
class ConnectedSource : public pull::Source {
 public:
  ConnectedSource(download::Surroundings surroundings, const ModelReference& reference,
                  const Environment& environment, store::Catalog& catalog)
      : session_(std::move(surroundings)) {
    if (reference.place == Place::hugging_face) {
      source_ = std::make_unique<pull::HuggingFaceSource>(session_, hub_options(environment));
    } else {
      source_ =
          std::make_unique<pull::RegistrySource>(registry_options(session_, environment, catalog));
    }
  }

  Result<pull::Offer> offer(const ModelReference& reference, const pull::Stop& stop) override {
    return source_->offer(reference, stop);
  }
  Result<pull::TransferResult> fetch(const pull::Offer& offer, const pull::ProgressSink& sink,
                                     const pull::Stop& stop) override {
    return source_->fetch(offer, sink, stop);
  }

 private:
  download::Session session_;
  std::unique_ptr<pull::Source> source_;
};

class ConnectedDestination : public pull::Destination {
 public:
  ConnectedDestination(download::Surroundings surroundings, const Environment& environment,
                       store::Catalog& catalog)
      : session_(std::move(surroundings)),
        destination_(registry_options(session_, environment, catalog)) {}

  Result<bool> push(const store::ModelEntry& model, const ModelReference& reference,
                    const pull::ProgressSink& sink, const pull::Stop& stop) override {
    return destination_.push(model, reference, sink, stop);
  }

 private:
  download::Session session_;
  pull::RegistryDestination destination_;
};

}  // namespace

ModelHosts::ModelHosts(const Environment& environment, store::Catalog& catalog,
                       std::vector<std::string> insecure_hosts)
    : environment_(environment), catalog_(catalog), insecure_hosts_(std::move(insecure_hosts)) {}

Result<std::unique_ptr<pull::Source>> ModelHosts::source(const ModelReference& reference,
                                                         bool insecure) const {
  if (reference.place == Place::path) {
    return Failure{"a path is nothing to pull: it is used as it is"};
  }
  std::vector<std::string> hosts = insecure_hosts_;
  if (insecure) hosts = with_insecure(std::move(hosts), reference, environment_.network);
  std::unique_ptr<pull::Source> source = std::make_unique<ConnectedSource>(
      surroundings_of(environment_, std::move(hosts)), reference, environment_, catalog_);
  return source;
}

Result<std::unique_ptr<pull::Destination>> ModelHosts::destination(const ModelReference& reference,
                                                                   bool insecure) const {
  if (reference.place == Place::hugging_face) {
    return Failure{
        "models are not sent to Hugging Face: use `hf upload`; registries are pushed to, as "
        "HOST/USER/MODEL"};
  }
  if (reference.place == Place::path) return Failure{"a path is no registry to push to"};
  if (reference.text().find('/') == std::string::npos) {
    return Failure{
        fmt::format("'{}' is a name of Ollama's library, to which nobody else pushes: expected "
                    "HOST/USER/MODEL, "
                    "as in `pleiad push MODEL HOST/USER/MODEL`",
                    printable(reference.text()))};
  }
  std::vector<std::string> hosts = insecure_hosts_;
  if (insecure) hosts = with_insecure(std::move(hosts), reference, environment_.network);
  std::unique_ptr<pull::Destination> destination = std::make_unique<ConnectedDestination>(
      surroundings_of(environment_, std::move(hosts)), environment_, catalog_);
  return destination;
}

}  // namespace pleiad::apps
