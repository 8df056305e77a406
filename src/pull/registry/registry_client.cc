#include "pull/registry/registry_client.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/text_format.h"
#include "digest/sha256.h"
#include "http/authority.h"
#include "pull/registry/model_layers.h"

namespace pleiad::pull {

using download::Call;
using download::Outcome;
using download::Reply;

namespace {

constexpr int kStatusOk = 200;
constexpr int kStatusBadRequest = 400;
constexpr int kStatusNotFound = 404;
constexpr double kProbeSeconds = 5;

std::string host_of_url(const std::string& url) {
  const auto parsed = client::parse_url(url);
  return parsed ? parsed.value().host : printable(url);
}

/// Which scheme a host speaks that may be asked by http: of this machine http is tried first, as
/// nobody listens in between, of others https. Nothing secret is sent.
std::string scheme_of(const download::Session& session, const std::string& host,
                      const download::Stop& stop) {
  const auto name = http::parse_authority(host);
  const bool loopback = name && http::is_this_machine(name->host);
  if (!name || (!loopback && !session.is_insecure(*name))) return "https";
  download::Surroundings once = session.surroundings();
  once.retry.attempts = 1;
  once.retry.connect_seconds = std::min(once.retry.connect_seconds, kProbeSeconds);
  once.netrc.clear();
  download::Session probe(once);
  Call call;
  const std::string first = loopback ? "http" : "https";
  const std::string second = loopback ? "https" : "http";
  call.url = first + "://" + host + "/v2/";
  call.follow_redirects = false;
  const auto reply = probe.call(call, stop);
  // A server of TLS answers 400 to what is none; one before it leads there.
  const auto leads = reply ? client::parse_url(reply.value().header("Location"))
                           : Result<client::Url>(Failure{"no answer"});
  const bool wants_tls = reply && (reply.value().status == kStatusBadRequest ||
                                   (leads && leads.value().origin().starts_with("https:")));
  if (reply && !(first == "http" && wants_tls)) return first;
  call.url = second + "://" + host + "/v2/";
  return probe.call(call, stop) ? second : first;
}

}  // namespace

RegistryClient::RegistryClient(download::Session& session, const store::ModelName& name,
                               const Credentials& credentials, Access access)
    : session_(session), authorizer_(session, RegistryAddress(name), credentials, access) {}

Result<std::string> RegistryClient::base(const download::Stop& stop) {
  if (base_.empty()) {
    const std::string& host = address().api_host;
    std::string url = scheme_of(session_, host, stop) + "://" + host;
    const auto parsed = client::parse_url(url);
    if (!parsed) return Failure{fmt::format("'{}' is {}", printable(host), parsed.message())};
    base_ = std::move(url);
  }
  return fmt::format("{}/v2/{}/", base_, address().repository);
}

Outcome<Reply> RegistryClient::call(Call call, const std::string& path,
                                    const download::Stop& stop) {
  const auto folder = base(stop);
  if (!folder) return {download::Trouble::not_allowed, folder.message()};
  call.url = folder.value() + path;
  return authorizer_.call(std::move(call), client::parse_url(base_).value(), stop);
}

Outcome<Reply> RegistryClient::call_at(Call call, const client::Url& url,
                                       const download::Stop& stop) {
  const client::Url registry = client::parse_url(base_).value();
  call.url = url.text();
  if (url.origin() == registry.origin()) return authorizer_.call(std::move(call), registry, stop);
  call.led_by = base_;
  return session_.call(call, stop);
}

Failure RegistryClient::refusal(const std::string& what, const Reply& reply) const {
  return {fmt::format("{}: cannot {} ({})", address().host, what, refusal_text(reply))};
}

Result<std::pair<ImageManifest, std::string>> RegistryClient::manifest_of(
    const std::string& reference, const download::Stop& stop) {
  const std::string what = fmt::format("{}:{}", address().repository, address().tag);
  Call call;
  call.headers = {{"Accept", fmt::format("{}, {}, {}, {}", kDockerManifest, kOciManifest,
                                         kDockerIndex, kOciIndex)}};
  call.max_bytes = kLongestManifest;
  const auto answered = this->call(std::move(call), "manifests/" + reference, stop);
  if (!answered) return Failure{answered.message()};
  const Reply& reply = answered.value();
  if (reply.status == kStatusNotFound) {
    return Failure{
        fmt::format("{}: there is no model '{}' ({}); is its name or its tag another one?",
                    address().host, what, refusal_text(reply))};
  }
  if (reply.status != kStatusOk) return refusal("fetch the manifest of " + what, reply);
  const std::string hex = sha256_hex(reply.body);
  const std::string_view said = reply.header("Docker-Content-Digest");
  if (said.starts_with("sha256:") && ascii_lower(said) != "sha256:" + hex) {
    return Failure{
        fmt::format("{}: the manifest of {} has sha256:{}, but its digest is said to be {}",
                    host_of_url(reply.url), what, hex, printable(said))};
  }
  auto manifest = parse_image_manifest(reply.body);
  if (!manifest) {
    return Failure{
        fmt::format("{}: the manifest of {} {}", address().host, what, manifest.message())};
  }
  return std::pair(std::move(manifest).value(), hex);
}

Result<TaggedManifest> RegistryClient::manifest(const download::Stop& stop) {
  auto found = manifest_of(address().tag, stop);
  if (!found) return Failure{found.message()};
  TaggedManifest result{std::move(found.value().first), std::move(found.value().second)};
  if (!result.manifest.only) return result;
  const std::string wanted = result.manifest.only->hex;
  auto image = manifest_of("sha256:" + wanted, stop);
  if (!image) return Failure{image.message()};
  if (image.value().second != wanted) {
    return Failure{
        fmt::format("{}: sent another manifest (sha256:{}) than it was asked for "
                    "(sha256:{})",
                    address().host, image.value().second, wanted)};
  }
  if (image.value().first.only) {
    return Failure{fmt::format("{}: the index of {} leads to another index", address().host,
                               address().repository)};
  }
  result.manifest = std::move(image.value().first);
  return result;
}

Result<std::string> RegistryClient::text_blob(const Descriptor& blob, const download::Stop& stop) {
  Call call;
  call.max_bytes = kLongestTextLayer;
  auto answered = this->call(std::move(call), "blobs/sha256:" + blob.hex, stop);
  if (!answered) return Failure{answered.message()};
  Reply& reply = answered.value();
  if (reply.status != kStatusOk) return refusal("fetch the blob sha256:" + blob.hex, reply);
  if (reply.body.size() != blob.size || sha256_hex(reply.body) != blob.hex) {
    return Failure{fmt::format("{}: what it sent as sha256:{} is another thing; nothing was kept",
                               host_of_url(reply.url), blob.hex)};
  }
  return std::move(reply.body);
}

Result<download::FileRequest> RegistryClient::blob_request(const Descriptor& blob,
                                                           const std::filesystem::path& partial,
                                                           const download::Stop& stop) {
  const auto folder = base(stop);
  if (!folder) return Failure{folder.message()};
  download::FileRequest request;
  request.url = folder.value() + "blobs/sha256:" + blob.hex;
  request.authorization = [this, stop, path = "blobs/sha256:" + blob.hex](bool renew) {
    auto known = authorizer_.authorization(false, stop);
    if (!renew || (known && !known.value().empty())) {
      return renew ? authorizer_.authorization(true, stop) : std::move(known);
    }
    // Nobody has asked for a login yet: a small request meets the challenge, and answers it.
    Call head;
    head.method = "HEAD";
    head.follow_redirects = false;
    const auto reply = call(std::move(head), path, stop);
    if (!reply) return Result<std::string>(Failure{reply.message()});
    return authorizer_.authorization(false, stop);
  };
  request.size = blob.size;
  request.sha256 = blob.hex;
  request.partial = partial;
  return request;
}

}  // namespace pleiad::pull
