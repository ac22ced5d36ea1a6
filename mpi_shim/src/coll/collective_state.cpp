#include "coll/collective_state.hpp"

#include "coll/schedule.hpp"

#include <cstdlib>
#include <string_view>

namespace fmpl::mpi {
namespace {

CollectiveForm form_of_environment()
{
    const char* const value = std::getenv("FMPL_MPI_COLLECTIVES");
    const std::string_view form = value == nullptr ? "auto" : value;
    return form == "schedule" ? CollectiveForm::schedule
           : form == "fmpl"   ? CollectiveForm::fmpl
                              : CollectiveForm::automatic;
}

}  // namespace

CollectiveState::CollectiveState() : form(form_of_environment()) {}
CollectiveState::~CollectiveState() = default;

void CollectiveState::leave()
{
    scratch.clear();
}

}  // namespace fmpl::mpi
