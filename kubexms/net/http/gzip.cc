#include "kubexms/net/http/gzip.h"

#include <fmt/core.h>
#include <zlib.h>

namespace kubexms {
namespace {

constexpr size_t kThreshold = size_t{128} * 1024;
constexpr int kLevel = 1;
constexpr int kGzipWindow = MAX_WBITS + 16;  // +16: gzip format instead of zlib
constexpr size_t kBlock = size_t{64} * 1024;

class Deflater {
 public:
  Deflater() {
    ok_ = deflateInit2(&z_, kLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~Deflater() {
    if (ok_) deflateEnd(&z_);
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  bool ok() const { return ok_; }

  void Add(std::string_view bytes, int flush, Body& out) {
    z_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z_.avail_in = static_cast<uInt>(bytes.size());
    do {
      if (block_.empty()) StartBlock();
      const int outcome = deflate(&z_, flush);
      if (z_.avail_out == 0 || outcome == Z_STREAM_END) FinishBlock(out);
      if (outcome == Z_STREAM_END) return;
    } while (z_.avail_in > 0 || flush == Z_FINISH);
  }

 private:
  void StartBlock() {
    block_.resize(kBlock);
    z_.next_out = reinterpret_cast<Bytef*>(block_.data());
    z_.avail_out = static_cast<uInt>(block_.size());
  }

  void FinishBlock(Body& out) {
    block_.resize(block_.size() - z_.avail_out);
    out.emplace_back(std::exchange(block_, {}));
  }

  z_stream z_{};
  bool ok_ = false;
  std::string block_;
};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// One element of Accept-Encoding: "gzip", "gzip;q=0.5"; a weight of zero forbids.
bool AllowsGzip(std::string_view element) {
  const size_t semicolon = element.find(';');
  if (!EqualsIgnoreCase(Trim(element.substr(0, semicolon)), "gzip")) return false;
  if (semicolon == std::string_view::npos) return true;
  const std::string_view weight = Trim(element.substr(semicolon + 1));
  return !weight.starts_with("q=0") || weight.find_first_of("123456789") != std::string_view::npos;
}

}  // namespace

bool AcceptsGzip(const HttpHeaders& request_headers) {
  std::string_view rest = request_headers.Get("Accept-Encoding").value_or("");
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    if (AllowsGzip(rest.substr(0, comma))) return true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return false;
}

bool IsWorthCompressing(bool client_accepts_gzip, const HttpResponse& response) {
  return client_accepts_gzip && response.stream == nullptr &&
         BodySize(response.body) > kThreshold && !response.headers.Has("Content-Encoding");
}

void CompressForClient(bool client_accepts_gzip, HttpResponse& response) {
  if (!IsWorthCompressing(client_accepts_gzip, response)) return;
  Result<Body> compressed = Gzip(response.body);
  if (!compressed.ok()) return;
  response.body = std::move(*compressed);
  response.headers.Set("Content-Encoding", "gzip");
  response.headers.Add("Vary", "Accept-Encoding");
}

Result<Body> Gzip(const Body& body) {
  Deflater deflater;
  if (!deflater.ok()) return Error::Internal("set up gzip: out of memory");
  Body compressed;
  for (const SharedBytes& bytes : body) deflater.Add(bytes.view(), Z_NO_FLUSH, compressed);
  deflater.Add({}, Z_FINISH, compressed);
  return compressed;
}

Result<std::string> Gunzip(std::string_view compressed, size_t max_bytes) {
  z_stream z{};
  if (inflateInit2(&z, kGzipWindow) != Z_OK) return Error::Internal("set up gzip: out of memory");
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  z.avail_in = static_cast<uInt>(compressed.size());
  std::string text;
  int outcome = Z_OK;
  while (outcome == Z_OK && text.size() <= max_bytes) {
    const size_t before = text.size();
    text.resize(before + kBlock);
    z.next_out = reinterpret_cast<Bytef*>(text.data() + before);
    z.avail_out = static_cast<uInt>(kBlock);
    outcome = inflate(&z, Z_NO_FLUSH);
    text.resize(before + kBlock - z.avail_out);
  }
  inflateEnd(&z);
  if (text.size() > max_bytes) {
    return Error::RequestTooLarge(
        fmt::format("the body is larger than {} bytes when decompressed", max_bytes));
  }
  if (outcome != Z_STREAM_END) return Error::BadRequest("the body is not complete gzip data");
  return text;
}

}  // namespace kubexms
