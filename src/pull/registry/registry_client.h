#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "client/url.h"
#include "download/download_file.h"
#include "download/session.h"
#include "pull/registry/authorizer.h"
#include "pull/registry/image_manifest.h"

namespace pleiad::pull {

/// What stands under a tag.
struct TaggedManifest {
  ImageManifest manifest;
  std::string hex;  // 64 digits of the SHA-256 of what the tag names
};

/// Speaks the protocol of registries (OCI's distribution specification, as Docker's and Ollama's
/// servers have it) about one repository. All Failures name the host and what to do.
class RegistryClient {
 public:
  RegistryClient(download::Session& session, const store::ModelName& name,
                 const Credentials& credentials, Access access);

  Result<TaggedManifest> manifest(const download::Stop& stop);

  /// A small blob as a text, checked by its digest; of kLongestTextLayer at most.
  Result<std::string> text_blob(const Descriptor& blob, const download::Stop& stop);

  /// What download_file needs to fetch a blob; valid as long as this.
  Result<download::FileRequest> blob_request(const Descriptor& blob,
                                             const std::filesystem::path& partial,
                                             const download::Stop& stop);

  /// A request at `path` below the repository ("blobs/uploads/"), or, where `url` is given, at that
  /// URL, which an answer of this registry named: of another host it gets no authorization.
  download::Outcome<download::Reply> call(download::Call call, const std::string& path,
                                          const download::Stop& stop);
  download::Outcome<download::Reply> call_at(download::Call call, const client::Url& url,
                                             const download::Stop& stop);

  /// "registry.example.com: cannot push x/y (denied, HTTP status 403)"
  Failure refusal(const std::string& what, const download::Reply& reply) const;

  const RegistryAddress& address() const { return authorizer_.address(); }
  download::Session& session() { return session_; }

 private:
  Result<std::string> base(const download::Stop& stop);
  Result<std::pair<ImageManifest, std::string>> manifest_of(const std::string& reference,
                                                            const download::Stop& stop);

  download::Session& session_;
  Authorizer authorizer_;
  std::string base_;  // "https://registry.example.com"; empty: not known yet
};

}  // namespace pleiad::pull
