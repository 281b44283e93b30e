"""`python -m envplatform` is the command `envplatform`."""

from envplatform.cli.main import app

if __name__ == "__main__":
    app(prog_name="envplatform")
