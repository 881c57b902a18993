"""Pages of annotators: the desk, its reading pane, comments, suggestions and their own work."""
