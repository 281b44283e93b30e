"""Which environments the licence policy of a release takes."""

from envplatform.configuration import CurationSettings
from envplatform.configuration.release import ReleaseSettings
from envplatform.swe.fixes.curation.licences import licence_verdict


def why_not_licensed(licence: str, settings: ReleaseSettings) -> str:
    """Say why a licence is not taken; empty if it is."""
    policy = CurationSettings(
        licences=settings.licences, unknown_licences=settings.unknown_licences
    )
    return licence_verdict(licence, policy) or ""
