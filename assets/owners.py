"""Who answers for the assets of each pillar, as Dagster shows it."""

SWE = ("team:swe",)
RES = ("team:res",)
COWORK = ("team:cowork",)
TRAJECTORIES = ("team:trajectories",)
TRAINING = ("team:training",)
