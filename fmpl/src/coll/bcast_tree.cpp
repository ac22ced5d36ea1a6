// The software broadcast: a binomial tree over point-to-point messages, rooted at the root.
//
// Cost with p ranks and n bytes: ceil(log2 p) (latency + n / bandwidth).
#include "coll/collectives.hpp"

#include "error.hpp"

#include <exception>

namespace fmpl {

void Collectives::bcast_tree(Meeting& m, void* buffer, std::size_t bytes, int root)
{
    const int size = m.size();
    const int relative = (m.rank() - root + size) % size;
    const auto absolute = [&](int r) { return (r + root) % size; };
    std::exception_ptr mismatch;
    int bit = 1;
    // Receive from the parent, which differs in the lowest bit set.
    for (; bit < size; bit <<= 1) {
        if ((relative & bit) != 0) {
            try {
                tree_recv(m, absolute(relative - bit), buffer, bytes);
            } catch (const Error& error) {
                if (error.code() != FMPL_ERR_MISMATCH) throw;
                mismatch = std::current_exception();  // thrown when the children have been served
            }
            break;
        }
    }
    // Send to the children, the largest subtree first.
    for (bit >>= 1; bit > 0; bit >>= 1) {
        if (relative + bit < size) tree_send(m, absolute(relative + bit), buffer, bytes);
    }
    if (mismatch) std::rethrow_exception(mismatch);
}

}  // namespace fmpl
