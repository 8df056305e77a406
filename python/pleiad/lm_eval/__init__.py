"""Models for lm-evaluation-harness, in this process: `pip install pleiad[lm-eval]`.

    python -m pleiad.lm_eval run --model pleiad --model_args pretrained=gemma4:e2b --tasks gsm8k --batch_size auto

is lm-eval's own command line, which knows the model `pleiad` besides its own; in a program,

    import lm_eval, pleiad.lm_eval
    lm_eval.simple_evaluate(model="pleiad", model_args={"pretrained": "gemma4:e2b"}, tasks=["gsm8k"])

is enough. docs/python.md of the project has the rest.
"""

from .model import PleiadLM

__all__ = ["PleiadLM"]
