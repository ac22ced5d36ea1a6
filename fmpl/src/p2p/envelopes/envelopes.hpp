// Envelopes: short messages that the destination takes in the order of each source, for a layer that matches itself
// (fmpl/envelopes.h). Here are the calls; each part, with its records in shared memory, has a file of its own:
//
//   cell.hpp       an envelope: the layer's bytes and the stamp that announces them
//   ring.hpp       cells and body lines of an ordered pair of ranks, and the credits by which they are free again
//   pair_cell.hpp  the one line in which two ranks answer each other; answer_pause.hpp: when to look for the answer
//   body_steps.hpp a body that the destination takes while the source writes the rest
//   lending.hpp    a body that the destination reads in the source's memory
//   doors.hpp      at whose ring a rank looks; poll_order.hpp: in which order
//   block.hpp      where all that lies in the job's memory
//   peers.hpp      what a rank keeps of each other one
//
// The source reserves a cell and body lines, writes the body straight into the ring when the destination is mapped
// (else into memory of its own), and commits: one line and its flag, and for a body its lines. The pair cell takes the
// place of the ring's cell when it is the source's turn there, but for a body in steps.
//
// None of the functions blocks, but lend() for about a microsecond, and for as long as the destination's handler takes;
// poll() and await_body() for as long as the source copies. One thread at a time, as all of a rank.
#pragma once

#include "crossbar/scoped_flag.hpp"
#include "p2p/envelopes/body_steps.hpp"
#include "p2p/envelopes/peers.hpp"
#include "p2p/envelopes/poll_order.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace fmpl {

class Envelopes {
public:
    explicit Envelopes(Node& node) : node_(&node), peers_(node, blocks_), pair_cells_(node.waiter.policy()) {}
    Envelopes(const Envelopes&) = delete;
    Envelopes& operator=(const Envelopes&) = delete;

    // The room of a ring of bodies as asked for: whole lines, of which a quarter is whole lines too.
    static constexpr std::size_t kBodyUnit = 4 * kLine;
    static constexpr std::size_t kMaxBodyBytes = std::size_t{1} << 32;  // so that a body's length fits its 32 bits

    // Makes room for this rank's rings and credits. body_bytes: a multiple of kBodyUnit, at least one and at most
    // kMaxBodyBytes. Throws Error(MEMORY), and then nothing has changed.
    EnvelopeBlock make(std::size_t body_bytes);
    // Gives up what was made, since another rank has no memory.
    void unmake() { blocks_.unmake(node_->tables); }
    // What all ranks have made, in their order. Envelopes can be sent from now on.
    void connect(std::vector<EnvelopeBlock> blocks);
    // The end: nobody sends any more, and nothing can be sent or polled.
    void close();

    bool is_open() const { return peers_.size() != 0; }
    std::size_t body_limit() const { return is_open() ? sizes().body_limit() : 0; }

    // Whether there is room for an envelope; *body where its bytes are to be written then. false for a rank that has no
    // rings and for bodies beyond the limit. is_copied: they will be copied there from one piece of memory.
    [[gnu::always_inline]] bool reserve(int destination, std::size_t body_bytes, void** body, bool is_copied = false)
    {
        if (!has(destination)) [[unlikely]]
            return false;
        OutgoingRing& ring = peers_.outbox(destination).ring;
        ring.reserved = false;
        ring.is_copied = is_copied;
        if (body_bytes == 0) {
            if (!has_room(ring, destination)) return without_room(destination);
            ring.without_body();
            if (body != nullptr) *body = nullptr;
        } else {
            if (body == nullptr || body_bytes > sizes().body_limit()) return false;
            if (!ring.is_open() && !peers_.open_way(destination)) [[unlikely]]
                return false;
            if (!ring.reserve_body(sizes(), body_bytes)) return without_room(destination);
            if (!ring.body_is_backed() && !peers_.back_body(destination)) [[unlikely]]
                return false;
            *body = ring.body();
        }
        ring.reserved = true;
        return true;
    }

    // An envelope with a body from one piece of memory: false when there is no room for it. A long one is copied in
    // steps, the first of which announces it.
    bool send_body(int destination, const void* head, const void* from, std::size_t bytes)
    {
        void* body = nullptr;
        if (!reserve(destination, bytes, &body, true)) return false;
        OutgoingRing& ring = peers_.outbox(destination).ring;
        if (bytes > BodySteps::kBytes && ring.mapped != nullptr && node_->each_has_a_cpu()) {
            send_in_steps(destination, head, static_cast<const std::byte*>(from));
        } else {
            if (bytes > 0) ring.copies.copy(body, from, bytes);
            commit(destination, head);
        }
        return true;
    }

    // Sends what was reserved for the destination. Throws Error(ARGUMENT) when nothing is.
    void commit(int destination, const void* head)
    {
        if (!has(destination) || !peers_.outbox(destination).ring.reserved) [[unlikely]]
            nothing_reserved(destination);
        Outbox& out = peers_.outbox(destination);
        out.ring.reserved = false;
        if (out.ring.body_bytes != 0 && out.ring.mapped != nullptr && node_->each_has_a_cpu()) {
            hand_over(out.ring.body(), out.ring.body_bytes);
        }
        announce(out, destination, head);
        out.ring.use_lines(sizes());
        node_->crossbar.wake(destination);
    }

    // An envelope without a body, reserved and committed: false when there is no room for it. wakes: the destination,
    // if it sleeps; else it is no question, either, and leaves the pair cell alone.
    bool send(int destination, const void* head, bool wakes = true)
    {
        if (!has(destination)) [[unlikely]]
            return false;
        Outbox& out = peers_.outbox(destination);
        out.ring.reserved = false;
        if (!has_room(out.ring, destination)) [[unlikely]]
            return without_room(destination);
        out.ring.without_body();
        announce(out, destination, head, wakes);
        out.ring.last_lines = 0;
        if (wakes) node_->crossbar.wake(destination);
        return true;
    }

    // Whether it pays to lend the next body to the destination, and lends it: true when the destination's handler is
    // through with it. false: as if nothing had been sent. waits_anyway: the caller will wait for the destination if it
    // is not lent, too. Throws Error(ABORTED).
    bool lend(int destination, const void* head, const void* body, std::size_t bytes, bool waits_anyway)
    {
        if (!has(destination)) [[unlikely]]
            return false;
        Outbox& out = peers_.outbox(destination);
        out.ring.reserved = false;
        if (!out.ring.is_open() && !peers_.open_way(destination)) [[unlikely]]
            return false;
        if (out.ring.mapped == nullptr || (out.pair_cell == nullptr && !waits_anyway)) return false;
        if (bytes == 0 || !node_->crossbar.contains(body, bytes)) return false;
        if (!node_->each_has_a_cpu() || node_->has_busy() || node_->in_callback || !out.ring.has_room(sizes(), 0))
            return false;
        // Who sleeps does not look soon.
        if (node_->crossbar.record(destination).sleeping.load(std::memory_order_relaxed) != 0) return false;
        const Offset at = node_->crossbar.offset_of(body);
        return LentBody::fits(at, bytes) && out.lending.is_worth_it() && lend_at(out, destination, head, at, bytes);
    }

    // Bytes of the body reserved for the destination, for the statistics.
    std::size_t reserved_bytes(int destination) const
    {
        if (!has(destination)) return 0;
        const OutgoingRing& ring = peers_.outbox(destination).ring;
        return ring.reserved ? ring.body_bytes : 0;
    }

    // Calls handler(source, head, body, body_bytes) for what has come, at most kInTurn from each source, while
    // it returns true; how many. Takes nothing when it is called by the handler.
    template <class Handler>
    int poll(Handler&& handler)
    {
        if (polling_) return 0;
        const ScopedFlag during(&polling_);
        int taken = 0;
        if (doors_.are_counted()) {
            for (std::size_t looked = peers_.size(); looked != 0; --looked) {
                if (doors_.has_more(order_.place()) &&
                    take_all(peers_.introduced(static_cast<int>(order_.place())), handler, taken)) {
                    order_.end_here(peers_.size(), kInTurn);
                    return taken;
                }
                order_.go_on(peers_.size());
            }
        } else {
            if (known_.size() < others()) look_at_doors();
            for (std::size_t looked = known_.size(); looked != 0; --looked) {
                if (take_all(*known_[order_.place()], handler, taken)) {
                    order_.end_here(known_.size(), kInTurn);
                    return taken;
                }
                order_.go_on(known_.size());
            }
        }
        return taken;
    }

    // Whether poll() would take nothing, as far as is known without a look too early at what a rank answers.
    bool none_has_come() const
    {
        if (!is_open() || polling_) return false;
        if (doors_.are_counted()) return !doors_.any_has_more();
        for (Inbox* const inbox : known_) {
            const std::uint64_t awaited = EnvelopeStamp::make(inbox->number, inbox->source, node_->rank());
            if (inbox->next->holds(awaited)) return false;
            if (inbox->answer.cell != nullptr && !pair_cells_.is_too_early(inbox->answer) &&
                inbox->answer.cell->holds(awaited))
                return false;
        }
        return known_.size() == others() || !doors_.any_has_more();
    }

    // By a handler: waits until so many bytes of its body lie there; how many do. Throws Error(ABORTED).
    std::size_t await_body(std::size_t bytes) const
    {
        return coming_ == nullptr ? std::numeric_limits<std::size_t>::max() : coming_->await(*node_, bytes);
    }

    // Looks of a wait for what one source sends; -1: any does. What others have sent before, which would have to be
    // kept until somebody asks for it, is mostly left where it is.
    class Looks {
    public:
        Looks(Envelopes& envelopes, int source) : envelopes_(envelopes), source_(source) {}

        // As poll().
        template <class Handler>
        int poll(Handler&& handler)
        {
            if (!envelopes_.is_one_of_many(source_)) return envelopes_.poll(handler);
            const int taken = envelopes_.poll_from(source_, handler);
            return taken == 0 && is_for_all() ? envelopes_.poll(handler) : taken;
        }

    private:
        // That source may wait for another one, which may need room here.
        bool is_for_all() { return ++in_vain_ % kOfOne == 0 || envelopes_.node_->waiter.is_last_look(); }

        static constexpr std::uint32_t kOfOne = 8;

        Envelopes& envelopes_;
        int source_;
        std::uint32_t in_vain_ = 0;
    };

private:
    // Envelopes of one source, or looks at one alone, in a row before the others have their turn.
    static constexpr std::uint32_t kInTurn = 64;

    // Whether the source is known to have sent something, as others may have; and it is not the turn of all: no source
    // is looked at alone more often in a row than kInTurn.
    bool is_one_of_many(int source)
    {
        return has(source) && others() > 1 && doors_.has_sent(static_cast<std::size_t>(source)) &&
               ++polls_of_one_ % kInTurn != 0;
    }
    template <class Handler>
    int poll_from(int source, Handler&& handler)
    {
        if (polling_) return 0;
        const ScopedFlag during(&polling_);
        int taken = 0;
        take_all(peers_.introduced(source), handler, taken);
        return taken;
    }

    bool has(int destination) const { return static_cast<std::size_t>(destination) < peers_.size(); }
    const RingSizes& sizes() const { return blocks_.layout().sizes(); }
    std::size_t others() const { return static_cast<std::size_t>(node_->crossbar.nodes()) - 1; }

    // For an envelope without a body.
    bool has_room(OutgoingRing& ring, int destination)
    {
        if (!ring.is_open() && !peers_.open_way(destination)) [[unlikely]]
            return false;
        return ring.has_room(sizes(), 0);
    }
    // What the destination was not woken for may take up the ring; the room that it makes wakes this rank.
    [[gnu::cold, gnu::noinline]] bool without_room(int destination) const
    {
        node_->crossbar.wake(destination);
        return false;
    }

    // Writes the cell of what is reserved: the envelope is sent.
    [[gnu::always_inline]] void announce(Outbox& out, int destination, const void* head, bool may_ask = true)
    {
        OutgoingRing& ring = out.ring;
        const std::uint64_t number = ++ring.sent;
        const std::uint64_t stamp = EnvelopeStamp::make(number, node_->rank(), destination);
        if (EnvelopeCell* const cell = out.pair_cell; cell != nullptr && may_ask) {
            AwaitedAnswer& answer = peers_.inbox(destination).answer;
            pair_cells_.end_turn(out.pair_cell, answer);
            ring.ask();
            cell->write(ring.body_at, ring.body_bytes, head, stamp);
            pair_cells_.ask(answer);
        } else if (ring.mapped != nullptr) [[likely]] {
            ring.cell(sizes(), number).write(ring.body_at, ring.body_bytes, head, stamp);
            ring.ask_ahead(sizes());
        } else {
            ring.write_remotely(node_->crossbar, destination, ring.cell_offset(sizes(), number), head, stamp);
        }
        count_at_door(node_->crossbar, destination, out.counted, number);
    }

    bool lend_at(Outbox& out, int destination, const void* head, Offset at, std::size_t bytes);
    void send_in_steps(int destination, const void* head, const std::byte* from);

    // Where the next envelope of a source lies, nullptr when it has not come.
    EnvelopeCell* arrived(Inbox& inbox) const
    {
        const std::uint64_t awaited = EnvelopeStamp::make(inbox.number, inbox.source, node_->rank());
        if (inbox.next->holds(awaited)) return inbox.next;
        if (inbox.answer.cell == nullptr || pair_cells_.is_too_early(inbox.answer, *node_)) return nullptr;
        if (pair_cells_.is_last_asked(inbox.answer)) peers_.source(inbox.source).ring.ask_for_body(sizes());
        return inbox.answer.cell->holds(awaited) ? inbox.answer.cell : nullptr;
    }

    // What has come of a source, at most kInTurn; whether the handler has had enough.
    template <class Handler>
    bool take_all(Inbox& inbox, Handler& handler, int& taken)
    {
        EnvelopeCell* cell = arrived(inbox);
        for (std::uint32_t left = kInTurn; cell != nullptr && left != 0; --left) {
            const Taken what = take(inbox, *cell, handler);
            if (what != Taken::nothing) ++taken;
            if (what == Taken::and_ends) return true;
            cell = arrived(inbox);
        }
        return false;
    }

    enum class Taken { and_goes_on, and_ends, nothing };

    template <class Handler>
    Taken take(Inbox& inbox, EnvelopeCell& cell, Handler& handler)
    {
        // What the rank knows of the rings is brought up to date first, for a handler that throws all the same.
        Source& source = peers_.source(inbox.source);
        const std::uint64_t number = inbox.number++;
        doors_.took(inbox.source, number);
        inbox.next = source.ring.cells + sizes().place_of(inbox.number);
        Taken taken = Taken::nothing;
        // acquire: pairs with send_in_steps(), which may have written it again since arrived()
        const std::uint64_t stamp = cell.stamp.load(std::memory_order_acquire);
        if (EnvelopeStamp::is_lent(stamp)) [[unlikely]] {
            taken = take_lent(inbox, source, cell, number, handler);
        } else if (EnvelopeStamp::steps(stamp) != 0) [[unlikely]] {
            taken = take_in_steps(inbox, source, cell, handler);
        } else {
            const EnvelopeBody body = source.ring.take_body(sizes(), cell);
            if (&cell == inbox.answer.cell) {
                alignas(16) std::uint8_t head[FMPL_ENVELOPE_HEAD];
                const OutgoingRing& ring = begin_turn(inbox, cell, head).ring;
                if (ring.mapped != nullptr && node_->each_has_a_cpu()) ring.ask_to_write_body(sizes());
                taken = to_handler(handler, inbox, head, body);
            } else {
                taken = to_handler(handler, inbox, cell.head, body);
            }
        }
        if (source.ring.owes_credit(sizes(), static_cast<std::uint32_t>(number))) {
            source.ring.return_credit(node_->crossbar, inbox.source, static_cast<std::uint32_t>(number));
        }
        return taken;
    }

    // The source writes the body meanwhile. It is whole before its room is given back, unless the job ends.
    template <class Handler>
    [[gnu::noinline]] Taken take_in_steps(Inbox& inbox, Source& source, EnvelopeCell& cell, Handler& handler)
    {
        const EnvelopeBody body = source.ring.take_body(sizes(), cell);
        const ComingBody coming{cell.stamp, BodySteps(body.bytes)};
        Taken taken = Taken::and_ends;
        {
            const ComingBody::Shown shown(coming_, coming);
            taken = to_handler(handler, inbox, cell.head, body);
        }
        return coming.is_whole(*node_) ? taken : Taken::and_ends;
    }

    template <class Handler>
    [[gnu::noinline]] Taken take_lent(
        Inbox& inbox, Source& source, EnvelopeCell& cell, std::uint64_t number, Handler& handler)
    {
        const std::uint64_t stamp = cell.stamp.load(std::memory_order_relaxed);
        const std::uint64_t lent = std::uint64_t{cell.body_bytes} << 32 | cell.body_at;
        source.ring.last_lines = 0;
        alignas(16) std::uint8_t out_of_pair_cell[FMPL_ENVELOPE_HEAD];
        const bool is_answer = &cell == inbox.answer.cell;
        EnvelopeCell* const* const turn = is_answer ? &begin_turn(inbox, cell, out_of_pair_cell).pair_cell : nullptr;
        if (!source.claim->take(number)) return Taken::nothing;
        const ReturnOfLoan at_the_end{node_->crossbar, cell, turn, stamp, inbox.source};
        const EnvelopeBody body{node_->crossbar.mapped(inbox.source, LentBody::at(lent)), LentBody::bytes(lent)};
        node_->crossbar.map_pages(static_cast<const std::byte*>(body.data), body.bytes);
        return to_handler(handler, inbox, is_answer ? out_of_pair_cell : cell.head, body);
    }

    // It is this rank's turn at the pair cell now, and the handler may answer: the head must not lie there any more.
    Outbox& begin_turn(Inbox& inbox, const EnvelopeCell& cell, std::uint8_t (&head)[FMPL_ENVELOPE_HEAD])
    {
        std::memcpy(head, cell.head, sizeof head);
        Outbox& out = peers_.outbox(inbox.source);
        pair_cells_.begin_turn(out.pair_cell, inbox.answer);
        out.ring.was_answered();
        return out;
    }

    template <class Handler>
    static Taken to_handler(Handler& handler, const Inbox& inbox, const std::uint8_t* head, const EnvelopeBody& body)
    {
        const bool goes_on = handler(inbox.source, static_cast<const void*>(head), body.data, body.bytes);
        return goes_on ? Taken::and_goes_on : Taken::and_ends;
    }

    void look_at_doors();
    [[noreturn]] void nothing_reserved(int destination) const;

    Node* node_;
    EnvelopeBlocks blocks_;
    EnvelopePeers peers_;
    PairCells pair_cells_;
    Doors doors_;
    std::vector<Inbox*> known_;  // where no door counts: of the sources whose door is open
    PollOrder order_;            // among all ranks, or those that are known
    std::uint32_t polls_of_one_ = 0;
    bool polling_ = false;
    const ComingBody* coming_ = nullptr;  // the body that the handler has, unless that is whole
};

}  // namespace fmpl
