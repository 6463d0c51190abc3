"""Pages: one file per page, small function views, permission settled before the template."""
