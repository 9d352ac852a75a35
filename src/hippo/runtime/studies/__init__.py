"""A study in memory: its trials, requests and counters, what was asked before and is replayed, and who hears of it."""
