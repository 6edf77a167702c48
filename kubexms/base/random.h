#pragma once

// Randomness as a dependency, like time: programs use SystemRandom, tests and simulations a
// reproducible SeededRandom.

#include <cstdint>
#include <random>
#include <span>
#include <string>

#include "kubexms/base/mutex.h"

namespace kubexms {

class Random {
 public:
  virtual ~Random() = default;

  // Fills `bytes`. Thread-safe.
  virtual void Fill(std::span<uint8_t> bytes) = 0;

  std::string Bytes(size_t count);
  uint64_t Next();
  // Uniformly distributed in [0, bound); `bound` must not be zero.
  uint64_t Below(uint64_t bound);
  // Uniformly distributed in [0, 1): for jitter.
  double Fraction();
  // A random (version 4) UUID, the form of metadata.uid.
  std::string Uuid();
  // The suffix of generated names, in the alphabet of Kubernetes, which spells no words and has no
  // characters that look alike.
  std::string NameSuffix(size_t length = 5);
};

// The kernel's generator, suitable for keys and tokens.
class SystemRandom final : public Random {
 public:
  void Fill(std::span<uint8_t> bytes) override;
};

// Produces the same sequence for the same seed. Not for keys and tokens.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(uint64_t seed) : engine_(seed) {}
  void Fill(std::span<uint8_t> bytes) override;

 private:
  Mutex mutex_;
  std::mt19937_64 engine_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
