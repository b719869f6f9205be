"""The games in other frameworks: one module for each, imported by name, which needs that framework installed."""
