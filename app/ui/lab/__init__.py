"""The Prompt Lab's page: inputs in rows, variants in columns."""
