// The rings of an ordered pair of ranks: cells and body lines at the destination, which the source writes in turn and
// the destination gives back by a credit at the source.
//
// Invariants, beside those of the cells (cell.hpp)
//   3. The source writes a cell of the ring or a body line again only after a credit, or the answer to a question that
//      was sent no earlier (pair_cell.hpp), has shown that the destination is through with it.
//   4. A body is contiguous, begins at a line, and has at most a quarter of the ring. One that does not fit before the
//      end of its ring begins at the ring's start, and the lines skipped count as used. One that does may begin there
//      as well, where the source knows that nothing is under way: no lines are skipped then. If bodies are under way
//      behind that place, the next ones lie before them, or behind, and the lines in between count as skipped.
//      Source and destination both see that from where the body begins.
//
// The source looks at the credit line only when what it knows of it does not suffice, and the destination writes it
// when a quarter of the cells or of the body lines has been taken since it last did; so that line changes cores seldom.
//
// Nobody starves by what has not been returned. A reservation needs one cell and fewer than half of the body lines: a
// body has at most a quarter, and skips less than its own length at the ring's end, less than an eighth of the ring
// elsewhere. So when it fails, the
// envelopes sent since the last credit fill all cells or more than half of the body lines. Once the destination has
// taken them, it has taken more than a quarter, and so has returned credits, and less than a quarter of either ring is
// unreturned: the reservation succeeds. The credit wakes a source that sleeps for it.
//
// An answer in the pair cell tells that the question has been taken, and all before it. So ranks that answer each other
// find their rings empty each time, those that send at the same time but for one or two bodies, and short bodies lie in
// the same lines again, which travel faster than others (docs/decisions/0054-short-bodies-in-one-place.md).
#pragma once

#include "crossbar/copies_to_reader.hpp"
#include "crossbar/copy_across.hpp"
#include "crossbar/crossbar.hpp"
#include "crossbar/rewritten_bytes.hpp"
#include "p2p/envelopes/cell.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace fmpl {

// At the source. Writer: the destination.
struct alignas(kLine) EnvelopeCredit {
    // EnvelopeCount of what has been taken. Ordering: release, after the handlers; acquire in OutgoingRing::has_room.
    std::atomic<std::uint64_t> taken;
    std::uint8_t pad[kLine - 8];
};
static_assert(sizeof(EnvelopeCredit) == kLine);

// Number of an envelope and lines of bodies used up to it, both cut to 32 bits, in one word that is written whole.
struct EnvelopeCount {
    static constexpr std::uint64_t make(std::uint32_t number, std::uint32_t lines)
    {
        return std::uint64_t{lines} << 32 | number;
    }
    static constexpr std::uint32_t number(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
    static constexpr std::uint32_t lines(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
};

// Writer: the source. Ordering: plain, under the cell's `stamp`; again after a credit or answer.
struct alignas(kLine) BodyLine {
    std::byte bytes[kLine];
};

// The same for all pairs of a job.
struct RingSizes {
    std::uint32_t cells = 0;         // a power of two
    std::uint32_t body_lines = 0;    // a multiple of 4
    std::uint32_t in_one_place = 0;  // lines of the longest body that begins at the start of an empty ring
    std::uint32_t in_short_lap = 0;  // and of one that may begin there while a few are under way
    std::uint32_t asked_ahead = 0;   // lines of the longest body that the source asks for ahead, if it copies it

    // Cells: 256, for whole windows of short messages (docs/decisions/0063-cells-for-whole-windows.md), and fewer in
    // jobs of more than 32 ranks, of which all may talk: then the rings of a rank take about 512 KiB (from 1024 ranks
    // on, 8 cells: the square of the ranks times 512 bytes for the job).
    //
    // Of ranks that share CPUs one reads while the other does not run: any body begins at the start of an empty ring,
    // so that long rings take no more of the caches than what is under way.
    static RingSizes of(int ranks, std::size_t body_bytes, bool share_cpus = false)
    {
        return {std::clamp(std::bit_floor(8192u / static_cast<std::uint32_t>(ranks)), 8u, 256u),
            static_cast<std::uint32_t>(body_bytes / kLine),
            lines_of(share_cpus ? body_bytes / 4 : longest_in_one_place()), lines_of(longest_in_short_lap()),
            lines_of(longest_asked_ahead())};
    }

    // The longest body.
    std::size_t body_limit() const { return std::size_t{body_lines} * kLine / 4; }
    std::size_t bodies_bytes() const { return std::size_t{body_lines} * sizeof(BodyLine); }

    static std::uint32_t lines_of(std::size_t bytes) { return static_cast<std::uint32_t>((bytes + kLine - 1) / kLine); }
    std::uint32_t line_after(std::uint32_t first, std::uint32_t bytes) const
    {
        const std::uint32_t after = first + lines_of(bytes);
        return after == body_lines ? 0 : after;
    }
    // Whether a body of so many lines fits behind another one, and the lines that are skipped where it does not.
    bool fits(std::uint32_t after, std::uint32_t wanted) const { return wanted <= body_lines - after; }
    // Of a body of so many lines that begins there, behind another one.
    std::uint32_t skipped(std::uint32_t after, std::uint32_t begin, std::uint32_t wanted) const
    {
        if (begin >= after) return begin - after;
        return fits(after, wanted) ? 0 : body_lines - after;
    }
    // Whether a lap of the ring may end behind so many lines, although bodies are under way. A few of them lie one
    // behind the other, since a line is written faster some time after it was read.
    bool may_end_lap(std::uint32_t lap_lines) const
    {
        constexpr std::uint32_t kLeast = 16 * 1024 / kLine;
        return lap_lines >= kLeast && lap_lines <= body_lines / 8;
    }
    std::size_t place_of(std::uint64_t number) const { return number & (cells - 1); }

    // The lines of a body travel one after the other, unless they are asked for: so many lines, those that the next one
    // probably has.
    std::uint32_t lines_to_ask_for(std::uint32_t next_line, std::uint32_t last_lines) const
    {
        constexpr std::uint32_t kMost = 8;  // of longer ones the processor's own fetching ahead brings the rest
        return std::min({last_lines, kMost, body_lines - next_line});
    }
};

// The source's end, all zeros before the first envelope in either direction. Counts of 32 bits are cut to them.
struct OutgoingRing {
    std::byte* mapped = nullptr;                         // base of the job's memory, nullptr: not mapped
    Offset cells = kNoOffset;                            // the ring of EnvelopeCells
    Offset bodies = kNoOffset;                           // the ring of BodyLines
    const std::atomic<std::uint64_t>* credit = nullptr;  // nullptr: nothing has been sent there, or it is this rank
    std::uint64_t sent = 0;                              // number of the last envelope
    std::uint32_t taken = 0;                             // number of the last one known to have been taken
    std::uint32_t lines_sent = 0;                        // body lines used so far, with those skipped
    std::uint32_t lines_taken = 0;                       // of them known to be free again
    std::uint32_t next_line = 0;                         // after the last body
    std::uint32_t last_lines = 0;                        // of it
    std::uint32_t lap = 0;                               // body lines used when this lap began, at the ring's start
    std::uint32_t lap_before = 0;                        // and when the one before it did
    std::uint64_t asked = 0;                             // number of the last question (PairCells)
    std::uint32_t lines_asked = 0;                       // body lines used up to it
    std::uint32_t backed_lines = 0;                      // of the bodies, from the first on
    bool crosses_cores = false;                          // the destination may run on another CPU
    bool reserved = false;                               // what follows is a reservation
    bool is_copied = false;                              // its body from one piece of memory
    std::uint32_t body_at = 0;                           // its first line
    std::uint32_t body_bytes = 0;
    std::uint32_t lines = 0;      // with those skipped; of a body alone
    BodyLine* staging = nullptr;  // the body before the commit, when the destination is not mapped
    CopiesToReader copies;        // into bodies

    bool is_open() const { return credit != nullptr; }

    // Whether a cell and so many body lines are free, with a look at the credits when they are not known to be.
    // Requires is_open().
    bool has_room(const RingSizes& sizes, std::uint32_t wanted)
    {
        if (is_known_to_have_room(sizes, wanted)) [[likely]]
            return true;
        // acquire: pairs with IncomingRing::return_credit(), so that the lines may be written again
        const std::uint64_t word = credit->load(std::memory_order_acquire);
        were_taken_but(static_cast<std::uint32_t>(sent) - EnvelopeCount::number(word), EnvelopeCount::lines(word));
        return is_known_to_have_room(sizes, wanted);
    }
    bool is_known_to_have_room(const RingSizes& sizes, std::uint32_t wanted) const
    {
        return static_cast<std::uint32_t>(sent) - taken < sizes.cells &&
               wanted <= sizes.body_lines - (lines_sent - lines_taken);
    }
    // All but the last so many envelopes, and so many body lines, unless more are known to have been taken.
    void were_taken_but(std::uint64_t left, std::uint32_t lines_used)
    {
        if (left >= static_cast<std::uint32_t>(sent) - taken) return;
        taken = static_cast<std::uint32_t>(sent - left);
        lines_taken = lines_used;
    }
    // The envelope that is sent now is a question; and it has been answered.
    void ask()
    {
        asked = sent;
        lines_asked = lines_sent + (body_bytes != 0 ? lines : 0);
    }
    void was_answered() { were_taken_but(sent - asked, lines_asked); }

    // The next envelope has no body.
    void without_body()
    {
        body_at = 0;
        body_bytes = 0;
    }
    // Where a body of so many lines begins, if there is room.
    std::uint32_t begin_of(const RingSizes& sizes, std::uint32_t wanted) const
    {
        constexpr std::uint32_t kFew = 3;  // under way, of ranks that send to each other at the same time
        if (!sizes.fits(next_line, wanted)) return 0;
        if (lines_sent == lines_taken) return wanted <= sizes.in_one_place ? 0 : next_line;
        if (is_of_one_lap() && static_cast<std::uint32_t>(sent) - taken > kFew) [[likely]]
            return next_line;
        return is_of_one_lap() ? begin_among_few(sizes, wanted) : begin_beside_lap_before(sizes, wanted);
    }
    // Whether all bodies under way are of this lap.
    bool is_of_one_lap() const { return static_cast<std::int32_t>(lines_taken - lap) >= 0; }
    [[gnu::noinline]] std::uint32_t begin_among_few(const RingSizes& sizes, std::uint32_t wanted) const
    {
        const bool is_short = is_copied && wanted <= sizes.in_short_lap;
        return is_short && wanted <= lines_taken - lap && sizes.may_end_lap(next_line) ? 0 : next_line;
    }
    // Some bodies of the lap before are under way.
    [[gnu::noinline]] std::uint32_t begin_beside_lap_before(const RingSizes& sizes, std::uint32_t wanted) const
    {
        const std::uint32_t first = lines_taken - lap_before, end = lap - lap_before;
        const bool overlaps = next_line < end && next_line + wanted > first;
        return overlaps && sizes.fits(end, wanted) ? end : next_line;
    }
    // Reserves the lines of its body, at least one byte. Requires is_open().
    bool reserve_body(const RingSizes& sizes, std::size_t bytes)
    {
        const std::uint32_t wanted = RingSizes::lines_of(bytes);
        const auto reserve = [&](std::uint32_t begin) {
            body_at = begin;
            lines = wanted + sizes.skipped(next_line, begin, wanted);
        };
        reserve(begin_of(sizes, wanted));
        if (!is_known_to_have_room(sizes, lines)) [[unlikely]] {
            if (!has_room(sizes, lines)) return false;
            reserve(begin_of(sizes, wanted));  // no more lines than before the look at the credits
        }
        body_bytes = static_cast<std::uint32_t>(bytes);
        return true;
    }
    // Whether there is memory for the body that is reserved.
    bool body_is_backed() const { return body_at + RingSizes::lines_of(body_bytes) <= backed_lines; }
    Offset body_offset() const { return bodies + std::size_t{body_at} * kLine; }
    // Where the body that is reserved is to be written.
    void* body() const { return mapped != nullptr ? mapped + body_offset() : staging->bytes; }
    // The reserved body has been sent.
    void use_lines(const RingSizes& sizes)
    {
        last_lines = RingSizes::lines_of(body_bytes);
        if (body_bytes == 0) return;
        lines_sent += lines;
        if (body_at == 0) lap_before = std::exchange(lap, lines_sent - last_lines);
        next_line = sizes.line_after(body_at, body_bytes);
    }

    Offset cell_offset(const RingSizes& sizes, std::uint64_t number) const
    {
        return cells + sizes.place_of(number) * sizeof(EnvelopeCell);
    }
    // Requires a mapped destination.
    EnvelopeCell& cell(const RingSizes& sizes, std::uint64_t number) const
    {
        return *reinterpret_cast<EnvelopeCell*>(mapped + cell_offset(sizes, number));
    }
    // The lines of this rank's next body, asked for before it is made: the other rank has read what was there.
    void ask_to_write_body(const RingSizes& sizes) const
    {
        const std::uint32_t begin = begin_of(sizes, last_lines);
        const std::uint32_t first_ones = sizes.lines_to_ask_for(begin, last_lines);
        prefetch_to_write(mapped + bodies + std::size_t{begin} * kLine, std::size_t{first_ones} * kLine);
    }
    // After an envelope: the lines of the one after the next, if that is alike, come from the destination's cache while
    // this rank goes on; those that it is known to be through with
    // (docs/decisions/0043-lines-to-write-asked-for-ahead.md).
    void ask_ahead(const RingSizes& sizes) const
    {
        constexpr std::uint32_t kAhead = 2;
        constexpr std::uint32_t kMostLines = 8 * 1024 / kLine;
        if (!crosses_cores || static_cast<std::uint32_t>(sent) + kAhead - taken > sizes.cells) return;
        prefetch_to_write(&cell(sizes, sent + kAhead));
        if (!is_of_one_lap()) return;
        const std::uint32_t each = RingSizes::lines_of(body_bytes);
        if (each == 0 || each > (is_copied ? sizes.asked_ahead : kMostLines)) return;
        const std::uint32_t first = body_at + kAhead * each;
        if (first + each > sizes.body_lines || lines_sent + (kAhead + 1) * each - lines_taken > sizes.body_lines)
            return;
        prefetch_to_write(mapped + bodies + std::size_t{first} * kLine, std::size_t{each} * kLine);
    }
    // The cell and the body of an unmapped destination.
    void write_remotely(
        const Crossbar& crossbar, int destination, Offset at, const void* head, std::uint64_t stamp) const;
};

// The destination's end, but for the cell that it looks at (Inbox).
struct IncomingRing {
    EnvelopeCell* cells;
    const BodyLine* bodies;
    Offset credit;                // EnvelopeCredit in the source's arena
    std::uint32_t returned = 0;   // number of the last envelope returned as a credit
    std::uint32_t next_line = 0;  // after the last body
    std::uint32_t last_lines = 0;
    std::uint32_t last_begin = 0;    // of the last body
    std::uint32_t before_begin = 0;  // of the one before it
    bool is_early = false;           // one of the two has ended a lap early
    std::uint32_t lines_taken = 0;
    std::uint32_t lines_returned = 0;

    EnvelopeBody take_body(const RingSizes& sizes, const EnvelopeCell& cell)
    {
        const std::uint32_t bytes = cell.body_bytes;
        last_lines = RingSizes::lines_of(bytes);
        if (bytes == 0) return {nullptr, 0};
        lines_taken += last_lines + sizes.skipped(next_line, cell.body_at, last_lines);
        const bool was_early = last_begin == 0;
        before_begin = std::exchange(last_begin, cell.body_at);
        is_early = (was_early || last_begin == 0) && sizes.fits(next_line, last_lines);
        next_line = sizes.line_after(cell.body_at, bytes);
        return {bodies + cell.body_at, bytes};
    }
    // The lines of the source's next body, asked for with each look for its cell, so that they come while the cell
    // does.
    void ask_for_body(const RingSizes& sizes) const
    {
        const std::uint32_t begin = is_early ? before_begin : next_line;
        const std::uint32_t asked = sizes.lines_to_ask_for(begin, last_lines);
        for (std::uint32_t i = 0; i < asked; ++i) __builtin_prefetch(bodies + begin + i);
    }

    // Whether the source is to know that all up to `number` has been taken.
    bool owes_credit(const RingSizes& sizes, std::uint32_t number) const
    {
        return number - returned >= sizes.cells / 4 || lines_taken - lines_returned >= sizes.body_lines / 4;
    }
    // The source may use the room of all up to `number` again.
    void return_credit(const Crossbar& crossbar, int source, std::uint32_t number);
};

}  // namespace fmpl
