"""What people read: terminal tables, Markdown, CSV, derivations."""
