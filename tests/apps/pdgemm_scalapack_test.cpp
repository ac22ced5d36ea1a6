// psgemm_, pdgemm_, pcgemm_ and pzgemm_ of libpdgemm_fmpl against those of libscalapack, entry by entry, on random
// calls: every operation, shape, block size, corner, source process, descriptor and grid, matrices that share memory,
// and memory of both kinds.
//
// Each case is drawn from (FMPL_TEST_SEED, number of ranks, number of the case), alike on all ranks; ScaLAPACK computes
// it once, then our routine with each algorithm. What must hold:
//  - An entry of sub(C) differs from ScaLAPACK's by no more than twice the rounding of one sum,
//        gamma_n (|alpha| (|op(A)| |op(B)|)_ij + |beta| |C_ij|),   gamma_n = n u / (1 - n u),   u = eps / 2,
//    which holds for a sum of products in any order (N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd
//    ed., section 3.1 and equation 3.13), where n counts the roundings that one term can meet: k additions and the
//    multiplications by b, alpha and beta. A complex sum of k terms is two real sums of 2 k terms, hence 2 n and
//    sqrt(2).
//  - Where all numbers are small integers nothing is rounded, and the entries are equal.
//  - All other elements keep their bits: C outside sub(C), A, B, and what lies around the three arrays.
//  - What must not be read is NaN: everything outside the submatrices, sub(A) and sub(B) when alpha is 0, and sub(C)
//  when
//    beta is 0.
//  - After the call a process may change its A and B at once: all of them are wiped before anyone has waited for
//  anyone.
//
// Environment: FMPL_TEST_SECONDS, how long each number of ranks takes (default 0.6); FMPL_TEST_CASE, the case to begin
// with; with FMPL_TEST_SECONDS=0 it is the only one; FMPL_TEST_COUNT, if set, has the ranks say how many cases there
// were.
#include "../blacs/blacs_api.hpp"
#include "scalapack_gemm.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace fmpl_test;

template <class T>
inline constexpr bool is_complex = !std::is_floating_point_v<T>;

double number_from_environment(const char* name, double otherwise)
{
    const char* text = std::getenv(name);
    return text != nullptr && *text != '\0' ? std::atof(text) : otherwise;
}

// One dimension of a block-cyclic matrix. The source -1 means that every process has all of it.
struct Dimension {
    int size = 0;
    int first_block = 1;
    int block = 1;
    int source = 0;
    int processes = 1;

    int owner(int index) const
    {
        return index < first_block ? source : (source + 1 + (index - first_block) / block) % processes;
    }
    // The global indices that a process has, in the order of its memory.
    std::vector<int> indices_of(int process) const
    {
        std::vector<int> mine;
        for (int index = 0; index < size; ++index) {
            if (source < 0 || owner(index) == process) mine.push_back(index);
        }
        return mine;
    }
};

struct Layout {
    int type = 1;
    Dimension rows;
    Dimension columns;
    // For each process of the grid, in row-major order: what its leading dimension has too much, and where its part
    // lies.
    std::vector<int> pads{};
    std::vector<bool> in_rdma{};

    std::vector<int> descriptor(int context, int leading_dimension) const
    {
        std::vector<int> entries{type, context, rows.size, columns.size};
        if (type == 2) entries.insert(entries.end(), {rows.first_block, columns.first_block});
        entries.insert(entries.end(), {rows.block, columns.block, rows.source, columns.source, leading_dimension});
        return entries;
    }
};

// A submatrix of one of the arrays, counted from 0.
struct Corner {
    int array;
    int row;
    int column;
    int rows;
    int columns;

    bool has(int in_array, int i, int j) const
    {
        return in_array == array && i >= row && i < row + rows && j >= column && j < column + columns;
    }
};

// Everything about a call but its type.
struct Call {
    std::vector<int> map;  // rank of each process of the grid, by columns
    Shape grid;
    char transa;
    char transb;
    int m;
    int n;
    int k;
    bool integers;
    std::complex<double> alpha;
    std::complex<double> beta;
    std::vector<Layout> arrays;  // one to three: operands may share one
    Corner a;
    Corner b;
    Corner c;
    std::vector<bool> delayed;  // for each rank of the job
    std::vector<const char*> algorithms;
    std::uint64_t key;

    bool reads_inputs() const { return alpha != 0.0; }
};

class Draw {
public:
    Draw(std::uint64_t number, int ranks)
    {
        const std::uint64_t base = seed();
        std::seed_seq words{static_cast<std::uint32_t>(base), static_cast<std::uint32_t>(base >> 32),
            static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(ranks)};
        random_.seed(words);
    }

    Call call(int ranks, bool with_imaginary_parts, bool replicated)
    {
        Call call{};
        call.key = random_();
        draw_grid(call, ranks);
        call.transa = letter("NTCntc");
        call.transb = letter("NTCntc");
        call.m = extent(150);
        call.n = extent(150);
        call.k = one_in(12) ? between(151, 700) : extent(150);
        if (call.k > 150) {
            call.m = std::min(call.m, 60);
            call.n = std::min(call.n, 60);
        }
        // Square in two or three dimensions: what is taken for its transpose has the right shape then.
        if (one_in(6)) call.k = call.m;
        if (one_in(6)) call.n = call.k;
        call.integers = one_in(3);
        call.alpha = scalar(with_imaginary_parts, call.integers);
        call.beta = scalar(with_imaginary_parts, call.integers);

        const bool a_as_stored = call.transa == 'N' || call.transa == 'n';
        const bool b_as_stored = call.transb == 'N' || call.transb == 'n';
        call.a = {0, 0, 0, a_as_stored ? call.m : call.k, a_as_stored ? call.k : call.m};
        call.b = {1, 0, 0, b_as_stored ? call.k : call.n, b_as_stored ? call.n : call.k};
        call.c = {2, 0, 0, call.m, call.n};
        draw_places(call, replicated);

        for (int rank = 0; rank < ranks; ++rank) call.delayed.push_back(one_in(4));
        call.algorithms = {"summa", "auto"};
        if (direct_is_possible(call)) call.algorithms.push_back("direct");
        std::shuffle(call.algorithms.begin(), call.algorithms.end(), random_);
        return call;
    }

private:
    // Where a process cannot read what the others have of A and B, asking for `direct` is an error.
    static bool direct_is_possible(const Call& call)
    {
        if (engine_is_unmapped()) return false;
        return std::all_of(call.arrays.begin(), call.arrays.end(), [](const Layout& layout) {
            return std::all_of(layout.in_rdma.begin(), layout.in_rdma.end(), [](bool rdma) { return rdma; });
        });
    }

    int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    bool one_in(int n) { return between(1, n) == 1; }
    template <std::size_t N>
    char letter(const char (&letters)[N])
    {
        return letters[between(0, static_cast<int>(N) - 2)];
    }
    int extent(int most) { return one_in(16) ? 0 : one_in(12) ? 1 : one_in(3) ? between(2, 20) : between(2, most); }
    int block() { return one_in(10) ? 1 : one_in(2) ? between(2, 9) : between(2, 70); }

    std::complex<double> scalar(bool with_imaginary_part, bool integer)
    {
        const auto part = [&] {
            // Eighths are exact in every type.
            return integer ? static_cast<double>(between(-3, 3)) : static_cast<double>(between(-16, 16)) / 8.0;
        };
        switch (between(0, 5)) {
            case 0:
                return 0.0;
            case 1:
                return 1.0;
            case 2:
                return -1.0;
            default:
                const double real = part();
                return {real, with_imaginary_part ? part() : 0.0};
        }
    }

    // Any shape that fits: numbered by rows, by columns, or on any of the ranks in any order.
    void draw_grid(Call& call, int ranks)
    {
        const int rows = between(1, ranks);
        const int columns = one_in(4) ? between(1, ranks / rows) : ranks / rows;
        call.grid = {rows, columns};
        call.map.resize(static_cast<std::size_t>(ranks));
        std::iota(call.map.begin(), call.map.end(), 0);
        const int order = between(0, 2);
        if (order == 0) std::shuffle(call.map.begin(), call.map.end(), random_);
        call.map.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
        if (order == 1) {
            for (int number = 0; number < rows * columns; ++number) {
                call.map[static_cast<std::size_t>(number / columns + number % columns * rows)] = number;
            }
        }
    }

    Dimension dimension(int processes, bool replicated)
    {
        Dimension drawn;
        drawn.processes = processes;
        drawn.block = block();
        drawn.first_block = drawn.block;
        drawn.source = replicated && one_in(2) ? -1 : between(0, processes - 1);
        return drawn;
    }

    void draw_places(Call& call, bool replicated)
    {
        const int processes = call.grid.rows * call.grid.columns;
        // Alike: equal blocks and sources and no corners, as most programs have it. Aligned: the same with corners that
        // begin blocks. Else everything is drawn for each array.
        enum class Form { alike, aligned, any } form = one_in(4) ? Form::alike : one_in(3) ? Form::aligned : Form::any;
        enum class Memory {
            ordinary,
            remote,
            mixed
        } memory = one_in(4)   ? Memory::ordinary
                   : one_in(4) ? Memory::mixed
                               : Memory::remote;
        const bool one_array = one_in(8);
        const bool a_is_b = one_array || one_in(8);
        if (one_array) call.c.array = 0;
        if (a_is_b) call.b.array = 0;
        if (a_is_b && !one_array) call.c.array = 1;
        call.arrays.resize(one_array ? 1 : a_is_b ? 2 : 3);

        const int common_block = block();
        for (Layout& layout : call.arrays) {
            layout.rows = dimension(call.grid.rows, replicated);
            layout.columns = dimension(call.grid.columns, replicated);
            if (form != Form::any) {
                layout.rows.block = layout.rows.first_block = common_block;
                layout.columns.block = layout.columns.first_block = common_block;
                if (!replicated) layout.rows.source = layout.columns.source = 0;
            } else if (one_in(3)) {
                layout.type = 2;
                layout.rows.first_block = block();
                layout.columns.first_block = block();
            }
            const int widest_pad = one_in(2) ? 5 : 0;
            for (int process = 0; process < processes; ++process) {
                layout.pads.push_back(between(0, widest_pad));
                layout.in_rdma.push_back(memory == Memory::remote || (memory == Memory::mixed && one_in(2)));
            }
        }

        const auto offset = [&] {
            return form == Form::alike ? 0 : form == Form::aligned ? common_block * between(0, 2) : between(0, 40);
        };
        for (Corner* corner : {&call.a, &call.b, &call.c}) {
            corner->row = offset();
            corner->column = offset();
        }
        // Sub(C) may share an array with what is read, but no element.
        if (one_array) {
            const bool below = one_in(2);
            int& begin = below ? call.c.row : call.c.column;
            begin = below ? std::max(call.a.row + call.a.rows, call.b.row + call.b.rows)
                          : std::max(call.a.column + call.a.columns, call.b.column + call.b.columns);
            if (form == Form::aligned) begin = (begin + common_block - 1) / common_block * common_block;
        }
        for (const Corner* corner : {&call.a, &call.b, &call.c}) {
            Layout& layout = call.arrays[static_cast<std::size_t>(corner->array)];
            layout.rows.size = std::max(layout.rows.size, corner->row + corner->rows);
            layout.columns.size = std::max(layout.columns.size, corner->column + corner->columns);
        }
        if (form == Form::alike) return;
        for (Layout& layout : call.arrays) {
            layout.rows.size += one_in(2) ? between(0, 30) : 0;
            layout.columns.size += one_in(2) ? between(0, 30) : 0;
        }
    }

    std::mt19937_64 random_;
};

std::string described(const Call& call, char type)
{
    std::ostringstream out;
    out << "p" << type << "gemm on a " << call.grid.rows << " x " << call.grid.columns << " grid of the ranks";
    for (const int rank : call.map) out << ' ' << rank;
    out << " (by columns), trans " << call.transa << call.transb << ", m n k " << call.m << ' ' << call.n << ' '
        << call.k << ", alpha " << call.alpha << ", beta " << call.beta << (call.integers ? ", integers" : "");
    const auto corner = [&](char name, const Corner& sub) {
        const Layout& layout = call.arrays[static_cast<std::size_t>(sub.array)];
        out << "\n  " << name << " in array " << sub.array << " at (" << sub.row + 1 << ", " << sub.column + 1
            << "): type " << layout.type << ", " << layout.rows.size << " x " << layout.columns.size
            << ", first blocks " << layout.rows.first_block << " x " << layout.columns.first_block << ", blocks "
            << layout.rows.block << " x " << layout.columns.block << ", source (" << layout.rows.source << ", "
            << layout.columns.source << ")";
        for (std::size_t process = 0; process < layout.pads.size(); ++process) {
            out << (process == 0 ? ", pads " : " ") << layout.pads[process] << (layout.in_rdma[process] ? "r" : "");
        }
    };
    corner('A', call.a);
    corner('B', call.b);
    corner('C', call.c);
    return out.str();
}

// A NaN whose bits say where it was put.
template <class Real>
Real marked_nan(std::uint64_t mark)
{
    if constexpr (std::is_same_v<Real, float>) {
        const std::uint32_t bits = 0x7fc00000U | static_cast<std::uint32_t>(mark & 0x3fffffU);
        Real value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    } else {
        const std::uint64_t bits = 0x7ff8000000000000U | (mark & 0x7ffffffffffffU);
        Real value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
}

template <class T>
T marked(std::uint64_t mark)
{
    if constexpr (is_complex<T>) {
        return {marked_nan<typename T::value_type>(mark), marked_nan<typename T::value_type>(mark + 1)};
    } else {
        return marked_nan<T>(mark);
    }
}

constexpr std::size_t guard = 16;  // elements before and behind an array

// Room for the local part of one array.
template <class T>
class Room {
public:
    Room(std::size_t elements, bool in_rdma) : size_(elements + 2 * guard), in_rdma_(in_rdma)
    {
        if (in_rdma_) {
            data_ = static_cast<T*>(fmpl_malloc(size_ * sizeof(T)));
            if (data_ == nullptr) throw std::runtime_error("fmpl_malloc has no memory");
        } else {
            heap_.resize(size_);
            data_ = heap_.data();
        }
    }
    ~Room()
    {
        if (in_rdma_) fmpl_free(data_);
    }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;

    T* matrix() { return data_ + guard; }
    void load(const std::vector<T>& content) { std::copy(content.begin(), content.end(), data_); }
    std::vector<T> content() const { return std::vector<T>(data_, data_ + size_); }
    void wipe() { std::fill_n(data_, size_, marked<T>(0x123456)); }

private:
    std::size_t size_;
    bool in_rdma_;
    std::vector<T> heap_;
    T* data_ = nullptr;
};

// One process's part in a call.
template <class T>
class Run {
public:
    Run(const Call& call, int context, int row, int column)
        : call_(call),
          row_(row),
          column_(column),
          m_(call.m),
          n_(call.n),
          k_(call.k),
          alpha_(scalar(call.alpha)),
          beta_(scalar(call.beta))
    {
        for (std::size_t number = 0; number < call.arrays.size(); ++number) {
            const Layout& layout = call.arrays[number];
            Array array;
            array.rows = layout.rows.indices_of(row);
            array.columns = layout.columns.indices_of(column);
            const auto process = static_cast<std::size_t>(row * call.grid.columns + column);
            array.leading_dimension = std::max(1, static_cast<int>(array.rows.size()) + layout.pads[process]);
            array.descriptor = layout.descriptor(context, array.leading_dimension);
            const std::size_t elements = static_cast<std::size_t>(array.leading_dimension) * array.columns.size();
            array.before.resize(elements + 2 * guard);
            for (std::size_t at = 0; at < array.before.size(); ++at) array.before[at] = marked<T>(call.key + 3 * at);
            for (std::size_t j = 0; j < array.columns.size(); ++j) {
                for (std::size_t i = 0; i < array.rows.size(); ++i) {
                    const int global_i = array.rows[i];
                    const int global_j = array.columns[j];
                    if (is_read(static_cast<int>(number), global_i, global_j)) {
                        array.before[array.at(i, j)] = element(static_cast<int>(number), global_i, global_j);
                    }
                }
            }
            array.room = std::make_unique<Room<T>>(elements, layout.in_rdma[process]);
            arrays_.push_back(std::move(array));
        }
    }

    // ScaLAPACK's result, which check() compares with.
    void refer(Gemm<T>* gemm)
    {
        load();
        run(gemm);
        expected_ = array_of(call_.c).room->content();
    }

    // One call of a routine. Returns what is wrong, in words; nothing when all is right.
    std::string check(Gemm<T>* gemm)
    {
        load();
        run(gemm);
        std::vector<std::vector<T>> results;
        for (Array& array : arrays_) {
            results.push_back(array.room->content());
            array.room->wipe();
        }
        std::string wrong;
        for (std::size_t number = 0; number < arrays_.size(); ++number) {
            const Array& array = arrays_[number];
            std::vector<bool> is_result(array.before.size(), false);
            if (static_cast<int>(number) == call_.c.array) wrong += check_result(array, results[number], is_result);
            wrong += check_rest(array, number, results[number], is_result);
        }
        return wrong;
    }

private:
    struct Array {
        std::vector<int> rows;  // global indices
        std::vector<int> columns;
        int leading_dimension = 1;
        std::vector<int> descriptor;
        std::vector<T> before;  // with both guards
        std::unique_ptr<Room<T>> room;

        std::size_t at(std::size_t i, std::size_t j) const
        {
            return guard + i + j * static_cast<std::size_t>(leading_dimension);
        }
    };

    static T scalar(std::complex<double> value)
    {
        if constexpr (is_complex<T>) {
            return T(value);
        } else {
            return static_cast<T>(value.real());
        }
    }

    // The element (i, j) of an array, where it is defined.
    T element(int array, int i, int j) const
    {
        std::uint64_t bits = call_.key ^ (static_cast<std::uint64_t>(array) << 48) ^
                             (static_cast<std::uint64_t>(i) << 24) ^ static_cast<std::uint64_t>(j);
        const auto part = [&] {
            // The finalizer of SplitMix64.
            bits += 0x9e3779b97f4a7c15U;
            std::uint64_t mixed = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
            mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
            mixed ^= mixed >> 31;
            if (call_.integers) return static_cast<double>(mixed % 7) - 3.0;
            return static_cast<double>(mixed >> 11) * 0x1p-52 - 1.0;  // -1 to 1
        };
        if constexpr (is_complex<T>) {
            const double real = part();
            return T(std::complex<double>(real, part()));
        } else {
            return static_cast<T>(part());
        }
    }

    bool is_read(int array, int i, int j) const
    {
        if (call_.reads_inputs() && (call_.a.has(array, i, j) || call_.b.has(array, i, j))) return true;
        return call_.c.has(array, i, j) && call_.beta != 0.0;
    }

    Array& array_of(const Corner& corner) { return arrays_[static_cast<std::size_t>(corner.array)]; }

    void load()
    {
        for (Array& array : arrays_) array.room->load(array.before);
    }

    void run(Gemm<T>* gemm)
    {
        Array& a = array_of(call_.a);
        Array& b = array_of(call_.b);
        Array& c = array_of(call_.c);
        const int ia = call_.a.row + 1;
        const int ja = call_.a.column + 1;
        const int ib = call_.b.row + 1;
        const int jb = call_.b.column + 1;
        const int ic = call_.c.row + 1;
        const int jc = call_.c.column + 1;
        gemm(&call_.transa, &call_.transb, &m_, &n_, &k_, &alpha_, a.room->matrix(), &ia, &ja, a.descriptor.data(),
            b.room->matrix(), &ib, &jb, b.descriptor.data(), &beta_, c.room->matrix(), &ic, &jc, c.descriptor.data());
    }

    // op(sub(A)) (i, l) and op(sub(B)) (l, j).
    T a_element(int i, int l) const { return op_element(call_.a, call_.transa, i, l); }
    T b_element(int l, int j) const { return op_element(call_.b, call_.transb, l, j); }
    T op_element(const Corner& corner, char trans, int i, int j) const
    {
        if (trans == 'N' || trans == 'n') return element(corner.array, corner.row + i, corner.column + j);
        const T value = element(corner.array, corner.row + j, corner.column + i);
        if constexpr (is_complex<T>) {
            if (trans == 'C' || trans == 'c') return std::conj(value);
        }
        return value;
    }

    // Twice the bound of one sum's rounding; see the top of the file.
    double tolerance(double absolute_products, double absolute_c) const
    {
        using Real = decltype(std::abs(T()));
        if (call_.integers) return 0.0;
        const double roundings = (is_complex<T> ? 2.0 : 1.0) * (call_.k + 4.0);
        const double n_u = roundings * static_cast<double>(std::numeric_limits<Real>::epsilon()) / 2.0;
        const double scale = std::abs(call_.alpha) * absolute_products + std::abs(call_.beta) * absolute_c;
        return 2.0 * (is_complex<T> ? std::sqrt(2.0) : 1.0) * n_u / (1.0 - n_u) * scale;
    }

    std::string check_result(const Array& array, const std::vector<T>& result, std::vector<bool>& is_result) const
    {
        const auto inner = static_cast<std::size_t>(call_.k);
        // The absolute values that the own rows of op(A) and columns of op(B) have, each contiguous in k.
        std::vector<double> a_rows;
        for (const int row : array.rows) {
            const int i = row - call_.c.row;
            if (i < 0 || i >= call_.m) continue;
            for (int l = 0; l < call_.k; ++l) a_rows.push_back(static_cast<double>(std::abs(a_element(i, l))));
        }
        std::ostringstream wrong;
        int wrong_entries = 0;
        std::vector<double> b_column(inner);
        for (std::size_t local_j = 0; local_j < array.columns.size(); ++local_j) {
            const int j = array.columns[local_j] - call_.c.column;
            if (j < 0 || j >= call_.n) continue;
            for (int l = 0; l < call_.k; ++l) {
                b_column[static_cast<std::size_t>(l)] = static_cast<double>(std::abs(b_element(l, j)));
            }
            const double* a_row = a_rows.data();
            for (std::size_t local_i = 0; local_i < array.rows.size(); ++local_i) {
                const int i = array.rows[local_i] - call_.c.row;
                if (i < 0 || i >= call_.m) continue;
                const std::size_t at = array.at(local_i, local_j);
                is_result[at] = true;
                const double products = std::inner_product(b_column.begin(), b_column.end(), a_row, 0.0);
                a_row += inner;
                const T before = call_.beta != 0.0 ? array.before[at] : T();
                const double limit = tolerance(products, static_cast<double>(std::abs(before)));
                const auto difference = static_cast<double>(std::abs(result[at] - expected_[at]));
                if (difference <= limit) continue;
                if (++wrong_entries <= 3) {
                    wrong << "sub(C) (" << i << ", " << j << ") is " << result[at] << ", ScaLAPACK's " << expected_[at]
                          << ", in twice the precision " << product(i, j, before) << "; they differ by " << difference
                          << ", at most " << limit << " is rounding\n";
                }
            }
        }
        if (wrong_entries > 3) wrong << "and " << wrong_entries - 3 << " more entries of sub(C) on this process\n";
        return wrong.str();
    }

    // The entry as it should be: tells whose is wrong.
    std::complex<long double> product(int i, int j, T before) const
    {
        using Wide = std::complex<long double>;
        const auto wide = [](T value) {
            if constexpr (is_complex<T>) {
                return Wide(value.real(), value.imag());
            } else {
                return Wide(value);
            }
        };
        Wide sum = 0;
        if (call_.reads_inputs()) {
            for (int l = 0; l < call_.k; ++l) sum += wide(a_element(i, l)) * wide(b_element(l, j));
        }
        return wide(alpha_) * sum + wide(beta_) * wide(before);
    }

    std::string check_rest(
        const Array& array, std::size_t number, const std::vector<T>& result, const std::vector<bool>& is_result) const
    {
        for (std::size_t at = 0; at < result.size(); ++at) {
            if (is_result[at] || std::memcmp(&result[at], &array.before[at], sizeof(T)) == 0) continue;
            std::ostringstream wrong;
            wrong << "array " << number << ", which is " << array.rows.size() << " x " << array.columns.size()
                  << " here, changed outside sub(C), at element " << static_cast<std::ptrdiff_t>(at - guard)
                  << " of its memory (leading dimension " << array.leading_dimension << "): " << array.before[at]
                  << " became " << result[at] << "\n";
            return wrong.str();
        }
        return {};
    }

    const Call& call_;
    int row_;
    int column_;
    int m_;
    int n_;
    int k_;
    T alpha_;
    T beta_;
    std::vector<Array> arrays_;
    std::vector<T> expected_;
};

template <class T>
void run_on_grid(const Call& call, char type, std::uint64_t number, int context, int row, int column, bool& failed)
{
    Run<T> run(call, context, row, column);
    std::mt19937_64 delays(call.key + static_cast<std::uint64_t>(rank()));
    run.refer(scalapack_gemm<T>());
    for (const char* algorithm : call.algorithms) {
        setenv("FMPL_PDGEMM_ALGORITHM", algorithm, 1);
        if (call.delayed[static_cast<std::size_t>(rank())]) random_delay(delays);
        const std::string wrong = run.check(GemmName<T>::ours);
        if (wrong.empty()) continue;
        failed = true;
        ADD_FAILURE() << "algorithm " << algorithm << " at process (" << row << ", " << column << "):\n"
                      << wrong << described(call, type) << "\nFMPL_TEST_CASE=" << number
                      << " begins with this case; FMPL_TEST_SEED=" << seed();
    }
}

// Returns whether this process found something wrong.
bool run_case(std::uint64_t number, bool replicated)
{
    const char type = "sdcz"[number % 4];
    const Call call = Draw(number, size()).call(size(), type == 'c' || type == 'z', replicated);
    int context = -1;
    Cblacs_get(-1, 0, &context);
    std::vector<int> map = call.map;
    Cblacs_gridmap(&context, map.data(), call.grid.rows, call.grid.rows, call.grid.columns);
    int rows = -1;
    int columns = -1;
    int row = -1;
    int column = -1;
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    bool failed = false;
    if (row < 0) return failed;
    if (type == 's') run_on_grid<float>(call, type, number, context, row, column, failed);
    if (type == 'd') run_on_grid<double>(call, type, number, context, row, column, failed);
    if (type == 'c') run_on_grid<std::complex<float>>(call, type, number, context, row, column, failed);
    if (type == 'z') run_on_grid<std::complex<double>>(call, type, number, context, row, column, failed);
    Cblacs_gridexit(context);
    return failed;
}

constexpr int least_cases = 8;

void run_cases(bool replicated)
{
    if (scalapack_library() == nullptr) return;  // another test says so
    const Blacs blacs;
    const Grid all({1, blacs.count()});
    const double seconds = number_from_environment("FMPL_TEST_SECONDS", 0.6);
    const auto first = static_cast<std::uint64_t>(number_from_environment("FMPL_TEST_CASE", 0.0));
    const std::uint64_t least = seconds > 0.0 ? least_cases : 1;
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t number = first;; ++number) {
        const bool failed = run_case(number, replicated);
        const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begin;
        const bool time_is_up = blacs.number() == 0 && number + 1 - first >= least && gone.count() >= seconds;
        // All go on, or none.
        int stop = failed || time_is_up ? 1 : 0;
        Cigsum2d(all.context, "All", " ", 1, 1, &stop, 1, -1, -1);
        if (stop == 0) continue;
        if (blacs.number() == 0 && std::getenv("FMPL_TEST_COUNT") != nullptr) {
            std::fprintf(
                stderr, "%d ranks: %llu cases\n", blacs.count(), static_cast<unsigned long long>(number + 1 - first));
        }
        break;
    }
}

// PBLAS keeps its work space in static memory, so the ranks cannot be threads.
const RanksOptions on_processes{.ranks = {1, 2, 3, 4, 6, 8}, .threads = false};

TEST(PdgemmAgainstScalapack, TheTwoAreDifferentRoutines)
{
    if (scalapack_library() == nullptr) GTEST_SKIP() << scalapack_missing;
    const auto expect_different = [](auto* ours, auto* scalapack) {
        EXPECT_NE(ours, scalapack);
        const std::string our_file = file_of(reinterpret_cast<void*>(ours));
        const std::string scalapack_file = file_of(reinterpret_cast<void*>(scalapack));
        EXPECT_NE(our_file.find("libpdgemm_fmpl"), std::string::npos) << our_file;
        EXPECT_NE(scalapack_file.find("libscalapack"), std::string::npos) << scalapack_file;
    };
    expect_different(GemmName<float>::ours, scalapack_gemm<float>());
    expect_different(GemmName<double>::ours, scalapack_gemm<double>());
    expect_different(GemmName<std::complex<float>>::ours, scalapack_gemm<std::complex<float>>());
    expect_different(GemmName<std::complex<double>>::ours, scalapack_gemm<std::complex<double>>());
}

FMPL_RANKS_TEST_WITH(PdgemmAgainstScalapack, RandomCallsGiveTheSameEntries, on_processes)
{
    run_cases(false);
}

FMPL_RANKS_TEST_WITH(PdgemmAgainstScalapack, ReplicatedMatricesGiveTheSameEntries, on_processes)
{
    run_cases(true);
}

}  // namespace
