#include "kubexms/net/http/response_head.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace kubexms {

bool MaySendField(const HttpHeaders::Field& field) {
  static constexpr std::array<std::string_view, 6> kFraming = {
      "Connection", "Content-Length", "Transfer-Encoding", "Keep-Alive", "Upgrade", "Date"};
  const auto framing = [&](std::string_view name) { return EqualsIgnoreCase(field.name, name); };
  return !field.name.empty() && std::none_of(kFraming.begin(), kFraming.end(), framing) &&
         field.name.find_first_of(std::string_view("\r\n\0: ", 5)) == std::string_view::npos &&
         field.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

bool HasNoBody(int status) { return status < 200 || status == 204 || status == 304; }

std::string_view HttpDate::At(std::chrono::steady_clock::time_point now) {
  if (now < valid_until_) return text_;
  const std::time_t wall = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&wall, &parts);
  char buffer[64];
  text_.assign(buffer, std::strftime(buffer, sizeof(buffer), "%a, %d %b %Y %H:%M:%S GMT", &parts));
  valid_until_ = now + std::chrono::seconds(1);
  return text_;
}

}  // namespace kubexms
