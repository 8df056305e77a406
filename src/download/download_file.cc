#include "download/download_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/text_format.h"
#include "download/disk_room.h"
#include "download/file_transfer.h"
#include "download/network.h"
#include "download/partial_file.h"
#include "download/way.h"

namespace pleiad::download {
namespace {

constexpr int kMostRestarts = 2;  // of a file that changes while it is fetched
constexpr std::size_t kHexDigits = 64;

class FileDownload {
 public:
  FileDownload(Network& network, const FileRequest& request, PartialFile& file,
               const std::function<void(std::uint64_t)>& so_far, const Stop& stop)
      : network_(network),
        request_(request),
        file_(file),
        so_far_(so_far),
        stop_(stop),
        way_(network, request) {
    forget();
  }

  Outcome<FileReceipt> run() {
    std::optional<Problem> problem = fetch();
    if (!problem) problem = file_.sync();
    if (!problem) return receipt();
    if (file_.size() == 0) file_.remove();
    return *problem;
  }

 private:
  std::optional<Problem> fetch() {
    if (auto problem = look_at_prefix()) return problem;
    if (auto problem = way_.begin()) return problem;
    for (int n_restarts = 0;;) {
      std::optional<Problem> problem = transfer();
      if (!problem) {
        const std::string found = file_.sha256();
        if (request_.sha256.empty() || found == request_.sha256) {
          sha256_ = found;
          return std::nullopt;
        }
        if (resumed_ == 0) return lie(found);
        if (auto trouble = doubt()) return trouble;
        continue;
      }
      if (problem->trouble != Trouble::changed || ++n_restarts > kMostRestarts) return problem;
      if (auto trouble = start_over(problem->message)) return trouble;
    }
  }

  /// What came is not the file, or what was here before is not: the former is likelier, and asked
  /// for once more before the latter is given up.
  std::optional<Problem> doubt() {
    const std::string why = fmt::format(
        "{}: what it sent, or what was here before, is not the file by its SHA-256", hosts());
    if (std::exchange(asked_again_, true)) return start_over(why);
    note(fmt::format("{}: it is fetched again from byte {}", why, resumed_));
    forget();
    if (auto problem = file_.cut(resumed_)) return problem;
    return file_.hash(so_far_, stop_);
  }

  /// What is known before the first answer.
  void forget() {
    const FileFacts old = std::exchange(facts_, {});
    if (request_.size > 0) facts_.size = request_.size;
    facts_.size_is_promised = request_.size > 0;
    facts_.tags_count = request_.sha256.empty();
    facts_.fetched = old.fetched;
    facts_.retries = old.retries;
  }

  std::optional<Problem> start_over(const std::string& why) {
    note(fmt::format("{}: it is fetched again from its beginning", why));
    forget();
    resumed_ = 0;
    return file_.cut(0);
  }

  /// Decides what of the partial file can be built upon, and hashes it.
  std::optional<Problem> look_at_prefix() {
    const std::uint64_t found = file_.size();
    std::uint64_t kept = found;
    if (request_.size > 0 && found > request_.size) {
      kept = 0;
      note(fmt::format("{}: has {} bytes, and the file has {}: it is fetched from its beginning",
                       file_.path().string(), found, request_.size));
    } else if (found > 0 && request_.sha256.empty()) {
      facts_.prefix_is_known = false;
      // An answer has to prove that it is the same file, so something must be asked for.
      if (found == request_.size) kept = found - 1;
      if (!parse_entity_tag(request_.etag)) {
        kept = 0;
        note(
            fmt::format("{}: nothing is known by which its {} could be checked: the file is "
                        "fetched from its beginning",
                        file_.path().string(), format_bytes(found)));
      }
    }
    if (kept == 0) facts_.prefix_is_known = true;
    if (kept < found) {
      if (auto problem = file_.cut(kept)) return problem;
    }
    resumed_ = kept;
    return file_.hash(so_far_, stop_);
  }

  std::optional<Problem> transfer() {
    if (facts_.size) {
      if (file_.size() == *facts_.size) return std::nullopt;
      if (auto problem = find_no_room(file_.path(), *facts_.size - file_.size())) return problem;
    }
    return FileTransfer(network_, request_, way_, file_, facts_, so_far_, stop_).run();
  }

  Problem lie(const std::string& found) {
    file_.remove();
    return {Trouble::wrong_bytes,
            fmt::format("{}: what it sent is not the file: its SHA-256 is {}; expected {}. What "
                        "came was deleted",
                        hosts(), found, request_.sha256)};
  }

  std::string hosts() const {
    std::string names;
    for (const auto& [name, tag] : facts_.hosts) names += (names.empty() ? "" : ", ") + name;
    return names.empty() ? file_.path().string() : names;
  }

  FileReceipt receipt() const {
    const std::uint64_t size = file_.size();
    return {.size = size,
            .sha256 = sha256_,
            .etag = facts_.etag,
            .host = facts_.hosts.empty() ? std::string() : hosts(),
            .resumed = resumed_,
            .fetched = facts_.fetched,
            .fetched_again = facts_.fetched + resumed_ - size,
            .retries = facts_.retries};
  }

  void note(const std::string& text) const {
    if (request_.note) request_.note(text);
  }

  Network& network_;
  const FileRequest& request_;
  PartialFile& file_;
  const std::function<void(std::uint64_t)>& so_far_;
  const Stop& stop_;
  Way way_;
  FileFacts facts_;
  std::uint64_t resumed_ = 0;
  bool asked_again_ = false;  // for what came behind that
  std::string sha256_;
};

}  // namespace

Outcome<FileReceipt> download_file(Session& session, const FileRequest& request,
                                   const std::function<void(std::uint64_t so_far)>& so_far,
                                   const Stop& stop) {
  CHECK(request.sha256.empty() || request.sha256.size() == kHexDigits, "{}", request.sha256);
  Outcome<std::unique_ptr<PartialFile>> file = PartialFile::open(request.partial);
  if (!file) return Problem{file.trouble(), file.message()};
  return FileDownload(session.network(), request, *file.value(), so_far, stop).run();
}

}  // namespace pleiad::download
