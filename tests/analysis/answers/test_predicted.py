"""Answers for a GPU without results."""

from shflbench.analysis.answers.answer import Role
from shflbench.analysis.answers.predicted import (
    Basis,
    PredictedAnswer,
    PredictedSetting,
    PredictedVariant,
    predicted_answer,
)

SETTING = PredictedSetting("sm_100", "reduce", "f32", (("width", "32"),), 256, 8)


def variant(
    name: str, mechanism: str, limit: float | None, predicted: float | None = None, role: Role = Role.CANDIDATE
) -> PredictedVariant:
    return PredictedVariant(
        variant=name,
        mechanism=mechanism,
        role=role,
        limit_cycles=limit,
        limit_by="exchange",
        predicted_cycles=predicted,
    )


def answered(*variants: PredictedVariant) -> PredictedAnswer:
    answer = predicted_answer(SETTING, variants)
    assert answer
    return answer


def test_the_lowest_limit_leads_where_there_are_no_predictions() -> None:
    answer = answered(variant("smem", "smem", 640), variant("shfl", "shfl", 320))
    assert (answer.variant, answer.basis, answer.over_runner_up) == ("shfl", Basis.LIMIT, 2.0)


def test_predictions_rank_where_each_candidate_has_one() -> None:
    answer = answered(variant("smem", "smem", 300, 400), variant("shfl", "shfl", 320, 900))
    assert (answer.variant, answer.basis, answer.over_runner_up) == ("smem", Basis.PREDICTION, 2.25)


def test_limits_rank_where_one_candidate_has_no_prediction() -> None:
    answer = answered(variant("smem", "smem", 300, 400), variant("shfl", "shfl", 100))
    assert (answer.variant, answer.basis) == ("shfl", Basis.LIMIT)


def test_what_is_within_the_error_of_predictions_ties_and_gives_the_simpler_variant() -> None:
    answer = answered(variant("smem", "smem", 300), variant("shfl", "shfl", 350))
    assert (answer.variant, answer.tied, answer.runner_up) == ("shfl", ("smem",), None)


def test_unsafe_variants_and_library_calls_are_not_recommended() -> None:
    answer = answered(
        variant("smem", "smem", 640),
        variant("shfl", "shfl", 320),
        variant("cub", "library", 100, role=Role.LIBRARY),
        variant("smem-unsafe", "smem-unsafe", 50, role=Role.UNSAFE),
    )
    assert answer.variant == "shfl"
    assert [one.variant for one in answer.ranking] == ["smem-unsafe", "cub", "shfl", "smem"]


def test_fewer_than_two_limits_give_no_answer() -> None:
    assert predicted_answer(SETTING, [variant("shfl", "shfl", 320), variant("smem", "smem", None)]) is None
