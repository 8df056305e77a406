#include <algorithm>

#include "server_bench/report.h"

namespace pleiad::server_bench {

std::string name(Figure figure) {
  switch (figure) {
    case Figure::generation:
      return "generation";
    case Figure::client_generation:
      return "client_generation";
    case Figure::prefill:
      return "prefill";
    case Figure::client_prefill:
      return "client_prefill";
    case Figure::first_token:
      return "first_token";
    case Figure::total:
      break;
  }
  return "total";
}

std::string name(LengthControl control) {
  switch (control) {
    case LengthControl::forced:
      return "forced";
    case LengthControl::requested:
      return "asked for";
    case LengthControl::none:
      break;
  }
  return "not forced";
}

std::vector<std::string> codes(const Row& row) {
  std::vector<std::string> codes;
  const auto add = [&](const std::vector<Mark>& marks) {
    for (const Mark& mark : marks) {
      if (std::find(codes.begin(), codes.end(), mark.code) == codes.end())
        codes.push_back(mark.code);
    }
  };
  add(row.marks);
  for (const Run& run : row.runs) add(run.marks);
  return codes;
}

}  // namespace pleiad::server_bench
