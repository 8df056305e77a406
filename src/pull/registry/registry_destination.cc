#include "pull/registry/registry_destination.h"

#include <fmt/format.h>

#include "pull/registry/registry_client.h"

namespace pleiad::pull {

Result<bool> RegistryDestination::push(const store::ModelEntry& model,
                                       const ModelReference& reference, const ProgressSink& sink,
                                       const Stop& stop) {
  if (reference.place != Place::registry) {
    return Failure{
        fmt::format("'{}': models are pushed to registries alone (host/user/model:tag); "
                    "for Hugging Face use its own client",
                    reference.text())};
  }
  sink({"retrieving manifest", "", 0, 0});
  auto image = make_image(model, sink, stop);
  if (!image) return Failure{image.message()};
  RegistryClient client(options_.session, reference.name, options_.credentials, Access::push);
  for (const PushedBlob& blob : image.value().blobs) {
    const std::string status = "pushing " + blob.hex.substr(0, 12);
    const std::string digest = "sha256:" + blob.hex;
    const auto tell = [&](std::uint64_t so_far) { sink({status, digest, blob.size, so_far}); };
    tell(0);
    const auto sent = upload_blob(client, blob, tell, stop, limits_);
    if (!sent) return sent;
  }
  sink({"pushing manifest", "", 0, 0});
  download::Call call;
  call.method = "PUT";
  call.headers = {{"Content-Type", std::string(kDockerManifest)}};
  call.body = image.value().manifest;
  const auto reply = client.call(std::move(call), "manifests/" + client.address().tag, stop);
  if (!reply) return Failure{reply.message()};
  if (reply.value().status < 200 || reply.value().status >= 300) {
    return client.refusal(fmt::format("take the manifest of {}", reference.text()), reply.value());
  }
  return true;
}

}  // namespace pleiad::pull
