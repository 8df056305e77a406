#include "download/file_answer.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/text_format.h"

namespace pleiad::download {
namespace {

constexpr int kOk = 200;
constexpr int kPartialContent = 206;

class Judge {
 public:
  Judge(const FileHead& head, const Asked& asked) : head_(head), asked_(asked) {}

  Outcome<FileAnswer> part() {
    const std::optional<ContentRange> range = parse_content_range(head_.content_range);
    if (!range || !range->first) {
      return refused(
          fmt::format("answers a range with Content-Range '{}'", printable(head_.content_range)));
    }
    if (*range->first != asked_.first || *range->last > asked_.last) {
      return refused(fmt::format("was asked for bytes {} to {}, and answers with {} to {}",
                                 asked_.first, asked_.last, *range->first, *range->last));
    }
    const std::optional<std::uint64_t> size = range->size ? range->size : asked_.size;
    if (!size) return refused("does not say how long the file is");
    if (auto problem = length_problem(*range->last - *range->first + 1)) return *problem;
    return settled({.last = *range->last, .size = *size});
  }

  Outcome<FileAnswer> whole() {
    const auto length = parse_content_length(head_.content_length);
    if (!head_.content_length.empty() && !length) {
      return refused(
          fmt::format("answers with Content-Length '{}'", printable(head_.content_length)));
    }
    const std::optional<std::uint64_t> size = length ? length : asked_.size;
    if (!size) return refused("does not say how long the file is");
    if (!asked_.size && asked_.first > 0 && *size <= asked_.first) {
      return changed(fmt::format("it is {} bytes long, and {} are here", *size, asked_.first));
    }
    return settled({.kind = FileAnswer::Kind::whole, .last = *size - (*size > 0), .size = *size});
  }

  Outcome<FileAnswer> past_end() {
    const std::optional<ContentRange> range = parse_content_range(head_.content_range);
    const std::optional<std::uint64_t> size = range ? range->size : std::nullopt;
    const bool breaks_promise = size && asked_.size_is_promised && size != asked_.size;
    if (!breaks_promise && (!size || *size > asked_.first)) {
      return refused(fmt::format("has no bytes {} to {} (416)", asked_.first, asked_.last));
    }
    if (!breaks_promise && *size < asked_.first) {
      return changed(fmt::format("it is {} bytes long, and {} are here", *size, asked_.first));
    }
    return settled({.kind = FileAnswer::Kind::past_end, .last = 0, .size = *size});
  }

 private:
  Problem refused(std::string_view why) const {
    return {Trouble::refused, fmt::format("{}: {}", asked_.host, why)};
  }
  Problem changed(std::string_view how) const {
    return {Trouble::changed,
            fmt::format("{}: the file changed while it was fetched: {}", asked_.host, how)};
  }

  std::optional<Problem> length_problem(std::uint64_t expected) const {
    if (head_.content_length.empty()) return std::nullopt;
    const auto length = parse_content_length(head_.content_length);
    if (length == expected) return std::nullopt;
    return refused(fmt::format("answers with Content-Length '{}' where {} bytes are announced",
                               printable(head_.content_length), expected));
  }

  /// Whether it is the file that it should be.
  Outcome<FileAnswer> settled(FileAnswer answer) const {
    if (asked_.size && answer.size != *asked_.size) {
      if (!asked_.size_is_promised) {
        return changed(fmt::format("it was {} bytes long, and is {}", *asked_.size, answer.size));
      }
      return Problem{Trouble::wrong_bytes, fmt::format("{}: has {} bytes; expected {}", asked_.host,
                                                       answer.size, *asked_.size)};
    }
    answer.tag = parse_entity_tag(head_.etag);
    if (asked_.tag && answer.tag && asked_.tag->opaque != answer.tag->opaque) {
      return changed(fmt::format("its ETag was {}, and is {}", printable(asked_.tag->text()),
                                 printable(answer.tag->text())));
    }
    return answer;
  }

  const FileHead& head_;
  const Asked& asked_;
};

}  // namespace

Outcome<FileAnswer> judge(const FileHead& head, const Asked& asked) {
  const std::string encoding = ascii_lower(head.content_encoding);
  Judge judge(head, asked);
  if (head.status != kOk && head.status != kPartialContent) return judge.past_end();
  if (!encoding.empty() && encoding != "identity") {
    return Problem{Trouble::refused,
                   fmt::format("{}: sends the file encoded as {}, which it was not asked for",
                               asked.host, printable(encoding))};
  }
  return head.status == kOk ? judge.whole() : judge.part();
}

}  // namespace pleiad::download
