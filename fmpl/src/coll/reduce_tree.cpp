// The software reduction: a binomial tree over point-to-point messages, in the order of the ranks.
//
// Rank r combines its own ranks r .. r + 2^k - 1 with those of its child r + 2^k, so that operands keep their order and
// the result does not depend on who arrives when. Rank 0 passes the result on to another root.
// Cost with p ranks and n bytes: ceil(log2 p) (latency + n / bandwidth + n / combine rate).
#include "coll/collectives.hpp"

#include "error.hpp"

#include <cstring>
#include <exception>
#include <utility>
#include <vector>

namespace fmpl {

// The partial results take the place of the operand, or of a copy of it.
void Collectives::reduce_tree(Meeting& m, const ReduceBuffers& buffers, const Reduction& whole, std::byte* work)
{
    if (buffers.result == buffers.operand) return reduce_tree_in_place(m, buffers.result, whole, work);
    std::vector<std::byte> kept(buffers.result == nullptr ? whole.bytes() : 0);
    std::byte* const buffer = buffers.result == nullptr ? kept.data() : buffers.result;
    if (whole.bytes() > 0) std::memcpy(buffer, buffers.operand, whole.bytes());
    reduce_tree_in_place(m, buffer, whole, work);
}

// The tree ends at rank 0, whatever the root.
void Collectives::reduce_tree_in_place(Meeting& m, std::byte* buffer, const Reduction& whole, std::byte* work)
{
    if (whole.root != kAllMembers) return reduce_tree_to_root(m, buffer, whole, whole.root, work);
    std::exception_ptr mismatch;
    try {
        reduce_tree_to_root(m, buffer, whole, 0, work);
    } catch (const Error& error) {
        if (error.code() != FMPL_ERR_MISMATCH) throw;
        mismatch = std::current_exception();  // thrown when the others have gone through the broadcast
    }
    bcast(m, buffer, whole.bytes(), 0);
    if (mismatch) std::rethrow_exception(mismatch);
}

void Collectives::reduce_tree_to_root(Meeting& m, std::byte* buffer, const Reduction& whole, int root, std::byte* work)
{
    const std::size_t bytes = whole.bytes();
    const fmpl_op_t op = whole.op;
    const std::size_t count = whole.count;
    const int rank = m.rank();
    const int size = m.size();
    std::byte* mine = buffer;  // the ranks combined so far
    std::byte* other = nullptr;
    bool sent = false;
    std::exception_ptr mismatch;
    for (int bit = 1; bit < size && !sent; bit <<= 1) {
        if ((rank & bit) != 0) {
            tree_send(m, rank - bit, mine, bytes);
            sent = true;
        } else if (rank + bit < size) {
            if (other == nullptr) other = work != nullptr ? work : scratch(bytes);
            try {
                tree_recv(m, rank + bit, other, bytes);
            } catch (const Error& error) {
                if (error.code() != FMPL_ERR_MISMATCH) throw;
                mismatch = std::current_exception();  // thrown when the parent has been served
                continue;
            }
            op->function(mine, other, count);  // other = mine (op) other: lower ranks on the left
            std::swap(mine, other);
        }
    }
    if (root != 0) {
        if (rank == 0) tree_send(m, root, mine, bytes);
        if (rank == root) tree_recv(m, 0, buffer, bytes);
    } else if (rank == 0 && mine != buffer && bytes > 0) {
        std::memcpy(buffer, mine, bytes);
    }
    if (mismatch) std::rethrow_exception(mismatch);
}

}  // namespace fmpl
