#include "server_bench/marks.h"

#include <utility>

#include "server_bench/mark_rules.h"

namespace pleiad::server_bench {

void add_mark(std::vector<Mark>& marks, std::string code, std::string text,
              std::vector<Figure> spoils) {
  marks.push_back({std::move(code), std::move(text), std::move(spoils)});
}

void mark(Row& row, const Expectation& expected) {
  mark_prompts(row, expected);
  mark_surroundings(row, expected);
  mark_answers(row);
  mark_clocks(row);  // behind the others, which explain differences
  mark_company(row);
}

}  // namespace pleiad::server_bench
