"""Language models behind one async interface."""
