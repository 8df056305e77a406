#pragma once

#include "base/json.h"

// A form that is given up on the way: behind two brackets a reply may be at too many places.
namespace pleiad::constrain {

/// n arrays of n arrays, each with a value of its own.
inline Json arrays_that_begin_alike(int n) {
  Json outer = Json::array();
  for (int i = 0; i < n; ++i) {
    Json inner = Json::array();
    for (int j = 0; j < n; ++j) {
      inner.push_back({{"type", "array"}, {"items", {{"const", i * n + j}}}});
    }
    outer.push_back({{"type", "array"}, {"items", {{"anyOf", inner}}}});
  }
  return {{"anyOf", outer}};
}

}  // namespace pleiad::constrain
