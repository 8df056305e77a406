#include "api/common/tool_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/common/field_reader.h"

namespace pleiad::api {
namespace {

constexpr std::string_view kNoCall = "follows no call of its own: the model sees the result alone";
constexpr std::string_view kMoved = "does not follow its call: the model sees the result there";
constexpr std::string_view kReordered = "the model sees results in the order of their calls";
constexpr std::string_view kFurther = "a further result of a call that has one";
constexpr std::string_view kStranger =
    "belongs to none of the calls before it: the model sees the result behind theirs";
constexpr std::string_view kUnanswered = "the call has no result";
constexpr std::string_view kNoId = "missing; results are matched by their order";
constexpr std::string_view kNoResultId =
    "missing; taken as the result of the first call that has none";

std::string_view text_of(const Json& object, std::string_view key) {
  const Json* value = find_member(object, key);
  return value && value->is_string() ? value->get_ref<const std::string&>() : std::string_view();
}

/// Calls in their order, given out one after the other.
struct CallQueue {
  std::vector<std::size_t> calls;
  std::size_t next = 0;
};

struct GivenCall {
  std::string id;  // empty: none
  std::string name;
  bool answered = false;
};

/// A message of the assistant's with calls, and what answers them.
struct CallGroup {
  std::string path;
  std::size_t n_asked = 0;  // messages of others than the assistant before it
  std::vector<GivenCall> calls;
  std::unordered_map<std::string, CallQueue> by_id;
  std::unordered_map<std::string, CallQueue> by_name;
  CallQueue all;
  CallQueue without_id;
  bool needs_ids = false;  // some have none, or the same
  struct Result {
    std::size_t call = 0;  // calls.size(): of none
    Json message;
  };
  std::vector<Result> results;
  bool is_ordered = true;
};

CallGroup read_group(const Json& message, std::string path, std::size_t n_asked) {
  CallGroup group;
  group.path = std::move(path);
  group.n_asked = n_asked;
  for (const Json& call : message["tool_calls"]) {
    const std::size_t index = group.calls.size();
    group.calls.push_back(
        {std::string(text_of(call, "id")), std::string(text_of(call["function"], "name"))});
    const GivenCall& read = group.calls.back();
    CallQueue* same = read.id.empty() ? nullptr : &group.by_id[read.id];
    if (!same || !same->calls.empty()) group.needs_ids = true;
    (same ? *same : group.without_id).calls.push_back(index);
    group.by_name[read.name].calls.push_back(index);
    group.all.calls.push_back(index);
  }
  return group;
}

/// The first of them without a result.
std::optional<std::size_t> unanswered(const CallGroup& group, CallQueue& queue) {
  for (; queue.next < queue.calls.size(); ++queue.next) {
    const std::size_t call = queue.calls[queue.next];
    if (!group.calls[call].answered) return call;
  }
  return std::nullopt;
}

class Settler {
 public:
  Settler(CallIds ids, const std::function<std::string(std::size_t)>& path_of, RequestNotes& notes)
      : ids_(ids), path_of_(path_of), notes_(notes) {}

  Json settle(Json messages) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      Json& message = messages[i];
      if (message["role"] == "tool") {
        add_result(std::move(message), path_of_(i));
      } else {
        add_message(std::move(message), i);
      }
    }
    return written();
  }

 private:
  struct Slot {
    Json message;                      // null: it went on to a later slot
    std::optional<std::size_t> group;  // of a message with calls
    bool is_orphan = false;            // results without calls
  };

  void add_message(Json message, std::size_t index) {
    current_.reset();
    if (message["role"] != "assistant") ++n_asked_;
    Slot slot;
    const Json* calls = find_member(message, "tool_calls");
    if (calls && !calls->empty()) {
      slot.group = current_ = groups_.size();
      groups_.push_back(read_group(message, path_of_(index), n_asked_));
      const CallGroup& group = groups_.back();
      for (const auto& entry : group.by_id) latest_[entry.first] = *current_;
      places_.push_back(slots_.size());
      if (ids_ == CallIds::expected) tell_missing_ids(group);
    }
    slot.message = std::move(message);
    slots_.push_back(std::move(slot));
  }

  void tell_missing_ids(const CallGroup& group) {
    for (std::size_t i = 0; i < group.calls.size(); ++i) {
      if (group.calls[i].id.empty()) notes_.told(call_path(group, i) + ".id", kNoId);
    }
  }

  static std::string call_path(const CallGroup& group, std::size_t call) {
    return element_path(group.path + ".tool_calls", call);
  }

  void add_result(Json message, const std::string& path) {
    const std::string id(text_of(message, "tool_call_id"));
    if (id.empty() && ids_ == CallIds::expected) notes_.told(path + ".tool_call_id", kNoResultId);
    if (id.empty() && current_) return add_by_order(std::move(message), path);
    const auto known = id.empty() ? latest_.end() : latest_.find(id);
    if (known == latest_.end()) {
      return current_ ? add_stranger(std::move(message), path)
                      : add_orphan(std::move(message), path);
    }
    CallGroup& group = groups_[known->second];
    CallQueue& same = group.by_id[id];
    const auto call = unanswered(group, same);
    if (current_ == known->second) {
      if (!call) notes_.told(path, kFurther);
      return put(group, call.value_or(same.calls.back()), std::move(message), path);
    }
    if (!call || !reach(known->second)) {
      if (text_of(message, "name").empty()) message["name"] = group.calls[same.calls.back()].name;
      return add_orphan(std::move(message), path);
    }
    notes_.told(path, kMoved);
    put(groups_[known->second], *call, std::move(message), path);
  }

  void add_by_order(Json message, const std::string& path) {
    CallGroup& group = groups_[*current_];
    const auto named = group.by_name.find(std::string(text_of(message, "name")));
    auto call = named == group.by_name.end() ? std::nullopt : unanswered(group, named->second);
    if (!call) call = unanswered(group, group.all);
    if (!call) return add_stranger(std::move(message), path);
    put(group, *call, std::move(message), path);
  }

  /// A result with an id of its own, behind calls: the first without an id is meant.
  void add_stranger(Json message, const std::string& path) {
    CallGroup& group = groups_[*current_];
    if (const auto call = unanswered(group, group.without_id)) {
      return put(group, *call, std::move(message), path);
    }
    notes_.told(path, kStranger);
    name_it(message);
    group.results.push_back({group.calls.size(), std::move(message)});
  }

  /// Makes an earlier message with calls one that results may follow. Within its turn it goes
  /// behind what the assistant said meanwhile. False where what comes back to the assistant last
  /// would then stand before a text of his.
  bool reach(std::size_t index) {
    Slot& slot = slots_[places_[index]];
    if (groups_[index].n_asked == n_asked_ && groups_[index].results.empty()) {
      Slot moved = std::exchange(slot, Slot());
      places_[index] = slots_.size();
      slots_.push_back(std::move(moved));
      current_ = index;
      return true;
    }
    const Slot& last = slots_.back();
    return last.group || last.is_orphan || last.message["role"] != "assistant";
  }

  void put(CallGroup& group, std::size_t call, Json message, const std::string& path) {
    group.calls[call].answered = true;
    if (!group.results.empty() && call < group.results.back().call) {
      if (group.is_ordered) notes_.told(path, kReordered);
      group.is_ordered = false;
    }
    group.results.push_back({call, std::move(message)});
  }

  static void name_it(Json& message) {
    if (!text_of(message, "name").empty()) return;
    const std::string_view id = text_of(message, "tool_call_id");
    message["name"] = id.empty() ? "unknown" : id;
  }

  void add_orphan(Json message, const std::string& path) {
    notes_.told(path, kNoCall);
    name_it(message);
    current_.reset();
    if (slots_.empty() || !slots_.back().is_orphan) {
      slots_.push_back({.message = {{"role", "assistant"}, {"tool_responses", Json::array()}},
                        .group = std::nullopt,
                        .is_orphan = true});
    }
    Json text;
    Json media = Json::array();
    const Json& content = message["content"];
    if (content.is_array()) {
      std::string joined;
      for (const Json& part : content) {
        joined += text_of(part, "text");
        if (part["type"] != "text") media.push_back(part);
      }
      text = std::move(joined);
    } else {
      text = content;
    }
    Json& response = slots_.back().message["tool_responses"].emplace_back(
        Json{{"name", message["name"]}, {"response", std::move(text)}});
    if (!media.empty()) response["media"] = std::move(media);
  }

  Json written() {
    Json messages = Json::array();
    for (Slot& slot : slots_) {
      if (slot.message.is_null()) continue;
      messages.push_back(std::move(slot.message));
      if (slot.group) write_group(groups_[*slot.group], messages);
    }
    return messages;
  }

  void write_group(CallGroup& group, Json& messages) {
    Json& calls = messages.back()["tool_calls"];
    for (std::size_t i = 0; i < calls.size(); ++i) {
      // The template looks calls up by their ids. Numbers are nobody else's.
      if (group.needs_ids) calls[i]["id"] = i;
      if (!group.calls[i].answered) notes_.told(call_path(group, i), kUnanswered);
    }
    if (!group.is_ordered) {
      std::ranges::stable_sort(group.results, {}, &CallGroup::Result::call);
    }
    for (CallGroup::Result& result : group.results) {
      if (group.needs_ids) {
        result.message["tool_call_id"] = result.call;
      } else if (result.call < group.calls.size()) {
        result.message["tool_call_id"] = group.calls[result.call].id;
      }
      messages.push_back(std::move(result.message));
    }
  }

  const CallIds ids_;
  const std::function<std::string(std::size_t)>& path_of_;
  RequestNotes& notes_;
  std::vector<Slot> slots_;
  std::vector<CallGroup> groups_;
  std::vector<std::size_t> places_;                      // of groups, in slots_
  std::unordered_map<std::string, std::size_t> latest_;  // group with a call of this id
  std::optional<std::size_t> current_;                   // the group that results follow now
  std::size_t n_asked_ = 0;
};

}  // namespace

void settle_tool_messages(Json& messages, CallIds ids,
                          const std::function<std::string(std::size_t)>& path_of,
                          RequestNotes& notes) {
  messages = Settler(ids, path_of, notes).settle(std::move(messages));
}

}  // namespace pleiad::api
