#include "distributed_transform.hpp"

#include "lanes.hpp"

namespace fmpl::npb::ft {

namespace {

constexpr std::size_t kPointBytes = 2 * sizeof(double);
constexpr int kAreas = 1;

std::ptrdiff_t rows_of(std::size_t rows)
{
    return static_cast<std::ptrdiff_t>(rows * kRow);
}

// How far apart the z planes begin that inverse_z() delivers to a rank, in rows.
//
// A line along z goes to as many places as it has points. Where the planes lay a multiple of a page apart, these
// would share the same sets of the caches and the same banks of the memory; so there are two rows more in between.
// Where they lay a multiple of 128 KiB apart, the places would lie in pages that share 8 of the sets of a TLB or
// fewer, of 256; so there is a page more, too.
std::size_t plane_pitch_of(const Distribution& distribution)
{
    constexpr std::size_t kRowBytes = kRow * sizeof(double);
    constexpr std::size_t kPageRows = 4096 / kRowBytes;
    constexpr std::size_t kSharingRows = (std::size_t{128} << 10) / kRowBytes;
    const std::size_t rows = distribution.x_blocks() * distribution.spectral_lines();
    return rows + (rows % kPageRows == 0 ? 2 : 0) + (rows % kSharingRows == 0 ? kPageRows : 0);
}

// What one rank sends to another one in a yz exchange: in both directions, so that they take the same memory.
std::size_t yz_block_bytes(const Distribution& distribution)
{
    return distribution.planes() * plane_pitch_of(distribution) * kRow * sizeof(double);
}

std::size_t yz_landing_bytes(const Distribution& distribution)
{
    return distribution.yz_ranks() * yz_block_bytes(distribution);
}

// Item i of `count`, of which each rank of an exchange has an equal share: it lies `spacing` rows after the one before
// it in that rank's block, which begins at block(rank).
template <class Block>
std::vector<double*> shared_out(std::size_t count, std::size_t ranks, std::size_t spacing, const Block& block)
{
    std::vector<double*> table;
    const std::size_t share = count / ranks;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        auto* const begin = reinterpret_cast<double*>(block(static_cast<int>(rank)));
        for (std::size_t i = 0; i < share; ++i) table.push_back(begin + i * spacing * kRow);
    }
    return table;
}

auto rooms(Exchange& exchange)
{
    return [&exchange](int peer) { return exchange.room(peer); };
}

auto landed(Exchange& exchange)
{
    return [&exchange](int source) { return exchange.from(source).data(); };
}

}  // namespace

DistributedTransform::DistributedTransform(Communication& communication, const Distribution& distribution)
    : distribution_(distribution),
      plane_pitch_(plane_pitch_of(distribution)),
      lines_(distribution.grid().nx * kRow)
{
    if (distribution.slab()) {
        plane_ = WorkArray<double>(distribution.grid().nx * distribution.grid().ny * 2);
        yz_exchange_ = communication.exchange(communication.world(), yz_landing_bytes(distribution), kAreas);
        return;
    }
    xy_group_ = communication.group(distribution.xy_group());
    yz_group_ = communication.group(distribution.yz_group());
    xy_exchange_ = communication.exchange(*xy_group_, distribution.points() * kPointBytes, kAreas);
    yz_exchange_ = communication.exchange(*yz_group_, yz_landing_bytes(distribution), kAreas);
}

std::size_t DistributedTransform::bytes(Communication& communication, const Distribution& distribution)
{
    const auto exchange_bytes = [&](std::size_t landing_bytes) {
        return landing_bytes * kAreas + communication.staging_bytes(landing_bytes);
    };
    const std::size_t plane_bytes = distribution.grid().nx * distribution.grid().ny * kPointBytes;
    return exchange_bytes(yz_landing_bytes(distribution)) +
           (distribution.slab() ? plane_bytes : exchange_bytes(distribution.points() * kPointBytes));
}

void DistributedTransform::prepare()
{
    along_x_.emplace(distribution_.grid().nx);
    along_y_.emplace(distribution_.grid().ny);
    along_z_.emplace(distribution_.grid().nz);
}

void DistributedTransform::forward(const Fill& fill, double* spectrum)
{
    const Distribution& part = distribution_;
    yz_exchange_->begin(yz_block_bytes(part));
    const Table targets = shared_out(part.grid().ny, part.yz_ranks(), part.planes(), rooms(*yz_exchange_));
    const std::size_t blocks = part.grid().nx / kLanes;
    if (part.slab()) {
        const auto whole_plane = [&](int) { return reinterpret_cast<std::byte*>(plane_.data()); };
        const Table squares = shared_out(blocks, 1, part.grid().ny, whole_plane);
        const Table rows = shared_out(part.grid().ny, 1, 1, whole_plane);
        for (std::size_t plane = 0; plane < part.planes(); ++plane) {
            forward_x(plane, fill, squares, 0, false);
            forward_y(plane, rows, 0, targets);
        }
    } else {
        const std::size_t plane_rows = part.x_blocks() * part.physical_lines();
        xy_exchange_->begin(part.xy_block_points() * kPointBytes);
        const Table squares = shared_out(blocks, part.xy_ranks(), part.physical_lines(), rooms(*xy_exchange_));
        for (std::size_t plane = 0; plane < part.planes(); ++plane) {
            forward_x(plane, fill, squares, plane * plane_rows, true);
        }
        finish_streams();
        xy_exchange_->end();
        const Table rows = shared_out(part.grid().ny, part.xy_ranks(), 1, landed(*xy_exchange_));
        for (std::size_t plane = 0; plane < part.planes(); ++plane) forward_y(plane, rows, plane * plane_rows, targets);
    }
    finish_streams();
    yz_exchange_->end();
    forward_z(spectrum);
}

// The field's lines of a plane -> squares of (x block, y block).
void DistributedTransform::forward_x(
    std::size_t plane, const Fill& fill, const Table& squares, std::size_t square_offset, bool streamed)
{
    const Distribution& part = distribution_;
    const Table rows =
        shared_out(part.grid().nx, 1, 1, [&](int) { return reinterpret_cast<std::byte*>(lines_.data()); });
    for (std::size_t block = 0; block < part.y_blocks(); ++block) {
        fill(part.first_physical_line() + block * kLanes, part.first_plane() + plane, lines_.data());
        along_x_->run(Direction::forward, {rows.data(), 0, 0});
        along_x_->transpose_work(squares.data(), rows_of(square_offset + block * kLanes), streamed);
    }
}

// Lines [x block][y] of a plane -> the yz exchange, [x block][y][z] in the block for a rank.
void DistributedTransform::forward_y(std::size_t plane, const Table& rows, std::size_t row_offset, const Table& targets)
{
    const Distribution& part = distribution_;
    const std::size_t lines = part.physical_lines();
    for (std::size_t block = 0; block < part.x_blocks(); ++block) {
        const std::size_t next = block + 1 < part.x_blocks() ? block + 1 : block;
        const std::size_t target = block * part.spectral_lines() * part.planes() + plane;
        along_y_->run(Direction::forward,
            {rows.data(), rows_of(row_offset + block * lines), rows_of(row_offset + next * lines)},
            {targets.data(), rows_of(target), true});
    }
}

// What has landed -> spectrum.
void DistributedTransform::forward_z(double* spectrum)
{
    const Distribution& part = distribution_;
    const std::size_t nz = part.grid().nz;
    const Table rows = shared_out(nz, part.yz_ranks(), 1, landed(*yz_exchange_));
    const Table targets = shared_out(nz, 1, 1, [&](int) { return reinterpret_cast<std::byte*>(spectrum); });
    const std::size_t lines = part.x_blocks() * part.spectral_lines();
    for (std::size_t line = 0; line < lines; ++line) {
        const std::size_t next = line + 1 < lines ? line + 1 : line;
        along_z_->run(Direction::forward, {rows.data(), rows_of(line * part.planes()), rows_of(next * part.planes())},
            {targets.data(), rows_of(line * nz), true});
    }
    finish_streams();
}

void DistributedTransform::inverse(const double* spectrum, Evolution& evolution, double* field)
{
    const Distribution& part = distribution_;
    inverse_z(spectrum, evolution);

    const Table rows = shared_out(part.grid().ny, part.yz_ranks(), 1, landed(*yz_exchange_));
    const std::size_t blocks = part.grid().ny / kLanes;
    const std::size_t plane_points = part.grid().nx * part.physical_lines();
    if (part.slab()) {
        const auto whole_plane = [&](int) { return reinterpret_cast<std::byte*>(plane_.data()); };
        const Table squares = shared_out(blocks, 1, part.grid().nx, whole_plane);
        const Table lines = shared_out(part.grid().nx, 1, 1, whole_plane);
        for (std::size_t plane = 0; plane < part.planes(); ++plane) {
            inverse_y(plane, rows, squares, 0, false);
            inverse_x(lines, 0, field + plane * plane_points * 2);
        }
    } else {
        const std::size_t plane_rows = part.y_blocks() * part.columns();
        xy_exchange_->begin(part.xy_block_points() * kPointBytes);
        const Table squares = shared_out(blocks, part.xy_ranks(), part.columns(), rooms(*xy_exchange_));
        for (std::size_t plane = 0; plane < part.planes(); ++plane) {
            inverse_y(plane, rows, squares, plane * plane_rows, true);
        }
        finish_streams();
        xy_exchange_->end();
        const Table lines = shared_out(part.grid().nx, part.xy_ranks(), 1, landed(*xy_exchange_));
        for (std::size_t plane = 0; plane < part.planes(); ++plane) {
            inverse_x(lines, plane * plane_rows, field + plane * plane_points * 2);
        }
    }
    finish_streams();
}

// The spectrum, evolved -> the yz exchange, [z][x block][y] in the block for a rank, the planes at their pitch.
void DistributedTransform::inverse_z(const double* spectrum, Evolution& evolution)
{
    const Distribution& part = distribution_;
    const std::size_t nz = part.grid().nz;
    const std::size_t lines = part.x_blocks() * part.spectral_lines();
    yz_exchange_->begin(yz_block_bytes(part));
    const Table targets = shared_out(nz, part.yz_ranks(), plane_pitch_, rooms(*yz_exchange_));
    std::vector<const double*> rows;
    for (std::size_t z = 0; z < nz; ++z) rows.push_back(spectrum + z * kRow);
    for (std::size_t line = 0; line < lines; ++line) {
        const std::size_t next = line + 1 < lines ? line + 1 : line;
        along_z_->run(Direction::inverse, {rows.data(), rows_of(line * nz), rows_of(next * nz)},
            {targets.data(), rows_of(line), true},
            evolution.factors(line / part.spectral_lines(), line % part.spectral_lines()));
    }
    finish_streams();
    yz_exchange_->end();
}

// What has landed of a plane -> squares of (y block, x block).
void DistributedTransform::inverse_y(
    std::size_t plane, const Table& rows, const Table& squares, std::size_t square_offset, bool streamed)
{
    const Distribution& part = distribution_;
    const auto first_row = [&](std::size_t of_plane, std::size_t block) {
        return rows_of(of_plane * plane_pitch_ + block * part.spectral_lines());
    };
    for (std::size_t block = 0; block < part.x_blocks(); ++block) {
        const std::ptrdiff_t next = block + 1 < part.x_blocks() ? first_row(plane, block + 1)
                                    : plane + 1 < part.planes() ? first_row(plane + 1, 0)
                                                                : first_row(plane, block);
        along_y_->run(Direction::inverse, {rows.data(), first_row(plane, block), next});
        along_y_->transpose_work(squares.data(), rows_of(square_offset + block * kLanes), streamed);
    }
}

// Lines [y block][x] of a plane -> field.
void DistributedTransform::inverse_x(const Table& rows, std::size_t row_offset, double* field)
{
    const Distribution& part = distribution_;
    const Table targets = shared_out(part.grid().nx, 1, 1, [&](int) { return reinterpret_cast<std::byte*>(field); });
    const std::size_t columns = part.columns();
    for (std::size_t block = 0; block < part.y_blocks(); ++block) {
        const std::size_t next = block + 1 < part.y_blocks() ? block + 1 : block;
        along_x_->run(Direction::inverse,
            {rows.data(), rows_of(row_offset + block * columns), rows_of(row_offset + next * columns)},
            {targets.data(), rows_of(block * part.grid().nx), true});
    }
}

}  // namespace fmpl::npb::ft
