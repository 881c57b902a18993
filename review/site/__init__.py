"""A release and its results as static pages to be published: no server, no script needed, no outside
address loaded. Only what is public goes in: frozen instances, and results of rounds that are finished."""
