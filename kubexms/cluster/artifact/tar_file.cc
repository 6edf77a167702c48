#include "kubexms/cluster/artifact/tar_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

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
    kTime{136, 12}, kSum{148, 8}, kType{156, 1}, kLink{157, 100}, kMagic{257, 8}, kPrefix{345, 155};
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
  return Error::BadRequest(fmt::format("{} is not a plain tar archive, or is damaged", path));
}

struct Header {
  TarMember member;
  char type = 0;
};

Result<Header> ReadHeader(const std::string& path, const std::string& block, int64_t offset) {
  const std::optional<int64_t> size = Octal(block, kSize), sum = Octal(block, kSum);
  if (!size || !sum || *sum != SumOf(block)) return NotAnArchive(path);
  Header header{.member = {.offset = offset + kBlock, .size = *size}, .type = block[kType.at]};
  if (header.type == '\0') header.type = '0';
  // Only POSIX has the prefix; GNU has other fields there.
  const bool posix = Text(block, kMagic) == "ustar";
  if (const std::string_view prefix = Text(block, kPrefix); posix && !prefix.empty()) {
    header.member.name = fmt::format("{}/", prefix);
  }
  header.member.name += Text(block, kName);
  header.member.link = Text(block, kLink);
  return header;
}

Result<int64_t> SizeOfFile(const std::string& path) {
  std::error_code failed;
  const auto size = static_cast<int64_t>(std::filesystem::file_size(path, failed));
  if (failed) return Error::BadRequest(fmt::format("read {}: {}", path, failed.message()));
  return size;
}

// Calls `take` with every header, until the end of the archive or an error.
template <class Take>
Result<void> ForEachHeader(const std::string& path, Take take) {
  ASSIGN_OR_RETURN(const int64_t file_size, SizeOfFile(path));
  int64_t offset = 0;
  for (size_t count = 0; count < kMaxMembers; ++count) {
    if (offset + 2 * kBlock > file_size) {
      return Error::BadRequest(fmt::format("{} is cut off after {} bytes", path, file_size));
    }
    ASSIGN_OR_RETURN(const std::string block, ReadBlock(path, offset));
    // The end, of which there are two blocks.
    if (block.find_first_not_of('\0') == std::string::npos) return {};
    ASSIGN_OR_RETURN(Header header, ReadHeader(path, block, offset));
    offset = header.member.offset + header.member.size + Padding(header.member.size);
    RETURN_IF_ERROR(take(std::move(header)));
  }
  return NotAnArchive(path);
}

// "30 path=a/long/name\n" …: the value of a key, or an empty text.
std::string ExtendedField(std::string_view records, std::string_view key) {
  std::string value;
  while (!records.empty()) {
    size_t length = 0;
    const auto [end, failed] =
        std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<size_t>(end - records.data());
    if (failed != std::errc() || length <= digits + 1 || length > records.size()) break;
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    records.remove_prefix(length);
    const size_t equals = record.find('=');
    if (record.substr(0, equals) == key) value = record.substr(equals + 1);
  }
  return value;
}

std::string WithoutDot(std::string name) {
  while (name.starts_with("./")) name.erase(0, 2);
  return name;
}

// The names in headers before a member.
class LongNames {
 public:
  // True when the header is about the next one, and no member itself.
  Result<bool> Take(const std::string& path, const Header& header) {
    if (std::string_view("LKxg").find(header.type) == std::string_view::npos) return false;
    if (header.member.size > kMaxNames) return NotAnArchive(path);
    ASSIGN_OR_RETURN(FilePartReader reader, FilePartReader::Open(FilePart(
                                                path, header.member.offset, header.member.size)));
    ASSIGN_OR_RETURN(const std::string text, reader.Read(static_cast<size_t>(header.member.size)));
    if (header.type == 'L') name_ = text.c_str();
    if (header.type == 'K') link_ = text.c_str();
    if (header.type != 'x') return true;
    if (std::string name = ExtendedField(text, "path"); !name.empty()) name_ = std::move(name);
    if (std::string link = ExtendedField(text, "linkpath"); !link.empty()) link_ = std::move(link);
    return true;
  }
  void Give(TarMember& member) {
    if (!name_.empty()) member.name = std::exchange(name_, {});
    if (!link_.empty()) member.link = std::exchange(link_, {});
  }

 private:
  static constexpr int64_t kMaxNames = 1 << 20;
  std::string name_, link_;
};

}  // namespace

Result<std::vector<TarMember>> ListTar(const std::string& path) {
  std::vector<TarMember> members;
  RETURN_IF_ERROR(ForEachHeader(path, [&](Header header) -> Result<void> {
    if (header.type != '0') return NotAnArchive(path);
    members.push_back(std::move(header.member));
    return {};
  }));
  return members;
}

Result<std::vector<TarMember>> ListForeignTar(const std::string& path) {
  std::vector<TarMember> members;
  LongNames names;
  RETURN_IF_ERROR(ForEachHeader(path, [&](Header header) -> Result<void> {
    ASSIGN_OR_RETURN(const bool taken, names.Take(path, header));
    if (taken) return {};
    TarMember& member = header.member;
    names.Give(member);
    member.name = WithoutDot(std::move(member.name));
    if (header.type == '0') member.link.clear();
    if (header.type == '1') member.link = WithoutDot(std::move(member.link));
    if (header.type == '2') {
      const std::filesystem::path directory = std::filesystem::path(member.name).parent_path();
      member.link = (directory / member.link).lexically_normal().string();
    }
    if (header.type >= '0' && header.type <= '2') members.push_back(std::move(member));
    return {};
  }));
  return members;
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

Result<void> TarWriter::AddFile(std::string_view name, const FilePart& file, int64_t size) {
  RETURN_IF_ERROR(WriteHeader(name, size));
  ASSIGN_OR_RETURN(FilePartReader reader,
                   FilePartReader::Open(FilePart(file.path, file.offset, size)));
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
