#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/curl.h"
#include "download/appender.h"
#include "download/download_file.h"
#include "download/file_answer.h"
#include "download/lane.h"
#include "download/network.h"
#include "download/partial_file.h"
#include "download/response_headers.h"
#include "download/retry.h"
#include "download/way.h"
#include "download/window.h"

namespace pleiad::download {

/// What is known of a file while it is fetched, from one transfer to the next.
struct FileFacts {
  std::optional<std::uint64_t> size = {};
  bool size_is_promised = false;  // by the caller
  /// What is there was fetched by this call, or the SHA-256 will judge it, or the host has the same
  /// ETag as when it was fetched.
  bool prefix_is_known = true;
  bool tags_count = true;  // a new one is a new file: unless its SHA-256 is known, which decides
  /// That gave bytes, with their ETags.
  std::map<std::string, std::optional<EntityTag>> hosts = {};
  std::optional<EntityTag> tag = {};  // the last of these
  std::string etag = {};              // likewise, as it came
  std::uint64_t fetched = 0;
  int retries = 0;
};

/// Fetches what a partial file lacks: one thread with several connections, and another that
/// appends.
class FileTransfer {
 public:
  FileTransfer(Network& network, const FileRequest& request, Way& way, PartialFile& file,
               FileFacts& facts, const std::function<void(std::uint64_t)>& so_far,
               const Stop& stop);

  /// Empty: the file has its size. Trouble::changed: what is there is of another file.
  std::optional<Problem> run();

 private:
  void loop();
  bool is_done() const;
  void start_lanes();
  std::optional<Task> next_task(double now);
  Piece& add_piece();
  void begin(Lane& lane);
  void check_lanes();
  bool holds_up_others(const Lane& lane, double now) const;
  void report(double now);
  void fail(Problem problem);

  // What comes (file_transfer_answers.cc).
  std::optional<Problem> take_head(Lane& lane);
  std::optional<Problem> take_file_head(Lane& lane);
  std::optional<EntityTag> expected_tag(const Lane& lane) const;
  std::optional<EntityTag> tag_of(const Target& target) const;  // as that host gave it
  std::optional<Problem> accept(Lane& lane, const FileAnswer& answer);
  Taken take_body(Lane& lane, std::string_view bytes);
  Taken take_file(Lane& lane, std::string_view bytes);

  // When it is over (file_transfer_ends.cc).
  void finish(Lane& lane, std::optional<Problem> problem);
  void finish_file(Lane& lane);
  void follow(Lane& lane);
  void handle_refusal(Lane& lane);
  void repeat(Lane& lane);
  void retry(Lane& lane, const Problem& problem, std::string_view retry_after = {});
  void note(const std::string& text) const;

  Network& network_;
  const FileRequest& request_;
  Way& way_;
  PartialFile& file_;
  FileFacts& facts_;
  const std::function<void(std::uint64_t)>& so_far_;
  const Stop& stop_;

  client::Multi multi_ = client::new_multi();
  Window window_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::deque<Task> pending_;  // pieces that were begun, and broke
  Backoff backoff_;
  std::uint64_t next_offset_;  // of the first piece that nobody has
  std::size_t piece_bytes_;
  std::size_t n_allowed_;      // lanes at a time
  double piece_rate_ = 0;      // bytes a second, of each of the last pieces that came
  bool gives_ranges_ = false;  // an answer was one
  double quiet_until_ = 0;     // the host wants no requests until then
  double next_report_ = 0;
  std::optional<Problem> problem_;
  Appender appender_;  // last: its thread uses what stands above
};

}  // namespace pleiad::download
