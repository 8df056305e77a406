// What fake servers do to their honest answers: each behaviour with the mark that it must get.

#include <algorithm>
#include <cmath>

#include "server_bench/testing/fake_server.h"

namespace pleiad::server_bench::testing {
namespace {

double token_seconds(const Draft& draft) {
  return draft.generation_seconds / static_cast<double>(draft.generated_tokens);
}

/// Parts from the first on come at these seconds, as good as at once.
void burst(Draft& draft, std::size_t from, std::size_t to, double at) {
  for (std::size_t i = from; i < to; ++i) {
    draft.parts[i].seconds = at + 2e-5 * static_cast<double>(i - from);
  }
}

void all_at_once(Draft& draft) { burst(draft, 0, draft.parts.size(), draft.end()); }

/// The first tokens, so many of a hundred, are made and not shown; the counts have them.
void hide(Draft& draft, int percent) {
  const auto n = draft.parts.size() * static_cast<std::size_t>(percent) / 100;
  draft.parts.erase(draft.parts.begin(), draft.parts.begin() + static_cast<std::ptrdiff_t>(n));
}

/// What is told of generation covers the time in which text came, and no more.
void tell_time_of_text(Draft& draft) {
  draft.generation_seconds = draft.end() - draft.parts.front().seconds;
}

void in_letters(Draft& draft) {
  std::vector<Draft::Part> letters;
  for (const Draft::Part& part : draft.parts) {
    const auto n = static_cast<double>(part.text.size());
    for (std::size_t i = 0; i < part.text.size(); ++i) {
      letters.push_back({part.seconds + 1e-3 * static_cast<double>(i) / n, part.text.substr(i, 1)});
    }
  }
  draft.parts = std::move(letters);
}

void keep(Draft& draft, std::size_t n) {
  if (draft.parts.size() > n) draft.parts.resize(n);
}

void slow_down(Draft& draft, double factor) {
  for (Draft::Part& part : draft.parts) {
    part.seconds = draft.first + (part.seconds - draft.first) * factor;
  }
  draft.generation_seconds *= factor;
}

/// Part by part in groups of these sizes, each when its last one is there.
void put_together(Draft& draft, const std::vector<std::size_t>& sizes, bool one_piece) {
  std::vector<Draft::Part> parts;
  std::size_t nth = 0;
  for (std::size_t at = 0; at < draft.parts.size(); ++nth) {
    const std::size_t n = std::min(sizes[nth % sizes.size()], draft.parts.size() - at);
    const double seconds = draft.parts[at + n - 1].seconds;
    if (one_piece) parts.push_back({seconds, ""});
    for (std::size_t i = at; i < at + n; ++i) {
      if (!one_piece) parts.push_back({seconds, ""});
      parts.back().text += draft.parts[i].text;
    }
    at += n;
  }
  draft.parts = std::move(parts);
}

bool is_run(const Asked& asked, int nth) {
  return asked.is_long() && asked.company == 0 && asked.nth == nth;
}

/// Behaviours of long answers; probes are honest.
std::function<void(const Asked&, Draft&)> when_long(std::function<void(Draft&)> bend) {
  return [bend = std::move(bend)](const Asked& asked, Draft& draft) {
    if (asked.is_long()) bend(draft);
  };
}

std::function<void(const Asked&, Draft&)> in_company(std::function<void(Draft&)> bend) {
  return [bend = std::move(bend)](const Asked& asked, Draft& draft) {
    if (asked.company > 0) bend(draft);
  };
}

void add_bursts(std::vector<Behaviour>& all) {
  const auto burst_told_as_prompt = [](Draft& draft) {
    all_at_once(draft);
    draft.prompt_seconds = draft.parts.front().seconds;
    draft.generation_seconds = draft.end() - draft.parts.front().seconds;
  };
  all.push_back({"everything in one burst, told as a slow prompt",
                 when_long(burst_told_as_prompt),
                 {},
                 "buffered"});
  all.push_back({"the same, and single tokens are as slow",
                 [=](const Asked& asked, Draft& draft) {
                   if (asked.is_long()) {
                     burst_told_as_prompt(draft);
                   } else {
                     draft.delay(1.3);
                     draft.prompt_seconds += 1.3;
                   }
                 },
                 {},
                 "implausible"});
  all.push_back({"two bursts",
                 when_long([](Draft& draft) {
                   const std::size_t half = draft.parts.size() / 2;
                   const double middle = draft.parts[half].seconds;
                   burst(draft, half, draft.parts.size(), draft.end());
                   burst(draft, 0, half, middle);
                   draft.prompt_seconds = middle;
                   tell_time_of_text(draft);
                 }),
                 {},
                 "buffered"});
  all.push_back({"three bursts, told as generation alone",
                 when_long([](Draft& draft) {
                   const std::size_t third = draft.parts.size() / 3;
                   const double last = draft.end();
                   for (std::size_t i = 0; i < 3; ++i) {
                     const std::size_t end = i == 2 ? draft.parts.size() : (i + 1) * third;
                     burst(draft, i * third, end, i == 2 ? last : draft.parts[end].seconds);
                   }
                   tell_time_of_text(draft);
                 }),
                 {},
                 "buffered"});
  all.push_back({"one piece at the end, half its time told",
                 when_long([](Draft& draft) {
                   put_together(draft, {draft.parts.size()}, true);
                   draft.generation_seconds /= 2;
                 }),
                 {},
                 "buffered"});
  all.push_back({"a blank at once, the answer when it is made",
                 [](const Asked&, Draft& draft) {
                   draft.parts.insert(draft.parts.begin(), {0.001, " "});
                 },
                 {0.02},
                 "early_piece"});
}

void add_hidden(std::vector<Behaviour>& all) {
  for (const int percent : {50, 67}) {
    all.push_back({percent == 50 ? "hides half of its tokens" : "hides two thirds of its tokens",
                   when_long([=](Draft& draft) {
                     hide(draft, percent);
                     tell_time_of_text(draft);
                   }),
                   {},
                   "hidden_tokens"});
  }
  all.push_back({"hides half, told as time of the prompt",
                 when_long([](Draft& draft) {
                   hide(draft, 50);
                   tell_time_of_text(draft);
                   draft.prompt_seconds = draft.parts.front().seconds;
                 }),
                 {},
                 "hidden_tokens"});
  all.push_back({"hides half, sends the rest in letters",
                 when_long([](Draft& draft) {
                   hide(draft, 50);
                   tell_time_of_text(draft);
                   in_letters(draft);
                 }),
                 {},
                 "hidden_tokens"});
  all.push_back({"hides half, tells no time of it, and will not count its text",
                 [](const Asked& asked, Draft& draft) {
                   if (asked.is_long()) {
                     hide(draft, 50);
                     tell_time_of_text(draft);
                   } else if (asked.prompt.find('\n') == 1 && count_words(asked.prompt) > 20) {
                     draft.status = 400;
                   }
                 },
                 {},
                 "not_recounted"});
  all.push_back({"ends at half and counts all",
                 when_long([](Draft& draft) {
                   keep(draft, draft.parts.size() / 2);
                   tell_time_of_text(draft);
                 }),
                 {},
                 "hidden_tokens"});
  all.push_back({"empty answers that count tokens",
                 when_long([](Draft& draft) {
                   draft.parts.clear();
                   draft.generation_seconds = 1e-4;
                 }),
                 {},
                 "empty"});
  all.push_back({"thinks and shows it, though thinking is off",
                 when_long([](Draft& draft) {
                   for (std::size_t i = 0; i < draft.parts.size() / 2; ++i) {
                     draft.parts[i].thought = true;
                   }
                 }),
                 {},
                 "thinking"});
  Behaviour counting = {"thinks, hides it, and counts it",
                        when_long([](Draft& draft) {
                          draft.thinking_tokens = draft.generated_tokens / 2;
                          hide(draft, 50);
                          tell_time_of_text(draft);
                        }),
                        {},
                        "thinking"};
  counting.not_ollama = true;  // which has no such field
  all.push_back(counting);
}

void add_counts(std::vector<Behaviour>& all) {
  all.push_back({"counts generated tokens ten times",
                 when_long([](Draft& draft) { draft.generated_tokens *= 10; }),
                 {},
                 "hidden_tokens"});
  for (const int times : {2, 10}) {
    all.push_back({times == 2 ? "counts everything twice" : "counts everything ten times",
                   [=](const Asked&, Draft& draft) {
                     draft.generated_tokens *= times;
                     draft.prompt_tokens *= times;
                   },
                   {},
                   "prompt_counts"});
  }
  all.push_back({"counts prompts twice before long answers",
                 when_long([](Draft& draft) { draft.prompt_tokens *= 2; }),
                 {},
                 "prompt_length"});
  all.push_back({"ends after three tokens",
                 when_long([](Draft& draft) {
                   keep(draft, 3);
                   draft.generated_tokens = 3;
                   draft.generation_seconds = 0.03;
                   draft.reason = "stop";
                 }),
                 {},
                 "early_stop"});
  all.push_back({"goes on to twice the length",
                 when_long([](Draft& draft) {
                   const std::vector<Draft::Part> parts = draft.parts;
                   const double more = draft.end() - draft.first + token_seconds(draft);
                   for (const Draft::Part& part : parts) {
                     draft.parts.push_back({part.seconds + more, part.text});
                   }
                   draft.generated_tokens *= 2;
                   draft.generation_seconds *= 2;
                 }),
                 {},
                 "too_long"});
}

void add_durations(std::vector<Behaviour>& all) {
  const auto add = [&](std::string name, std::function<void(const Asked&, Draft&)> bend,
                       std::string mark) {
    Behaviour behaviour = {std::move(name), std::move(bend), {}, std::move(mark)};
    behaviour.needs_durations = true;
    all.push_back(std::move(behaviour));
  };
  add(
      "tells a tenth of the prompt's time",
      [](const Asked&, Draft& draft) { draft.prompt_seconds /= 10; }, "waited");
  add("tells a tenth of the prompt's time before long answers",
      when_long([](Draft& draft) { draft.prompt_seconds /= 10; }), "prompt_time");
  add(
      "tells three times the prompt's time",
      [](const Asked&, Draft& draft) { draft.prompt_seconds *= 3; }, "clocks_differ");
  add("tells half the time of generation",
      when_long([](Draft& draft) { draft.generation_seconds /= 2; }), "clocks_differ");
  add(
      "tells half of all times",
      [](const Asked&, Draft& draft) {
        draft.generation_seconds /= 2;
        draft.prompt_seconds /= 2;
      },
      "clocks_differ");
  add(
      "tells a nanosecond of generation",
      [](const Asked&, Draft& draft) { draft.generation_seconds = 1e-9; }, "clocks_differ");
}

void add_prompts(std::vector<Behaviour>& all) {
  Behaviour told = {"long answers' prompts come from its cache, and it says so",
                    when_long([](Draft& draft) {
                      draft.cached_tokens = draft.prompt_tokens - 2;
                      draft.delay(0.004 - draft.prompt_seconds);
                      draft.prompt_seconds = 0.004;
                    }),
                    {},
                    "cache_hit"};
  told.cache = true;
  // Ollama's own answers have no such field; ours have.
  all.push_back(told);
  Behaviour silent = {"the same, and it says nothing",
                      [](const Asked& asked, Draft& draft) {
                        if (!asked.is_long() && !asked.repeated) return;
                        draft.delay(0.004 - draft.prompt_seconds);
                        draft.prompt_seconds = 0.004;
                      },
                      {},
                      "silent_cache"};
  all.push_back(silent);
}

void add_disturbances(std::vector<Behaviour>& all) {
  all.push_back({"another model answers",
                 [](const Asked&, Draft& draft) { draft.model = "b"; },
                 {},
                 "other_model"});
  all.push_back({"another model answers once",
                 [](const Asked& asked, Draft& draft) {
                   if (is_run(asked, 1)) draft.model = "b";
                 },
                 {},
                 "other_model"});
  all.push_back({"loads again before a run, told as time of the prompt",
                 [](const Asked& asked, Draft& draft) {
                   if (!is_run(asked, 1)) return;
                   draft.delay(2);
                   draft.prompt_seconds += 2;
                 },
                 {},
                 "late_start"});
  Behaviour told = {"loads again before a run, and says so",
                    [](const Asked& asked, Draft& draft) {
                      if (!is_run(asked, 1)) return;
                      draft.delay(2);
                      draft.load_seconds = 2;
                    },
                    {},
                    "reload"};
  told.ollama_only = true;
  all.push_back(told);
  all.push_back({"one run is three times slower",
                 [](const Asked& asked, Draft& draft) {
                   if (is_run(asked, 1)) slow_down(draft, 3);
                 },
                 {},
                 "uneven"});
  Behaviour queue = {"a second in a queue before every answer, not told",
                     [](const Asked&, Draft& draft) { draft.delay(1); },
                     {},
                     "waited"};
  queue.needs_durations = true;
  all.push_back(queue);
  const auto in_memory = [&](std::string name, std::string mark,
                             std::vector<std::pair<std::string, std::int64_t>> running) {
    Behaviour behaviour = {std::move(name), {}, {}, std::move(mark)};
    behaviour.ollama_only = true;
    behaviour.running = std::move(running);
    all.push_back(std::move(behaviour));
  };
  in_memory("has another model in memory", "other_models",
            {{"a:latest", 4096}, {"guest:latest", 4096}});
}

void add_company(std::vector<Behaviour>& all) {
  const auto add = [&](std::string name, std::function<void(const Asked&, Draft&)> bend,
                       std::string mark, bool needs_durations = false) {
    Behaviour behaviour = {std::move(name), std::move(bend), {}, std::move(mark)};
    behaviour.lies_in_company = true;
    behaviour.needs_durations = needs_durations;
    all.push_back(std::move(behaviour));
  };
  add("parallel answers show half and count all", in_company([](Draft& draft) {
        keep(draft, draft.parts.size() / 2);
        tell_time_of_text(draft);
      }),
      "hidden_tokens");
  add("parallel answers are empty and count all", in_company([](Draft& draft) {
        draft.parts.clear();
        draft.generation_seconds = 1e-4;
      }),
      "empty");
  add("parallel answers count ten times",
      in_company([](Draft& draft) { draft.generated_tokens *= 10; }), "hidden_tokens");
  add("parallel answers come in a burst, told as a slow prompt", in_company([](Draft& draft) {
        all_at_once(draft);
        draft.prompt_seconds = draft.parts.front().seconds;
        tell_time_of_text(draft);
      }),
      "buffered");
  add("parallel answers tell half their times", in_company([](Draft& draft) {
        draft.generation_seconds /= 2;
        draft.prompt_seconds /= 3;
      }),
      "clocks_differ", true);
  add(
      "parallel requests run one after another",
      [](const Asked& asked, Draft& draft) {
        if (asked.company > 0) draft.delay(2.0 * (asked.company - 1));
      },
      "one_by_one");
}

void add_honest(std::vector<Behaviour>& all) {
  const auto add = [&](std::string name, Speed speed,
                       std::function<void(const Asked&, Draft&)> bend = {}, bool cache = false) {
    Behaviour behaviour = {"honest: " + std::move(name), std::move(bend), speed};
    behaviour.cache = cache;
    all.push_back(std::move(behaviour));
  };
  add("as they come", {});
  add("fast", {5e-5, 6e-4, 5e-4});
  add("slow", {0.05, 0.4, 0.001});
  add("jittery pieces", {}, [](const Asked& asked, Draft& draft) {
    std::uint64_t state = std::hash<std::string>()(asked.prompt);
    for (std::size_t i = 1; i < draft.parts.size(); ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const double late = static_cast<double>(state >> 40) / static_cast<double>(1U << 24);
      draft.parts[i].seconds =
          std::max(draft.parts[i - 1].seconds, draft.parts[i].seconds + 0.03 * late);
    }
  });
  add("pieces of several tokens", {}, [](const Asked&, Draft& draft) {
    put_together(draft, {3, 1, 4, 2}, true);
  });
  add("a cache that is told", {}, {}, true);
  add("a proxy that holds back a little", {},
      [](const Asked&, Draft& draft) { put_together(draft, {6}, false); });
  add("far away", {0.002, 0.01, 0.15});
  add("far away, fast", {1e-4, 1e-3, 0.3});
  add("a speculative decoder", {}, [](const Asked&, Draft& draft) {
    const std::vector<double> at = [&] {
      std::vector<double> seconds;
      for (const Draft::Part& part : draft.parts) seconds.push_back(part.seconds);
      return seconds;
    }();
    const std::size_t sizes[] = {1, 4, 2, 5, 3};
    std::size_t begin = 0;
    for (std::size_t nth = 0; begin < at.size(); ++nth) {
      const std::size_t end = std::min(at.size(), begin + sizes[nth % 5]);
      for (std::size_t i = begin; i < end; ++i) draft.parts[i].seconds = at[end - 1];
      begin = end;
    }
  });
  add("runs differ by a sixth", {}, [](const Asked& asked, Draft& draft) {
    if (is_run(asked, 1)) slow_down(draft, 1.17);
  });
}

}  // namespace

const std::vector<Behaviour>& behaviours() {
  static const std::vector<Behaviour> all = [] {
    std::vector<Behaviour> list;
    add_bursts(list);
    add_hidden(list);
    add_counts(list);
    add_durations(list);
    add_prompts(list);
    add_disturbances(list);
    add_company(list);
    add_honest(list);
    return list;
  }();
  return all;
}

}  // namespace pleiad::server_bench::testing
