#include <fmt/format.h>

#include <algorithm>

#include "download/disk_room.h"
#include "download/file_transfer.h"

namespace pleiad::download {
namespace {

constexpr std::size_t kMostOfOthers = std::size_t{64} << 10;  // bytes of a text for people
constexpr std::size_t kMostOfAText = 2'000;

}  // namespace

std::optional<Problem> FileTransfer::take_head(Lane& lane) {
  const Exchange& exchange = lane.exchange;
  const int status = exchange.status();
  if (!exchange.location().empty()) {
    lane.answer = Lane::Answer::redirect;
    return std::nullopt;
  }
  if (status == 200 || status == 206 || status == 416) return take_file_head(lane);
  lane.answer = Lane::Answer::refusal;
  return std::nullopt;
}

std::optional<Problem> FileTransfer::take_file_head(Lane& lane) {
  const Exchange& exchange = lane.exchange;
  const Piece& piece = *lane.task.piece;
  Asked asked = {.host = lane.target.host(),
                 .first = piece.next_byte(),
                 .last = piece.end() - 1,
                 .size = facts_.size,
                 .size_is_promised = facts_.size_is_promised};
  if (facts_.tags_count) asked.tag = expected_tag(lane);
  Outcome<FileAnswer> answer = judge({.status = exchange.status(),
                                      .content_range = exchange.header("content-range"),
                                      .content_length = exchange.header("content-length"),
                                      .content_encoding = exchange.header("content-encoding"),
                                      .etag = exchange.header("etag")},
                                     asked);
  if (!answer) return Problem{answer.trouble(), answer.message(), answer.status()};
  if (!facts_.prefix_is_known && !(asked.tag && answer.value().tag)) {
    return Problem{
        Trouble::changed,
        fmt::format("{}: does not say by an ETag whether it has the file whose beginning "
                    "is here",
                    asked.host)};
  }
  if (answer.value().kind == FileAnswer::Kind::whole && gives_ranges_) {
    return Problem{
        Trouble::unreachable,
        fmt::format("{}: answers with the whole file where it gave a part before", asked.host)};
  }
  return accept(lane, answer.value());
}

/// The last one, from whichever host; before there is one, of the URL's own host what the caller
/// knows.
std::optional<EntityTag> FileTransfer::expected_tag(const Lane& lane) const {
  const bool is_first = facts_.hosts.empty();
  if (is_first && way_.is_home(lane.target)) return parse_entity_tag(request_.etag);
  return is_first ? std::nullopt : facts_.tag;
}

std::optional<Problem> FileTransfer::accept(Lane& lane, const FileAnswer& answer) {
  Piece& piece = *lane.task.piece;
  if (!facts_.size) {
    facts_.size = answer.size;
    const std::uint64_t missing = answer.size - std::min(answer.size, file_.size());
    if (auto problem = find_no_room(file_.path(), missing)) return problem;
    if (piece.next_byte() < answer.size && answer.size < piece.end()) {
      window_.shorten(piece, static_cast<std::size_t>(answer.size - piece.offset));
      next_offset_ = piece.end();
    }
  }
  facts_.prefix_is_known = true;
  if (answer.tag) {
    facts_.tag = answer.tag;
    facts_.etag = lane.exchange.header("etag");
  }
  facts_.hosts[lane.target.host()] = answer.tag;
  if (lane.finds_way) way_.found(lane.target);
  switch (answer.kind) {
    case FileAnswer::Kind::part:
      gives_ranges_ = true;
      lane.answer = Lane::Answer::part;
      lane.position = piece.next_byte();
      lane.end = answer.last + 1;
      break;
    case FileAnswer::Kind::whole:
      n_allowed_ = 1;
      lane.answer = Lane::Answer::whole;
      lane.position = 0;
      lane.end = answer.size;
      break;
    case FileAnswer::Kind::past_end:
      lane.answer = Lane::Answer::past_end;
      break;
  }
  return std::nullopt;
}

Taken FileTransfer::take_body(Lane& lane, std::string_view bytes) {
  if (lane.answer == Lane::Answer::part || lane.answer == Lane::Answer::whole) {
    return take_file(lane, bytes);
  }
  lane.text += bytes.substr(0, kMostOfAText - std::min(kMostOfAText, lane.text.size()));
  lane.n_dropped += bytes.size();
  return lane.n_dropped > kMostOfOthers ? Taken::enough : Taken::all;
}

Taken FileTransfer::take_file(Lane& lane, std::string_view bytes) {
  if (bytes.size() > lane.end - lane.position) {
    lane.exchange.refuse(
        {Trouble::wrong_bytes,
         fmt::format("{}: sends more bytes than it announced", lane.target.host())});
    return Taken::refused;
  }
  Task& task = lane.task;
  // The beginning of a whole file may be here already.
  const std::uint64_t wanted = task.piece ? task.piece->next_byte() : lane.position;
  const std::size_t n_known =
      static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), wanted - lane.position));
  std::string_view rest = bytes.substr(n_known);
  const std::size_t n_fitting = task.piece ? task.piece->left() : 0;
  if (rest.size() > n_fitting && !window_.has_room()) return Taken::later;

  lane.position += bytes.size();
  lane.n_came += rest.size();
  facts_.fetched += bytes.size();
  while (!rest.empty()) {
    if (!task.piece) task.piece = &add_piece();
    const std::string_view some = rest.substr(0, task.piece->left());
    if (window_.fill(*task.piece, some)) task.piece = nullptr;
    rest.remove_prefix(some.size());
  }
  if (lane.n_came >= kWorthAnAttempt || !task.piece) way_.works();
  return Taken::all;
}

}  // namespace pleiad::download
