#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "http/exchange.h"
#include "serving/service.h"

namespace pleiad::api {

/// Follows the answers to one HTTP request. Called by one thread at a time; after
/// finished() or failed(), of which exactly one comes, never again.
class AnswerFollower {
 public:
  virtual ~AnswerFollower() = default;
  /// Of a document of answer `index`, see AnswerObserver.
  virtual void document(std::size_t /*index*/, const serving::DocumentText& /*document*/) {}
  /// Answer `index` has its prompt, see AnswerObserver.
  virtual void prompted(std::size_t /*index*/) {}
  /// The logprobs of its prompt are known, see AnswerObserver.
  virtual void scored(std::size_t /*index*/, serving::PromptScores /*scores*/) {}
  virtual void delta(std::size_t index, const serving::AnswerDelta& delta) = 0;
  virtual void done(std::size_t index, const serving::AnswerResult& result) = 0;
  /// All answers are done.
  virtual void finished() = 0;
  /// One of them failed; the others are cancelled.
  virtual void failed(const serving::ServiceError& error) = 0;
};

/// Asks for several answers at once; `index` counts them in order. They are
/// cancelled when the client goes away.
void follow_answers(serving::Service& service, std::vector<serving::AnswerRequest> requests,
                    http::Exchange& exchange, std::unique_ptr<AnswerFollower> follower);

/// The same for nobody who could go away: what is returned cancels them, once they are not wanted.
/// It may be called at any time, also after their end.
std::function<void()> follow_detached(serving::Service& service,
                                      std::vector<serving::AnswerRequest> requests,
                                      std::unique_ptr<AnswerFollower> follower);

}  // namespace pleiad::api
