#include "formats/gguf/reader.h"

#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/text_format.h"
#include "formats/gguf/part.h"
#include "formats/problem_list.h"

namespace pleiad::gguf {
namespace {

std::string part_name(const std::string& prefix, int part, int n_parts) {
  return fmt::format("{}-{:05}-of-{:05}.gguf", prefix, part, n_parts);
}

/// "name" of "name-00002-of-00003.gguf"; nothing where the file is called otherwise.
std::optional<std::string> split_prefix(const std::string& file_name, int n_parts) {
  const std::size_t suffix_length = part_name("", 1, n_parts).size();
  if (file_name.size() <= suffix_length) return std::nullopt;
  const std::string prefix = file_name.substr(0, file_name.size() - suffix_length);
  for (int part = 1; part <= n_parts; ++part) {
    if (file_name == part_name(prefix, part, n_parts)) return prefix;
  }
  return std::nullopt;
}

/// The paths of all parts of the split model that `path` is one of.
std::vector<std::filesystem::path> find_parts(const std::filesystem::path& path, int n_parts) {
  const auto prefix = split_prefix(path.filename().string(), n_parts);
  if (!prefix) {
    throw LoadError("{}: part of a model in {} files, which must be called {}", path.string(),
                    n_parts, part_name("<name>", 1, n_parts) + " and so on");
  }
  std::vector<std::filesystem::path> parts;
  ProblemList problems(path.string());
  for (int part = 1; part <= n_parts; ++part) {
    parts.push_back(path.parent_path() / part_name(*prefix, part, n_parts));
    std::error_code ignored;
    if (!std::filesystem::exists(parts.back(), ignored)) {
      problems.add("the model has {} files, and {} is missing", n_parts, parts.back().string());
    }
  }
  problems.throw_if_any();
  return parts;
}

std::int64_t split_count(const Metadata& metadata) {
  return metadata.find_integer("split.count").value_or(1);
}

}  // namespace

void File::add_tensors(std::vector<TensorInfo> tensors) {
  for (TensorInfo& tensor : tensors) {
    if (!by_name_.emplace(tensor.name, tensors_.size()).second) {
      throw LoadError("{}: tensor '{}' is in two parts", name_, printable(tensor.name));
    }
    tensors_.push_back(std::move(tensor));
  }
}

const TensorInfo* File::find_tensor(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &tensors_[found->second];
}

void File::check_unchanged() const {
  for (const MappedFile& part : parts_) part.check_unchanged();
}

File File::from_bytes(std::span<const std::byte> bytes, const std::string& name) {
  Part part = read_part(bytes, name);
  if (const auto count = split_count(part.metadata); count != 1) {
    throw LoadError("{}: one of {} parts; all of them are needed", name, count);
  }
  File file;
  file.name_ = name;
  file.version_ = part.version;
  file.metadata_ = std::move(part.metadata);
  file.add_tensors(std::move(part.tensors));
  return file;
}

File File::open(const std::filesystem::path& path) {
  File file;
  file.name_ = path.string();
  MappedFile mapped(path);
  Part given = read_unchanged(mapped, [&] { return read_part(mapped.bytes(), path.string()); });
  const std::int64_t n_parts = split_count(given.metadata);
  if (n_parts < 1 || n_parts > 99'999) {
    throw LoadError("{}: metadata key 'split.count': expected 1 to 99999, found {}", path.string(),
                    n_parts);
  }
  if (n_parts == 1) {
    file.version_ = given.version;
    file.metadata_ = std::move(given.metadata);
    file.add_tensors(std::move(given.tensors));
    file.parts_.push_back(std::move(mapped));
    return file;
  }
  std::optional<std::int64_t> n_tensors;
  std::int64_t expected_number = 0;
  for (const std::filesystem::path& part_path : find_parts(path, static_cast<int>(n_parts))) {
    const MappedFile& of_part = file.parts_.emplace_back(part_path);
    Part part =
        read_unchanged(of_part, [&] { return read_part(of_part.bytes(), part_path.string()); });
    const std::int64_t found_count = split_count(part.metadata);
    const auto number = part.metadata.find_integer("split.no");
    if (found_count != n_parts || number != expected_number) {
      throw LoadError("{}: expected part {} of {}, found part {} of {}", part_path.string(),
                      expected_number + 1, n_parts, number.value_or(-1) + 1, found_count);
    }
    if (expected_number == 0) {
      file.version_ = part.version;
      file.metadata_ = std::move(part.metadata);
      n_tensors = file.metadata_.find_integer("split.tensors.count");
    }
    file.add_tensors(std::move(part.tensors));
    ++expected_number;
  }
  if (n_tensors && *n_tensors != static_cast<std::int64_t>(file.tensors_.size())) {
    throw LoadError("{}: expected {} tensors in the {} parts together, found {}", path.string(),
                    *n_tensors, n_parts, file.tensors_.size());
  }
  return file;
}

}  // namespace pleiad::gguf
