#include "coll/collective_state.hpp"

#include "coll/immediate_schedule.hpp"
#include "coll/listed_schedule.hpp"
#include "error.hpp"

#include <cstdlib>
#include <string_view>

namespace fmpl::mpi {
namespace {

CollectiveForm form_of_environment()
{
    const char* const value = std::getenv("FMPL_MPI_COLLECTIVES");
    const std::string_view form = value == nullptr ? "auto" : value;
    if (form == "auto") return CollectiveForm::automatic;
    if (form == "schedule") return CollectiveForm::schedule;
    fail(ErrorClass::argument, "FMPL_MPI_COLLECTIVES={}: auto or schedule is needed", form);
}

}  // namespace

CollectiveState::CollectiveState(TypeTable& the_types) : form(form_of_environment()), types(the_types) {}
CollectiveState::~CollectiveState() = default;

void CollectiveState::leave()
{
    scratch.clear();
    has_left = true;
}

}  // namespace fmpl::mpi
