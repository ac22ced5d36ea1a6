#include "coll/uses.hpp"

#include <algorithm>

namespace fmpl {

bool look_who_has_left(Meeting& m, const UseCourse& course, std::uint64_t uses)
{
    UseCount& count = course.count;
    std::uint64_t least = ~std::uint64_t{0};
    int member = count.behind;
    for (int i = 0; i < m.size(); ++i, ++member) {
        if (member == m.size()) member = 0;
        if (member == m.rank()) continue;
        const UseProgress& progress = course.progress(m.station->members[static_cast<std::size_t>(member)]);
        const std::uint64_t left = progress.left.load(std::memory_order_acquire);  // pairs with leave_use
        if (left < uses) {
            count.behind = member;
            return false;
        }
        least = std::min(least, left);
    }
    count.left = least;
    return true;
}

}  // namespace fmpl
