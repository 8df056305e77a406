#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "serving/media/media.h"

namespace pleiad::api::openai {

/// One turn of a conversation, as JSON text. Later turns keep earlier ones alive.
struct StoredResponse {
  std::string id;
  std::string status = "completed";  // as in its body
  std::string body;                  // what GET answers
  std::string input_items;           // of this turn: a list
  std::string output_items;
  std::vector<std::string> item_ids;  // of both
  std::size_t media_bytes = 0;        // of both: pictures, sound and videos as they were sent
  bool background = false;
  std::shared_ptr<const StoredResponse> previous;  // null: the first turn
  int n_turns = 1;

  std::size_t bytes() const;
  /// Of the items, without their media: what it takes to read them again.
  std::size_t text_bytes() const {
    const std::size_t n = input_items.size() + output_items.size();
    return n - std::min(n, media_bytes);
  }
};

/// How much a store keeps, and how long.
struct StoreLimits {
  std::size_t bytes = 64U << 20;
  double seconds = std::numeric_limits<double>::infinity();  // since it was stored

  /// Whether a response can be kept at all, with the turns before it and `n_more` bytes.
  bool fits(const StoredResponse& response, std::size_t n_more = 0) const;
};

/// Monotonic seconds.
using StoreClock = std::function<double()>;
double steady_seconds();

/// Responses that can be gone back to by id, the latest used within a budget of memory, each for a
/// time. Threads may share it.
class ResponseStore {
 public:
  /// Longer conversations are refused by whoever adds to them.
  static constexpr int kMaxTurns = 2000;
  static constexpr std::size_t kMaxConversationBytes = 8U << 20;  // media not counted
  /// Of media, as they were sent: what one request may bring, in base64.
  static constexpr std::size_t kMaxMediaBytes = serving::kMostMediaBytes / 3 * 4;

  explicit ResponseStore(StoreLimits limits, StoreClock clock = steady_seconds)
      : limits_(limits), clock_(std::move(clock)) {}

  /// Null: never stored, deleted, expired, or given up for others.
  std::shared_ptr<const StoredResponse> find(const std::string& id);
  /// The latest turn stored that has an item of this id, earlier turns of what is kept included;
  /// or null. That turn is used by this, as by find().
  std::shared_ptr<const StoredResponse> find_item(std::string_view id);
  /// What does not fit is not kept, and nothing is given up for it.
  void add(std::shared_ptr<const StoredResponse> response);
  /// False where there is none.
  bool remove(const std::string& id);
  /// Lets go of what has been kept for its time.
  void expire();

  /// What is kept, earlier turns of it included.
  std::size_t bytes() const;

 private:
  struct Entry {
    std::shared_ptr<const StoredResponse> response;
    std::list<std::string>::iterator by_use;
    std::list<std::pair<double, std::string>>::iterator by_age;
  };
  struct Holder {
    std::shared_ptr<const StoredResponse> response;
    int n = 0;
    std::uint64_t number = 0;  // in the order in which they were first held
  };
  struct ItemPlace {
    std::string_view id;  // lies in the response
    std::uint64_t number = 0;
    const StoredResponse* response = nullptr;

    bool operator<(const ItemPlace& other) const {
      return std::tie(id, number) < std::tie(other.id, other.number);
    }
  };

  void expire_locked();
  void use(const Entry& entry) { recency_.splice(recency_.begin(), recency_, entry.by_use); }
  void hold(const std::shared_ptr<const StoredResponse>& response);
  void release(const StoredResponse* response);
  void erase(std::unordered_map<std::string, Entry>::iterator entry);

  const StoreLimits limits_;
  const StoreClock clock_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
  std::list<std::string> recency_;                  // the latest used first
  std::list<std::pair<double, std::string>> ages_;  // when it was stored; the oldest first
  /// Each turn that is kept, with the number of what keeps it: its own entry, and
  /// later turns that are kept.
  std::unordered_map<const StoredResponse*, Holder> holders_;
  std::set<ItemPlace> items_;  // of all turns that are kept
  std::uint64_t next_number_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace pleiad::api::openai
