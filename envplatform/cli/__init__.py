"""The `envplatform` command: daily work without opening Dagster. Reads the store."""
