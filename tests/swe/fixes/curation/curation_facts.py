from envplatform.swe.fixes.analysis.analyse import analyse
from envplatform.swe.fixes.reverse_patch import Analysis, ReverseFacts
from envplatform.swe.fixes.sides import Sides


def facts_of(
    instance_id: str,
    analysis: Analysis,
    *,
    repository: str = "owner__name",
    licence: str = "MIT",
    refusal: str = "",
) -> ReverseFacts:
    return ReverseFacts(
        instance_id=instance_id,
        source="made",
        repository=repository,
        licence=licence,
        created_at="",
        refusal=refusal,
        rung="strict",
        analysis=analysis,
    )


def facts_of_sides(
    instance_id: str, sides: Sides, *, repository: str = "owner__name"
) -> ReverseFacts:
    return facts_of(instance_id, analyse(sides), repository=repository)
