"""A few invented articles with contradiction tags, so that a first start has work for annotators."""

# A host that can never exist (RFC 2606); it is not allowed, so no request is ever sent there.
WIKI = {"api_url": "https://samples.example/w/api.php"}
