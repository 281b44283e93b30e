"""Dagster resources: configuration in, library object out. No logic of their own."""
