#include "kubexms/net/http/output_queue.h"

#include <algorithm>
#include <cstring>

namespace kubexms {
namespace {

// Below this size a copy costs less than a reference and another element of a gathering write.
constexpr size_t kReferenceFrom = 1024;
constexpr size_t kBlockSize = size_t{16} * 1024;
// The pieces of a long list are scattered in memory. Prefetches pieces this far ahead of the copy;
// after the first cache lines of a piece the hardware prefetcher takes over.
constexpr size_t kLookAhead = 2;
constexpr size_t kFetchedAhead = 512;
constexpr size_t kCacheLine = 64;

void FetchAhead(std::string_view bytes) {
  const size_t size = std::min(bytes.size(), kFetchedAhead);
  for (size_t at = 0; at < size; at += kCacheLine) __builtin_prefetch(bytes.data() + at);
}

}  // namespace

void OutputQueue::Append(std::string_view bytes) {
  if (bytes.empty()) return;
  const bool fits = !pieces_.empty() && pieces_.back().shared.empty() &&
                    pieces_.back().copied.size() + bytes.size() <= kBlockSize;
  if (!fits) pieces_.emplace_back();
  pieces_.back().copied.append(bytes);
  size_ += bytes.size();
}

void OutputQueue::Append(SharedBytes bytes) {
  if (bytes.size() < kReferenceFrom) return Append(bytes.view());
  size_ += bytes.size();
  pieces_.emplace_back().shared = std::move(bytes);
}

std::string_view OutputQueue::Front() const {
  return pieces_.empty() ? std::string_view() : pieces_.front().view().substr(consumed_);
}

size_t OutputQueue::CopyTo(char* destination, size_t capacity) const {
  size_t copied = 0;
  size_t skip = consumed_;
  for (size_t i = 0; i < pieces_.size() && copied < capacity; ++i) {
    if (i + kLookAhead < pieces_.size()) FetchAhead(pieces_[i + kLookAhead].view());
    const std::string_view bytes = pieces_[i].view().substr(skip);
    skip = 0;
    const size_t count = std::min(bytes.size(), capacity - copied);
    std::memcpy(destination + copied, bytes.data(), count);
    copied += count;
  }
  return copied;
}

size_t OutputQueue::Pieces(std::string_view* pieces, size_t count) const {
  const size_t found = std::min(count, pieces_.size());
  for (size_t i = 0; i < found; ++i) pieces[i] = pieces_[i].view();
  if (found > 0) pieces[0].remove_prefix(consumed_);
  return found;
}

void OutputQueue::Consume(size_t count) {
  size_ -= count;
  while (count > 0) {
    const size_t left = pieces_.front().view().size() - consumed_;
    if (count < left) {
      consumed_ += count;
      return;
    }
    count -= left;
    consumed_ = 0;
    pieces_.pop_front();
  }
}

}  // namespace kubexms
