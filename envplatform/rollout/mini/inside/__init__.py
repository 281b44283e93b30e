"""Programs that run in sandboxes, sent there as text; never imported by the platform."""
