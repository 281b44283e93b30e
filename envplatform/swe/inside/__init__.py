"""What is uploaded into a sandbox beside suites and verifiers. Standard library only."""
