#pragma once

#include "base/result.h"

namespace pleiad::constrain::grammars {

/// A grammar that is refused for what it would cost.
inline Failure too_costly() {
  return Failure{
      "the grammar is too large: its rules and repetitions take more states than are made for "
      "one request; make it smaller, or repeat less often"};
}

}  // namespace pleiad::constrain::grammars
