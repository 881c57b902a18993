"""Finds where a page or a document that carries no tag may contradict itself: the infobox and the text, the
lead and the body, a total and the rows above it, one property with two values, two sentences that are much alike.

Text in, candidates out, in time that grows with the text; nothing here knows a database. A page of a dump gets about
half a millisecond, so wikitext is searched as it is, and only the sentences that matter are made readable.
"""
