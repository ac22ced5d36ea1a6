// The type signature (MPI-3.1, section 4.1: the sequence of basic types, without displacements) of a data type, as a
// number: how many basic types there are and a polynomial hash modulo 2^61 - 1 of their sequence, which can be joined
// and repeated without the sequence. Two signatures that differ have the same number with a probability of about length
// / 2^61.
#pragma once

#include "datatype/predefined.hpp"

#include <cstdint>
#include <optional>

namespace fmpl::mpi {

class Signature {
public:
    // Of nothing.
    Signature() = default;
    // Of one basic type. A pair has two basic types, a marker none.
    explicit Signature(Predefined type);

    // The basic types of this one, then those of `other`. Fails when there are more than 2^63 - 1.
    Signature followed_by(const Signature& other) const;
    // This one `times` times, times >= 0.
    Signature repeated(std::int64_t times) const;

    std::int64_t elements() const { return elements_; }
    std::uint64_t hash() const { return hash_; }
    // The basic type of which all elements are; none where there are several, or no element.
    std::optional<Predefined> uniform() const { return uniform_; }

    friend bool operator==(const Signature&, const Signature&) = default;

private:
    std::int64_t elements_ = 0;
    std::uint64_t hash_ = 0;
    std::uint64_t power_ = 1;  // of the base, to the number of elements
    std::optional<Predefined> uniform_;
};

}  // namespace fmpl::mpi
