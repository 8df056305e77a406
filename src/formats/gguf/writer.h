#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/output_file.h"
#include "formats/gguf/metadata.h"
#include "tensor/dtype.h"
#include "tensor/host_tensor.h"

namespace pleiad::gguf {

/// Writes a GGUF file, version 3: first metadata and the list of tensors, then
/// the data of every tensor in the order of the list, in pieces of any size.
/// Everything goes to a temporary file beside `path`, which takes its name in
/// finish(); without that (an exception, a full disk) nothing is left behind.
///
///   Writer writer("model.gguf");
///   writer.set_string("general.architecture", "gemma4");
///   writer.add_tensor("token_embd.weight", DType::f32, {3, 5});
///   writer.write(bytes);
///   writer.finish();
class Writer {
 public:
  /// Throws Error that names the path, as write() and finish() do.
  explicit Writer(const std::filesystem::path& path);
  /// Takes over an open descriptor (of a file in memory, say) and writes directly
  /// into it; `name` is for messages.
  Writer(int descriptor, const std::string& name);

  void set_u32(std::string_view key, std::uint32_t value);
  void set_i32(std::string_view key, std::int32_t value);
  void set_u64(std::string_view key, std::uint64_t value);
  void set_f32(std::string_view key, float value);
  void set_boolean(std::string_view key, bool value);
  void set_string(std::string_view key, std::string_view value);
  void set_i32s(std::string_view key, std::span<const std::int32_t> values);
  void set_f32s(std::string_view key, std::span<const float> values);
  void set_booleans(std::string_view key, const std::vector<bool>& values);
  void set_strings(std::string_view key, std::span<const std::string_view> values);
  /// A value of another file, whatever its type.
  void set_value(std::string_view key, const Value& value);

  /// Every type but f8_e4m3 and nvfp4_packed, which GGUF does not have.
  void add_tensor(std::string_view name, DType type, const Shape& shape);
  /// A type that we can copy but not decode.
  void add_tensor(std::string_view name, std::uint32_t ggml_type, const Shape& shape);

  /// Data of the first tensor that is not complete yet; after the first call no
  /// key and no tensor can be added.
  void write(std::span<const std::byte> bytes);

  /// Zeros for a tensor that nothing was written of yet, all of it: `count` bytes,
  /// a hole where the file can have one.
  void write_zeros(std::uint64_t count);

  /// Bytes that the file will have with the keys and tensors added so far.
  std::uint64_t file_size() const;

  /// CHECKs that all data was written, makes it durable and gives it its name.
  void finish();

 private:
  void put_key(std::string_view key, ValueType type);
  void write_header();
  void write_raw(std::span<const std::byte> bytes);
  void pad();
  void end_tensor();

  OutputFile file_;
  bool header_written_ = false;
  std::string pairs_;  // encoded
  std::string infos_;  // encoded
  std::uint64_t n_pairs_ = 0;
  std::vector<std::string> keys_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> sizes_;  // bytes of each tensor
  std::uint64_t next_offset_ = 0;     // in the data section, of the next added tensor
  std::size_t current_ = 0;           // tensor being written
  std::uint64_t written_ = 0;         // of it
  std::uint64_t position_ = 0;        // in the file
};

}  // namespace pleiad::gguf
