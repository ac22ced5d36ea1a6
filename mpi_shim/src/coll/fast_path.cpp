#include "coll/fast_path.hpp"

#include "coll/collective_state.hpp"
#include "p2p/fmpl_call.hpp"
#include "p2p/message_buffer.hpp"

#include <fmpl.h>
#include <fmpl/columns.h>
#include <fmpl/exchange.h>
#include <fmpl/groups.h>
#include <fmpl/reductions.h>

namespace fmpl::mpi {
namespace {

struct FmplComm {
    fmpl_comm_t comm = FMPL_COMM_NULL;
    bool is_first = false;  // of the communicators with these members
};

FmplComm make_fmpl_comm(CollectiveState& state, const Communicator& comm)
{
    if (state.form == CollectiveForm::schedule || comm.is_inter() || comm.size() == 1) return {};
    const std::vector<int>& members = comm.group()->world_ranks();
    if (members == state.job->world_ranks()) return {FMPL_COMM_WORLD, comm.handle == kCommWorld};
    const auto [known, is_new] = state.fmpl_comms.try_emplace(members, FMPL_COMM_NULL);
    if (is_new) {
        const int code = fmpl_comm_create_group(&known->second, members.data(), comm.size());
        if (code != FMPL_SUCCESS) known->second = FMPL_COMM_NULL;
        // Where memory is short, all members hear of it.
        if (code != FMPL_ERR_MEMORY) check_fmpl(code);
    }
    return {known->second, is_new};
}

// FMPL_COMM_NULL on all members, or on none.
fmpl_comm_t fmpl_comm_of(CollectiveState& state, Communicator& comm)
{
    if (!comm.fmpl_comm_tried) [[unlikely]] {
        const FmplComm made = make_fmpl_comm(state, comm);
        comm.fmpl_comm = made.comm;
        if (made.comm != FMPL_COMM_NULL) check_fmpl(fmpl_exchanges_of(made.comm, 0, &comm.exchanges));
        if (made.is_first && made.comm != FMPL_COMM_NULL)
            check_fmpl(fmpl_exchanges_of(made.comm, 1, &comm.nonblocking_exchanges));
        comm.fmpl_comm_tried = true;
    }
    return comm.fmpl_comm;
}

// Temporary memory for the time of a call.
class TemporaryMemory {
public:
    TemporaryMemory(CollectiveState& state, std::uint64_t bytes)
        : pool_(state.scratch),
          block_(pool_.take(static_cast<std::size_t>(bytes)))
    {
    }
    ~TemporaryMemory() { pool_.give_back(std::move(block_)); }
    TemporaryMemory(const TemporaryMemory&) = delete;
    TemporaryMemory& operator=(const TemporaryMemory&) = delete;

    std::byte* data() const { return block_.memory.data(); }

private:
    ScratchPool& pool_;
    ScratchPool::Block block_;
};

}  // namespace

void find_exchanges(CollectiveState& state, Communicator& comm)
{
    fmpl_comm_of(state, comm);
}

bool fast_barrier(CollectiveState& state, Communicator& comm)
{
    const fmpl_comm_t fmpl_comm = fmpl_comm_of(state, comm);
    if (fmpl_comm == FMPL_COMM_NULL) return false;
    check_fmpl(fmpl_barrier(fmpl_comm));
    return true;
}

bool fast_bcast(CollectiveState& state, Communicator& comm, const MessageBuffer& message, int root)
{
    const fmpl_comm_t fmpl_comm = fmpl_comm_of(state, comm);
    if (fmpl_comm == FMPL_COMM_NULL) return false;
    if (message.in_one_piece()) {
        check_fmpl(fmpl_bcast(message.data, message.bytes, root, fmpl_comm));
    } else if (const auto columns = message.layout->columns(message.count)) {
        void* const base = reinterpret_cast<void*>(
            reinterpret_cast<std::uintptr_t>(message.data) + static_cast<std::uintptr_t>(columns->offset));
        check_fmpl(fmpl_bcast_columns(base, &columns->columns, root, fmpl_comm));
    } else {
        const TemporaryMemory dense(state, message.bytes);
        if (comm.rank() == root) message.pack(0, message.bytes, dense.data());
        check_fmpl(fmpl_bcast(dense.data(), message.bytes, root, fmpl_comm));
        if (comm.rank() != root) message.unpack(0, message.bytes, dense.data());
    }
    return true;
}

bool fast_allreduce(CollectiveState& state, Communicator& comm, const void* contribution, void* result,
    std::int64_t count, const fmpl_op& form)
{
    const fmpl_comm_t fmpl_comm = fmpl_comm_of(state, comm);
    if (fmpl_comm == FMPL_COMM_NULL) return false;
    check_fmpl(fmpl_allreduce_to(contribution, result, static_cast<std::size_t>(count), &form, fmpl_comm));
    return true;
}

bool fast_reduce(CollectiveState& state, Communicator& comm, const void* contribution, void* result, std::int64_t count,
    const fmpl_op& form, int root)
{
    const fmpl_comm_t fmpl_comm = fmpl_comm_of(state, comm);
    if (fmpl_comm == FMPL_COMM_NULL) return false;
    check_fmpl(fmpl_reduce_to(contribution, result, static_cast<std::size_t>(count), &form, root, fmpl_comm));
    return true;
}

}  // namespace fmpl::mpi
