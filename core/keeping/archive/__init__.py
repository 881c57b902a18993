"""One archive with everything of a site: made while people work, verified, and restored into an empty site."""
