// Envelopes: short messages that the destination takes in the order of each source, for a layer that matches itself
// (fmpl/envelopes.h). Rings and records: p2p/envelope_records.hpp.
//
// The source reserves a cell and body lines, writes the body straight into the ring when the destination is mapped
// (else into memory of its own), and commits: one line and its flag, and for a body its lines. It looks at the credit
// line only when what it knows of it does not suffice.
//
// Mapped ranks that answer each other do so in one line, the pair cell: a core that takes a line to read it owns it,
// so that an answer written there costs one passage between cores, one into the ring two
// (docs/decisions/0001-one-line-for-both-directions.md). Whose turn it is the two know without asking; who wants to
// send and has not got it takes the ring. A look at the cell takes it from the core that is about to answer there, so
// that nobody looks before an answer can be there (docs/decisions/0007-time-between-looks.md).
//
// A body can be lent: the source puts into the cell where it lies, and waits while the destination copies it from
// there. A destination that waits does so at once, and says so in the same cell, where, if it is the pair cell, its
// answer goes too: one passage and the copy, where a body in the ring takes a copy on each side, and lines that
// change cores twice. Has nobody claimed it after about a microsecond, the source takes it back, and sends it
// otherwise (docs/decisions/0020-lent-bodies.md). That a source has the turn at the pair cell is what tells a
// question from a stream, whose source had better not wait.
//
// What a pair needs is there from its first envelope on: the source then backs its rings at the destination, and
// opens its door there. A destination that has a CPU of its own from then on looks at the source's ring; one that
// shares its CPU looks at the doors alone, a word each, in which the sources count what they have sent.
//
// The destination returns credits when a quarter of the cells or of the body lines has been taken since it last did,
// so that a line goes back seldom. Nobody starves by what has not been returned. A reservation needs one cell and
// fewer than half of the body lines: a body has at most a quarter, and what it skips at the ring's end is less than
// its own length. So when it fails, the envelopes sent since the last credit fill all cells or more than half of the
// body lines. Once the destination has taken them, it has taken more than a quarter, and so has returned credits, and
// less than a quarter of either ring is unreturned: the reservation succeeds. The credit wakes a source that sleeps
// for it.
//
// None of the functions blocks, but lend() for about a microsecond, and for as long as the destination's handler
// takes. One thread at a time, as all of a rank.
#pragma once

#include "crossbar/cycle_clock.hpp"
#include "crossbar/scoped_flag.hpp"
#include "p2p/answer_pause.hpp"
#include "p2p/envelope_records.hpp"
#include "p2p/node.hpp"
#include "p2p/offer_chance.hpp"
#include "p2p/zeroed_table.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace fmpl {

class Envelopes {
public:
    explicit Envelopes(Node& node)
        : node_(&node),
          answer_pause_(node.waiter.policy().answer_cycles, node.waiter.policy().answer_is_fixed)
    {
    }

    // The room of a ring of bodies as asked for: whole lines, of which a quarter is whole lines too.
    static constexpr std::size_t kBodyUnit = 4 * kLine;
    static constexpr std::size_t kMaxBodyBytes = std::size_t{1} << 32;  // so that a body's length fits its 32 bits

    // What a rank has made, which it tells all others.
    struct Block {
        Offset at;             // kNoOffset: it has no memory for it
        std::uint64_t counts;  // 1: its sources count at its doors
    };
    // Makes room for this rank's rings and credits. body_bytes: a multiple of kBodyUnit, at least one and at most
    // kMaxBodyBytes. Throws Error(MEMORY), and then nothing has changed.
    Block make(std::size_t body_bytes);
    // Gives up what was made, since another rank has no memory.
    void unmake();
    // What all ranks have made, in their order. Envelopes can be sent from now on.
    void connect(std::vector<Block> blocks);
    // The end: nobody sends any more, and nothing can be sent or polled.
    void close();

    bool is_open() const { return !outboxes_.empty(); }
    std::size_t body_limit() const { return is_open() ? std::size_t{body_lines_} * kLine / 4 : 0; }

    // Whether there is room for an envelope; *body where its bytes are to be written then. false for a rank that has no
    // rings and for bodies beyond the limit.
    bool reserve(int destination, std::size_t body_bytes, void** body)
    {
        if (static_cast<std::size_t>(destination) >= outboxes_.size()) [[unlikely]]
            return false;
        Outbox& out = outboxes_[static_cast<std::size_t>(destination)];
        out.reserved = false;
        if (body_bytes == 0) {
            if (!has_room(out, destination, 0)) return without_room(destination);
            out.body_at = 0;
            out.lines = 0;
            if (body != nullptr) *body = nullptr;
        } else {
            if (body == nullptr || body_bytes > body_limit()) return false;
            if (!out.has_bodies && !back_bodies(out, destination)) [[unlikely]]
                return false;
            const std::uint32_t lines = lines_of(body_bytes);
            const bool fits = lines <= body_lines_ - out.next_line;
            const std::uint32_t skipped = fits ? 0 : body_lines_ - out.next_line;
            if (!has_room(out, destination, skipped + lines)) return without_room(destination);
            out.body_at = fits ? out.next_line : 0;
            out.lines = skipped + lines;
            *body = out.mapped != nullptr ? out.mapped + body_offset(out) : out.staging->bytes;
        }
        out.body_bytes = static_cast<std::uint32_t>(body_bytes);
        out.reserved = true;
        return true;
    }

    // Sends what was reserved for the destination. Throws Error(ARGUMENT) when nothing is.
    void commit(int destination, const void* head)
    {
        if (static_cast<std::size_t>(destination) >= outboxes_.size() ||
            !outboxes_[static_cast<std::size_t>(destination)].reserved) [[unlikely]] {
            nothing_reserved(destination);
        }
        Outbox& out = outboxes_[static_cast<std::size_t>(destination)];
        out.reserved = false;
        if (out.body_bytes != 0 && out.mapped != nullptr && node_->helps()) {
            hand_over(out.mapped + body_offset(out), out.body_bytes);
        }
        announce(out, destination, head);
        out.last_lines = lines_of(out.body_bytes);
        if (out.lines != 0) {
            out.lines_sent += out.lines;
            out.next_line = line_after(out.body_at, out.body_bytes);
        }
        node_->crossbar.wake(destination);
    }

    // An envelope without a body, reserved and committed: false when there is no room for it. wakes: the destination,
    // if it sleeps; else it is no question, either, and leaves the pair cell alone.
    bool send(int destination, const void* head, bool wakes = true)
    {
        if (static_cast<std::size_t>(destination) >= outboxes_.size()) [[unlikely]]
            return false;
        Outbox& out = outboxes_[static_cast<std::size_t>(destination)];
        out.reserved = false;
        if (!has_room(out, destination, 0)) [[unlikely]]
            return without_room(destination);
        out.body_at = 0;
        out.body_bytes = 0;
        announce(out, destination, head, wakes);
        out.last_lines = 0;
        if (wakes) node_->crossbar.wake(destination);
        return true;
    }

    // Whether it pays to lend the next body to the destination, and lends it: true when the destination's handler is
    // through with it. false: as if nothing had been sent. waits_anyway: the caller will wait for the destination if
    // it is not lent, too. Throws Error(ABORTED).
    bool lend(int destination, const void* head, const void* body, std::size_t bytes, bool waits_anyway)
    {
        if (static_cast<std::size_t>(destination) >= outboxes_.size()) [[unlikely]]
            return false;
        Outbox& out = outboxes_[static_cast<std::size_t>(destination)];
        out.reserved = false;
        if (out.credit == nullptr && !open(destination)) [[unlikely]]
            return false;
        if (out.mapped == nullptr || (out.pair_cell == nullptr && !waits_anyway)) return false;
        if (bytes == 0 || !node_->crossbar.contains(body, bytes)) return false;
        if (!node_->helps() || node_->has_busy() || node_->in_callback || !has_room(out, destination, 0)) return false;
        // Who sleeps does not look soon.
        if (node_->crossbar.record(destination).sleeping.load(std::memory_order_relaxed) != 0) return false;
        const Offset at = node_->crossbar.offset_of(body);
        return LentBody::fits(at, bytes) && out.lending.is_worth_it() && lend_at(out, destination, head, at, bytes);
    }

    // Bytes of the body reserved for the destination, for the statistics.
    std::size_t reserved_bytes(int destination) const
    {
        const auto place = static_cast<std::size_t>(destination);
        return place < outboxes_.size() && outboxes_[place].reserved ? outboxes_[place].body_bytes : 0;
    }

    // Calls handler(source, head, body, body_bytes) for what has come, at most a ring of cells from each source,
    // while it returns true; how many. Takes nothing when it is called by the handler.
    template <class Handler>
    int poll(Handler&& handler)
    {
        if (polling_) return 0;
        const ScopedFlag during(&polling_);
        int taken = 0;
        if (counts_) {
            for (std::size_t looked = outboxes_.size(); looked != 0; --looked) {
                // acquire: pairs with count_at_door()
                if (doors_[next_].word.load(std::memory_order_acquire) != taken_[next_] &&
                    take_all(introduced(static_cast<int>(next_)), handler, taken)) {
                    return taken;
                }
                go_on(outboxes_.size());
            }
        } else {
            if (known_.size() < others()) look_at_doors();
            for (std::size_t looked = known_.size(); looked != 0; --looked) {
                if (take_all(*known_[next_], handler, taken)) return taken;
                go_on(known_.size());
            }
        }
        return taken;
    }

private:
    // The way to one destination, all zeros before the first envelope in either direction. Counts of 32 bits are cut
    // to them.
    struct Outbox {
        std::byte* mapped = nullptr;                         // base of the job's memory, nullptr: not mapped
        Offset cells = kNoOffset;                            // the ring of EnvelopeCells
        Offset bodies = kNoOffset;                           // the ring of BodyLines
        const std::atomic<std::uint64_t>* credit = nullptr;  // nullptr: nothing has been sent there, or it is this rank
        EnvelopeCell* pair_cell = nullptr;                   // when it is this rank's turn to write it
        Offset counted = kNoOffset;                          // its door for this rank where it counts, else kNoOffset
        std::uint64_t sent = 0;                              // number of the last envelope
        std::uint32_t taken = 0;                             // number of the last one known to have been taken
        std::uint32_t lines_sent = 0;                        // body lines used so far, with those skipped
        std::uint32_t lines_taken = 0;                       // of them known to be free again
        std::uint32_t next_line = 0;                         // where the next body may begin
        std::uint32_t last_lines = 0;                        // of the last body
        bool has_bodies = false;                             // the ring of bodies is backed
        bool reserved = false;                               // what follows is a reservation
        std::uint32_t body_at = 0;                           // its first line
        std::uint32_t body_bytes = 0;
        std::uint32_t lines = 0;         // with those skipped
        EnvelopeClaim* claim = nullptr;  // of what is lent to it, when it is mapped
        OfferChance lending{};
        BodyLine* staging = nullptr;  // the body before the commit, when the destination is not mapped
    };
    // What a poll looks at: where the next envelope of a source will be. Small, since many are looked at.
    struct Inbox {
        std::uint64_t number;     // of that envelope; 0: the two have not been introduced
        EnvelopeCell* next;       // in the ring
        EnvelopeCell* pair_cell;  // when it is the source's turn to write it, else nullptr
        int source;
        std::uint64_t asked_at =
            0;                     // when this rank wrote the pair cell, by the cycle counter; 0: it lent a body there
        std::uint64_t waited = 0;  // cycles from then to the last look at it
    };
    struct Source {
        EnvelopeCell* cells;
        const BodyLine* bodies;
        Offset credit;                // EnvelopeCredit in the source's arena
        EnvelopeClaim* claim;         // of what the source lends
        std::uint32_t returned = 0;   // number of the last envelope returned as a credit
        std::uint32_t next_line = 0;  // after the last body
        std::uint32_t last_lines = 0;
        std::uint32_t lines_taken = 0;
        std::uint32_t lines_returned = 0;
    };

    static void write_cell(
        EnvelopeCell& cell, std::uint32_t body_at, std::uint32_t body_bytes, const void* head, std::uint64_t stamp)
    {
        cell.body_at = body_at;
        cell.body_bytes = body_bytes;
        std::memcpy(cell.head, head, sizeof cell.head);
        cell.stamp.store(stamp, std::memory_order_release);  // pairs with arrived()
    }

    // Writes the cell of what is in the Outbox's reservation: the envelope is sent.
    [[gnu::always_inline]] void announce(Outbox& out, int destination, const void* head, bool may_ask = true)
    {
        const std::uint64_t number = ++out.sent;
        const std::uint64_t stamp = EnvelopeStamp::make(number, node_->rank(), destination);
        if (EnvelopeCell* const cell = out.pair_cell; cell != nullptr && may_ask) {
            Inbox& inbox = end_turn(out, destination);
            write_cell(*cell, out.body_at, out.body_bytes, head, stamp);
            if (answer_pause_.is_used()) inbox.asked_at = read_clock(ClockKind::cycles);
        } else {
            const Offset at = cell_at(out, number);
            if (out.mapped != nullptr) [[likely]] {
                write_cell(mapped_cell(out, at), out.body_at, out.body_bytes, head, stamp);
            } else {
                write_remotely(out, destination, at, head, stamp);
            }
        }
        count_at_door(out, destination, number);
    }

    // After the stamp, so that a destination that sees the number finds the envelope. Pairs with poll().
    void count_at_door(const Outbox& out, int destination, std::uint64_t number) const
    {
        if (out.counted != kNoOffset) node_->crossbar.write_flag(destination, out.counted, number);
    }

    // This rank writes the pair cell now: the next turn is the destination's.
    Inbox& end_turn(Outbox& out, int destination)
    {
        Inbox& inbox = inboxes_[static_cast<std::size_t>(destination)];
        inbox.pair_cell = std::exchange(out.pair_cell, nullptr);
        asked_ = &inbox;
        return inbox;
    }

    // Whether no answer can be in the pair cell yet, and the rank looks again soon: outside of a wait a look leaves
    // nothing out. Of two cores' counters that differ, at worst a look comes too early or, for so long, not at all;
    // the look before a sleep is never left out.
    bool is_too_early(Inbox& inbox) const
    {
        if (!answer_pause_.is_used()) return false;
        inbox.waited = read_clock(ClockKind::cycles) - inbox.asked_at;
        return inbox.waited < answer_pause_.cycles() && node_->in_layers_wait && !node_->waiter.is_last_look();
    }

    // Where the next envelope of a source lies, nullptr when it has not come.
    EnvelopeCell* arrived(Inbox& inbox) const
    {
        const std::uint64_t awaited = EnvelopeStamp::make(inbox.number, inbox.source, node_->rank());
        // acquire, both: pair with write_cell() and write_remotely()
        if (EnvelopeStamp::is(inbox.next->stamp.load(std::memory_order_acquire), awaited)) return inbox.next;
        if (inbox.pair_cell == nullptr) return nullptr;
        if (is_too_early(inbox)) return nullptr;
        if (&inbox == asked_) ask_for_body(inbox);
        const std::uint64_t stamp = inbox.pair_cell->stamp.load(std::memory_order_acquire);
        return EnvelopeStamp::is(stamp, awaited) ? inbox.pair_cell : nullptr;
    }

    // The lines of a body travel one after the other, unless they are asked for: those that an answer is likely to
    // have, with each look for it, so that they come while its cell does; and those of this rank's answer before it
    // is made, since the other rank has read what was there.
    void ask_for_body(const Inbox& inbox) const
    {
        const Source& source = sources_[static_cast<std::size_t>(inbox.source)];
        const std::uint32_t lines = lines_to_ask_for(source.next_line, source.last_lines);
        for (std::uint32_t i = 0; i < lines; ++i) __builtin_prefetch(source.bodies + source.next_line + i);
    }
    void ask_to_write_body(const Outbox& out) const
    {
        if (out.mapped == nullptr || !node_->helps()) return;
        const std::byte* const bodies = out.mapped + out.bodies;
        const std::uint32_t lines = lines_to_ask_for(out.next_line, out.last_lines);
        for (std::uint32_t i = 0; i < lines; ++i) prefetch_to_write(bodies + std::size_t{out.next_line + i} * kLine);
    }
    std::uint32_t lines_to_ask_for(std::uint32_t next_line, std::uint32_t last_lines) const
    {
        constexpr std::uint32_t kMost = 8;  // of longer ones the processor's own fetching ahead brings the rest
        return std::min({last_lines, kMost, body_lines_ - next_line});
    }

    // The next poll begins with the source after this one.
    void go_on(std::size_t sources)
    {
        if (++next_ == sources) next_ = 0;
        ended_by_it_ = 0;
    }

    // What has come of a source, at most a ring of cells; whether the handler has had enough.
    template <class Handler>
    bool take_all(Inbox& inbox, Handler& handler, int& taken)
    {
        EnvelopeCell* cell = arrived(inbox);
        for (std::uint32_t left = cells_; cell != nullptr && left != 0; --left) {
            const Taken what = take(inbox, *cell, handler);
            if (what != Taken::nothing) ++taken;
            if (what == Taken::and_ends) {
                // The same source first next time, which may send many in a row; but each has its turn.
                if (++ended_by_it_ >= cells_) go_on(counts_ ? outboxes_.size() : known_.size());
                return true;
            }
            cell = arrived(inbox);
        }
        return false;
    }

    enum class Taken { and_goes_on, and_ends, nothing };

    template <class Handler>
    Taken take(Inbox& inbox, EnvelopeCell& cell, Handler& handler)
    {
        // What the rank knows of the rings is brought up to date first, for a handler that throws all the same.
        Source& source = sources_[static_cast<std::size_t>(inbox.source)];
        const std::uint64_t number = inbox.number++;
        if (counts_) taken_[static_cast<std::size_t>(inbox.source)] = number;
        inbox.next = source.cells + (inbox.number & (cells_ - 1));
        Taken taken = Taken::nothing;
        if (EnvelopeStamp::is_lent(cell.stamp.load(std::memory_order_relaxed))) [[unlikely]] {  // read by arrived()
            taken = take_lent(inbox, source, cell, number, handler);
        } else {
            const Body body = body_in_ring(source, cell);
            if (&cell == inbox.pair_cell) {
                alignas(16) std::uint8_t head[FMPL_ENVELOPE_HEAD];
                ask_to_write_body(begin_turn(inbox, cell, head));
                taken = to_handler(handler, inbox, head, body);
            } else {
                taken = to_handler(handler, inbox, cell.head, body);
            }
        }
        if (static_cast<std::uint32_t>(number) - source.returned >= cells_ / 4 ||
            source.lines_taken - source.lines_returned >= body_lines_ / 4) {
            return_credits(inbox, source, static_cast<std::uint32_t>(number));
        }
        return taken;
    }

    // It is this rank's turn at the pair cell now, and the handler may answer: the head must not lie there any more.
    Outbox& begin_turn(Inbox& inbox, EnvelopeCell& cell, std::uint8_t (&head)[FMPL_ENVELOPE_HEAD])
    {
        if (inbox.asked_at != 0) answer_pause_.learn(inbox.waited);  // else nothing was asked for
        std::memcpy(head, cell.head, sizeof head);
        Outbox& out = outboxes_[static_cast<std::size_t>(inbox.source)];
        out.pair_cell = std::exchange(inbox.pair_cell, nullptr);
        return out;
    }

    template <class Handler>
    [[gnu::noinline]] Taken take_lent(
        Inbox& inbox, Source& source, EnvelopeCell& cell, std::uint64_t number, Handler& handler)
    {
        const std::uint64_t stamp = cell.stamp.load(std::memory_order_relaxed);
        const std::uint64_t lent = std::uint64_t{cell.body_bytes} << 32 | cell.body_at;
        source.last_lines = 0;
        alignas(16) std::uint8_t out_of_pair_cell[FMPL_ENVELOPE_HEAD];
        const Outbox* const answers_here =
            &cell == inbox.pair_cell ? &begin_turn(inbox, cell, out_of_pair_cell) : nullptr;
        if (!claim(*source.claim, number)) return Taken::nothing;
        const ReturnOfLoan at_the_end{*node_, cell, answers_here, stamp, inbox.source};
        const Body body{node_->crossbar.mapped(inbox.source, LentBody::at(lent)), LentBody::bytes(lent)};
        node_->crossbar.map_pages(static_cast<const std::byte*>(body.data), body.bytes);
        return to_handler(handler, inbox, answers_here != nullptr ? out_of_pair_cell : cell.head, body);
    }

    struct Body {
        const void* data;
        std::size_t bytes;
    };
    template <class Handler>
    static Taken to_handler(Handler& handler, const Inbox& inbox, const std::uint8_t* head, const Body& body)
    {
        const bool goes_on = handler(inbox.source, static_cast<const void*>(head), body.data, body.bytes);
        return goes_on ? Taken::and_goes_on : Taken::and_ends;
    }

    Body body_in_ring(Source& source, const EnvelopeCell& cell) const
    {
        const std::uint32_t bytes = cell.body_bytes;
        source.last_lines = lines_of(bytes);
        if (bytes == 0) return {nullptr, 0};
        const std::uint32_t after = line_after(cell.body_at, bytes);
        // As far as from the end of the last body to the end of this one, around the ring's end or not.
        source.lines_taken +=
            after > source.next_line ? after - source.next_line : after + body_lines_ - source.next_line;
        source.next_line = after;
        return {source.bodies + cell.body_at, bytes};
    }

    // Says that the handler is through with a lent body, unless it has done so by an answer in the same cell.
    struct ReturnOfLoan {
        const Node& node;
        EnvelopeCell& cell;
        const Outbox* answers_here;  // nullptr: it lies in the ring
        std::uint64_t stamp;
        int source;
        ~ReturnOfLoan()
        {
            if (answers_here != nullptr && answers_here->pair_cell != &cell) return;
            cell.stamp.store(stamp | EnvelopeStamp::kReturned, std::memory_order_release);  // pairs with lend_at()
            node.crossbar.wake(source);
        }
    };

    // Whether this rank, and not the other one, has the lent body. A destination may come to one long after its
    // source has taken it back, and later ones too.
    static bool claim(EnvelopeClaim& claim, std::uint64_t number)
    {
        std::uint64_t last = claim.number.load(std::memory_order_relaxed);
        // acquire and release: pair with each other on the two sides
        return last < number && claim.number.compare_exchange_strong(last, number, std::memory_order_acq_rel);
    }

    // What the destination was not woken for may take up the ring; the room that it makes wakes this rank.
    [[gnu::cold, gnu::noinline]] bool without_room(int destination) const
    {
        node_->crossbar.wake(destination);
        return false;
    }

    // Whether a cell and so many body lines are free, with a look at the credits when they are not known to be.
    bool has_room(Outbox& out, int destination, std::uint32_t lines)
    {
        const auto room = [&] {
            return static_cast<std::uint32_t>(out.sent) - out.taken < cells_ &&
                   lines <= body_lines_ - (out.lines_sent - out.lines_taken);
        };
        if (out.credit == nullptr && !open(destination)) [[unlikely]]
            return false;
        if (room()) [[likely]]
            return true;
        // acquire: pairs with return_credits(), so that the lines may be written again
        const std::uint64_t word = out.credit->load(std::memory_order_acquire);
        out.taken = EnvelopeCount::number(word);
        out.lines_taken = EnvelopeCount::lines(word);
        return room();
    }
    std::uint32_t line_after(std::uint32_t first, std::uint32_t bytes) const
    {
        const std::uint32_t after = first + lines_of(bytes);
        return after == body_lines_ ? 0 : after;
    }
    static std::uint32_t lines_of(std::size_t bytes) { return static_cast<std::uint32_t>((bytes + kLine - 1) / kLine); }
    Offset cell_at(const Outbox& out, std::uint64_t number) const
    {
        return out.cells + (number & (cells_ - 1)) * sizeof(EnvelopeCell);
    }
    static EnvelopeCell& mapped_cell(const Outbox& out, Offset at)
    {
        return *reinterpret_cast<EnvelopeCell*>(out.mapped + at);
    }
    static Offset body_offset(const Outbox& out) { return out.bodies + std::size_t{out.body_at} * kLine; }

    Inbox& introduced(int peer)
    {
        Inbox& inbox = inboxes_[static_cast<std::size_t>(peer)];
        if (inbox.number == 0) [[unlikely]]
            introduce(peer);
        return inbox;
    }
    void introduce(int peer);
    bool open(int destination);
    bool back_bodies(Outbox& out, int destination);
    template <class Back>
    bool backs(int destination, Back&& back);
    void look_at_doors();
    void write_remotely(const Outbox& out, int destination, Offset at, const void* head, std::uint64_t stamp) const;
    void return_credits(const Inbox& inbox, Source& source, std::uint32_t number) const;
    [[noreturn]] void nothing_reserved(int destination) const;
    bool lend_at(Outbox& out, int destination, const void* head, Offset at, std::size_t bytes);

    // Parts of a rank's block: doors, rings of cells, credits, claims, pair cells, rings of bodies, one of each for
    // every other rank.
    std::size_t others() const { return static_cast<std::size_t>(node_->crossbar.nodes()) - 1; }
    static std::size_t place(int of, int at) { return static_cast<std::size_t>(of < at ? of : of - 1); }
    // What a poll looks at shall not fall into few sets of the core's cache: a line between two rings, and pair cells
    // at another place in each arena.
    Offset cells_in(Offset block, std::size_t place) const
    {
        return block + envelope_doors_bytes(node_->crossbar.nodes()) + place * (cells_ + 1) * sizeof(EnvelopeCell);
    }
    Offset credit_in(Offset block, std::size_t place) const
    {
        return cells_in(block, others()) + place * sizeof(EnvelopeCredit);
    }
    Offset claim_in(Offset block, std::size_t place) const
    {
        return credit_in(block, others()) + place * sizeof(EnvelopeClaim);
    }
    Offset pair_cell_in(Offset block, int owner, int other) const
    {
        const auto turned = static_cast<std::size_t>((owner + other) % node_->crossbar.nodes());
        return claim_in(block, others()) + turned * sizeof(EnvelopeCell);
    }
    Offset bodies_in(Offset block, std::size_t place) const
    {
        return claim_in(block, others()) + (others() + 1) * sizeof(EnvelopeCell) +
               place * body_lines_ * sizeof(BodyLine);
    }

    Node* node_;
    AnswerPause answer_pause_;
    std::uint32_t cells_ = 0;        // of each ring, a power of two
    std::uint32_t body_lines_ = 0;   // of each ring, a multiple of 4
    std::vector<Block> blocks_;      // of all ranks; until connect() this rank's alone
    bool counts_ = false;            // of this rank's block
    EnvelopeDoor* doors_ = nullptr;  // this rank's
    // By rank, with this rank's own, which are unused.
    ZeroedTable<Outbox> outboxes_;
    ZeroedTable<Inbox> inboxes_;
    ZeroedTable<Source> sources_;
    ZeroedTable<std::uint64_t> taken_;  // counts_: number of the last envelope taken; else 1 of each that is known
    std::vector<Inbox*> known_;         // !counts_: of the sources whose door is open
    std::deque<std::vector<BodyLine>> stagings_;
    const Inbox* asked_ = nullptr;   // whose turn it last became to write its pair cell
    std::size_t next_ = 0;           // where the next poll begins, among all ranks or those that are known
    std::uint32_t ended_by_it_ = 0;  // polls in a row that its envelopes have ended
    bool polling_ = false;
};

}  // namespace fmpl
