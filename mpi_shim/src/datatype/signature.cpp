#include "datatype/signature.hpp"

#include "datatype/checked.hpp"

namespace fmpl::mpi {
namespace {

constexpr std::uint64_t kModulus = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t kBase = 0x1d3c8f5a7b92e641 % kModulus;

std::uint64_t multiply(std::uint64_t a, std::uint64_t b)
{
    // A Mersenne modulus: what is above bit 61 counts once more from below.
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    const std::uint64_t folded =
        static_cast<std::uint64_t>(product & kModulus) + static_cast<std::uint64_t>(product >> 61);
    return folded >= kModulus ? folded - kModulus : folded;
}

std::uint64_t add(std::uint64_t a, std::uint64_t b)
{
    const std::uint64_t sum = a + b;
    return sum >= kModulus ? sum - kModulus : sum;
}

}  // namespace

Signature::Signature(Predefined type)
{
    const PredefinedInfo& about = info(type);
    if (about.kind == Kind::marker) return;
    if (about.kind == Kind::pair) {
        *this = Signature(about.first).followed_by(Signature(about.second));
        return;
    }
    elements_ = 1;
    hash_ = static_cast<std::uint64_t>(type) + 1;
    power_ = kBase;
    uniform_ = type;
}

Signature Signature::followed_by(const Signature& other) const
{
    if (elements_ == 0) return other;
    if (other.elements_ == 0) return *this;
    Signature both;
    both.elements_ = checked_add(elements_, other.elements_);
    both.hash_ = add(hash_, multiply(power_, other.hash_));
    both.power_ = multiply(power_, other.power_);
    if (uniform_ == other.uniform_) both.uniform_ = uniform_;
    return both;
}

Signature Signature::repeated(std::int64_t times) const
{
    checked_multiply(elements_, times);
    Signature result;
    Signature doubled = *this;
    for (; times > 0; times >>= 1) {
        if (times & 1) result = result.followed_by(doubled);
        if (times > 1) doubled = doubled.followed_by(doubled);
    }
    return result;
}

}  // namespace fmpl::mpi
