// What the tests of collective calls share: both forms of a call, values that say whose they are, layouts of blocks.
//
// Everything here may be called by all ranks at once; nothing has mutable state outside its arguments.
#pragma once

#include "mpi_test.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mpi_test {

// A collective call has a blocking and a non-blocking form; the standard gives both the same result.
enum class Form { blocking, nonblocking };
inline constexpr std::array<Form, 2> kForms = {Form::blocking, Form::nonblocking};

// Shifts the ranks against each other by a number of steps that depends on the rank and `salt`.
inline void delay(unsigned salt)
{
    const unsigned mixed = (static_cast<unsigned>(rank()) * 2654435761U) ^ (salt * 40503U);
    const unsigned steps = (mixed >> 7) % 5 == 0 ? 20000 : (mixed >> 5) % 2000;
    std::atomic<unsigned> step{0};
    while (step.fetch_add(1, std::memory_order_relaxed) < steps) {
    }
}

// Completes a request by repeated tests.
inline void test_until_done(MPI_Request& request)
{
    for (int done = 0; !done;) {
        EXPECT_EQ(MPI_Test(&request, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    EXPECT_TRUE(request == MPI_REQUEST_NULL);
}

// Makes the call in one of its forms: call_as(form, MPI_Bcast, MPI_Ibcast, buffer, count, type, root, comm).
template <class Call, class Start, class... Arguments>
void call_as(Form form, Call call, Start start, Arguments... arguments)
{
    if (form == Form::blocking) {
        EXPECT_EQ(call(arguments...), MPI_SUCCESS);
        return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_EQ(start(arguments..., &request), MPI_SUCCESS);
    test_until_done(request);
}

template <class Value>
MPI_Datatype type_of();
template <>
inline MPI_Datatype type_of<int>()
{
    return MPI_INT;
}
template <>
inline MPI_Datatype type_of<double>()
{
    return MPI_DOUBLE;
}

// What no message holds.
inline constexpr int kUntouched = -1;

// Element `index` of what rank `from` contributes; never kUntouched.
template <class Value = int>
Value element(int from, int index, int salt = 0)
{
    return static_cast<Value>((from * 131071 + index * 13 + salt * 7919) & 0xffffff);
}

template <class Value = int>
std::vector<Value> elements(int from, int count, int salt = 0)
{
    std::vector<Value> values(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = element<Value>(from, i, salt);
    return values;
}

// Appends the elements of one rank.
template <class Value>
void append(std::vector<Value>& all, const std::vector<Value>& more)
{
    all.insert(all.end(), more.begin(), more.end());
}

// The contributions of all ranks, one after the other.
template <class Value>
std::vector<Value> everybodys(int count, int salt = 0)
{
    std::vector<Value> all;
    for (int from = 0; from < size(); ++from) append(all, elements<Value>(from, count, salt));
    return all;
}

template <class Value = int>
std::vector<Value> untouched(std::size_t count)
{
    return std::vector<Value>(count, static_cast<Value>(kUntouched));
}

// The roots worth trying with `count` elements: all, or the first and the last when that would take long.
inline std::vector<int> roots_for(int count, int ranks)
{
    if (count > 1000 && ranks > 1) return {0, ranks - 1};
    std::vector<int> roots;
    for (int root = 0; root < ranks; ++root) roots.push_back(root);
    return roots;
}

// Where the blocks of the v-forms lie: in reverse order of their ranks, with gaps.
struct Blocks {
    std::vector<int> counts;
    std::vector<int> displacements;
    int extent = 0;

    // Block `index` has count_of(index) elements.
    template <class CountOf>
    Blocks(int blocks, CountOf count_of)
        : counts(static_cast<std::size_t>(blocks)),
          displacements(static_cast<std::size_t>(blocks))
    {
        for (int block = blocks - 1; block >= 0; --block) {
            extent += 2;
            counts[static_cast<std::size_t>(block)] = count_of(block);
            displacements[static_cast<std::size_t>(block)] = extent;
            extent += count_of(block);
        }
        extent += 1;
    }

    int count(int block) const { return counts[static_cast<std::size_t>(block)]; }
    int displacement(int block) const { return displacements[static_cast<std::size_t>(block)]; }

    // Puts values into a buffer of `extent` elements at block `block`.
    template <class Value>
    void put(std::vector<Value>& buffer, int block, const std::vector<Value>& values) const
    {
        for (int i = 0; i < count(block); ++i) {
            buffer[static_cast<std::size_t>(displacement(block) + i)] = values[static_cast<std::size_t>(i)];
        }
    }

    template <class Value = int>
    std::vector<Value> buffer() const
    {
        return untouched<Value>(static_cast<std::size_t>(extent));
    }
};

// A committed type, freed at the end of its scope.
class CommittedType {
public:
    explicit CommittedType(MPI_Datatype type) : type_(type) { MPI_Type_commit(&type_); }
    ~CommittedType()
    {
        if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
    }
    CommittedType(const CommittedType&) = delete;
    CommittedType& operator=(const CommittedType&) = delete;

    MPI_Datatype get() const { return type_; }
    MPI_Datatype& handle() { return type_; }

    // `count` ints, `stride` ints apart, with the extent of count * stride ints, so that elements follow each other.
    static MPI_Datatype strided(int count, int stride)
    {
        MPI_Datatype vector = MPI_DATATYPE_NULL;
        MPI_Type_vector(count, 1, stride, MPI_INT, &vector);
        MPI_Datatype resized = MPI_DATATYPE_NULL;
        MPI_Type_create_resized(vector, 0, static_cast<MPI_Aint>(sizeof(int)) * count * stride, &resized);
        MPI_Type_free(&vector);
        return resized;
    }

private:
    MPI_Datatype type_;
};

// `values` with each at a multiple of `stride`, the gaps untouched.
inline std::vector<int> spread(const std::vector<int>& values, int stride)
{
    std::vector<int> result = untouched(values.size() * static_cast<std::size_t>(stride));
    for (std::size_t i = 0; i < values.size(); ++i) result[i * static_cast<std::size_t>(stride)] = values[i];
    return result;
}

}  // namespace mpi_test
