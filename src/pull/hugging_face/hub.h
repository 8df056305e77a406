#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "download/session.h"
#include "pull/hugging_face/endpoint.h"
#include "pull/hugging_face/hub_file.h"
#include "pull/hugging_face/refusal.h"
#include "pull/hugging_face/repository_answers.h"

namespace pleiad::pull::hugging_face {

/// All files of a revision.
struct Listing {
  std::vector<HubFile> files;        // by path
  std::vector<std::string> refused;  // see TreePage
};

/// The small requests to a hub. Failures name the host and what to do.
class Hub {
 public:
  /// `token`: of an account; empty: none. It goes to the hub itself and to nobody else.
  Hub(download::Session& session, Endpoint endpoint, std::string token);

  /// The commit that a branch, a tag or a commit means now.
  Result<RepositoryInfo> find_revision(const std::string& repository, const std::string& revision,
                                       const download::Stop& stop) const;

  Result<Listing> list_files(const std::string& repository, const std::string& revision,
                             const std::string& commit, const download::Stop& stop) const;

  /// Asks for a file's head: may it be read (a gated repository lists its files to everybody), and
  /// is it the one that the list has? The value is always true.
  Result<bool> check_file(const std::string& repository, const std::string& commit,
                          const HubFile& file, const download::Stop& stop) const;

  /// A small file's bytes, checked by its SHA-256 or git's id.
  Result<std::string> read_file(const std::string& repository, const std::string& commit,
                                const HubFile& file, const download::Stop& stop) const;

  /// Where a file's bytes are asked for.
  std::string file_url(const std::string& repository, const std::string& commit,
                       const std::string& path) const;

  /// The value of Authorization; empty: none.
  std::string authorization() const;

  Question question(const std::string& repository, const std::string& revision,
                    const std::string& file = {}) const;

  const Endpoint& endpoint() const { return endpoint_; }

 private:
  Result<download::Reply> get(const std::string& url, const Question& asked,
                              const download::Stop& stop) const;

  download::Session& session_;
  const Endpoint endpoint_;
  const std::string token_;
};

}  // namespace pleiad::pull::hugging_face
