#include "base/os/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/os/windows/last_error.h"
#include "base/random_bytes.h"

namespace pleiad::os {
namespace {

namespace fs = std::filesystem;

// One call writes less than 2 GiB.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
constexpr DWORD kSharedWithAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

HANDLE handle_of(int descriptor) { return reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor)); }

/// A descriptor that owns the handle; -1 where there is none.
int descriptor_of(HANDLE handle, int flags) {
  if (handle == INVALID_HANDLE_VALUE) return fail_with_last_error(), -1;
  const int descriptor =
      ::_open_osfhandle(reinterpret_cast<intptr_t>(handle), flags | _O_BINARY | _O_NOINHERIT);
  if (descriptor < 0) ::CloseHandle(handle);
  return descriptor;
}

/// Nothing else may be at a temporary file, so that nobody can remove it: the lock that it needs.
HANDLE make_new(const fs::path& path, DWORD shared, DWORD flags) {
  return ::CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, shared, nullptr,
                       CREATE_NEW, flags, nullptr);
}

/// Makes a file whose name nothing has: `begin` and six letters.
int make_named(const std::string& begin, DWORD shared, DWORD flags, fs::path& name) {
  constexpr int kTries = 100;
  for (int tries = 0; tries < kTries; ++tries) {
    name = random_name(begin, 6);
    const HANDLE handle = make_new(name, shared, flags);
    if (handle != INVALID_HANDLE_VALUE) return descriptor_of(handle, 0);
    const DWORD error = ::GetLastError();
    if (error != ERROR_FILE_EXISTS) return fail_with(error), -1;
  }
  errno = EEXIST;
  return -1;
}

bool rename(const fs::path& from, const fs::path& to, DWORD flags) {
  return ::MoveFileExW(from.c_str(), to.c_str(), flags | MOVEFILE_WRITE_THROUGH) != 0 ||
         fail_with_last_error();
}

/// 100 nanoseconds since 1601 -> nanoseconds since 1970.
std::int64_t nanoseconds(const LARGE_INTEGER& ticks) {
  constexpr std::int64_t kTicksTo1970 = 116'444'736'000'000'000;
  return (ticks.QuadPart - kTicksTo1970) * 100;
}

std::optional<FileFacts> facts_from(HANDLE handle) {
  FileFacts facts;
  if (::GetFileType(handle) != FILE_TYPE_DISK) return facts;
  BY_HANDLE_FILE_INFORMATION file = {};
  FILE_BASIC_INFO times = {};
  if (::GetFileInformationByHandle(handle, &file) == 0 ||
      ::GetFileInformationByHandleEx(handle, FileBasicInfo, &times, sizeof times) == 0) {
    fail_with_last_error();
    return std::nullopt;
  }
  facts.device = file.dwVolumeSerialNumber;
  facts.inode = (std::uint64_t{file.nFileIndexHigh} << 32) | file.nFileIndexLow;
  facts.bytes = (std::uint64_t{file.nFileSizeHigh} << 32) | file.nFileSizeLow;
  facts.written = nanoseconds(times.LastWriteTime);
  facts.changed = nanoseconds(times.ChangeTime);
  facts.n_names = file.nNumberOfLinks;
  // Backups clear one of them, indexing sets another.
  facts.mode = file.dwFileAttributes;
  const bool is_folder = (file.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  facts.kind = is_folder ? FileKind::folder : FileKind::regular;
  return facts;
}

}  // namespace

// FILE_FLAG_BACKUP_SEMANTICS: folders too.
int open_to_read(const fs::path& path) {
  const HANDLE handle = ::CreateFileW(path.c_str(), GENERIC_READ, kSharedWithAll, nullptr,
                                      OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  return descriptor_of(handle, _O_RDONLY);
}

int open_to_write(const fs::path& path) {
  const HANDLE handle = ::CreateFileW(path.c_str(), GENERIC_WRITE, kSharedWithAll, nullptr,
                                      OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  return descriptor_of(handle, _O_WRONLY);
}

int make_beside(const fs::path& target, unsigned, fs::path& name) {
  return make_named(target.string() + ".partial-", FILE_SHARE_READ, FILE_ATTRIBUTE_NORMAL, name);
}

int make_in_memory(const std::string&) {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (error) return errno = ENOENT, -1;
  fs::path name;
  return make_named((folder / "pleiad-").string(), kSharedWithAll,
                    FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, name);
}

std::string path_of(int descriptor) {
  std::wstring name(32'768, L'\0');  // the longest that there is
  const DWORD length = ::GetFinalPathNameByHandleW(handle_of(descriptor), name.data(),
                                                   static_cast<DWORD>(name.size()), 0);
  name.resize(std::min<std::size_t>(length, name.size()));
  return fs::path(name).string();
}

int duplicate(int descriptor) {
  HANDLE handle = INVALID_HANDLE_VALUE;
  const HANDLE process = ::GetCurrentProcess();
  if (::DuplicateHandle(process, handle_of(descriptor), process, &handle, 0, FALSE,
                        DUPLICATE_SAME_ACCESS) == 0) {
    return fail_with_last_error(), -1;
  }
  return descriptor_of(handle, 0);
}

bool close(int descriptor) { return ::_close(descriptor) == 0; }

bool write(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    DWORD count = 0;
    const auto size = static_cast<DWORD>(std::min(bytes.size(), kMostAtOnce));
    if (::WriteFile(handle_of(descriptor), bytes.data(), size, &count, nullptr) == 0) {
      return fail_with_last_error();
    }
    bytes = bytes.subspan(count);
  }
  return true;
}

bool write_at(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    OVERLAPPED place = {};
    place.Offset = static_cast<DWORD>(offset);
    place.OffsetHigh = static_cast<DWORD>(offset >> 32);
    DWORD count = 0;
    const auto size = static_cast<DWORD>(std::min(bytes.size(), kMostAtOnce));
    if (::WriteFile(handle_of(descriptor), bytes.data(), size, &count, &place) == 0) {
      return fail_with_last_error();
    }
    bytes = bytes.subspan(count);
    offset += count;
  }
  return true;
}

bool append_hole(int descriptor, std::uint64_t count) {
  const HANDLE handle = handle_of(descriptor);
  LARGE_INTEGER distance = {};
  distance.QuadPart = static_cast<LONGLONG>(count);
  return (::SetFilePointerEx(handle, distance, nullptr, FILE_CURRENT) != 0 &&
          ::SetEndOfFile(handle) != 0) ||
         fail_with_last_error();
}

bool sync(int descriptor) {
  return ::FlushFileBuffers(handle_of(descriptor)) != 0 || fail_with_last_error();
}

bool remove_file(const fs::path& path) {
  return ::DeleteFileW(path.c_str()) != 0 || fail_with_last_error();
}

bool make_folder(const fs::path& path) {
  return ::CreateDirectoryW(path.c_str(), nullptr) != 0 || fail_with_last_error();
}

bool replace_file(const fs::path& from, const fs::path& to) {
  return rename(from, to, MOVEFILE_REPLACE_EXISTING);
}

// Nothing is put in the place of a folder, so that an empty one is removed before.
bool rename_folder(const fs::path& from, const fs::path& to) {
  if (rename(from, to, 0)) return true;
  const int reason = errno;
  if (reason != EEXIST && reason != EACCES) return false;
  if (::RemoveDirectoryW(to.c_str()) != 0) return rename(from, to, 0);
  fail_with_last_error();
  if (errno == ENOENT) errno = reason;  // nothing was in the way
  return false;
}

bool exchange_folders(const fs::path&, const fs::path&) { return errno = ENOTSUP, false; }

std::optional<FileFacts> facts_of(int descriptor) { return facts_from(handle_of(descriptor)); }

std::optional<FileFacts> facts_of(const fs::path& path) {
  const HANDLE handle = ::CreateFileW(path.c_str(), 0, kSharedWithAll, nullptr, OPEN_EXISTING,
                                      FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    fail_with_last_error();
    return std::nullopt;
  }
  const auto facts = facts_from(handle);
  ::CloseHandle(handle);
  return facts;
}

}  // namespace pleiad::os
