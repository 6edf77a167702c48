#include "kubexms/api/group_version.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

namespace kubexms {
namespace {

std::pair<std::string_view, std::string_view> Cut(std::string_view text, char separator) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

std::string Dotted(std::string_view name, std::string_view group) {
  return group.empty() ? std::string(name) : fmt::format("{}.{}", name, group);
}

enum class Stability { kAlpha, kBeta, kStable };

// In the order of preference.
using Version = std::tuple<Stability, int64_t, int64_t>;

std::optional<int64_t> TakeNumber(std::string_view& text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

// "v1", "v1beta2"; none for any other form.
std::optional<Version> ParseVersion(std::string_view text) {
  if (!text.starts_with('v')) return std::nullopt;
  text.remove_prefix(1);
  const std::optional<int64_t> major = TakeNumber(text);
  if (!major) return std::nullopt;
  if (text.empty()) return Version{Stability::kStable, *major, 0};
  const Stability stability = text.starts_with("beta") ? Stability::kBeta : Stability::kAlpha;
  if (stability == Stability::kAlpha && !text.starts_with("alpha")) return std::nullopt;
  text.remove_prefix(stability == Stability::kBeta ? 4 : 5);
  const std::optional<int64_t> minor = TakeNumber(text);
  if (!minor || !text.empty()) return std::nullopt;
  return Version{stability, *major, *minor};
}

}  // namespace

Result<GroupVersion> GroupVersion::Parse(std::string_view text) {
  const auto [group, version] = Cut(text, '/');
  if (version.find('/') != std::string_view::npos) {
    return Error::BadRequest(fmt::format("unexpected GroupVersion string: {}", text));
  }
  if (group.size() == text.size()) return GroupVersion{"", std::string(text)};
  return GroupVersion{std::string(group), std::string(version)};
}

std::string GroupVersion::ToString() const {
  return group.empty() ? version : fmt::format("{}/{}", group, version);
}

GroupKind GroupKind::Parse(std::string_view text) {
  const auto [kind, group] = Cut(text, '.');
  return {std::string(group), std::string(kind)};
}

std::string GroupKind::ToString() const { return Dotted(kind, group); }

GroupResource GroupResource::Parse(std::string_view text) {
  const auto [resource, group] = Cut(text, '.');
  return {std::string(group), std::string(resource)};
}

std::string GroupResource::ToString() const { return Dotted(resource, group); }

Result<GroupVersionKind> GroupVersionKind::Parse(std::string_view api_version,
                                                 std::string_view kind) {
  ASSIGN_OR_RETURN(GroupVersion parsed, GroupVersion::Parse(api_version));
  return GroupVersionKind{std::move(parsed.group), std::move(parsed.version), std::string(kind)};
}

std::string GroupVersionKind::ToString() const {
  return fmt::format("{}/{}, Kind={}", group, version, kind);
}

Result<GroupVersionResource> GroupVersionResource::Parse(std::string_view api_version,
                                                         std::string_view resource) {
  ASSIGN_OR_RETURN(GroupVersion parsed, GroupVersion::Parse(api_version));
  return GroupVersionResource{std::move(parsed.group), std::move(parsed.version),
                              std::string(resource)};
}

std::string GroupVersionResource::ToString() const {
  return fmt::format("{}/{}, Resource={}", group, version, resource);
}

std::weak_ordering CompareVersions(std::string_view a, std::string_view b) {
  const std::optional<Version> left = ParseVersion(a);
  const std::optional<Version> right = ParseVersion(b);
  if (left && right) return *left <=> *right;
  if (!left && !right) return b <=> a;
  return left ? std::weak_ordering::greater : std::weak_ordering::less;
}

}  // namespace kubexms
