#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "pull/source.h"

namespace pleiad::pull {

/// Hears of one transfer: on threads of the desk's, one call at a time. It must neither wait nor
/// throw, nor ask the desk for anything but to leave.
class TransferListener {
 public:
  virtual ~TransferListener() = default;
  /// What will be fetched; of a pull alone, and once.
  virtual void offered(const Offer& /*offer*/) {}
  virtual void progress(const Progress& progress) = 0;
  /// The last call; a Failure says why there is no model.
  virtual void done(const Result<TransferResult>& result) = 0;
};

/// A part in a transfer. Letting go of it leaves.
class Participation {
 public:
  virtual ~Participation() = default;
  /// From now on nothing is heard, but for a call that is under way. The last one who leaves
  /// stops the transfer, and what has come is resumed the next time.
  virtual void leave() = 0;
};

/// The transfers of a server. Two who pull the same model share one download. Threads may share it.
class PullDesk {
 public:
  /// `insecure`: http, and https that cannot be checked, are allowed to the reference's host.
  using MakeSource = std::function<Result<std::unique_ptr<Source>>(const ModelReference& reference,
                                                                   bool insecure)>;
  using MakeDestination = std::function<Result<std::unique_ptr<Destination>>(
      const ModelReference& reference, bool insecure)>;

  /// Both are called on threads of the desk's, several at once.
  PullDesk(MakeSource make_source, MakeDestination make_destination);
  /// stop()
  ~PullDesk();
  PullDesk(const PullDesk&) = delete;
  PullDesk& operator=(const PullDesk&) = delete;

  /// Begins, or joins one that is under way and hears first how far it is. Does not wait. Where
  /// kMaxTransfers are under way, `listener` is told so at once.
  std::shared_ptr<Participation> pull(const ModelReference& reference, bool insecure,
                                      std::shared_ptr<TransferListener> listener);
  /// Likewise; nobody shares it.
  std::shared_ptr<Participation> push(const store::ModelEntry& model,
                                      const ModelReference& reference, bool insecure,
                                      std::shared_ptr<TransferListener> listener);

  /// Stops what is under way, tells its listeners, and waits until that is done. What comes later
  /// is refused.
  void stop();

  static constexpr std::size_t kMaxTransfers = 16;

 private:
  struct Member;
  class Transfer;
  using TransferPtr = std::shared_ptr<Transfer>;
  using Work = std::function<Result<TransferResult>(Transfer&)>;

  std::shared_ptr<Participation> begin(std::string key, Work work,
                                       std::shared_ptr<TransferListener> listener);
  void forget_ended();

  MakeSource make_source_;
  MakeDestination make_destination_;
  std::mutex mutex_;
  bool stopping_ = false;
  std::list<TransferPtr> transfers_;
};

}  // namespace pleiad::pull
