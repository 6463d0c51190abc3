"""PowerShell: a reader for its words (`parse`) and what its commands do (`run`)."""
