// An array whose length is settled when it is made, with room for `kInline` entries in itself: short ones take no
// memory elsewhere.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace fmpl::mpi {

template <class T, std::size_t kInline>
class InlineArray {
public:
    using value_type = T;
    using const_iterator = const T*;
    using iterator = const_iterator;

    InlineArray() = default;
    InlineArray(std::initializer_list<T> entries) : InlineArray(std::span<const T>(entries.begin(), entries.size())) {}
    explicit InlineArray(std::span<const T> entries) : InlineArray(entries.size())
    {
        std::copy(entries.begin(), entries.end(), entries_of(*this));
    }
    InlineArray(const InlineArray& other) : InlineArray(std::span<const T>(other)) {}
    InlineArray(InlineArray&& other) noexcept
        : size_(std::exchange(other.size_, 0)),
          few_(std::move(other.few_)),
          many_(std::move(other.many_))
    {
    }
    InlineArray& operator=(InlineArray other) noexcept
    {
        size_ = std::exchange(other.size_, 0);
        few_ = std::move(other.few_);
        many_ = std::move(other.many_);
        return *this;
    }

    // The parts, each an entry or a range of entries, one after the other.
    template <class... Parts>
    static InlineArray joined(const Parts&... parts)
    {
        InlineArray result((length(parts) + ... + std::size_t{0}));
        T* to = entries_of(result);
        ((to = append(to, parts)), ...);
        return result;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const T* data() const { return entries_of(*this); }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    const T& operator[](std::size_t i) const { return data()[i]; }

    friend bool operator==(const InlineArray& a, std::span<const T> b)
    {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    explicit InlineArray(std::size_t size)
        : size_(size),
          many_(size > kInline ? std::make_unique_for_overwrite<T[]>(size) : nullptr)
    {
    }

    template <class Self>
    static auto entries_of(Self& self) -> decltype(self.few_.data())
    {
        return self.many_ ? self.many_.get() : self.few_.data();
    }

    template <class Part>
    static std::size_t length(const Part& part)
    {
        if constexpr (std::is_convertible_v<Part, T>) {
            return 1;
        } else {
            return part.size();
        }
    }

    template <class Part>
    static T* append(T* to, const Part& part)
    {
        if constexpr (std::is_convertible_v<Part, T>) {
            *to = part;
            return to + 1;
        } else {
            return std::copy(part.begin(), part.end(), to);
        }
    }

    std::size_t size_ = 0;
    std::array<T, kInline> few_{};
    std::unique_ptr<T[]> many_;  // null when few_ has them
};

}  // namespace fmpl::mpi
