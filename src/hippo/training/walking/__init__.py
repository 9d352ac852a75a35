"""Lanes under way: where they begin, who walks them, what is checked beside them, and where their states go."""
