#pragma once

// The names of CLI11 that headers mention. What adds flags includes the library itself, which
// takes the compiler six seconds.
namespace CLI {
class App;
class Option;
}  // namespace CLI
