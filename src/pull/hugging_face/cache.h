#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pull/hugging_face/hub_file.h"

namespace pleiad::pull::hugging_face {

/// Makes a file that is not there, nor a link of its name. Throws Error that names it.
void make_file(const std::filesystem::path& path, std::string_view text);

/// A repository's part of the cache that Python's huggingface_hub keeps:
///
///   models--user--repo/blobs/<etag>                  the bytes
///                      blobs/<etag>.incomplete       the beginning of them
///                      snapshots/<commit>/<path>     -> ../../blobs/<etag>
///                      refs/<revision>               the commit that a branch or tag meant last
///   .locks/models--user--repo/<etag>.lock            held while a file is downloaded
///
/// What changes it throws Error that names the path.
class Cache {
 public:
  /// `hub`: the folder of all repositories (HF_HOME/hub).
  Cache(std::filesystem::path hub, const std::string& repository);

  std::filesystem::path folder() const { return folder_; }
  std::filesystem::path snapshot(const std::string& commit) const;
  std::filesystem::path blob(const std::string& etag) const;
  std::filesystem::path partial(const std::string& etag) const;
  std::filesystem::path lock_file(const std::string& etag) const;

  /// It is there, whole by its size: as a blob, or in the snapshot itself where somebody's disk has
  /// no links.
  bool has(const std::string& commit, const HubFile& file) const;

  /// Bytes of it that are there: all, or those of the beginning that is gone on with.
  std::uint64_t at_hand(const std::string& commit, const HubFile& file) const;

  /// The commit that a revision meant when it was last fetched; a whole commit means itself.
  std::optional<std::string> commit_of(const std::string& revision) const;

  /// The files that a snapshot has, whole ones alone, by path; etags where links tell them.
  std::vector<HubFile> files_of(const std::string& commit) const;

  /// Makes the folders of the repository, and the tag by which backups pass the cache over.
  void make_folders() const;

  /// Under the file's lock: makes partial() of the beginning that is there. Ours is gone on with
  /// where there is one. Other clients' have names of their own ("<etag>.0123abcd.incomplete"): the
  /// longest without holes is taken, of those that nobody has written to for ten seconds, since
  /// some disks' locks do not hold.
  void adopt_partial(const HubFile& file) const;

  /// Gives what partial() holds, and the disk has, its place. Other beginnings of it go.
  void finish_blob(const HubFile& file) const;

  /// Gives a blob its name in the snapshot; what stands there already and is whole stays.
  void link(const std::string& commit, const HubFile& file) const;

  /// Notes what a branch or tag means.
  void set_revision(const std::string& revision, const std::string& commit) const;

 private:
  /// The one to go on with; empty: none.
  std::filesystem::path beginning_of(const HubFile& file) const;
  /// All beginnings, those of other clients too.
  std::vector<std::filesystem::path> partials_of(const HubFile& file) const;

  /// What a killed process left of noting a revision.
  void remove_dead_revisions() const;

  std::filesystem::path hub_;
  std::filesystem::path folder_;  // hub/models--user--repo
  std::filesystem::path locks_;   // hub/.locks/models--user--repo
};

}  // namespace pleiad::pull::hugging_face
