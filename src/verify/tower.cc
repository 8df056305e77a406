#include "verify/tower.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "base/text_format.h"
#include "model/gemma4/vision/tensor_table.h"
#include "tensor/decode.h"

namespace pleiad::verify {
namespace {

namespace fs = std::filesystem;

std::vector<float> decoded(const HostTensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(element_count(tensor.shape)));
  for (std::int64_t row = 0; row < tensor.rows(); ++row) {
    decode_row(tensor, row, values.data() + row * tensor.cols());
  }
  return values;
}

/// Each soft token's value is multiplied by its own: a zero wipes it out.
void judge_factors(const Checkpoint& checkpoint, std::vector<Finding>& findings) {
  const std::string name = "vision.std_scale";
  const HostTensor* tensor = checkpoint.find_vision(name);
  if (tensor == nullptr) return;
  Count zero;
  const std::vector<float> values = decoded(*tensor);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) zero.note({0, static_cast<std::int64_t>(i)});
  }
  if (zero.n == 0 || zero.n == values.size()) return;  // all: said of the tensor already
  findings.push_back({Severity::wrong, Kind::bad_scale, tensor->name, name, zero.n, zero.first,
                      fmt::format("{} of {} factors are zero", format_count(zero.n),
                                  format_count(values.size()))});
}

void judge_bounds(const Checkpoint& checkpoint, std::vector<Finding>& findings) {
  for (int layer = 0; layer < checkpoint.vision()->n_layers; ++layer) {
    for (const std::string_view linear : gemma4::kClippedLinears) {
      for (const char* side : {"input", "output"}) {
        const std::string name = fmt::format("vision.layers.{}.{}.{}", layer, linear, side);
        const HostTensor* low = checkpoint.find_vision(name + "_min");
        const HostTensor* high = checkpoint.find_vision(name + "_max");
        if (low == nullptr || high == nullptr || decoded(*low) != decoded(*high)) continue;
        findings.push_back(
            {Severity::wrong,
             Kind::constant,
             low->name,
             name + "_min",
             1,
             {},
             fmt::format("both clip bounds are {}: every value becomes it", decoded(*low)[0])});
      }
    }
  }
}

/// A GGUF file with "mmproj" in its name lies beside a model that is one file.
bool has_projector_beside(const Checkpoint& checkpoint) {
  if (checkpoint.gguf() == nullptr) return false;
  const fs::path folder =
      checkpoint.path().has_parent_path() ? checkpoint.path().parent_path() : fs::path(".");
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".gguf") && name.find("mmproj") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

void judge_tower(const Checkpoint& checkpoint, std::vector<Finding>& findings) {
  if (checkpoint.vision() != nullptr) {
    judge_factors(checkpoint, findings);
    judge_bounds(checkpoint, findings);
    return;
  }
  if (checkpoint.unused().vision == 0 && !has_projector_beside(checkpoint)) return;
  findings.push_back({Severity::suspicious,
                      Kind::not_checked,
                      "",
                      "",
                      1,
                      {},
                      "it " + checkpoint.vision_problem()});
}

}  // namespace pleiad::verify
