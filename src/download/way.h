#pragma once

#include <optional>
#include <string>

#include "download/download_file.h"
#include "download/exchange.h"
#include "download/network.h"
#include "download/target.h"
#include "download/trouble.h"

namespace pleiad::download {

/// From a file's URL to the bytes: with which authorization, and where its redirects lead. The end
/// is found once and asked for all pieces, until it refuses or fails: signed URLs expire.
class Way {
 public:
  Way(Network& network, const FileRequest& request);

  /// Checks the URL and asks for the first authorization.
  std::optional<Problem> begin();

  /// Where to ask: the end where it is known, else the URL.
  const Target& target() const { return end_ ? *end_ : home_; }
  bool is_found() const { return end_.has_value(); }
  /// Grows with each renewal, so that of several connections which are refused one renews.
  int generation() const { return generation_; }
  bool is_home(const Target& target) const { return target.has_origin_of(home_); }

  /// What goes to that host.
  std::string authorization_for(const Target& target) const;

  void found(const Target& end) { end_ = end; }
  /// The redirects are followed again the next time.
  void forget_end() { end_.reset(); }
  /// After a refusal by `target` with that status: the authorization is asked for again where it
  /// was the URL's own host. A problem where there is nothing left to try.
  std::optional<Problem> renew(const Target& target, const Problem& refusal);
  /// Bytes have come: a later refusal is another story.
  void works() { n_renewals_ = 0; }

 private:
  Network& network_;
  const FileRequest& request_;
  Target home_;
  std::optional<Target> end_;
  std::string authorization_;
  int generation_ = 0;
  int n_renewals_ = 0;  // in a row, with next to nothing between them
};

}  // namespace pleiad::download
