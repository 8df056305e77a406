#include "api/common/answer_group.h"

#include <mutex>
#include <utility>

namespace pleiad::api {
namespace {

using serving::AnswerDelta;
using serving::AnswerRequest;
using serving::AnswerResult;
using serving::ServiceError;
using Tickets = std::vector<std::shared_ptr<serving::Ticket>>;

/// The answers of one request. A follower writes to the client, which may turn out to
/// be gone while it does: then cancel() comes, and perhaps the end of an answer, from
/// inside of a call. So tickets have a lock of their own, and the follower's may be
/// taken again.
class Group : public std::enable_shared_from_this<Group> {
 public:
  Group(std::size_t n_answers, std::unique_ptr<AnswerFollower> follower)
      : n_open_(n_answers), follower_(std::move(follower)) {}

  void ask(serving::Service& service, std::vector<AnswerRequest> requests);

  void document(std::size_t index, const serving::DocumentText& document) {
    const std::lock_guard lock(mutex_);
    if (!ended_) follower_->document(index, document);
  }

  void prompted(std::size_t index) {
    const std::lock_guard lock(mutex_);
    if (!ended_) follower_->prompted(index);
  }

  void scored(std::size_t index, serving::PromptScores scores) {
    const std::lock_guard lock(mutex_);
    if (!ended_) follower_->scored(index, std::move(scores));
  }

  void delta(std::size_t index, const AnswerDelta& delta) {
    const std::lock_guard lock(mutex_);
    if (!ended_) follower_->delta(index, delta);
  }

  void done(std::size_t index, const AnswerResult& result) {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    follower_->done(index, result);
    if (--n_open_ > 0) return;
    ended_ = true;
    take_tickets();
    follower_->finished();
  }

  void failed(const ServiceError& error) {
    Tickets others;
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return;
      ended_ = true;
      others = take_tickets();
      follower_->failed(error);
    }
    for (const auto& ticket : others) ticket->cancel();
  }

  void cancel() {
    for (const auto& ticket : take_tickets()) ticket->cancel();
  }

 private:
  /// Those of the answers under way; later ones are not wanted.
  Tickets take_tickets() {
    const std::lock_guard lock(tickets_mutex_);
    unwanted_ = true;
    return std::exchange(tickets_, {});
  }

  bool is_unwanted() {
    const std::lock_guard lock(tickets_mutex_);
    return unwanted_;
  }

  void keep(std::shared_ptr<serving::Ticket> ticket) {
    {
      const std::lock_guard lock(tickets_mutex_);
      if (!unwanted_) {
        tickets_.push_back(std::move(ticket));
        return;
      }
    }
    ticket->cancel();
  }

  std::recursive_mutex mutex_;
  std::size_t n_open_;
  std::unique_ptr<AnswerFollower> follower_;
  bool ended_ = false;

  std::mutex tickets_mutex_;
  Tickets tickets_;
  bool unwanted_ = false;  // ended, or the client has gone away
};

class Observer : public serving::AnswerObserver {
 public:
  Observer(std::shared_ptr<Group> group, std::size_t index)
      : group_(std::move(group)), index_(index) {}
  void document(serving::DocumentText document) override { group_->document(index_, document); }
  void prompted() override { group_->prompted(index_); }
  void scored(serving::PromptScores scores) override { group_->scored(index_, std::move(scores)); }
  void delta(AnswerDelta delta) override { group_->delta(index_, delta); }
  void done(const AnswerResult& result) override { group_->done(index_, result); }
  void failed(const ServiceError& error) override { group_->failed(error); }

 private:
  std::shared_ptr<Group> group_;
  std::size_t index_;
};

void Group::ask(serving::Service& service, std::vector<AnswerRequest> requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (is_unwanted()) return;
    keep(service.answer(std::move(requests[i]), std::make_shared<Observer>(shared_from_this(), i)));
  }
}

}  // namespace

void follow_answers(serving::Service& service, std::vector<AnswerRequest> requests,
                    http::Exchange& exchange, std::unique_ptr<AnswerFollower> follower) {
  auto group = std::make_shared<Group>(requests.size(), std::move(follower));
  // Weak: the exchange keeps the callback, and the follower the exchange.
  exchange.on_gone([weak = std::weak_ptr<Group>(group)] {
    if (const auto alive = weak.lock()) alive->cancel();
  });
  group->ask(service, std::move(requests));
}

// Its observers keep the group; what cancels it must not, for whoever it stands for may.
std::function<void()> follow_detached(serving::Service& service,
                                      std::vector<AnswerRequest> requests,
                                      std::unique_ptr<AnswerFollower> follower) {
  auto group = std::make_shared<Group>(requests.size(), std::move(follower));
  group->ask(service, std::move(requests));
  return [weak = std::weak_ptr<Group>(group)] {
    if (const auto alive = weak.lock()) alive->cancel();
  };
}

}  // namespace pleiad::api
