"""Conversations as lines of JSON, in the form of the OpenAI API."""
