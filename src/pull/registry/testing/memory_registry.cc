#include "pull/registry/testing/memory_registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "digest/sha256.h"

namespace pleiad::pull::testing {

using http::Request;
using http::Response;

namespace {

Response refusal_of(int status, const std::string& code, http::Headers headers = {}) {
  const Json errors = Json::array({{{"code", code}, {"message", "as " + code + " says"}}});
  return {status, "application/json", to_text(Json{{"errors", errors}}), std::move(headers)};
}

/// "user/model", "blobs", "sha256:..." of "user/model/blobs/sha256:...".
struct Target {
  std::string repository, kind, rest;
};
Target target_of(const std::string& path) {
  for (const std::string kind : {"/manifests/", "/blobs/uploads/", "/blobs/"}) {
    const std::size_t at = path.find(kind);
    if (at != std::string::npos) return {path.substr(0, at), kind, path.substr(at + kind.size())};
  }
  return {path, "", ""};
}

}  // namespace

MemoryRegistry::MemoryRegistry(Gate gate, bool open_tokens)
    : gate_(gate), open_tokens_(open_tokens) {
  const auto handler = [this](Request request, const std::shared_ptr<http::Exchange>& exchange) {
    exchange->respond(answer(request));
  };
  for (const std::string method : {"GET", "POST", "PUT", "PATCH"}) {
    for (const std::string pattern : {"/v2", "/v2/{path...}", "/token"}) {
      router_.add({method, pattern, http::Scope::use, handler});
    }
  }
  http::ServerOptions options;
  options.port = 0;
  server_ = std::make_unique<http::Server>(router_, options, nullptr);
  server_->start();
}

MemoryRegistry::~MemoryRegistry() { server_->stop(0); }

std::string MemoryRegistry::host() const { return fmt::format("127.0.0.1:{}", server_->port()); }

Json MemoryRegistry::add_blob(const std::string& media_type, const std::string& bytes) {
  const std::string hex = sha256_hex(bytes);
  const std::lock_guard lock(mutex_);
  blobs_[hex] = bytes;
  return {{"mediaType", media_type}, {"digest", "sha256:" + hex}, {"size", bytes.size()}};
}

void MemoryRegistry::add_model(const std::string& name, const Json& layers, const Json& config) {
  Json manifest = {{"schemaVersion", 2},
                   {"mediaType", "application/vnd.docker.distribution.manifest.v2+json"}};
  if (!config.is_null()) manifest["config"] = config;
  manifest["layers"] = layers;
  add_manifest(name, to_text(manifest));
}

void MemoryRegistry::add_manifest(const std::string& name, const std::string& text) {
  const std::lock_guard lock(mutex_);
  manifests_[name] = text;
}

std::optional<std::string> MemoryRegistry::manifest(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = manifests_.find(name);
  return found == manifests_.end() ? std::nullopt : std::optional(found->second);
}

bool MemoryRegistry::has_blob(const std::string& hex) const {
  const std::lock_guard lock(mutex_);
  return blobs_.contains(hex);
}

std::string MemoryRegistry::blob(const std::string& hex) const {
  const std::lock_guard lock(mutex_);
  const auto found = blobs_.find(hex);
  return found == blobs_.end() ? "" : found->second;
}

std::vector<std::string> MemoryRegistry::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t MemoryRegistry::count(const std::string& begin) const {
  const std::vector<std::string> all = requests();
  return static_cast<std::size_t>(std::ranges::count_if(
      all, [&](const std::string& request) { return request.starts_with(begin); }));
}

void MemoryRegistry::forget_requests() {
  const std::lock_guard lock(mutex_);
  requests_.clear();
}

void MemoryRegistry::expire_tokens() {
  const std::lock_guard lock(mutex_);
  tokens_.clear();
}

int MemoryRegistry::n_tokens() const {
  const std::lock_guard lock(mutex_);
  return n_tokens_;
}

std::vector<std::string> MemoryRegistry::scopes() const {
  const std::lock_guard lock(mutex_);
  return scopes_;
}

Response MemoryRegistry::answer(const Request& request) {
  if (instead) {
    if (auto response = instead(request)) {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request.method + " " + request.path);
      return std::move(*response);
    }
  }
  const std::lock_guard lock(mutex_);
  requests_.push_back(request.method + " " + request.path);
  if (request.path == "/token") return give_token(request);
  if (auto refused = refuse(request)) return std::move(*refused);
  if (request.arguments.empty()) return {200, "application/json", "{}", {}};
  const Target target = target_of(request.arguments[0]);
  if (target.kind == "/blobs/uploads/" || request.path.ends_with("/blobs/uploads")) {
    return upload(request, target.repository, target.rest);
  }
  if (target.kind == "/blobs/" && target.rest.starts_with("sha256:")) {
    return give_blob(request, target.rest.substr(7));
  }
  if (target.kind != "/manifests/") return refusal_of(404, "NAME_UNKNOWN");
  const std::string name = target.repository + ":" + target.rest;
  if (request.method != "PUT") return give_manifest(name);
  manifests_[name] = request.body;
  return {201, "text/plain", "", {}};
}

std::optional<Response> MemoryRegistry::refuse(const Request& request) {
  const std::string given(request.header("authorization").value_or(""));
  switch (gate_) {
    case Gate::open:
      return std::nullopt;
    case Gate::basic:
      if (given == "Basic " + encode_base64("ann:secret")) return std::nullopt;
      return refusal_of(401, "UNAUTHORIZED", {{"WWW-Authenticate", "Basic realm=\"test\""}});
    case Gate::token:
      break;
  }
  if (given.starts_with("Bearer ") && tokens_.contains(given.substr(7))) return std::nullopt;
  const std::string place = realm.empty() ? "http://" + host() + "/token" : realm;
  return refusal_of(
      401, "UNAUTHORIZED",
      {{"WWW-Authenticate",
        fmt::format("Bearer realm=\"{}\",service=\"memory\",scope=\"{}\"", place, scope)}});
}

Response MemoryRegistry::give_token(const Request& request) {
  const std::string given(request.header("authorization").value_or(""));
  if (!open_tokens_ && given != "Basic " + encode_base64("ann:secret")) {
    return refusal_of(401, "UNAUTHORIZED");
  }
  const auto service = request.query.find("service");
  const auto wanted = request.query.find("scope");
  if (service == request.query.end() || service->second != "memory" ||
      wanted == request.query.end() || !wanted->second.starts_with("repository:")) {
    return refusal_of(400, "UNSUPPORTED");
  }
  scopes_.push_back(wanted->second);
  const std::string token = fmt::format("token-{}", ++n_tokens_);
  tokens_.insert(token);
  return {200, "application/json", to_text(Json{{"token", token}, {"expires_in", 300}}), {}};
}

Response MemoryRegistry::give_manifest(const std::string& name) const {
  auto found = manifests_.find(name);
  if (const std::size_t at = name.find(":sha256:"); at != std::string::npos) {
    found = std::ranges::find_if(manifests_, [&](const auto& entry) {
      return "sha256:" + sha256_hex(entry.second) == name.substr(at + 1);
    });
  }
  if (found == manifests_.end()) return refusal_of(404, "MANIFEST_UNKNOWN");
  return {200,
          "application/vnd.docker.distribution.manifest.v2+json",
          found->second,
          {{"Docker-Content-Digest", "sha256:" + sha256_hex(found->second)}}};
}

Response MemoryRegistry::give_blob(const Request& request, const std::string& hex) const {
  const auto found = blobs_.find(hex);
  if (found == blobs_.end()) return refusal_of(404, "BLOB_UNKNOWN");
  const std::string& bytes = found->second;
  std::size_t first = 0;
  std::size_t last = bytes.size() - 1;
  const std::string range(request.header("range").value_or(""));
  if (range.empty() || bytes.empty()) {
    return {200, "application/octet-stream", bytes, {{"Accept-Ranges", "bytes"}}};
  }
  const int read = std::sscanf(range.c_str(), "bytes=%zu-%zu", &first, &last);
  if (read < 1 || first >= bytes.size()) return refusal_of(416, "RANGE_INVALID");
  last = std::min(last, bytes.size() - 1);
  return {206,
          "application/octet-stream",
          bytes.substr(first, last - first + 1),
          {{"Content-Range", fmt::format("bytes {}-{}/{}", first, last, bytes.size())}}};
}

Response MemoryRegistry::upload(const Request& request, const std::string& repository,
                                const std::string& id) {
  if (request.method == "POST") {
    const std::string made = std::to_string(uploads_.size() + 1);
    uploads_[made];
    const std::string name = repository.substr(0, repository.find("/blobs/uploads"));
    // Relative, with a state of its own, as distribution's has.
    return {202,
            "text/plain",
            "",
            {{"Location", fmt::format("/v2/{}/blobs/uploads/{}?_state=a%2Bb", name, made)},
             {"Range", "0-0"}}};
  }
  const auto found = uploads_.find(id);
  if (found == uploads_.end() || request.query.find("_state") == request.query.end() ||
      request.query.at("_state") != "a+b") {
    return refusal_of(404, "BLOB_UPLOAD_UNKNOWN");
  }
  std::string& bytes = found->second;
  const std::string here =
      fmt::format("http://{}/v2/{}/blobs/uploads/{}?_state=a%2Bb", host(), repository, id);
  const auto range = [&] { return fmt::format("0-{}", bytes.empty() ? 0 : bytes.size() - 1); };
  if (request.method == "GET")
    return {204, "text/plain", "", {{"Location", here}, {"Range", range()}}};
  if (request.method == "PATCH") {
    const std::string place(request.header("content-range").value_or(""));
    if (!place.starts_with(std::to_string(bytes.size()) + "-"))
      return refusal_of(416, "RANGE_INVALID");
  }
  bytes += request.body;
  if (request.method == "PATCH")
    return {202, "text/plain", "", {{"Location", here}, {"Range", range()}}};
  const auto digest = request.query.find("digest");
  if (digest == request.query.end() || digest->second != "sha256:" + sha256_hex(bytes)) {
    return refusal_of(400, "DIGEST_INVALID");
  }
  blobs_[digest->second.substr(7)] = bytes;
  uploads_.erase(found);
  return {201, "text/plain", "", {}};
}

}  // namespace pleiad::pull::testing
