#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace pleiad::api::openai {

/// One turn of a conversation, as JSON text. Later turns keep earlier ones alive.
struct StoredResponse {
  std::string id;
  std::string body;         // what GET answers
  std::string input_items;  // of this turn: a list
  std::string output_items;
  std::shared_ptr<const StoredResponse> previous;  // null: the first turn
  int n_turns = 1;

  std::size_t bytes() const;
};

/// Responses that can be gone back to by id, the latest used within a budget of
/// memory. Threads may share it.
class ResponseStore {
 public:
  /// Longer conversations are refused by whoever adds to them.
  static constexpr int kMaxTurns = 2000;
  static constexpr std::size_t kMaxConversationBytes = 8U << 20;

  explicit ResponseStore(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Null: never stored, deleted, or given up for others.
  std::shared_ptr<const StoredResponse> find(const std::string& id);
  void add(std::shared_ptr<const StoredResponse> response);
  /// False where there is none.
  bool remove(const std::string& id);

  /// What is kept, earlier turns of it included.
  std::size_t bytes() const;

 private:
  struct Entry {
    std::shared_ptr<const StoredResponse> response;
    std::list<std::string>::iterator place;
  };

  void hold(const StoredResponse* response);
  void release(const StoredResponse* response);
  void erase(std::unordered_map<std::string, Entry>::iterator entry);

  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
  std::list<std::string> recency_;  // the latest used first
  /// Each turn that is kept, with the number of what keeps it: its own entry, and
  /// later turns that are kept.
  std::unordered_map<const StoredResponse*, int> holders_;
  std::size_t bytes_ = 0;
};

}  // namespace pleiad::api::openai
