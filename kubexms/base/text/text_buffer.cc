#include "kubexms/base/text/text_buffer.h"

#include <algorithm>

namespace kubexms {

void TextBuffer::Grow(size_t count) {
  const size_t capacity = std::max(capacity_ * 2, size_ + count);
  auto data = std::make_unique_for_overwrite<char[]>(capacity);
  std::memcpy(data.get(), data_.get(), size_);
  data_ = std::move(data);
  capacity_ = capacity;
}

}  // namespace kubexms
