"""Whether a trainer resumes exactly: a check's runs, its results, and the sentences that tell of them."""
