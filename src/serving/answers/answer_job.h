#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <variant>

#include "serving/answers/answer_options.h"
#include "serving/answers/answer_prompt.h"
#include "serving/answers/answer_writer.h"
#include "serving/answers/checked_calls.h"
#include "serving/answers/prompt_scorer.h"
#include "serving/workshop.h"

namespace pleiad::serving {

/// One answer from its request to its end: finds the model, reads the media, waits for the
/// model, makes the prompt (on the workshop's threads), and turns the engine's tokens into deltas.
class AnswerJob final : public Ticket,
                        public TokenSink,
                        public std::enable_shared_from_this<AnswerJob> {
 public:
  AnswerJob(Workshop& workshop, std::unique_ptr<ActiveWork::Entry> active, AnswerRequest request,
            std::shared_ptr<AnswerObserver> observer);
  ~AnswerJob() override;

  /// Once, after the job is held by a shared_ptr.
  void start();

  void cancel() override;

  // Of the engine.
  void prompt_progress(std::int64_t done, std::int64_t total) override;
  bool token(const sampling::SampledToken& token) override;
  Passage passage() override;
  void write_again() override;
  bool take_first() override;
  void finished(const EngineResult& result) override;
  void failed(const EngineFailure& failure) override;

 private:
  using PreparedMediaList = std::vector<std::shared_ptr<const PreparedMedia>>;

  void on_worker(WorkPool& workers, void (AnswerJob::*step)());
  void find_model();
  void read_media();
  void wait_for_model();
  void take_model(std::variant<ModelPool::Lease, ServiceError> outcome);
  void submit();
  EngineRequest engine_request();
  PromptRoom prompt_room(AnswerOptions& options);
  AnswerPrompt write_prompt(const PromptModel& model, const PromptRoom& room,
                            const PreparedMediaList& prepared, std::span<const ShownMedia> shown);
  void tell_documents(const PreparedMediaList& prepared) const;
  void score_prompt(EngineRequest& request, const AnswerPrompt& prompt,
                    const GenerationOptions& generation);
  std::vector<std::string> hold_to_form(EngineRequest& request, const text::ReplyOptions& reply);
  void set_cache_use(EngineRequest& request) const;
  void begin_writing(const text::Vocabulary& vocabulary, const text::ReplyOptions& reply,
                     sampling::StopMatcher stops, const GenerationOptions& generation);
  void add_warnings(std::vector<std::string> warnings);
  bool is_chat() const { return request_.form == AnswerRequest::Form::chat; }
  void limit_thoughts(EngineRequest& request, const text::ReplyOptions& reply,
                      const text::Tokenizer& tokenizer, std::int64_t max_tokens);
  void check_still_sees(const PromptTowers& towers, std::span<const ShownMedia> shown);
  bool cancelled();
  double now() const { return workshop_.clock(); }
  void leave_queue();

  void deliver(std::vector<AnswerDelta> deltas);
  bool wants_more() { return !writer_->ended() && !cancelled(); }
  void release_media();
  void finish(const EngineResult& result);
  std::optional<text::TokenId> cutting_token(const EngineResult& result) const;
  std::string told_of_cut(const AnswerResult& result, std::optional<text::TokenId> token) const;
  void note_uses(std::span<const EncodingUse> uses);
  Json cache_debug(const CacheExplanation& found) const;
  void end_cancelled();
  void end_with(const ServiceError& error);
  void end_with(AnswerResult result);
  std::shared_ptr<AnswerObserver> end();
  void report(std::string outcome, const ServiceError& error, const AnswerResult& result);

  Workshop& workshop_;
  std::unique_ptr<ActiveWork::Entry> active_;
  AnswerRequest request_;
  std::shared_ptr<AnswerObserver> observer_;
  store::ModelEntry entry_;
  const bool has_media_;
  const double started_;
  double deadline_ = 0;
  double asked_for_model_ = 0;  // when
  double load_seconds_ = 0;
  double last_token_ = 0;  // when; 0: none yet
  std::int64_t dropped_messages_ = 0;
  std::vector<std::string> warnings_;
  PreparedMediaList prepared_;          // until the engine has them
  std::vector<MediaUse> media_;         // of the request
  std::vector<int> media_of_prompt_;    // which of them each of the prompt's is a part of
  std::optional<PromptScorer> scorer_;  // where the prompt's logprobs are asked for
  std::optional<AnswerWriter> writer_;
  std::optional<CheckedCalls> calls_;  // where not all that was asked of the reply is enforced
  // Told by the limit of the thoughts, on the engine's thread.
  std::shared_ptr<std::optional<EndedThought>> ended_thought_;
  bool waits_ = false;  // counted among those that have not come to an engine

  std::mutex mutex_;  // guards what follows
  bool cancelled_ = false;
  bool ended_ = false;
  ModelPool::WaitId wait_ = 0;  // while the model is waited for
  ModelPool::Lease lease_;      // from then on
  Engine::RequestId engine_request_ = 0;
  bool submitted_ = false;
};

}  // namespace pleiad::serving
