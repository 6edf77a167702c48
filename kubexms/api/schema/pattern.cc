#include "kubexms/api/schema/pattern.h"

#include <re2/re2.h>

#include <memory>

namespace kubexms {
namespace {

std::unique_ptr<const re2::RE2> Compile(const std::string& pattern) {
  return std::make_unique<const re2::RE2>(pattern, re2::RE2::Quiet);
}

}  // namespace

CompiledPattern& CompiledPattern::operator=(const CompiledPattern& other) {
  if (this != &other) delete compiled_.exchange(nullptr);
  return *this;
}

CompiledPattern::~CompiledPattern() { delete compiled_.load(); }

bool CompiledPattern::Matches(const std::string& pattern, std::string_view text) const {
  const re2::RE2& compiled = Get(pattern);
  return compiled.ok() &&
         re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled);
}

const re2::RE2& CompiledPattern::Get(const std::string& pattern) const {
  const re2::RE2* existing = compiled_.load(std::memory_order_acquire);
  if (existing != nullptr) return *existing;
  std::unique_ptr<const re2::RE2> made = Compile(pattern);
  if (compiled_.compare_exchange_strong(existing, made.get(), std::memory_order_acq_rel)) {
    return *made.release();
  }
  return *existing;
}

Result<void> CheckPattern(const std::string& pattern) {
  const auto compiled = Compile(pattern);
  if (compiled->ok()) return {};
  return Error::BadRequest(compiled->error());
}

}  // namespace kubexms
