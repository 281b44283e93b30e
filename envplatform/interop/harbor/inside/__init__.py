"""What goes into imported environments; runs in sandboxes only, standard library only."""
