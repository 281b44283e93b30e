"""How a SWE environment judges: what goes into its tests folder."""
