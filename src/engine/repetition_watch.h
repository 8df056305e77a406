#pragma once

#include <optional>

#include "sampling/repetition_guard.h"
#include "text/vocabulary.h"

namespace pleiad {

/// A RepetitionGuard that knows what the tokens of a vocabulary, which outlives it, say.
class RepetitionWatch {
 public:
  explicit RepetitionWatch(const text::Vocabulary& vocabulary) : vocabulary_(&vocabulary) {}

  /// False once the text repeats itself.
  bool push(text::TokenId token);
  const std::optional<sampling::Repetition>& found() const { return guard_.found(); }
  void reset() { guard_.reset(); }
  void set_patient(bool patient) { guard_.set_patient(patient); }

 private:
  const text::Vocabulary* vocabulary_;
  sampling::RepetitionGuard guard_;
};

/// What a token says: control tokens say nothing, and count as marks.
sampling::RepetitionGuard::Kind kind_for_repetition(const text::Vocabulary& vocabulary,
                                                    text::TokenId token);

}  // namespace pleiad
