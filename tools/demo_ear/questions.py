"""What is asked about a spoken word, and the one right answer."""

from speech import DIGITS, WORDS
from text_model import CLOSE

TRANSCRIBE = ("Transcribe the speech in its own language. Write the transcription alone, on one line, and numbers with "
              "digits.")                             # what pleiad's route for transcriptions asks
QUESTIONS = {"word": ("What is said?", "What do you hear?", "Which word is said?"),
             "digit": ("Which digit is said?", "What number is said?"),
             "transcript": (TRANSCRIBE,)}
NAMES = {"word": "words", "digit": "digits", "transcript": "transcripts"}


def about(word):
    """(skill, answer) of every skill that the word (a number of WORDS) has."""
    digit = [("digit", str(word))] if word < len(DIGITS) else []
    return [("word", WORDS[word]), *digit, ("transcript", str(word) if digit else WORDS[word])]


class Encoder:
    """The token ids of questions about words, and of their answers."""

    def __init__(self, text):
        self.text, self.known = text, {}

    def ids(self, text):
        if text not in self.known:
            self.known[text] = self.text.encode(text)
        return self.known[text]

    def __call__(self, word, rng, transcripts):
        """(names, prompts of text_model.TextModel.pack): every question alone."""
        rows = [row for row in about(word) if transcripts or row[0] != "transcript"]
        return ([skill for skill, _ in rows],
                [[(self.ids(rng.choice(QUESTIONS[skill]) + CLOSE), self.ids(answer + "<turn|>"))] for skill, answer in rows])
