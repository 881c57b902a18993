"""Static pages of a release and its results, for publication: no server, no script needed, no outside address loaded.
They contain only public data: frozen instances, and results of finished rounds.
"""
