// What a rank keeps of each other rank, made when the two first have to do with each other: of a thousand most never
// have.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace fmpl::mpi {

template <class T>
class PerPeer {
public:
    explicit PerPeer(int ranks) : of_(static_cast<std::size_t>(ranks)) {}

    // nullptr: nothing has been made.
    T* find(int rank) { return of_[static_cast<std::size_t>(rank)].get(); }
    const T* find(int rank) const { return of_[static_cast<std::size_t>(rank)].get(); }
    T& make(int rank)
    {
        std::unique_ptr<T>& one = of_[static_cast<std::size_t>(rank)];
        if (one == nullptr) [[unlikely]]
            one = std::make_unique<T>();
        return *one;
    }
    // Calls visit(rank, T&) for those that have been made.
    template <class Visit>
    void for_each(Visit&& visit)
    {
        for (std::size_t rank = 0; rank < of_.size(); ++rank) {
            if (of_[rank] != nullptr) visit(static_cast<int>(rank), *of_[rank]);
        }
    }

private:
    std::vector<std::unique_ptr<T>> of_;
};

}  // namespace fmpl::mpi
