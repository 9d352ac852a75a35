"""Walks several lanes as one program."""
