#include "kubexms/cluster/tar_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>

namespace kubexms::cluster {
namespace {

using automation::FilePart;
using automation::FilePartReader;

constexpr int64_t kBlock = 512;
constexpr size_t kPiece = 1 << 20;
constexpr size_t kMaxMembers = 100'000;
constexpr int64_t kMaxSize = (int64_t{1} << 33) - 1;  // eleven octal digits

// Where the fields of a header are.
struct Field {
  size_t at;
  size_t size;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kUser{108, 8}, kGroup{116, 8}, kSize{124, 12},
    kTime{136, 12}, kSum{148, 8}, kType{156, 1}, kMagic{257, 8}, kPrefix{345, 155};
constexpr std::string_view kUstar("ustar\00000", 8);

int64_t Padding(int64_t size) { return (kBlock - size % kBlock) % kBlock; }

std::string_view Text(std::string_view header, Field field) {
  const std::string_view text = header.substr(field.at, field.size);
  return text.substr(0, text.find('\0'));
}

std::optional<int64_t> Octal(std::string_view header, Field field) {
  std::string_view text = Text(header, field);
  while (text.ends_with(' ')) text.remove_suffix(1);
  int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number, 8);
  if (failed != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

void Put(std::string& header, Field field, std::string_view text) {
  header.replace(field.at, text.size(), text);
}

// The sum of all bytes, with spaces in its own place.
int64_t SumOf(std::string_view header) {
  int64_t sum = static_cast<int64_t>(kSum.size) * ' ';
  for (size_t i = 0; i < header.size(); ++i) {
    if (i < kSum.at || i >= kSum.at + kSum.size) sum += static_cast<unsigned char>(header[i]);
  }
  return sum;
}

Result<std::string> ReadBlock(const std::string& path, int64_t offset) {
  ASSIGN_OR_RETURN(FilePartReader reader, FilePartReader::Open(FilePart(path, offset, kBlock)));
  return reader.Read(kBlock);
}

Error NotAnArchive(const std::string& path) {
  return Error::BadRequest(fmt::format("{} is not an archive that kubexms has written", path));
}

Result<TarMember> ReadHeader(const std::string& path, const std::string& header, int64_t offset) {
  const std::optional<int64_t> size = Octal(header, kSize), sum = Octal(header, kSum);
  const bool regular = header[kType.at] == '0';
  if (!size || !sum || *sum != SumOf(header) || !regular) return NotAnArchive(path);
  TarMember member{.offset = offset + kBlock, .size = *size};
  if (const std::string_view prefix = Text(header, kPrefix); !prefix.empty()) {
    member.name = fmt::format("{}/", prefix);
  }
  member.name += Text(header, kName);
  return member;
}

}  // namespace

Result<std::vector<TarMember>> ListTar(const std::string& path) {
  std::error_code failed;
  const auto file_size = static_cast<int64_t>(std::filesystem::file_size(path, failed));
  if (failed) return Error::BadRequest(fmt::format("read {}: {}", path, failed.message()));
  std::vector<TarMember> members;
  for (int64_t offset = 0; members.size() < kMaxMembers;) {
    if (offset + 2 * kBlock > file_size) {
      return Error::BadRequest(fmt::format("{} is cut off after {} bytes", path, file_size));
    }
    ASSIGN_OR_RETURN(const std::string header, ReadBlock(path, offset));
    // The end, of which there are two blocks.
    if (header.find_first_not_of('\0') == std::string::npos) return members;
    ASSIGN_OR_RETURN(TarMember member, ReadHeader(path, header, offset));
    offset = member.offset + member.size + Padding(member.size);
    members.push_back(std::move(member));
  }
  return NotAnArchive(path);
}

Result<std::unique_ptr<TarWriter>> TarWriter::Create(const std::string& path) {
  const std::string temporary = path + ".part";
  ::unlink(temporary.c_str());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    return Error::BadRequest(fmt::format("write {}: {}", temporary, std::strerror(errno)));
  }
  return std::unique_ptr<TarWriter>(new TarWriter(path, temporary, descriptor));
}

TarWriter::~TarWriter() {
  ::close(descriptor_);
  if (!finished_) ::unlink(temporary_.c_str());
}

Result<void> TarWriter::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return Error::Internal(fmt::format("write {}: {}", temporary_, std::strerror(errno)));
    }
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

Result<void> TarWriter::WriteHeader(std::string_view name, int64_t size) {
  const size_t slash = name.rfind('/');
  const bool split = slash != std::string_view::npos;
  const std::string_view prefix = split ? name.substr(0, slash) : "";
  const std::string_view base = split ? name.substr(slash + 1) : name;
  if (base.size() > kName.size || prefix.size() > kPrefix.size || size > kMaxSize) {
    return Error::BadRequest(fmt::format("{} is too large, or its name is too long", name));
  }
  std::string header(kBlock, '\0');
  Put(header, kName, base);
  Put(header, kPrefix, prefix);
  Put(header, kMode, "0000644");
  Put(header, kUser, "0000000");
  Put(header, kGroup, "0000000");
  Put(header, kSize, fmt::format("{:011o}", size));
  Put(header, kTime, "00000000000");
  Put(header, kType, "0");
  Put(header, kMagic, kUstar);
  Put(header, kSum, fmt::format("{:06o}", SumOf(header)) + std::string("\0 ", 2));
  return Write(header);
}

Result<void> TarWriter::WritePadding(int64_t size) {
  return Write(std::string(static_cast<size_t>(Padding(size)), '\0'));
}

Result<void> TarWriter::Add(std::string_view name, std::string_view content) {
  const auto size = static_cast<int64_t>(content.size());
  RETURN_IF_ERROR(WriteHeader(name, size));
  RETURN_IF_ERROR(Write(content));
  return WritePadding(size);
}

Result<void> TarWriter::AddFile(std::string_view name, const std::string& file, int64_t size) {
  RETURN_IF_ERROR(WriteHeader(name, size));
  ASSIGN_OR_RETURN(FilePartReader reader, FilePartReader::Open(FilePart(file, 0, size)));
  for (;;) {
    ASSIGN_OR_RETURN(const std::string piece, reader.Read(kPiece));
    if (piece.empty()) return WritePadding(size);
    RETURN_IF_ERROR(Write(piece));
  }
}

Result<void> TarWriter::Finish() {
  RETURN_IF_ERROR(Write(std::string(2 * kBlock, '\0')));
  if (::fsync(descriptor_) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return Error::Internal(fmt::format("write {}: {}", path_, std::strerror(errno)));
  }
  finished_ = true;
  return {};
}

}  // namespace kubexms::cluster
