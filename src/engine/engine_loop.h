#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/constraint_preparer.h"
#include "engine/engine_job.h"
#include "engine/idle_reader.h"
#include "engine/kv_memory.h"
#include "engine/media/media_encoder.h"
#include "engine/step_planner.h"

namespace pleiad {

/// What runs and what waits, a step at a time; for the engine's thread alone.
class EngineLoop {
 public:
  /// Told whenever something changed, before those that ended hear of it: so many
  /// did since the last time.
  using OnChange = std::function<void(const EngineStats&, std::size_t n_ended)>;

  EngineLoop(Model& model, MediaTowers towers, const EngineOptions& options, KvMemory& memory,
             ComputeTurn* turn, OnChange on_change);
  ~EngineLoop() {
    note_streams(false);
    note_answers(false);
  }
  EngineLoop(const EngineLoop&) = delete;
  EngineLoop& operator=(const EngineLoop&) = delete;

  void add(std::unique_ptr<EngineJob> job);
  void cancel(Engine::RequestId id);
  void clear_cache();

  /// When to step again, unless something is told before.
  enum class Next : std::uint8_t { now, soon, when_told };
  /// Lets requests in and computes the next token of each, or a part of its prompt. Where there are
  /// none reads what has ended, if that is of use.
  Next step();

  void fail_all(EngineFailure::Kind kind, const std::string& message);

  /// The model's file was written to, and nothing can be computed any more. From any thread.
  bool model_changed() const { return model_changed_; }

 private:
  using Jobs = std::vector<std::unique_ptr<EngineJob>>;
  /// What a step computes for one job.
  struct Part {
    EngineJob* job;
    std::int64_t n;  // tokens
  };
  struct Work {
    std::vector<Part> generated;
    std::vector<Part> prompts;
    std::vector<Part> embeddings;
    std::vector<Part> scored;   // prompts whose logits are taken
    double encode_seconds = 0;  // for media

    bool has_rows() const {
      return !(generated.empty() && prompts.empty() && embeddings.empty() && scored.empty());
    }
  };

  Next read_idly();
  void end_expired();
  void admit();
  bool start(EngineJob& job);
  bool waits_for_pages(const EngineJob& job);
  void explain(EngineJob& job, const PrefixCache::Match& match);
  void settle();
  void keep(EngineJob& job);
  void give_up_model(const std::string& message);
  void fail_unended(EngineFailure::Kind kind, const std::string& message);

  void note_streams(bool any);
  void note_answers(bool any);
  Work plan();
  std::int64_t rows_ahead(EngineJob& job, std::int64_t& logit_room);
  static void cap_embeddings(std::vector<Part>& parts, std::int64_t room);
  void fit_blocks(Work& work) const;

  // engine_loop_compute.cc
  static std::int64_t total(const std::vector<Part>& parts);
  static void fail_without_memory(EngineJob& job);
  void reserve(std::vector<Part>& parts);
  void compute(Work& work);
  void compute_replies(const Work& work);
  void compute_embeddings(const std::vector<Part>& parts);
  void compute_scored(const Part& part);
  static WantLogits wanted_logits(const Part& part);
  std::int64_t advance_reply(const Part& part, const Logits& logits, std::int64_t row);
  void choose_tokens(const Part& part, WantLogits wanted, const Logits& logits, std::int64_t row);
  void keep_reply(EngineJob& job, std::int64_t first);
  void advance_prompt(const Part& part, std::int64_t before);
  void choose_token(EngineJob& job, std::span<const float> logits);
  void take_forced(EngineJob& job, std::span<const float> logits);
  void deliver(EngineJob& job, const sampling::SampledToken& sampled);

  // engine_loop_forms.cc
  void order_forms(const Work& work);
  void await_forms(const Work& work, double step_seconds);
  bool is_in_work(const EngineJob& job) const;
  bool has_form(EngineJob& job);
  static void hold(EngineJob& job, std::span<const float> logits);
  void resume_held();
  void await_held();

  // engine_loop_passages.cc
  std::optional<bool> follow_passage(EngineJob& job, const sampling::SampledToken& told,
                                     bool wants_more);
  void begin_passage(EngineJob& job, text::TokenId first);
  void end_passage(EngineJob& job);
  void leave_passage(EngineJob& job);
  static bool may_write_again(const EngineJob& job);
  static bool has_no_room(const EngineJob& job);
  static void write_again(EngineJob& job);
  static void take_first(EngineJob& job);
  static void go_back(EngineJob& job, const std::vector<text::TokenId>& told);
  static void cut_back(EngineJob& job);

  // engine_loop_media.cc
  bool lacks_media(const EngineJob& job) const;
  MediaEncoder::Want want_of(const EngineJob& job, std::size_t index) const;
  void start_media(EngineJob& job);
  void find_media(EngineJob& job);
  void note_cached(EngineJob& job, std::size_t index);
  bool give_rows(EngineJob& job, std::size_t index, const MediaRows& rows);
  std::vector<SoftRows> soft_rows(const EngineJob& job, std::int64_t n) const;
  void forget_passed_media(EngineJob& job);
  std::optional<MediaEncoder::Want> next_medium();
  double encode_seconds(std::int64_t n_streams, bool others_stream) const;
  void encode(const Work& work);
  void hand_out(const MediaEncoder::Want& want, const MediaEncoder::Progress& progress);

  Model& model_;
  const EngineOptions& options_;
  KvMemory& memory_;
  ComputeTurn* turn_;
  OnChange on_change_;
  StepPlanner planner_;
  MediaEncoder encoder_;
  IdleReader idle_reader_;
  ConstraintPreparer preparer_;
  bool encodes_next_ = false;  // beside streams: media and prompts take turns
  Jobs waiting_;               // in the order of coming
  Jobs running_;               // in the order of starting
  std::size_t n_paused_ = 0;   // running ones that wait for memory
  double forms_until_ = 0;     // so long a step waits for forms; monotonic seconds
  bool has_streams_ = false;   // as the turn knows it
  bool has_answers_ = false;   // likewise
  std::vector<float> hidden_;
  EngineStats stats_;
  std::atomic<bool> model_changed_ = false;
  std::string change_;  // what was told of it
};

}  // namespace pleiad
