#include "system_contexts.hpp"

#include "error.hpp"

namespace fmpl::blacs {

SystemContexts::SystemContexts()
{
    add(system_world(), world_ranks_of(system_world()));
}

int SystemContexts::handle_of(Comm comm)
{
    // The program may have freed a communicator and made another of the same value, with other processes: ask again.
    const std::vector<int> ranks = world_ranks_of(comm);
    if (const Entry* known = find(comm)) {
        if (known->world_ranks == ranks) return static_cast<int>(known - entries_.data());
        forget_comm(comm);
    }
    return add(comm, ranks);
}

int SystemContexts::handle_of(Comm comm, const std::vector<int>& world_ranks)
{
    if (const Entry* known = find(comm)) {
        if (known->world_ranks == world_ranks) return static_cast<int>(known - entries_.data());
        forget_comm(comm);
    }
    for (Entry& e : entries_) {
        if (e.in_use && e.comm == system_null() && e.world_ranks == world_ranks) {
            e.comm = comm;
            return static_cast<int>(&e - entries_.data());
        }
    }
    return add(comm, world_ranks);
}

void SystemContexts::free(int handle)
{
    entry(handle);
    if (handle != 0) entries_[static_cast<std::size_t>(handle)] = {false, system_null(), {}};
}

void SystemContexts::forget_comm(Comm comm)
{
    for (Entry& e : entries_) {
        if (e.in_use && e.comm == comm) e.comm = system_null();
    }
}

const SystemContexts::Entry& SystemContexts::entry(int handle) const
{
    if (handle < 0 || static_cast<std::size_t>(handle) >= entries_.size() ||
        !entries_[static_cast<std::size_t>(handle)].in_use) {
        refuse(
            "{} is not the handle of a system context; get one from blacs_get(-1, 0, ...), from blacs_get(context, 10, "
            "...) or from sys2blacs_handle",
            handle);
    }
    return entries_[static_cast<std::size_t>(handle)];
}

const SystemContexts::Entry* SystemContexts::find(Comm comm) const
{
    for (const Entry& e : entries_) {
        if (e.in_use && e.comm == comm) return &e;
    }
    return nullptr;
}

int SystemContexts::add(Comm comm, const std::vector<int>& world_ranks)
{
    for (Entry& e : entries_) {
        if (e.in_use) continue;
        e = {true, comm, world_ranks};
        return static_cast<int>(&e - entries_.data());
    }
    entries_.push_back({true, comm, world_ranks});
    return static_cast<int>(entries_.size()) - 1;
}

}  // namespace fmpl::blacs
