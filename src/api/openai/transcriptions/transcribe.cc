#include "api/openai/transcriptions/transcribe.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "api/openai/answer_json.h"
#include "api/openai/openai_error.h"
#include "api/openai/transcriptions/transcript.h"
#include "base/clock.h"
#include "serving/request_error.h"

namespace pleiad::api::openai {
namespace {

std::string without_blank_ends(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

/// One sound, clip by clip. Several clips are heard one after the other, so that one client's hour
/// does not take the places of others.
class TranscriptionJob final : public serving::AnswerObserver,
                               public std::enable_shared_from_this<TranscriptionJob> {
 public:
  TranscriptionJob(serving::Service& service, TranscriptionRequest request,
                   std::shared_ptr<http::Exchange> exchange)
      : service_(service), request_(std::move(request)), exchange_(std::move(exchange)) {
    transcript_.warnings = request_.warnings;
    request_.answer.begun = monotonic_seconds();  // all clips together have the request's time
  }

  void start() {
    exchange_->on_gone([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->cancel();
    });
    ask();
  }

  void delta(serving::AnswerDelta delta) override {
    if (is_content(delta.event)) text_ += delta.event.text;
  }

  void done(const serving::AnswerResult& result) override {
    // Nobody is there any more, or the server ends.
    if (result.reason == FinishReason::cancelled) return failed(serving::shutting_down_error());
    const serving::MediaUse& use = result.media.at(0);
    const auto n_clips = static_cast<std::size_t>(std::max<std::int64_t>(use.clips, 1));
    const std::size_t clip = transcript_.segments.size();
    const double start = static_cast<double>(clip) * use.clip_seconds;
    const double end = clip + 1 == n_clips ? use.seconds : start + use.clip_seconds;
    transcript_.segments.push_back({start, end, without_blank_ends(text_)});
    transcript_.seconds = use.seconds;
    transcript_.prompt_tokens += result.stats.prompt_tokens;
    transcript_.audio_tokens = use.tokens;  // of all clips
    transcript_.generated_tokens += result.stats.generated_tokens;
    if (result.reason == FinishReason::length) {
      transcript_.warnings.push_back(
          fmt::format("what was said from {:.0f} s to {:.0f} s is cut off: it came to more than {} "
                      "tokens",
                      start, end, *request_.answer.max_tokens));
    }
    for (const std::string& warning : result.warnings) {
      auto& all = transcript_.warnings;
      if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
    }
    request_.answer.media.front().prepared->forget_part(clip);
    if (clip + 1 < n_clips) return ask();
    request_.answer.media.clear();  // the samples
    exchange_->warn(transcript_.warnings);
    exchange_->respond(transcript_response(transcript_, request_));
  }

  void failed(const serving::ServiceError& error) override {
    request_.answer.media.clear();
    exchange_->respond(error_response(error));
  }

 private:
  void ask() try {
    text_.clear();
    const std::size_t clip = transcript_.segments.size();
    serving::AnswerRequest answer = request_.answer;
    answer.media.front().clip = clip;
    answer.goes_on = clip > 0;
    request_.answer.media.front().bytes.reset();  // the samples are kept with the part
    {
      const std::lock_guard guard(mutex_);
      asked_ = clip;
    }
    std::shared_ptr<serving::Ticket> ticket =
        service_.answer(std::move(answer), shared_from_this());
    bool is_cancelled = false;
    {
      const std::lock_guard guard(mutex_);
      if (asked_ == clip) ticket_ = ticket;  // else it has ended already
      is_cancelled = cancelled_;
    }
    if (is_cancelled) ticket->cancel();
  } catch (const std::bad_alloc&) {
    failed(serving::busy_error());
  }

  void cancel() {
    std::shared_ptr<serving::Ticket> ticket;
    {
      const std::lock_guard guard(mutex_);
      cancelled_ = true;
      ticket = ticket_;
    }
    if (ticket) ticket->cancel();
  }

  serving::Service& service_;
  TranscriptionRequest request_;
  const std::shared_ptr<http::Exchange> exchange_;
  Transcript transcript_;
  std::string text_;  // of the clip that is heard

  std::mutex mutex_;       // guards what follows
  std::size_t asked_ = 0;  // clip
  std::shared_ptr<serving::Ticket> ticket_;
  bool cancelled_ = false;
};

}  // namespace

void transcribe(serving::Service& service, TranscriptionRequest request,
                std::shared_ptr<http::Exchange> exchange) {
  std::make_shared<TranscriptionJob>(service, std::move(request), std::move(exchange))->start();
}

}  // namespace pleiad::api::openai
