// The type signature (MPI-3.1, section 4.1: the sequence of basic types, without displacements) of a data type, in a
// form that can be joined and repeated without the sequence. Of one basic type again and again, as nearly all are:
// that type and how often. Of several: how many there are and a polynomial hash modulo 2^61 - 1 of their sequence;
// two such sequences that differ have the same hash with a probability of about length / 2^61.
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
    // The basic type of which all elements are; none where there are several, or no element.
    std::optional<Predefined> uniform() const { return uniform_; }

    friend bool operator==(const Signature&, const Signature&) = default;

private:
    // Of a sequence: the hash, and the base to the power of its length.
    struct Hash {
        std::uint64_t value = 0;
        std::uint64_t power = 1;

        Hash followed_by(const Hash& other) const;
        Hash repeated(std::int64_t times) const;
        friend bool operator==(const Hash&, const Hash&) = default;
    };
    Hash hash() const;

    std::int64_t elements_ = 0;
    std::optional<Predefined> uniform_;
    Hash mixed_;  // of several basic types; else that of nothing
};

}  // namespace fmpl::mpi
