#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "serving/answers/answer_writer.h"

namespace pleiad::serving {

/// The calls of one reply whose form leaves out some of what their tools' schemas ask: each that is
/// complete is checked against the whole schema. One whose arguments are not valid is held back, so
/// that the engine may have it written again (see Passage), unless pieces of it were told or its
/// tool is held to no schema at all, or nothing is valid under it. Where no other try is valid it
/// is told, with a warning.
class CheckedCalls {
 public:
  /// `request` outlives it. `left_out`: what the form leaves out, as it is told.
  CheckedCalls(const AnswerRequest& request, std::vector<std::string> left_out)
      : request_(request), left_out_(std::move(left_out)) {}

  /// Behind each token, which brought the deltas: takes those away that are held back.
  void read(const AnswerWriter& writer, std::vector<AnswerDelta>& deltas);
  /// Of those that the reply's end brought.
  void check(const std::vector<AnswerDelta>& deltas);
  /// Of the last token. Calls begin passages where they can be written again.
  Passage passage() const { return passage_; }

  /// As they are behind the token that opened the call.
  void write_again(std::optional<AnswerWriter>& writer);
  /// As they were behind the first call that is held back; gives what is to be told of it.
  std::vector<AnswerDelta> take_first(std::optional<AnswerWriter>& writer);

  /// Of the whole reply, at its end.
  std::vector<std::string> warnings(const EngineResult& result) const;

 private:
  struct First {
    AnswerWriter writer;
    std::vector<AnswerDelta> deltas;
    std::vector<std::string> warnings;
  };
  /// What is told of the calls among the deltas.
  struct Found {
    bool any_call = false;
    bool any_broken = false;
    bool may_be_helped = true;  // by another try
    std::vector<std::string> problems;
  };
  Found look_at(const std::vector<AnswerDelta>& deltas) const;

  const AnswerRequest& request_;
  std::vector<std::string> left_out_;
  bool in_call_ = false;
  Passage passage_ = Passage::none;
  std::optional<AnswerWriter> begun_;  // behind the token that opened the call
  std::optional<First> first_;         // of the calls that are held back
  int n_again_ = 0;
  std::vector<std::string> warnings_;
};

}  // namespace pleiad::serving
