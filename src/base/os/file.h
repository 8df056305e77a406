#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

// Files as the system has them, so that nobody above names its calls. No child process inherits a
// descriptor. What fails gives -1, false or nothing, and says why in errno.

namespace pleiad::os {

/// Opens what has that name for reading, a folder too, and never waits: a FIFO without a writer is
/// opened. Others may write to the file, rename and remove it meanwhile.
int open_to_read(const std::filesystem::path& path);

/// Opens what is no regular file (a device, a pipe) for writing.
int open_to_write(const std::filesystem::path& path);

/// Makes a file beside `target` and locks it; `name` becomes its name, "target.partial-" and six
/// letters. A file of such a name without a lock has lost its writer, and may be removed by whoever
/// tidies up. Its mode is that of the file `target`, or `mode` (see open(2)) where there is none.
int make_beside(const std::filesystem::path& target, unsigned mode, std::filesystem::path& name);

/// A file in memory, or at least not meant for a disk, which goes when its last descriptor is
/// closed.
int make_in_memory(const std::string& name);
/// Where this process can open it again while it is open: "/proc/self/fd/5".
std::string path_of(int descriptor);

/// Another descriptor of the same open file.
int duplicate(int descriptor);

bool close(int descriptor);

/// Writes all bytes.
bool write(int descriptor, std::span<const std::byte> bytes);

/// Writes all bytes at a place counted from the start of a regular file. Any number of threads may
/// do so at once; where write() goes on after it is not said.
bool write_at(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes);

/// Moves where write() goes on `count` zeros further, which take no space where the file system has
/// holes, and the end of the regular file there: what lay behind is cut off.
bool append_hole(int descriptor, std::uint64_t count);

/// What was written reaches the disk.
bool sync(int descriptor);

bool remove_file(const std::filesystem::path& path);

/// Makes a folder, as mkdir(2) with all rights that the user's mask leaves.
bool make_folder(const std::filesystem::path& path);

/// Gives a file another name, in one step, in the place of a file that has it.
bool replace_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Gives a folder another name, which nothing has, or an empty folder; ENOTEMPTY or EEXIST where
/// something else does.
bool rename_folder(const std::filesystem::path& from, const std::filesystem::path& to);

/// Lets two folders change their names in one step; ENOTSUP where the file system cannot.
bool exchange_folders(const std::filesystem::path& one, const std::filesystem::path& other);

enum class FileKind : std::uint8_t { regular, folder, other };

/// What the system says of an open file.
struct FileFacts {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t written = 0;  // nanoseconds since 1970: the last change of the content,
  std::int64_t changed = 0;  // and that of content, name, owner or mode
  // What moves `changed` without a change of the content.
  std::uint64_t n_names = 0;
  std::uint32_t mode = 0;
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  FileKind kind = FileKind::other;

  bool operator==(const FileFacts&) const = default;
};

std::optional<FileFacts> facts_of(int descriptor);
/// Of the file that a path leads to.
std::optional<FileFacts> facts_of(const std::filesystem::path& path);

}  // namespace pleiad::os
