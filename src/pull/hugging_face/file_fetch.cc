#include "pull/hugging_face/file_fetch.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/text_format.h"
#include "digest/sha256.h"
#include "download/download_file.h"
#include "pull/hugging_face/cache_lock.h"
#include "pull/hugging_face/git_blob_id.h"

namespace pleiad::pull::hugging_face {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kShownDigits = 12;

/// "pulling 0123456789ab".
Progress begun(const HubFile& file, const std::string& digest) {
  return {fmt::format("pulling {}", file.etag().substr(0, kShownDigits)), digest, file.size, 0};
}

}  // namespace

FileFetch::FileFetch(download::Session& session, const Hub& hub, const Cache& cache,
                     const std::string& repository, const std::string& commit)
    : session_(session), hub_(hub), cache_(cache), repository_(repository), commit_(commit) {}

Result<bool> FileFetch::fetch(const HubFile& file, const std::string& digest,
                              const ProgressSink& sink, const Stop& stop) const {
  Progress progress = begun(file, digest);
  if (!cache_.has(commit_, file)) {
    sink(progress);
    auto lock = CacheLock::take(cache_.lock_file(file.etag()), stop, [&] {
      sink({fmt::format("waiting for another process that downloads {}", printable(file.path, 200)),
            {},
            0,
            0});
    });
    if (!lock) return Failure{lock.message()};
    // Who had the lock may have brought the file.
    if (!cache_.has(commit_, file)) {
      cache_.adopt_partial(file);
      const auto done = download(file, progress, sink, stop);
      if (!done) return done;
      cache_.finish_blob(file);
    }
  }
  progress.completed = file.size;
  sink(progress);
  return true;
}

Result<bool> FileFetch::download(const HubFile& file, const Progress& progress,
                                 const ProgressSink& sink, const Stop& stop) const {
  const fs::path partial = cache_.partial(file.etag());
  if (file.size == 0) {
    std::error_code ignored;
    fs::remove(partial, ignored);
    make_file(partial, "");
    return check(file, hub_.endpoint().host, stop);
  }
  download::FileRequest request;
  request.url = hub_.file_url(repository_, commit_, file.path);
  request.authorization = [&](bool renew) -> Result<std::string> {
    if (!renew) return hub_.authorization();
    // There is one token. What the hub says of the file tells why it is not enough, if it is not.
    const auto may = hub_.check_file(repository_, commit_, file, stop);
    if (!may) return Failure{may.message()};
    return hub_.authorization();
  };
  request.size = file.size;
  request.sha256 = file.sha256;
  request.partial = partial;
  request.note = [&](const std::string& note) { sink({note, {}, 0, 0}); };
  const auto report = [&](std::uint64_t so_far) {
    Progress now = progress;
    now.completed = so_far;
    sink(now);
  };
  // By git's id, which hubs have as ETag, its beginning is known to be one. Mirrors may have
  // others.
  if (file.sha256.empty()) request.etag = fmt::format("\"{}\"", file.git_id);
  auto receipt = download::download_file(session_, request, report, stop);
  if (!receipt && receipt.trouble() == download::Trouble::changed && !request.etag.empty()) {
    request.etag.clear();
    receipt = download::download_file(session_, request, report, stop);
  }
  if (!receipt) return Failure{fmt::format("{}: {}", printable(file.path, 200), receipt.message())};
  return check(file, receipt.value().host, stop);
}

Result<bool> FileFetch::check(const HubFile& file, const std::string& host,
                              const Stop& stop) const {
  const bool came_checked = !file.sha256.empty() && file.size > 0;
  if (came_checked || (file.size == 0 && file.sha256 == sha256_hex(""))) return true;
  const fs::path partial = cache_.partial(file.etag());
  const auto id = git_blob_id_of_file(partial, stop);
  if (!id) return Failure{"stopped"};
  if (*id == file.git_id) return true;
  std::error_code ignored;
  fs::remove(partial, ignored);
  return Failure{
      fmt::format("{}: {} gave bytes whose git id is {}, expected {}: they are deleted; try again, "
                  "or elsewhere",
                  printable(file.path, 200), host, *id, file.git_id)};
}

}  // namespace pleiad::pull::hugging_face
