"""lm-eval's command line, with the model `pleiad`."""

from lm_eval.__main__ import cli_evaluate

import pleiad.lm_eval  # noqa: F401  (registers it)

if __name__ == "__main__":
    cli_evaluate()
