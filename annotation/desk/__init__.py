"""An annotation from claim to decision: the queue, the form, its drafts, its checks, its review."""
