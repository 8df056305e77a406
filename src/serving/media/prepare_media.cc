#include "serving/media/prepare_media.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "base/text_format.h"
#include "media/budget.h"
#include "serving/request_error.h"

namespace pleiad::serving {
namespace {

constexpr std::uint64_t kBytesOfSoftToken =
    std::uint64_t{media::kSoftTokenSide} * media::kSoftTokenSide * 3;

[[noreturn]] void refuse_part(const MediaPart& part, const std::string& problem) {
  throw RequestError(ServiceError::Code::bad_request, fmt::format("{}: {}", part.field, problem),
                     part.field);
}

/// What a checkpoint names may be none of those that pictures are prepared for.
int known_budget(int wanted) {
  int known = media::kBudgets.front();
  for (const int budget : media::kBudgets) {
    if (budget <= wanted) known = budget;
  }
  return known;
}

/// Pixels with their share of the memory for those of all requests.
class HeldPicture {
 public:
  /// Null where there is not enough memory left.
  static std::shared_ptr<const PictureInput> hold(media::Pixels pixels,
                                                  const std::shared_ptr<PixelBudget>& budget,
                                                  std::uint64_t caller) {
    const auto held = std::make_shared<HeldPicture>(budget, caller);
    if (!budget->take(caller, pixels.rgb.size())) return nullptr;
    held->bytes_ = pixels.rgb.size();
    held->input_ = make_picture_input(pixels.size.width, pixels.size.height, std::move(pixels.rgb));
    return {held, &held->input_};
  }

  HeldPicture(std::shared_ptr<PixelBudget> budget, std::uint64_t caller)
      : budget_(std::move(budget)), caller_(caller) {}
  ~HeldPicture() {
    if (bytes_ > 0) budget_->give_back(caller_, bytes_);
  }
  HeldPicture(const HeldPicture&) = delete;
  HeldPicture& operator=(const HeldPicture&) = delete;

 private:
  const std::shared_ptr<PixelBudget> budget_;
  const std::uint64_t caller_;
  std::uint64_t bytes_ = 0;  // that were taken
  PictureInput input_;
};

class MediaPreparer {
 public:
  MediaPreparer(const AnswerRequest& request, const PromptTowers& towers, const MediaTools& tools,
                const std::function<bool()>& stop)
      : request_(request), vision_(towers.vision), tools_(tools), stop_(stop) {}

  std::optional<std::vector<std::shared_ptr<const PreparedMedia>>> prepare(
      const std::function<void()>& again) {
    std::vector<std::shared_ptr<const PreparedMedia>> prepared;
    prepared.reserve(request_.media.size());
    for (const MediaPart& part : request_.media) {
      auto media = prepared_of(part, again);
      if (!media) return std::nullopt;
      prepared.push_back(std::move(media));
      for (const ShownMedia::Part& shown : prepared.back()->shown.parts) {
        n_pixel_bytes_ += shown.picture->rgb.size();
      }
      if (n_pixel_bytes_ > tools_.most_pixel_bytes) {
        refuse_part(part, fmt::format("with this picture those of the request have more than the "
                                      "{} soft tokens that one request may have; give fewer, or a "
                                      "smaller max_soft_tokens",
                                      format_count(tools_.most_pixel_bytes / kBytesOfSoftToken)));
      }
    }
    return prepared;
  }

 private:
  bool gives_up() const { return stop_ && stop_(); }
  bool is_late() const { return monotonic_seconds() > end_; }

  /// Null where another answer makes it.
  std::shared_ptr<const PreparedMedia> prepared_of(const MediaPart& part,
                                                   const std::function<void()>& again) {
    PreparedOnce& once = *part.prepared;
    PreparedOnce::Found found = once.find(again);
    if (!found.is_mine) return std::move(found.media);
    try {
      found.media = prepare(part);
    } catch (...) {
      // That nobody waits for this answer is no failure of the others.
      gives_up() ? once.give_up() : once.fail(std::current_exception());
      throw;
    }
    once.finish(found.media);
    return std::move(found.media);
  }

  media::PictureOptions options_of(const MediaPart& part) const {
    if (part.budget || part.automatic) return {part.budget};
    if (request_.media_budget || request_.media_automatic) return {request_.media_budget};
    return {known_budget(vision_.default_budget)};
  }

  std::shared_ptr<const PreparedMedia> prepare(const MediaPart& part) {
    const std::string fetched = part.bytes ? std::string() : fetch(part);
    const std::string& bytes = part.bytes ? *part.bytes : fetched;
    if (!tools_.prepare) refuse_part(part, "this server reads no pictures");
    Result<media::PreparedPicture> picture = read(part, bytes);
    check_time(part);
    if (!picture) refuse_part(part, picture.message());
    const media::PictureSize size = picture.value().pixels.size;
    if (std::max(size.width, size.height) > vision_.longest_side) {
      refuse_part(part,
                  fmt::format("is shown as {} x {} pixels, and the model sees {} on a side at "
                              "most; give a smaller max_soft_tokens",
                              size.width, size.height, vision_.longest_side));
    }
    auto media = std::make_shared<PreparedMedia>();
    media->use.original = picture.value().original;
    media->use.shown = size;
    media->use.budget = picture.value().budget;
    auto input =
        HeldPicture::hold(std::move(picture.value().pixels), tools_.pixels, request_.caller);
    if (!input) throw RequestError(busy_error());
    media->shown = shown_picture(std::move(input), vision_);
    media->use.tokens = media->shown.n_soft_tokens();
    return media;
  }

  /// That no picture can be read here is no fault of this one.
  Result<media::PreparedPicture> read(const MediaPart& part, const std::string& bytes) const {
    try {
      return tools_.prepare(std::as_bytes(std::span(bytes)), options_of(part),
                            [this] { return gives_up() || is_late(); });
    } catch (const Error& error) {
      ServiceError told{ServiceError::Code::internal,
                        fmt::format("{}: this server cannot read pictures now", part.field),
                        part.field};
      told.detail = error.what();
      throw RequestError(std::move(told));
    }
  }

  void check_time(const MediaPart& part) const {
    if (gives_up()) throw Error("nobody waits for the pictures any more");
    if (!is_late()) return;
    refuse_part(part, fmt::format("reading the pictures of this request takes longer than {:.0f} s",
                                  tools_.seconds));
  }

  std::string fetch(const MediaPart& part) {
    if (!tools_.fetcher) {
      refuse_part(part,
                  "pictures are not fetched from other servers, unless this one is started with "
                  "--media-hosts; send the picture itself, in base64");
    }
    Result<std::string> bytes =
        tools_.fetcher->fetch(part.url, [this] { return gives_up() || is_late(); });
    check_time(part);
    if (!bytes) refuse_part(part, bytes.message());
    n_fetched_bytes_ += bytes.value().size();
    if (n_fetched_bytes_ > kMostMediaBytes) {
      refuse_part(part, fmt::format("the pictures that are fetched for one request have {} at most",
                                    format_bytes(kMostMediaBytes)));
    }
    return std::move(bytes).value();
  }

  const AnswerRequest& request_;
  const VisionPrompt& vision_;
  const MediaTools& tools_;
  const std::function<bool()>& stop_;
  const double end_ = monotonic_seconds() + tools_.seconds;
  std::uint64_t n_pixel_bytes_ = 0;
  std::uint64_t n_fetched_bytes_ = 0;
};

}  // namespace

std::vector<ShownMedia> shown_of(std::span<const std::shared_ptr<const PreparedMedia>> prepared) {
  std::vector<ShownMedia> shown;
  shown.reserve(prepared.size());
  for (const auto& media : prepared) shown.push_back(media->shown);
  return shown;
}

void check_sees(const AnswerRequest& request, const PromptTowers& towers) {
  if (towers.vision.sees() || request.media.empty()) return;
  const std::string& field = request.media.front().field;
  // Which files lie where is for whoever runs the server.
  ServiceError told{
      ServiceError::Code::unsupported,
      fmt::format("{}: {} has no vision tower that can be used", field, printable(request.model)),
      field};
  told.detail = fmt::format("{} {}", printable(request.model), towers.vision.problem);
  throw RequestError(std::move(told));
}

std::optional<std::vector<std::shared_ptr<const PreparedMedia>>> prepare_media(
    const AnswerRequest& request, const PromptTowers& towers, const MediaTools& tools,
    const std::function<bool()>& stop, const std::function<void()>& again) {
  if (request.media.empty()) return std::vector<std::shared_ptr<const PreparedMedia>>();
  check_sees(request, towers);
  if (request.media.size() > kMostMedia) {
    refuse_part(request.media[kMostMedia],
                fmt::format("one request may have {} pictures at most", kMostMedia));
  }
  return MediaPreparer(request, towers, tools, stop).prepare(again);
}

}  // namespace pleiad::serving
