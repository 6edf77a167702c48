#include "kubexms/base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "kubexms/base/utf8.h"

namespace kubexms {
namespace {

// "deployments.apps" → {kind: "deployments", group: "apps"}.
ErrorDetails DetailsOf(std::string_view qualified, std::string_view name) {
  ErrorDetails details;
  const size_t dot = qualified.find('.');
  details.name = name;
  details.kind = qualified.substr(0, dot);
  if (dot != std::string_view::npos) details.group = qualified.substr(dot + 1);
  return details;
}

// Limits the length of a message, whose parts may come from clients.
constexpr size_t kMaxMessage = size_t{64} * 1024;

std::string Shorten(std::string message) {
  constexpr std::string_view kCut = "... (cut)";
  if (message.size() <= kMaxMessage) return message;
  message.resize(CutUtf8(message, kMaxMessage - kCut.size()).size());
  return message.append(kCut);
}

// Removes duplicate causes. Keeps the first causes that fit into a message, and appends the number
// of the others.
std::string JoinCauses(std::vector<ErrorCause>& causes) {
  constexpr size_t kRoom = kMaxMessage / 2;
  const size_t count = causes.size();
  std::vector<std::string> parts;
  std::set<std::string> seen;
  size_t kept = 0;
  for (size_t bytes = 0; kept < count && bytes < kRoom; ++kept) {
    ErrorCause& cause = causes[kept];
    cause.message = Shorten(std::move(cause.message));
    cause.field = Shorten(std::move(cause.field));
    std::string part = cause.field.empty() ? cause.message : cause.field + ": " + cause.message;
    bytes += part.size();
    if (seen.insert(part).second) parts.push_back(std::move(part));
  }
  causes.resize(kept);
  if (kept < count) parts.back() += fmt::format(" ... and {} more", count - kept);
  return parts.size() == 1 ? parts.front() : fmt::format("[{}]", fmt::join(parts, ", "));
}

}  // namespace

Error::Error(int code, std::string_view reason, std::string message, ErrorDetails details)
    : Error(
          Rep{code, std::string(reason), Shorten(std::move(message)), std::move(details), false}) {}

Error::Error(Rep rep) : rep_(std::make_shared<const Rep>(std::move(rep))) {}
Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

Error Error::NotFound(std::string_view resource, std::string_view name) {
  return {404, "NotFound", fmt::format("{} \"{}\" not found", resource, name),
          DetailsOf(resource, name)};
}

Error Error::AlreadyExists(std::string_view resource, std::string_view name) {
  return {409, "AlreadyExists", fmt::format("{} \"{}\" already exists", resource, name),
          DetailsOf(resource, name)};
}

Error Error::Conflict(std::string_view resource, std::string_view name, std::string_view why) {
  return {409, "Conflict",
          fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", resource, name, why),
          DetailsOf(resource, name)};
}

Error Error::Forbidden(std::string_view resource, std::string_view name, std::string_view why) {
  const std::string subject =
      name.empty() ? std::string(resource) : fmt::format("{} \"{}\"", resource, name);
  return {403, "Forbidden", fmt::format("{} is forbidden: {}", subject, why),
          DetailsOf(resource, name)};
}

Error Error::Invalid(std::string_view kind, std::string_view name, std::vector<ErrorCause> causes) {
  std::string message = fmt::format("{} \"{}\" is invalid", kind, name);
  if (!causes.empty()) message += ": " + JoinCauses(causes);
  ErrorDetails details = DetailsOf(kind, name);
  details.causes = std::move(causes);
  return {422, "Invalid", std::move(message), std::move(details)};
}

Error Error::BadRequest(std::string message) { return {400, "BadRequest", std::move(message)}; }

Error Error::Unauthorized(std::string message) { return {401, "Unauthorized", std::move(message)}; }

Error Error::MethodNotSupported(std::string_view resource, std::string_view action) {
  return {405, "MethodNotAllowed",
          fmt::format("{} is not supported on resources of kind \"{}\"", action, resource),
          DetailsOf(resource, "")};
}

Error Error::NotAcceptable(std::string message) {
  return {406, "NotAcceptable", std::move(message)};
}

Error Error::UnsupportedMediaType(std::string message) {
  return {415, "UnsupportedMediaType", std::move(message)};
}

Error Error::RequestTooLarge(std::string message) {
  return {413, "RequestEntityTooLarge", std::move(message)};
}

Error Error::Expired(std::string message) { return {410, "Expired", std::move(message)}; }

Error Error::Timeout(std::string message) { return {504, "Timeout", std::move(message)}; }

Error Error::TooManyRequests(std::string message, std::chrono::seconds retry_after) {
  return {429, "TooManyRequests", std::move(message), {.retry_after = retry_after}};
}

Error Error::ServiceUnavailable(std::string message) {
  return {503, "ServiceUnavailable", std::move(message)};
}

Error Error::Internal(std::string message) { return {500, "InternalError", std::move(message)}; }

bool Error::IsTransient() const {
  if (rep_->terminal) return false;
  return code() == 409 || code() == 429 || code() >= 500;
}

Error Error::WithContext(std::string_view context) const {
  Rep rep = *rep_;
  rep.message = fmt::format("{}: {}", context, rep.message);
  return Error(std::move(rep));
}

bool Error::operator==(const Error& other) const { return *rep_ == *other.rep_; }

Error Terminal(const Error& error) {
  Error::Rep rep = *error.rep_;
  rep.terminal = true;
  return Error(std::move(rep));
}

}  // namespace kubexms
