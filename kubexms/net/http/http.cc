#include "kubexms/net/http/http.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "kubexms/net/http/response_stream.h"

namespace kubexms {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Returns the text before the first `separator` and removes both from `text`.
std::string_view TakeUntil(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (Lower(c) >= 'a' && Lower(c) <= 'f') return Lower(c) - 'a' + 10;
  return -1;
}

Result<std::string> DecodeQueryPart(std::string_view text) {
  std::string plus_as_space(text);
  std::replace(plus_as_space.begin(), plus_as_space.end(), '+', ' ');
  return PercentDecode(plus_as_space);
}

bool IsUnreserved(char c) {
  return (c >= '0' && c <= '9') || (Lower(c) >= 'a' && Lower(c) <= 'z') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

}  // namespace

size_t BodySize(const Body& body) {
  size_t size = 0;
  for (const SharedBytes& bytes : body) size += bytes.size();
  return size;
}

std::string Flatten(const Body& body) {
  std::string text;
  text.reserve(BodySize(body));
  for (const SharedBytes& bytes : body) text += bytes.view();
  return text;
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return Lower(x) == Lower(y); });
}

void HttpHeaders::Add(std::string_view name, std::string_view value) {
  entries_.push_back({static_cast<uint32_t>(text_.size()), static_cast<uint32_t>(name.size()),
                      static_cast<uint32_t>(value.size())});
  text_.append(name).append(value);
}

void HttpHeaders::Set(std::string_view name, std::string_view value) {
  Remove(name);
  Add(name, value);
}

void HttpHeaders::Remove(std::string_view name) {
  std::erase_if(entries_, [&](const Entry& entry) {
    return EqualsIgnoreCase(std::string_view(text_).substr(entry.offset, entry.name_size), name);
  });
}

std::optional<std::string_view> HttpHeaders::Get(std::string_view name) const {
  for (const Field field : *this) {
    if (EqualsIgnoreCase(field.name, name)) return field.value;
  }
  return std::nullopt;
}

size_t HttpHeaders::Count(std::string_view name) const {
  size_t count = 0;
  for (const Field field : *this) count += EqualsIgnoreCase(field.name, name);
  return count;
}

bool HttpHeaders::HasToken(std::string_view name, std::string_view token) const {
  for (const Field field : *this) {
    if (!EqualsIgnoreCase(field.name, name)) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      if (EqualsIgnoreCase(Trim(TakeUntil(rest, ',')), token)) return true;
    }
  }
  return false;
}

HttpHeaders::Field HttpHeaders::operator[](size_t index) const {
  const Entry& entry = entries_[index];
  const std::string_view text = text_;
  return {text.substr(entry.offset, entry.name_size),
          text.substr(entry.offset + entry.name_size, entry.value_size)};
}

std::string_view HttpRequest::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view HttpRequest::query() const {
  const size_t mark = target.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

HttpResponse::HttpResponse() = default;
HttpResponse::HttpResponse(int status_code, HttpHeaders fields, Body content)
    : status(status_code), headers(std::move(fields)), body(std::move(content)) {}
HttpResponse::HttpResponse(HttpResponse&&) noexcept = default;
HttpResponse& HttpResponse::operator=(HttpResponse&&) noexcept = default;
HttpResponse::~HttpResponse() = default;

HttpResponse HttpResponse::Text(int status, std::string_view content_type, std::string text) {
  HttpResponse response(status, {{"Content-Type", content_type}});
  response.body.emplace_back(std::move(text));
  return response;
}

std::string_view StatusText(int status) {
  switch (status) {
    case 100: return "Continue";
    case 101: return "Switching Protocols";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Request Entity Too Large";
    case 414: return "Request URI Too Long";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Entity";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "";
  }
}

Result<std::string> PercentDecode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexValue(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexValue(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return Error::BadRequest(
          fmt::format("invalid escape in the URL: \"{}\" must be '%' and two hexadecimal digits",
                      text.substr(i, 3)));
    }
    if (high == 0 && low == 0) return Error::BadRequest("invalid escape in the URL: %00");
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

std::string PercentEncode(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (IsUnreserved(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kHex[byte >> 4];
    encoded += kHex[byte & 15];
  }
  return encoded;
}

Result<std::vector<std::string>> PathSegments(std::string_view path) {
  if (path.empty() || path.front() != '/') {
    return Error::BadRequest("the path of the URL must start with '/'");
  }
  path.remove_prefix(1);
  std::vector<std::string> segments;
  while (!path.empty()) {
    ASSIGN_OR_RETURN(std::string segment, PercentDecode(TakeUntil(path, '/')));
    if (segment.empty() || segment == "." || segment == "..") {
      return Error::BadRequest("the path of the URL must not have empty, '.' or '..' segments");
    }
    segments.push_back(std::move(segment));
  }
  return segments;
}

Result<QueryParameters> QueryParameters::Parse(std::string_view query) {
  QueryParameters parsed;
  while (!query.empty()) {
    std::string_view value = TakeUntil(query, '&');
    if (value.empty()) continue;
    const std::string_view name = TakeUntil(value, '=');
    ASSIGN_OR_RETURN(std::string decoded_name, DecodeQueryPart(name));
    ASSIGN_OR_RETURN(std::string decoded_value, DecodeQueryPart(value));
    parsed.parameters_.emplace_back(std::move(decoded_name), std::move(decoded_value));
  }
  return parsed;
}

std::optional<std::string_view> QueryParameters::Get(std::string_view name) const {
  for (const auto& [key, value] : parameters_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

namespace {

Error BadUrl(std::string_view text, std::string_view why) {
  return Error::BadRequest(fmt::format("invalid URL \"{}\": {}", text, why));
}

// Splits "host:port", "[v6]:port" or either without a port.
Result<void> ParseAuthority(std::string_view text, std::string_view authority, Url& url) {
  std::string_view port;
  if (authority.starts_with('[')) {
    const size_t end = authority.find(']');
    if (end == std::string_view::npos) return BadUrl(text, "'[' without ']'");
    url.host = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
  } else {
    const size_t colon = std::min(authority.find(':'), authority.size());
    url.host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (url.host.empty()) return BadUrl(text, "the host is missing");
  if (url.host.find_first_of(" @/?#%\\") != std::string::npos) {
    return BadUrl(text, "the host contains an invalid character");
  }
  if (port.empty()) return {};
  const char* const end = port.data() + port.size();
  const auto [parsed, error] = std::from_chars(port.data() + 1, end, url.port);
  if (port.front() != ':' || error != std::errc() || parsed != end || url.port == 0) {
    return BadUrl(text, "the port must be a number from 1 to 65535");
  }
  return {};
}

}  // namespace

Result<Url> Url::Parse(std::string_view text) {
  Url url;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    url.https = false;
    url.port = 80;
  } else {
    return BadUrl(text, "must start with https:// or http://");
  }
  const size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  RETURN_IF_ERROR(ParseAuthority(text, rest.substr(0, end), url));
  rest.remove_prefix(end);
  rest = rest.substr(0, rest.find('#'));
  if (rest.find_first_of(" \t\r\n") != std::string_view::npos) {
    return BadUrl(text, "must not contain spaces");
  }
  url.target = rest.starts_with('/') ? std::string(rest) : fmt::format("/{}", rest);
  return url;
}

std::string Url::Authority() const {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

}  // namespace kubexms
