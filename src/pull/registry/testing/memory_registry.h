#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "http/server.h"

namespace pleiad::pull::testing {

/// A registry on 127.0.0.1 that keeps everything in memory: manifests, blobs with ranges, uploads
/// in one request or in chunks; open to all, or with logins.
class MemoryRegistry {
 public:
  enum class Gate : std::uint8_t { open, basic, token };

  /// Who may come in, by any gate but `open`: "ann" with the password "secret". With a token server
  /// that is `open_tokens` anybody is given one.
  explicit MemoryRegistry(Gate gate = Gate::open, bool open_tokens = false);
  ~MemoryRegistry();
  MemoryRegistry(const MemoryRegistry&) = delete;
  MemoryRegistry& operator=(const MemoryRegistry&) = delete;

  /// "127.0.0.1:40123"
  std::string host() const;

  /// Its descriptor, of that type.
  Json add_blob(const std::string& media_type, const std::string& bytes);
  /// `name`: "user/model:tag"; `config` may be null.
  void add_model(const std::string& name, const Json& layers, const Json& config = nullptr);
  void add_manifest(const std::string& name, const std::string& text);

  std::optional<std::string> manifest(const std::string& name) const;
  bool has_blob(const std::string& hex) const;
  std::string blob(const std::string& hex) const;

  /// "GET /v2/user/model/manifests/latest", of all so far.
  std::vector<std::string> requests() const;
  std::size_t count(const std::string& begin) const;
  void forget_requests();

  /// No token that was given so far is good any more.
  void expire_tokens();
  /// How many it gave.
  int n_tokens() const;
  /// What they were asked for.
  std::vector<std::string> scopes() const;

  /// Asked first; what it gives is the answer. For what goes wrong. Set before requests come.
  std::function<std::optional<http::Response>(const http::Request&)> instead;
  /// What the token server's realm is said to be; empty: this server.
  std::string realm;
  /// What its challenges name.
  std::string scope = "repository:x:pull";

 private:
  http::Response answer(const http::Request& request);
  std::optional<http::Response> refuse(const http::Request& request);
  http::Response give_token(const http::Request& request);
  http::Response give_manifest(const std::string& name) const;
  http::Response give_blob(const http::Request& request, const std::string& hex) const;
  http::Response upload(const http::Request& request, const std::string& repository,
                        const std::string& id);

  const Gate gate_;
  const bool open_tokens_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> manifests_;  // by name
  std::map<std::string, std::string> blobs_;      // by digits
  std::map<std::string, std::string> uploads_;    // by number
  std::set<std::string> tokens_;
  int n_tokens_ = 0;
  std::vector<std::string> scopes_;
  std::vector<std::string> requests_;
  http::Router router_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace pleiad::pull::testing
