"""`python -m envplatform.learning.training ORDER.json`: the training process."""

from envplatform.learning.training.process import main

if __name__ == "__main__":
    main()
