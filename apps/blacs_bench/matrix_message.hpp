// A matrix in a buffer, for PingPong: which elements travel, and by which calls.
#pragma once

#include "../bench/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace fmpl::bench {

enum class Shape { contiguous, strided, upper, lower };

const char* shape_name(Shape shape);

struct MatrixMessage {
    Shape shape;
    int m, n, lda;  // upper and lower: m = n, with the diagonal

    std::size_t elements() const;  // that travel
    std::size_t bytes() const { return elements() * sizeof(double); }
    std::size_t buffer_bytes() const;
    std::string words() const;  // "40x40, leading dimension 640"

    // Between ranks of the job's grid.
    void send(const std::byte* buffer, int peer) const
    {
        const auto* a = reinterpret_cast<const double*>(buffer);
        if (is_triangle()) {
            Cdtrsd2d(transport::grid.context, uplo(), "N", m, n, a, lda, 0, peer);
        } else {
            Cdgesd2d(transport::grid.context, m, n, a, lda, 0, peer);
        }
    }
    void receive(std::byte* buffer, int peer) const
    {
        auto* a = reinterpret_cast<double*>(buffer);
        if (is_triangle()) {
            Cdtrrv2d(transport::grid.context, uplo(), "N", m, n, a, lda, 0, peer);
        } else {
            Cdgerv2d(transport::grid.context, m, n, a, lda, 0, peer);
        }
    }

    // What does not travel has another value on each rank, so that a receive that writes there is seen.
    void clear(std::byte* buffer) const;
    void fill(std::byte* buffer, std::uint64_t seed) const;
    bool holds(const std::byte* buffer, std::uint64_t seed) const;

private:
    bool is_triangle() const { return shape == Shape::upper || shape == Shape::lower; }
    const char* uplo() const { return shape == Shape::upper ? "U" : "L"; }
    bool travels(int i, int j) const;
    std::size_t buffer_elements() const;
};

}  // namespace fmpl::bench
