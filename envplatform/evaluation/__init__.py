"""How policies fare over what the pillars make, and how sure that is."""
