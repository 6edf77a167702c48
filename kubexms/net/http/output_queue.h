#pragma once

// A queue of bytes to send that does not copy large buffers.

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "kubexms/net/http/http.h"

namespace kubexms {

// A queue of pieces. Large buffers are referenced; small buffers are copied into one piece, which
// is cheaper than tracking them.
class OutputQueue {
 public:
  void Append(std::string_view bytes);
  void Append(SharedBytes bytes);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // The first bytes in one piece: at least one byte, unless the queue is empty.
  std::string_view Front() const;
  // Copies the first bytes, at most `capacity`, to `destination` and returns their number.
  size_t CopyTo(char* destination, size_t capacity) const;
  // Returns the number of pieces stored in `pieces`, at most `count`, from the front.
  size_t Pieces(std::string_view* pieces, size_t count) const;
  void Consume(size_t count);

 private:
  struct Piece {
    std::string_view view() const { return shared.empty() ? copied : shared.view(); }

    SharedBytes shared;
    std::string copied;
  };

  std::deque<Piece> pieces_;
  size_t consumed_ = 0;  // of the first piece
  size_t size_ = 0;
};

}  // namespace kubexms
