#include "launch/other_launcher.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace fmpl {
namespace {

std::optional<int> number_in(const char* variable)
{
    const char* text = variable != nullptr ? std::getenv(variable) : nullptr;
    if (text == nullptr) return std::nullopt;
    const std::string_view view(text);
    int value = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
    if (error != std::errc() || end != view.data() + view.size()) return std::nullopt;
    return value;
}

}  // namespace

std::optional<std::string> words_about_other_launcher()
{
    struct Launcher {
        const char *size, *rank;  // variables; size nullptr: there is none
    };
    static constexpr Launcher launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, {"PMI_SIZE", "PMI_RANK"},
        {"SLURM_NTASKS", "SLURM_PROCID"}, {nullptr, "PMIX_RANK"}};
    for (const Launcher& launcher : launchers) {
        const std::optional<int> size = number_in(launcher.size), rank = number_in(launcher.rank);
        if (size ? *size < 2 : launcher.size != nullptr || !rank) continue;
        if (rank.value_or(0) != 0) return std::nullopt;
        return fmt::format(
            "warning: another launcher has started this process{}, of which FMPL knows nothing: each process is a job "
            "of one rank; "
            "start the program with fmplrun or mpiexec.fmpl",
            size ? fmt::format(" as one of {} ({})", *size, launcher.size) : fmt::format(" ({})", launcher.rank));
    }
    return std::nullopt;
}

}  // namespace fmpl
