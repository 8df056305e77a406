#include "convert/mix.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/check.h"
#include "base/error.h"
#include "base/text_format.h"

#include <fmt/ranges.h>

namespace pleiad::convert {
namespace {

struct FileTypeRow {
  FileType type;
  std::string_view name;
  std::optional<Container> container;
  DType matrix;  // attention, feed-forward, experts
  DType head;    // head, token embedding
  DType ple_table;
  DType projection;  // of per-layer inputs: a hundredth of the weights, and what suffers most
};

// clang-format off
constexpr std::array kFileTypes = {
    FileTypeRow{FileType::as_is, "as it is", std::nullopt, DType::bf16, DType::bf16, DType::bf16, DType::bf16},
    FileTypeRow{FileType::bf16, "bf16", Container::gguf, DType::bf16, DType::bf16, DType::bf16, DType::bf16},
    FileTypeRow{FileType::f16, "f16", Container::gguf, DType::f16, DType::f16, DType::f16, DType::f16},
    FileTypeRow{FileType::q8_0, "q8_0", Container::gguf, DType::q8_0, DType::q8_0, DType::q8_0, DType::bf16},
    FileTypeRow{FileType::q6_k, "q6_k", Container::gguf, DType::q6_k, DType::q6_k, DType::q6_k, DType::bf16},
    FileTypeRow{FileType::q5_k, "q5_k", Container::gguf, DType::q5_k, DType::q6_k, DType::q6_k, DType::bf16},
    FileTypeRow{FileType::q4_k_m, "q4_k_m", Container::gguf, DType::q4_k, DType::q6_k, DType::q6_k, DType::bf16},
    FileTypeRow{FileType::q4_k_s, "q4_k_s", Container::gguf, DType::q4_k, DType::q6_k, DType::q6_k, DType::bf16},
    FileTypeRow{FileType::q4_0, "q4_0", Container::gguf, DType::q4_0, DType::q6_k, DType::q6_k, DType::bf16},
    FileTypeRow{FileType::nvfp4, "nvfp4", Container::gguf, DType::nvfp4, DType::q6_k, DType::q6_k, DType::bf16},
    // A folder quantizes Linear modules; what is none stays as it is.
    FileTypeRow{FileType::nvfp4a16, "nvfp4a16", Container::folder, DType::nvfp4_packed, DType::bf16, DType::bf16, DType::nvfp4_packed},
    FileTypeRow{FileType::fp8, "fp8", Container::folder, DType::f8_e4m3, DType::bf16, DType::bf16, DType::f8_e4m3},
    FileTypeRow{FileType::fp8_dynamic, "fp8_dynamic", Container::folder, DType::f8_e4m3, DType::bf16, DType::bf16, DType::f8_e4m3},
};

struct ClassRow {
  TensorClass tensor_class;
  std::string_view name;
};
constexpr std::array kClasses = {
    ClassRow{TensorClass::attention, "attention"},
    ClassRow{TensorClass::ffn, "ffn"},
    ClassRow{TensorClass::experts, "experts"},
    ClassRow{TensorClass::router, "router"},
    ClassRow{TensorClass::head, "head"},
    ClassRow{TensorClass::embedding, "embedding"},
    ClassRow{TensorClass::ple_table, "ple"},
    ClassRow{TensorClass::ple_projection, "ple_proj"},
    ClassRow{TensorClass::norm, "norm"},
};
static_assert(kClasses.size() == kTensorClassCount);

/// What --keep may ask for in a GGUF file.
constexpr std::array kKeepTypes = {DType::f32,  DType::bf16, DType::f16,  DType::q8_0, DType::q6_k,
                                   DType::q5_k, DType::q5_0, DType::q4_k, DType::q4_0, DType::nvfp4};
// clang-format on

const FileTypeRow& row_of(FileType type) {
  return *std::ranges::find(kFileTypes, type, &FileTypeRow::type);
}

bool is_matrix_class(TensorClass tensor_class) {
  return tensor_class == TensorClass::attention || tensor_class == TensorClass::ffn ||
         tensor_class == TensorClass::experts;
}

/// "layers.12.ffn.down_proj" -> 12, "ffn.down_proj"; -1 and the whole outside of layers.
std::pair<int, std::string_view> split_layer(std::string_view name) {
  constexpr std::string_view prefix = "layers.";
  if (!name.starts_with(prefix)) return {-1, name};
  const std::size_t dot = name.find('.', prefix.size());
  CHECK(dot != std::string_view::npos, "{}", name);
  int layer = -1;
  std::from_chars(name.data() + prefix.size(), name.data() + dot, layer);
  return {layer, name.substr(dot + 1)};
}

/// Where the mixes of llama.cpp spend more bits: the first and the last eighth,
/// and every third of the others.
bool deserves_more(int index, int count) {
  return index < count / 8 || index >= 7 * count / 8 || (index - count / 8) % 3 == 2;
}

/// The place of a layer's values among those of all layers that own some, and how
/// many these are.
std::pair<int, int> place_of_values(const gemma4::Config& config, int layer) {
  int place = 0;
  int count = 0;
  for (int i = 0; i < config.n_layers(); ++i) {
    if (!config.layers[static_cast<std::size_t>(i)].owns_kv(i)) continue;
    if (i < layer) ++place;
    ++count;
  }
  return {place, count};
}

/// The type of a matrix of a layer: that of the file, or in the K mixes a better
/// one for values and down projections of some layers.
DType matrix_type(FileType type, const gemma4::Config& config, std::string_view name) {
  const DType usual = row_of(type).matrix;
  const auto [layer, rest] = split_layer(name);
  const bool mixes = type == FileType::q4_k_m || type == FileType::q4_k_s || type == FileType::q5_k;
  if (!mixes || layer < 0) return usual;
  const bool few = type == FileType::q4_k_s;
  const DType better = few ? DType::q5_k : DType::q6_k;
  if (rest.ends_with("down_proj")) {
    const int count = config.n_layers();
    return (few ? layer < count / 8 : deserves_more(layer, count)) ? better : usual;
  }
  // Where a layer's values are its keys, the one projection is both.
  const bool value_is_key = config.layers[static_cast<std::size_t>(layer)].value_is_key;
  if (rest != (value_is_key ? "attention.k_proj" : "attention.v_proj")) return usual;
  const auto [place, count] = place_of_values(config, layer);
  return (few ? place < 4 : deserves_more(place, count)) ? better : usual;
}

DType type_by_class(FileType type, const gemma4::Config& config, std::string_view name,
                    TensorClass tensor_class) {
  const FileTypeRow& row = row_of(type);
  switch (tensor_class) {
    case TensorClass::attention:
    case TensorClass::ffn:
    case TensorClass::experts:
      return matrix_type(type, config, name);
    case TensorClass::head:
    case TensorClass::embedding:
      return row.head;
    case TensorClass::ple_table:
      return row.ple_table;
    case TensorClass::ple_projection:
      return row.projection;
    case TensorClass::router:
    case TensorClass::norm:
      return DType::f32;
  }
  CHECK(false, "class {}", static_cast<int>(tensor_class));
  return DType::f32;
}

/// The next best type whose blocks `cols` is a multiple of: 4.5 bits become 5.5,
/// 5.5 become 6, all others 8.5, and what is no multiple of 32 16.
DType type_that_fits(DType type, std::int64_t cols) {
  const auto fits = [&](DType t) { return cols % traits(t).block_size == 0; };
  if (fits(type)) return type;
  if (type == DType::q4_k && fits(DType::q5_0)) return DType::q5_0;
  if (type == DType::q5_k && fits(DType::q5_1)) return DType::q5_1;
  if (type == DType::nvfp4 && fits(DType::q4_0)) return DType::q4_0;
  return type != DType::nvfp4_packed && fits(DType::q8_0) ? DType::q8_0 : DType::bf16;
}

/// What stays as it is, as GGUF has it: one-dimensional tensors and routers are
/// always F32, and nibbles with scales apart become blocks, value for value.
DType as_is_in_gguf(TensorClass tensor_class, DType source) {
  if (tensor_class == TensorClass::norm || tensor_class == TensorClass::router) return DType::f32;
  return source == DType::nvfp4_packed ? DType::nvfp4 : source;
}

DType wanted_type(const Mix& mix, const gemma4::Config& config, const gemma4::TensorSpec& spec,
                  TensorClass tensor_class, DType source) {
  const auto kept = mix.keep.find(tensor_class);
  const bool folder = container_of(mix.type) == Container::folder;
  const DType unquantized = is_unquantized(source) ? source : DType::bf16;
  if (kept != mix.keep.end()) return folder ? unquantized : kept->second;
  if (mix.type == FileType::as_is) return as_is_in_gguf(tensor_class, source);
  const DType type = type_by_class(mix.type, config, spec.name, tensor_class);
  if (!folder) return type;
  // The experts lie in one tensor, which is no Linear module.
  return is_unquantized(type) || tensor_class == TensorClass::experts ? unquantized : type;
}

TensorClass class_by_name(std::string_view text, std::string_view whole) {
  const auto* found = std::ranges::find(kClasses, text, &ClassRow::name);
  const bool choosable = found != kClasses.end() && found->tensor_class != TensorClass::norm &&
                         found->tensor_class != TensorClass::router;
  if (choosable) return found->tensor_class;
  throw Error(
      "--keep {}: expected attention, ffn, experts, head, embedding, ple or ple_proj before '=', "
      "found '{}'",
      printable(whole), printable(text));
}

void check_keep(FileType file_type, TensorClass tensor_class, DType type, std::string_view whole) {
  if (container_of(file_type) == Container::folder) {
    if (tensor_class == TensorClass::attention || tensor_class == TensorClass::ffn ||
        tensor_class == TensorClass::ple_projection) {
      if (type == DType::bf16) return;
      throw Error("--keep {}: in a folder of {} a class is quantized or stays bf16",
                  printable(whole), name(file_type));
    }
    throw Error("--keep {}: a folder of {} has {} unquantized anyway", printable(whole),
                name(file_type), name(tensor_class));
  }
  if (type == DType::nvfp4 && !is_matrix_class(tensor_class)) {
    throw Error("--keep {}: GGUF stores only attention, ffn and experts as nvfp4",
                printable(whole));
  }
}

}  // namespace

std::optional<Container> container_of(FileType type) { return row_of(type).container; }

std::string_view name(FileType type) { return row_of(type).name; }

std::string_view name(TensorClass tensor_class) {
  return std::ranges::find(kClasses, tensor_class, &ClassRow::tensor_class)->name;
}

std::string known_file_types() {
  std::vector<std::string_view> names;
  for (const FileTypeRow& row : kFileTypes) {
    if (row.container) names.push_back(row.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

FileType parse_file_type(std::string_view text) {
  const auto* found = std::ranges::find(kFileTypes, text, &FileTypeRow::name);
  if (found != kFileTypes.end() && found->container) return found->type;
  throw Error("--type: expected one of {}, found '{}'", known_file_types(), printable(text));
}

TensorClass class_of(const gemma4::Config& config, std::string_view tensor) {
  const std::string_view rest = split_layer(tensor).second;
  if (rest == "embedding") return config.tied_head ? TensorClass::head : TensorClass::embedding;
  if (rest == "head") return TensorClass::head;
  if (rest == "per_layer.embedding") return TensorClass::ple_table;
  if (rest == "per_layer.projection" || rest == "per_layer_gate" || rest == "per_layer_proj") {
    return TensorClass::ple_projection;
  }
  if (rest == "router.proj") return TensorClass::router;
  if (rest.ends_with("norm") || rest.ends_with("scale")) return TensorClass::norm;
  if (rest.starts_with("attention.")) return TensorClass::attention;
  if (rest.starts_with("ffn.")) return TensorClass::ffn;
  CHECK(rest.starts_with("experts."), "tensor {} has no class", tensor);
  return TensorClass::experts;
}

void add_keep(Mix& mix, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    throw Error("--keep {}: expected CLASS=TYPE, as in ple=q8_0", printable(text));
  }
  const TensorClass tensor_class = class_by_name(text.substr(0, equals), text);
  const auto type = dtype_from_name(text.substr(equals + 1));
  if (!type || std::ranges::find(kKeepTypes, *type) == kKeepTypes.end()) {
    std::vector<std::string_view> names;
    for (const DType known : kKeepTypes) names.push_back(pleiad::name(known));
    throw Error("--keep {}: expected one of {} after '=', found '{}'", printable(text),
                fmt::join(names, ", "), printable(text.substr(equals + 1)));
  }
  check_keep(mix.type, tensor_class, *type, text);
  mix.keep[tensor_class] = *type;
}

std::int64_t PlannedTensor::n_elements() const { return element_count(spec.shape); }

std::uint64_t PlannedTensor::bytes(FileType file_type) const {
  const auto cols = static_cast<std::size_t>(spec.shape.back());
  const std::uint64_t rows = static_cast<std::uint64_t>(n_elements()) / cols;
  const std::uint64_t data = rows * row_bytes(type, cols);
  const auto slices = static_cast<std::uint64_t>(spec.shape.size() > 2 ? spec.shape[0] : 1);
  switch (type) {
    case DType::nvfp4:
      return data + slices * sizeof(float);
    case DType::nvfp4_packed:
      return data + rows * (cols / 16) + sizeof(float);
    case DType::f8_e4m3:
      return data + (file_type == FileType::fp8_dynamic ? rows : slices) * sizeof(float);
    default:
      return data;
  }
}

std::vector<PlannedTensor> plan(const Mix& mix, const gemma4::Config& config,
                                std::span<const gemma4::TensorSpec> table,
                                std::span<const DType> source_types) {
  CHECK(source_types.empty() || source_types.size() == table.size(), "{} types of {} tensors",
        source_types.size(), table.size());
  std::vector<PlannedTensor> planned;
  planned.reserve(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const gemma4::TensorSpec& spec = table[i];
    const TensorClass tensor_class = class_of(config, spec.name);
    const DType source = source_types.empty() ? DType::bf16 : source_types[i];
    const DType wanted = wanted_type(mix, config, spec, tensor_class, source);
    const DType type = type_that_fits(wanted, spec.shape.back());
    planned.push_back({spec, tensor_class, type, {}});
    if (type != wanted) planned.back().wanted = wanted;
  }
  return planned;
}

std::uint64_t total_bytes(std::span<const PlannedTensor> planned, FileType type) {
  std::uint64_t bytes = 0;
  for (const PlannedTensor& tensor : planned) bytes += tensor.bytes(type);
  return bytes;
}

}  // namespace pleiad::convert
