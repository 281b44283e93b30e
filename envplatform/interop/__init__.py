"""Other people's formats and tools, one folder each. Nothing here is imported by us."""
