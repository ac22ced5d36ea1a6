#include "support.hpp"

#include "boundary.hpp"
#include "error.hpp"
#include "scope_argument.hpp"

#include <cctype>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fmpl::blacs {
namespace {

// Values of `what`, as the user's guide numbers them.
constexpr int kWhatSystemContext = 0;
constexpr int kWhatMessageIds = 1;
constexpr int kWhatDebugLevel = 2;
constexpr int kWhatSystemContextOfGrid = 10;

constexpr int kArgumentsAreChecked = 1;

bool is_setting(int what)
{
    return what >= Context::kFirstSetting && what < Context::kFirstSetting + Context::kSettings;
}

// Makes the grid whose process number k is numbers[k] of the system context.
void make_grid(Process& process, int* context, const std::vector<int>& numbers, int nprow, int npcol)
{
    const std::vector<int>& system = process.system_contexts().world_ranks(*context);
    std::vector<int> world_ranks(numbers.size());
    int my_number = -1;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        world_ranks[k] = system[static_cast<std::size_t>(numbers[k])];
        if (world_ranks[k] == process.job().number()) my_number = static_cast<int>(k);
    }
    if (my_number < 0) {
        *context = -1;
        return;
    }
    try {
        *context = process.add_context(std::make_unique<Context>(nprow, npcol, world_ranks, my_number));
    } catch (const Disagreement& e) {
        refuse("system context, order or usermap, nprow, npcol must agree in the grid: {}", e.what());
    }
}

// The number of processes of the system context, once the grid is known to fit.
int check_shape(Process& process, int system_context, int nprow, int npcol)
{
    const int available = static_cast<int>(process.system_contexts().world_ranks(system_context).size());
    if (nprow < 1) refuse("nprow = {} is not a number of process rows; give at least 1", nprow);
    if (npcol < 1) refuse("npcol = {} is not a number of process columns; give at least 1", npcol);
    const long wanted = static_cast<long>(nprow) * npcol;
    if (wanted > available) {
        refuse(
            "a {} x {} grid needs {} processes and the system context {} has {}; ask for a smaller grid or start more",
            nprow, npcol, wanted, system_context, available);
    }
    return available;
}

void grid_init(Process& process, int* context, const char* order, int nprow, int npcol)
{
    check_pointer("the context", context);
    check_shape(process, *context, nprow, npcol);
    const bool by_columns = order != nullptr && std::toupper(static_cast<unsigned char>(*order)) == 'C';
    std::vector<int> numbers;
    for (int i = 0; i < nprow; ++i) {
        for (int j = 0; j < npcol; ++j) numbers.push_back(by_columns ? i + j * nprow : i * npcol + j);
    }
    make_grid(process, context, numbers, nprow, npcol);
}

void grid_map(Process& process, int* context, const int* usermap, int ldup, int nprow, int npcol)
{
    check_pointer("the context", context);
    check_pointer("usermap", usermap);
    const int available = check_shape(process, *context, nprow, npcol);
    if (npcol > 1 && ldup < nprow) {
        refuse("ldup = {} is less than nprow = {}; give the leading dimension of usermap, at least nprow", ldup, nprow);
    }
    std::vector<int> numbers;
    std::vector<bool> taken(static_cast<std::size_t>(available));
    for (int i = 0; i < nprow; ++i) {
        for (int j = 0; j < npcol; ++j) {
            const int number = usermap[i + static_cast<std::ptrdiff_t>(j) * ldup];
            if (number < 0 || number >= available) {
                refuse(
                    "usermap has process {} at coordinates {{{},{}}}, and the system context {} has the processes 0 .. "
                    "{}",
                    number, i, j, *context, available - 1);
            }
            if (taken[static_cast<std::size_t>(number)]) {
                refuse(
                    "usermap has process {} twice, the second time at coordinates {{{},{}}}; a process has one place "
                    "in a grid",
                    number, i, j);
            }
            taken[static_cast<std::size_t>(number)] = true;
            numbers.push_back(number);
        }
    }
    make_grid(process, context, numbers, nprow, npcol);
}

void get_value(Process& process, int context, int what, int* val)
{
    check_pointer("val", val);
    switch (what) {
        case kWhatSystemContext:
            *val = process.system_contexts().handle_of(system_world());
            return;
        case kWhatMessageIds:
            val[0] = val[1] = kMessageIndex;
            return;
        case kWhatDebugLevel:
            *val = kArgumentsAreChecked;
            return;
        case kWhatSystemContextOfGrid: {
            const Context& c = process.context(context);
            *val = process.system_contexts().handle_of(c.system_comm(), c.world_ranks());
            return;
        }
        default:
            if (!is_setting(what)) refuse("what = {} is unknown; blacs_get knows 0, 1, 2 and 10 .. 16", what);
            *val = process.context(context).setting(what);
    }
}

void set_value(Process& process, int context, int what, const int* val)
{
    if (what == kWhatMessageIds) return;  // each context has communicators of its own: there is no range to choose
    if (!is_setting(what)) refuse("what = {} cannot be set; blacs_set knows 1 and 11 .. 16", what);
    check_pointer("val", val);
    process.context(context).setting(what) = *val;
}

}  // namespace

void pinfo(const char* routine, int* mypnum, int* nprocs)
{
    call_joining(routine, -1, [&](Process& process) {
        check_pointer("mypnum", mypnum);
        check_pointer("nprocs", nprocs);
        *mypnum = process.job().number();
        *nprocs = process.job().count();
    });
}

void get(const char* routine, int context, int what, int* val)
{
    call_joining(routine, context, [&](Process& process) { get_value(process, context, what, val); });
}

void set(const char* routine, int context, int what, const int* val)
{
    call(routine, context, [&](Process& process) { set_value(process, context, what, val); });
}

void gridinit(const char* routine, int* context, const char* order, int nprow, int npcol)
{
    call_joining(routine, -1, [&](Process& process) { grid_init(process, context, order, nprow, npcol); });
}

void gridmap(const char* routine, int* context, const int* usermap, int ldup, int nprow, int npcol)
{
    call_joining(routine, -1, [&](Process& process) { grid_map(process, context, usermap, ldup, nprow, npcol); });
}

void gridexit(const char* routine, int context)
{
    call(routine, context, [&](Process& process) { process.remove_context(context); });
}

void freebuff(const char* routine, int context)
{
    call(routine, context, [&](Process& process) {
        process.context(context);
        process.workspace().release();
        process.job().free_buffers();
    });
}

void exit(const char* routine, int not_done)
{
    call_any_time(routine, -1, [&] {
        std::optional<CallName> name;
        if (Process* process = find_process()) name.emplace(process->job(), routine);
        leave_process(not_done != 0);
    });
}

void abort(const char* routine, int context, int error_number)
{
    const std::string words = fmt::format("the program ends all processes with error number {}", error_number);
    give_up(routine, context, words.c_str(), error_number >= 1 && error_number <= 255 ? error_number : 1);
}

void gridinfo(const char* routine, int context, int* nprow, int* npcol, int* myrow, int* mycol)
{
    call_any_time(routine, context, [&] {
        check_pointer("nprow", nprow);
        check_pointer("npcol", npcol);
        check_pointer("myrow", myrow);
        check_pointer("mycol", mycol);
        const Process* process = find_process();
        const Context* c = process != nullptr ? process->find_context(context) : nullptr;
        const ProcessGrid grid = c != nullptr ? c->grid() : ProcessGrid{-1, -1, -1, -1};
        *nprow = grid.rows;
        *npcol = grid.columns;
        *myrow = grid.my_row;
        *mycol = grid.my_column;
    });
}

int pnum(const char* routine, int context, int prow, int pcol)
{
    return call(routine, context, [&](Process& process) {
        const ProcessGrid& grid = process.context(context).grid();
        return grid.has_row(prow) && grid.has_column(pcol) ? grid.number(prow, pcol) : -1;
    });
}

void pcoord(const char* routine, int context, int number, int* prow, int* pcol)
{
    call(routine, context, [&](Process& process) {
        const ProcessGrid& grid = process.context(context).grid();
        check_pointer("prow", prow);
        check_pointer("pcol", pcol);
        const bool inside = number >= 0 && number < grid.size();
        *prow = inside ? grid.row_of(number) : -1;
        *pcol = inside ? grid.column_of(number) : -1;
    });
}

void barrier(const char* routine, int context, const char* scope)
{
    call(routine, context, [&](Process& process) {
        const Scope& s = scope_of(process.context(context), scope);
        if (s.size > 1) blacs::barrier(s.comm);
    });
}

int message_id(const char* routine, int context)
{
    return call(routine, context, [&](Process& process) {
        process.context(context);
        return kMessageIndex;
    });
}

double cpu_seconds()
{
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

int handle_of_comm(const char* routine, Comm comm)
{
    return call_joining(routine, -1, [&](Process& process) { return process.system_contexts().handle_of(comm); });
}

Comm comm_of_handle(const char* routine, int system_context)
{
    return call_joining(routine, -1, [&](Process& process) { return process.system_contexts().comm(system_context); });
}

void free_handle(const char* routine, int system_context)
{
    call(routine, -1, [&](Process& process) { process.system_contexts().free(system_context); });
}

}  // namespace fmpl::blacs
