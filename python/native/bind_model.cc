#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "api/common/request_error.h"
#include "arrays.h"
#include "base/file_changed_error.h"
#include "bind.h"
#include "calls.h"
#include "errors.h"
#include "local_model.h"
#include "sampling/softmax.h"
#include "wait.h"

namespace pleiad::python {

namespace nb = nanobind;

namespace {

nb::object part_tuple(const std::optional<AnswerPart>& part) {
  if (!part) return nb::none();
  return nb::make_tuple(part->kind, part->text, part->details);
}

std::unique_ptr<LocalModel> load(const std::string& model, const std::string& projector,
                                 int threads, std::int64_t context_length,
                                 const std::string& kv_type,
                                 const std::optional<std::string>& activations,
                                 const std::optional<std::string>& online, int parallel,
                                 std::uint64_t kv_bytes, const std::string& package,
                                 const std::vector<std::string>& helper,
                                 const OnLoading& on_loading) {
  LoadSettings settings;
  settings.model = model;
  settings.projector = projector;
  settings.threads = threads;
  settings.context_length = context_length;
  settings.kv_type = kv_type;
  settings.activations = activations;
  settings.online = online;
  settings.parallel = parallel;
  settings.kv_bytes = kv_bytes;
  settings.package = package;
  settings.helper = helper;
  return std::make_unique<LocalModel>(settings, on_loading);
}

Matrix embed(LocalModel& model, std::vector<std::string> texts, std::optional<int> dimensions,
             bool truncate) {
  const serving::EmbedResult result = model.embed(std::move(texts), dimensions, truncate);
  const std::size_t rows = result.embeddings.size();
  const std::size_t cols = rows == 0 ? 0 : result.embeddings.front().size();
  ArrayMemory<float> memory(rows * cols);
  for (std::size_t row = 0; row < rows; ++row) {
    std::ranges::copy(result.embeddings[row], memory.data() + row * cols);
  }
  return std::move(memory).matrix(rows, cols);
}

/// Its file was changed, and loaded anew, since its facts were asked for.
FileChangedError another_vocabulary() {
  return FileChangedError("the model was loaded anew meanwhile, with another vocabulary");
}

Matrix logits(LocalModel& model, const std::vector<std::int32_t>& tokens, bool last_only) {
  const std::size_t rows = last_only ? std::min<std::size_t>(1, tokens.size()) : tokens.size();
  const auto cols = static_cast<std::size_t>(model.facts().vocab_size);
  ArrayMemory<float> memory(rows * cols);
  SignalWatch signals;
  std::size_t done = 0;
  const auto take = [&](std::span<const float> values) {
    if (values.size() > rows * cols - done) throw another_vocabulary();
    std::memcpy(memory.data() + done, values.data(), values.size_bytes());
    done += values.size();
  };
  model.compute_logits(tokens, last_only, take, [&] { signals.look(); });
  if (done < rows * cols) throw another_vocabulary();
  return std::move(memory).matrix(rows, cols);
}

/// How likely each token but the first is behind those before it, and whether it is the likeliest.
nb::tuple score(LocalModel& model, const std::vector<std::int32_t>& tokens) {
  const std::size_t n = tokens.empty() ? 0 : tokens.size() - 1;
  const auto cols = static_cast<std::size_t>(model.facts().vocab_size);
  ArrayMemory<double> logprobs(n);
  ArrayMemory<bool> likeliest(n);
  SignalWatch signals;
  std::size_t at = 0;
  const auto take = [&](std::span<const float> values) {
    if (values.size() % cols != 0 || values.size() / cols > n + 1 - at) throw another_vocabulary();
    for (; !values.empty(); values = values.subspan(cols), ++at) {
      if (at == n) continue;  // nothing follows the last one
      const auto row = values.first(cols);
      const auto next = static_cast<std::size_t>(tokens[at + 1]);
      logprobs.data()[at] = static_cast<double>(row[next]) - sampling::log_sum_exp(row);
      likeliest.data()[at] = row[next] == sampling::max_value(row);
    }
  };
  model.compute_logits(tokens, false, take, [&] { signals.look(); });
  return nb::make_tuple(std::move(logprobs).vector(n), std::move(likeliest).vector(n));
}

/// How likely each candidate is to come next, and whether it is the likeliest of all tokens.
nb::tuple score_next(LocalModel& model, const std::vector<std::int32_t>& tokens,
                     const std::vector<std::int32_t>& candidates) {
  const auto cols = static_cast<std::size_t>(model.facts().vocab_size);
  for (const std::int32_t candidate : candidates) {
    if (std::cmp_greater_equal(candidate, 0) && std::cmp_less(candidate, cols)) continue;
    throw api::RequestError(
        "candidates", fmt::format("there is no token {}: expected 0 to {}", candidate, cols - 1));
  }
  ArrayMemory<double> logprobs(candidates.size());
  ArrayMemory<bool> likeliest(candidates.size());
  SignalWatch signals;
  bool is_done = false;
  const auto take = [&](std::span<const float> row) {
    if (row.size() != cols) throw another_vocabulary();
    is_done = true;
    const double total = sampling::log_sum_exp(row);
    const float most = sampling::max_value(row);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const float value = row[static_cast<std::size_t>(candidates[i])];
      logprobs.data()[i] = static_cast<double>(value) - total;
      likeliest.data()[i] = value == most;
    }
  };
  model.compute_logits(tokens, true, take, [&] { signals.look(); });
  if (!is_done) throw another_vocabulary();
  return nb::make_tuple(std::move(logprobs).vector(candidates.size()),
                        std::move(likeliest).vector(candidates.size()));
}

nb::dict facts_dict(LocalModel& model) {
  const LocalModel::Facts facts = model.facts();
  nb::dict dict;
  dict["name"] = facts.name;
  dict["path"] = facts.path;
  dict["context_length"] = facts.context_length;
  dict["vocab_size"] = facts.vocab_size;
  dict["embedding_length"] = facts.embedding_length;
  dict["memory_bytes"] = facts.memory_bytes;
  dict["sees"] = facts.sees;
  dict["hears"] = facts.hears;
  dict["backend"] = facts.description;
  return dict;
}

nb::dict stats_dict(LocalModel& model) {
  const EngineStats stats = model.stats();
  nb::dict dict;
  dict["running"] = stats.running;
  dict["waiting"] = stats.waiting;
  dict["kv_bytes_limit"] = stats.kv_bytes_limit;
  dict["kv_bytes_running"] = stats.kv_bytes_running;
  dict["kv_bytes_cached"] = stats.kv_bytes_cached;
  dict["tokens_evaluated"] = stats.tokens_evaluated;
  dict["tokens_cached"] = stats.tokens_cached;
  dict["tokens_generated"] = stats.tokens_generated;
  dict["steps"] = stats.steps;
  return dict;
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Answer>(module, "Answer", "An answer under way; pleiad.Stream is made of it.")
      .def(
          "next", [](Answer& answer) { return part_tuple(answer.queue().next()); },
          nb::call_guard<Call>(),
          "(kind, text, details) of the next part, or None at the end. Waits.")
      .def(
          "next_at_once",
          [](Answer& answer) {
            bool waits = false;
            nb::object part = part_tuple(answer.queue().next_at_once(waits));
            return nb::make_tuple(waits, part);
          },
          nb::call_guard<Call>(),
          "(True, None) where nothing is there yet, else (False, what next() gives).")
      .def(
          "descriptor", [](Answer& answer) { return answer.queue().descriptor(); },
          "A file descriptor that is readable while something is there to be taken.")
      .def(
          "result", [](Answer& answer) { return answer.queue().result(); },
          "How it ended, as JSON; empty before the end.")
      .def("cancel", &Answer::cancel, "Ends it within a token.");

  nb::class_<LocalModel>(module, "LocalModel", "A loaded model; pleiad.Model is made of it.")
      .def("chat", &LocalModel::chat, nb::arg("body"), nb::call_guard<Call>())
      .def("complete", &LocalModel::complete, nb::arg("body"), nb::call_guard<Call>())
      .def("render", &LocalModel::render, nb::arg("body"), nb::call_guard<Call>())
      .def("embed", &embed, nb::arg("texts"), nb::arg("dimensions").none(), nb::arg("truncate"),
           nb::call_guard<Call>())
      .def("logits", &logits, nb::arg("tokens"), nb::arg("last_only"), nb::call_guard<Call>())
      .def("score", &score, nb::arg("tokens"), nb::call_guard<Call>())
      .def("score_next", &score_next, nb::arg("tokens"), nb::arg("candidates"),
           nb::call_guard<Call>())
      .def("tokenize", &LocalModel::tokenize, nb::arg("text"), nb::arg("control"), nb::arg("bos"),
           nb::call_guard<Call>())
      .def("detokenize", &LocalModel::detokenize, nb::arg("tokens"), nb::arg("control"),
           nb::call_guard<Call>())
      .def("facts", &facts_dict, nb::call_guard<Call>())
      .def("stats", &stats_dict, nb::call_guard<Call>())
      .def("close", &LocalModel::close);

  module.def("load", &load, nb::kw_only(), nb::arg("model"), nb::arg("projector"),
             nb::arg("threads"), nb::arg("context_length"), nb::arg("kv_type"),
             nb::arg("activations").none(), nb::arg("online").none(), nb::arg("parallel"),
             nb::arg("kv_bytes"), nb::arg("package"), nb::arg("helper"),
             nb::arg("on_loading").none(), nb::call_guard<Call>());
}

}  // namespace pleiad::python
