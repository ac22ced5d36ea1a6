// Memory for the bodies of messages that have come before their receives, kept for the next ones. Malloc gives the
// memory of a burst of them back to the system, and each page costs a fault when the next burst comes.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace fmpl::mpi {

class BodyPool {
public:
    using Body = std::unique_ptr<std::byte[]>;

    // At least `bytes` bytes. Throws std::bad_alloc.
    Body take(std::size_t bytes)
    {
        if (!is_kept(bytes)) return std::make_unique_for_overwrite<std::byte[]>(bytes);
        const std::size_t own = pages(bytes) - 1;
        std::vector<Body>& kept = kept_[own];
        if (kept.empty()) {
            kept.reserve(kMostKept / bytes_of(own));  // so that give_back needs no memory
            return std::make_unique_for_overwrite<std::byte[]>(bytes_of(own));
        }
        kept_bytes_ -= bytes_of(own);
        Body body = std::move(kept.back());
        kept.pop_back();
        return body;
    }
    // What take(bytes) gave. Where too many are kept, one of another length goes.
    void give_back(Body body, std::size_t bytes)
    {
        if (!is_kept(bytes)) return;
        const std::size_t own = pages(bytes) - 1;
        while (kept_bytes_ + bytes_of(own) > kMostKept) {
            std::size_t other = 0;
            while (other < kept_.size() && (other == own || kept_[other].empty())) ++other;
            if (other == kept_.size()) return;
            kept_[other].pop_back();
            kept_bytes_ -= bytes_of(other);
        }
        kept_[own].push_back(std::move(body));
        kept_bytes_ += bytes_of(own);
    }

    std::size_t kept_bytes() const { return kept_bytes_; }

    // Shorter ones malloc keeps, mostly; longer ones are rare.
    static constexpr std::size_t kShortest = 2048;
    static constexpr std::size_t kLongest = 256 * 1024;
    static constexpr std::size_t kMostKept = 1u << 20;

private:
    static constexpr std::size_t kPage = 4096;
    static bool is_kept(std::size_t bytes) { return bytes >= kShortest && bytes <= kLongest; }
    static std::size_t pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage; }
    static std::size_t bytes_of(std::size_t index) { return (index + 1) * kPage; }

    std::array<std::vector<Body>, kLongest / kPage> kept_;  // by pages, less one
    std::size_t kept_bytes_ = 0;
};

}  // namespace fmpl::mpi
