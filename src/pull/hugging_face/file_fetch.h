#pragma once

#include <string>

#include "base/result.h"
#include "download/session.h"
#include "pull/hugging_face/cache.h"
#include "pull/hugging_face/hub.h"
#include "pull/hugging_face/hub_file.h"
#include "pull/source.h"

namespace pleiad::pull::hugging_face {

/// Gets the bytes of single files of one commit into the cache.
class FileFetch {
 public:
  /// All are borrowed.
  FileFetch(download::Session& session, const Hub& hub, const Cache& cache,
            const std::string& repository, const std::string& commit);

  /// Afterwards the cache has the file as a blob, checked. It is downloaded by one process at a
  /// time, ours or others'; what of it is there is resumed. The value is always true. Throws Error
  /// that names a path.
  Result<bool> fetch(const HubFile& file, const std::string& digest, const ProgressSink& sink,
                     const Stop& stop) const;

 private:
  Result<bool> download(const HubFile& file, const Progress& progress, const ProgressSink& sink,
                        const Stop& stop) const;
  Result<bool> check(const HubFile& file, const std::string& host, const Stop& stop) const;

  download::Session& session_;
  const Hub& hub_;
  const Cache& cache_;
  const std::string& repository_;
  const std::string& commit_;
};

}  // namespace pleiad::pull::hugging_face
