"""Widgets only: they tell what the user did and show what they are told."""
