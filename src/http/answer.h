#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "http/body_budget.h"
#include "http/exchange.h"
#include "http/router.h"

namespace pleiad::http {

/// What an answer has to know of its request and its server.
struct AnswerTraits {
  std::string request_id;
  bool head_only = false;      // of a HEAD request
  bool may_be_chunked = true;  // a client of HTTP/1.1
  bool keep_alive = true;
  Headers headers;       // added to the handler's
  ErrorFormat on_error;  // never empty
  std::uint64_t unsent_bytes = 0;
  std::shared_ptr<const std::atomic<bool>> stopping;  // set: connections end after an answer
};

/// One answer under way, between whoever writes it (from any thread) and the
/// connection that sends it. What is written meanwhile goes out together.
class Answer {
 public:
  /// `wake` tells the connection that there is something to do; it must neither
  /// wait nor call back.
  Answer(AnswerTraits traits, std::function<void()> wake);

  // The writer's side, as in Exchange.
  void respond(Response response);
  void begin(int status, std::string content_type, Headers headers);
  void write(std::string piece);
  void end();
  void warn(const std::vector<std::string>& warnings);
  bool gone() const;
  void on_gone(std::function<void()> callback);
  /// An answer in the form of `on_error`; where one has begun, the connection is cut. `cause` is
  /// for the log.
  void fail(int status, const std::string& message, std::string cause = {});

  // The connection's side.
  struct Output {
    std::vector<std::string> pieces;
    bool finished = false;  // nothing comes after them
  };
  Output take();
  void sent(std::size_t bytes);
  /// "100 Continue", before the answer itself.
  void invite_body();
  /// The connection ends after this answer.
  void close_after();
  bool closes() const;
  bool is_finished() const;
  /// To be closed at once: the answer is broken, or its client does not read it.
  bool is_cut() const;
  int status() const;         // 0: none yet
  std::string cause() const;  // of what failed last
  std::vector<std::string> warnings() const;
  /// Nothing is sent any more; tells whoever asked, once.
  void client_gone();
  /// All has been sent: forgets whoever asked.
  void complete();

 private:
  enum class Phase : std::uint8_t { waiting, streaming, finished };

  bool take_turn(Phase expected) const { return phase_ == expected && !gone_ && !cut_; }
  void respond_locked(Response response);
  void push(std::string piece);
  void cut();
  void wake();

  mutable std::mutex mutex_;
  AnswerTraits traits_;
  std::function<void()> wake_;
  std::vector<std::function<void()>> callbacks_;
  std::vector<std::string> pieces_;
  std::uint64_t unsent_ = 0;  // of pieces_, and of what was taken and not sent
  int status_ = 0;
  std::string cause_;
  std::vector<std::string> warnings_;
  Phase phase_ = Phase::waiting;
  bool chunked_ = false;
  bool bodiless_ = false;  // what is written does not go out
  bool awake_ = false;     // woken since the last take()
  bool gone_ = false;
  bool cut_ = false;
};

/// The writer's handle. Where it dies without an answer, the client gets a 500, or
/// half an answer is cut. It keeps the body's share of the memory for all bodies, since whoever
/// has yet to answer may keep what the body said.
class AnswerExchange : public Exchange {
 public:
  AnswerExchange(std::shared_ptr<Answer> answer, BodyBudget::Share body)
      : answer_(std::move(answer)), body_(std::move(body)) {}
  ~AnswerExchange() override;

  void respond(Response response) override { answer_->respond(std::move(response)); }
  void begin(int status, std::string content_type, Headers headers) override {
    answer_->begin(status, std::move(content_type), std::move(headers));
  }
  void write(std::string piece) override { answer_->write(std::move(piece)); }
  void end() override { answer_->end(); }
  void warn(const std::vector<std::string>& warnings) override { answer_->warn(warnings); }
  bool gone() const override { return answer_->gone(); }
  void on_gone(std::function<void()> callback) override { answer_->on_gone(std::move(callback)); }

 private:
  std::shared_ptr<Answer> answer_;
  BodyBudget::Share body_;
};

}  // namespace pleiad::http
