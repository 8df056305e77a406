#include "pull/registry/blob_upload.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text_format.h"
#include "download/retry.h"

namespace pleiad::pull {

using download::Call;
using download::Outcome;
using download::Reply;
using download::Trouble;

namespace {

bool is_success(int status) { return status >= 200 && status < 300; }

/// One that another try may not get; 416 is what a registry says of a chunk at a wrong place.
bool is_passing(int status) { return status == 416 || download::is_temporary(status); }

constexpr int kMostBeginnings = 3;  // of an upload in chunks

/// Sends one blob.
class BlobUpload {
 public:
  BlobUpload(RegistryClient& client, const PushedBlob& blob,
             const std::function<void(std::uint64_t)>& so_far, const download::Stop& stop,
             const UploadLimits& limits)
      : client_(client), blob_(blob), so_far_(so_far), stop_(stop), limits_(limits) {}

  Result<bool> run() {
    const auto there = is_there();
    if (!there) return there;
    if (there.value()) {
      so_far_(blob_.size);
      return true;
    }
    const download::RetryPolicy& policy = client_.session().surroundings().retry;
    download::Backoff backoff(policy);
    std::uint64_t most = 0;  // bytes that it ever had
    for (int failures = 0;;) {
      const Step step = go_on();
      if (step.end == Step::complete) {
        so_far_(blob_.size);
        return true;
      }
      if (step.end == Step::lost) return Failure{step.why};
      if (step.end == Step::broke_off) last_why_ = step.why;
      if (done_ > most) {
        most = done_;
        failures = 0;
      }
      if (step.end == Step::went_on) continue;
      if (++failures >= policy.attempts) return Failure{step.why};
      const auto wait = backoff.wait_after(failures, step.retry_after);
      if (!wait) return Failure{step.why};
      if (!download::wait_for(*wait, stop_)) {
        return Failure{fmt::format("{}: stopped", client_.address().host)};
      }
    }
  }

 private:
  struct Step {
    enum End : std::uint8_t { went_on, complete, broke_off, lost } end;
    std::string why = {};
    std::string retry_after = {};  // as the answer has it
  };

  std::string what() const {
    return fmt::format("send the blob sha256:{} ({})", blob_.hex, format_bytes(blob_.size));
  }

  /// What a reply or its lack means for the upload.
  Step judged(const Outcome<Reply>& reply) const {
    if (!reply) {
      const bool passes = reply.trouble() == Trouble::unreachable;
      return {passes ? Step::broke_off : Step::lost, reply.message()};
    }
    if (is_success(reply.value().status)) return {Step::went_on};
    return {is_passing(reply.value().status) ? Step::broke_off : Step::lost,
            client_.refusal(what(), reply.value()).message,
            std::string(reply.value().header("Retry-After"))};
  }

  Result<bool> is_there() {
    Call call;
    call.method = "HEAD";
    call.follow_redirects = false;
    const std::string path = "blobs/sha256:" + blob_.hex;
    auto reply = client_.call(call, path, stop_);
    if (reply && leads_to_storage(reply.value())) return true;
    if (reply && reply.value().status >= 300 && reply.value().status < 400) {
      call.follow_redirects = true;  // the registry has moved
      reply = client_.call(call, path, stop_);
    }
    if (!reply) return Failure{reply.message()};
    if (reply.value().status == 404) return false;
    if (is_success(reply.value().status)) return true;
    return client_.refusal("ask for the blob sha256:" + blob_.hex, reply.value());
  }

  /// A registry that does not hand blobs out itself leads to where they lie, for a while.
  static bool leads_to_storage(const Reply& reply) {
    if (reply.status != 302 && reply.status != 303 && reply.status != 307) return false;
    const auto from = client::parse_url(reply.url);
    if (!from) return false;
    const auto to = from.value().resolved(reply.header("Location"));
    return to && to.value().origin() != from.value().origin();
  }

  /// The next request that there is to make.
  Step go_on() {
    if (!place_) return begin();
    if (unsure_) return ask_how_far();
    if (done_ < blob_.size && blob_.size > limits_.chunk) return send_chunk();
    return finish();
  }

  Step begin() {
    if (blob_.size > limits_.chunk && ++n_beginnings_ > kMostBeginnings) {
      return {Step::lost, fmt::format("{}: loses uploads that break off; {}",
                                      client_.address().host, last_why_)};
    }
    Call call;
    call.method = "POST";
    const auto reply = client_.call(std::move(call), "blobs/uploads/", stop_);
    Step step = judged(reply);
    if (step.end != Step::went_on) return step;
    done_ = 0;
    unsure_ = false;
    return take_place(reply.value());
  }

  /// Where the next request goes; every answer may name another place.
  Step take_place(const Reply& reply) {
    const auto from = client::parse_url(reply.url);
    std::string_view location = reply.header("Location");
    if (location.empty() && place_) return {Step::went_on};
    auto url =
        from ? from.value().resolved(location) : Result<client::Url>(Failure{from.message()});
    if (!url) {
      return {Step::lost,
              fmt::format("{}: where an upload goes to, '{}', is {}", client_.address().host,
                          printable(location, 200), url.message())};
    }
    place_.emplace(std::move(url).value());
    return {Step::went_on};
  }

  Step send_chunk() {
    const std::uint64_t size = std::min(limits_.chunk, blob_.size - done_);
    Call call;
    call.method = "PATCH";
    call.headers = {{"Content-Type", "application/octet-stream"},
                    {"Content-Range", fmt::format("{}-{}", done_, done_ + size - 1)}};
    const auto reply = send(std::move(call), done_, size, *place_);
    Step step = judged(reply);
    if (step.end == Step::broke_off) unsure_ = true;
    if (step.end != Step::went_on) return step;
    const auto kept = parse_upload_range(reply.value().header("Range"));
    const std::uint64_t end = done_ + size;
    done_ = std::min(kept.value_or(end), end);
    step = take_place(reply.value());
    if (step.end != Step::went_on || done_ == end) return step;
    return {Step::broke_off,
            fmt::format("{}: keeps {} of an upload, of which it was sent {}",
                        client_.address().host, format_bytes(done_), format_bytes(end))};
  }

  /// The last request: it names the digest, and brings a small blob's bytes.
  Step finish() {
    const std::uint64_t rest = blob_.size - done_;
    Call call;
    call.method = "PUT";
    call.headers = {{"Content-Type", "application/octet-stream"}};
    const auto reply =
        send(std::move(call), done_, rest, place_->with_query("digest", "sha256:" + blob_.hex));
    Step step = judged(reply);
    if (step.end == Step::went_on) step.end = Step::complete;
    if (step.end == Step::broke_off) {
      if (rest > 0) {
        place_.reset();
      } else {
        unsure_ = true;
      }
    }
    return step;
  }

  /// After a request that broke off: the registry may have its bytes or not.
  Step ask_how_far() {
    const auto reply = client_.call_at({}, *place_, stop_);
    unsure_ = false;
    if (reply && is_success(reply.value().status)) {
      const auto kept = parse_upload_range(reply.value().header("Range"));
      done_ = std::min(kept.value_or(0), blob_.size);
      if (done_ == 0) place_.reset();
      return place_ ? take_place(reply.value()) : Step{Step::went_on};
    }
    if (!reply && reply.trouble() != Trouble::unreachable) return {Step::lost, reply.message()};
    place_.reset();  // it knows of no such upload any more; but the blob may be whole
    const auto there = is_there();
    if (there && there.value()) return {Step::complete};
    return {Step::broke_off, there ? client_.address().host + ": lost an upload" : there.message()};
  }

  Outcome<Reply> send(Call call, std::uint64_t offset, std::uint64_t size, const client::Url& url) {
    if (blob_.path.empty()) {
      call.body = blob_.bytes.substr(offset, size);
    } else if (size > 0) {
      call.upload = download::FilePart{blob_.path, offset, size};
      call.sent = [this, offset](std::uint64_t bytes) { so_far_(offset + bytes); };
    }
    return client_.call_at(std::move(call), url, stop_);
  }

  RegistryClient& client_;
  const PushedBlob& blob_;
  const std::function<void(std::uint64_t)>& so_far_;
  const download::Stop& stop_;
  const UploadLimits limits_;
  std::optional<client::Url> place_;  // of the upload; empty: none was begun
  std::uint64_t done_ = 0;            // bytes that the registry has
  bool unsure_ = false;               // whether it has the last ones
  int n_beginnings_ = 0;
  std::string last_why_;
};

}  // namespace

std::optional<std::uint64_t> parse_upload_range(std::string_view value) {
  if (value.starts_with("bytes=")) value.remove_prefix(6);
  const std::size_t dash = value.find('-');
  if (dash == std::string_view::npos || value.substr(0, dash) != "0") return std::nullopt;
  std::uint64_t last = 0;
  const char* end = value.data() + value.size();
  const auto read = std::from_chars(value.data() + dash + 1, end, last);
  if (read.ec != std::errc() || read.ptr != end || last >= (std::uint64_t{1} << 62U)) {
    return std::nullopt;
  }
  // "0-0" is what registries say of an upload without a byte as well as of one byte.
  return last == 0 ? 0 : last + 1;
}

Result<bool> upload_blob(RegistryClient& client, const PushedBlob& blob,
                         const std::function<void(std::uint64_t)>& so_far,
                         const download::Stop& stop, const UploadLimits& limits) {
  return BlobUpload(client, blob, so_far, stop, limits).run();
}

}  // namespace pleiad::pull
