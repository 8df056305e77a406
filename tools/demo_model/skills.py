"""The skills without tools: each function writes one user turn with its right answer.

Every function takes a Context and returns (user text, thought, content, data), where data
is the JSON object that answers the same request, or None when a JSON answer makes no sense.
"""

import dataclasses
import random

from words import (CITIES, DAYS, MONTH_DAYS, MONTHS, NAMES, ORDINALS, WORDS, WordSource,
                   held_out, pick, pseudo_word)

DO_NOT_KNOW = "I am a small demo model and I do not know that."


@dataclasses.dataclass
class Context:
    """What a turn depends on: randomness, train or test items, words, the last number."""

    rng: random.Random
    split: str
    words: WordSource
    last_number: int | None = None
    has_tools: bool = False

    def word(self):
        return self.words.word(self.rng, self.split)


def numbers_text(numbers):
    return ", ".join(map(str, numbers))


def count(c):
    """Counting from A to B, now and then downwards."""
    rng = c.rng

    def make():
        top = rng.choice((20, 20, 60, 120, 170))
        first = rng.choice((1, rng.randint(0, top), rng.randint(0, top), rng.randint(0, top)))
        return first, first + rng.choice((rng.randint(2, 9), rng.randint(2, 9), rng.randint(2, 30)))

    a, b = pick(rng, make, c.split)
    if rng.random() < 0.15:
        text = rng.choice(("Count down from {b} to {a}", "Count backwards from {b} to {a}",
                           "Count back from {b} to {a}", "Count from {b} down to {a}"))
        numbers = range(b, a - 1, -1)
        thought = f"Count down. Start at {b} and stop at {a}."
    else:
        forms = ["Count from {a} to {b}"] * 4 + [
            "Count up from {a} to {b}", "Count from {a} up to {b}", "Can you count from {a} to {b}",
            "Could you count from {a} to {b}", "List the numbers from {a} to {b}",
            "Give me the numbers from {a} to {b}", "Write the numbers from {a} to {b}",
            "Say the numbers from {a} to {b}", "Numbers from {a} to {b}", "Count {a} to {b}",
            "I want you to count from {a} to {b}", "Start at {a} and count to {b}",
            "Show me the numbers {a} to {b}"]
        if a == 1:
            forms += ["Count to {b}", "Can you count to {b}", "Count up to {b}"] * 2
        text = rng.choice(forms)
        numbers = range(a, b + 1)
        thought = f"Start at {a} and stop at {b}."
    return (text.format(a=a, b=b), thought, numbers_text(numbers), {"numbers": list(numbers)})


class sum_key(tuple):
    """(+, smaller, a, b): both orders of a sum are held out together."""

    def __new__(cls, a, b):
        return super().__new__(cls, ("+", min(a, b), a, b))

    def __str__(self):
        return f"+ {self[1]} {max(self[2:])}"


def arithmetic(c):
    """Sums and differences up to 100, also on the last result."""
    rng = c.rng
    plus = rng.random() < 0.5
    if c.last_number is not None and 0 <= c.last_number <= 100 and rng.random() < 0.35:
        a = c.last_number
        if plus and a < 100:
            b = pick(rng, lambda: sum_key(a, rng.randint(1, min(100 - a, 30))), c.split)[-1]
            text = rng.choice(("Now add {b} to that", "Add {b} to that", "And plus {b}",
                               "Add {b} more", "Now add {b}", "Plus {b}"))
        else:
            plus, b = False, pick(rng, lambda: ("-", a, rng.randint(0, min(a, 30))), c.split)[-1]
            text = rng.choice(("Now subtract {b} from that", "Subtract {b} from that",
                               "And minus {b}", "Take {b} away from that", "Now subtract {b}"))
    elif plus:
        def make():
            total = rng.randint(0, 100)
            return sum_key(total - (x := rng.randint(0, total)), x)

        _, _, a, b = pick(rng, make, c.split)
        text = rng.choice(["What is {a} + {b}", "What is {a} plus {b}", "{a} + {b}", "Add {a} and {b}"] * 2 + [
            "{a}+{b}", "{a}+{b}=", "{a} plus {b}", "How much is {a} + {b}", "How much is {a} plus {b}",
            "Calculate {a} + {b}", "Compute {a} + {b}", "What is the sum of {a} and {b}", "Sum of {a} and {b}",
            "Please add {a} and {b}", "Can you add {a} and {b}", "What's {a} + {b}", "What does {a} + {b} make",
            "I have {a} apples and get {b} more. How many apples do I have", "Add {b} to {a}"])
    else:
        def make():
            x = rng.randint(0, 100)
            return "-", x, rng.randint(0, x)

        _, a, b = pick(rng, make, c.split)
        text = rng.choice(["What is {a} - {b}", "What is {a} minus {b}", "{a} - {b}", "Subtract {b} from {a}"] * 2 + [
            "{a}-{b}", "{a}-{b}=", "{a} minus {b}", "How much is {a} - {b}", "How much is {a} minus {b}",
            "Calculate {a} - {b}", "Compute {a} - {b}", "What is the difference between {a} and {b}",
            "Take {b} away from {a}", "Can you subtract {b} from {a}", "What's {a} - {b}", "Take {b} from {a}",
            "I have {a} apples and eat {b}. How many apples do I have"])
    result = a + b if plus else a - b
    c.last_number = result
    line = f"{a} {'+' if plus else '-'} {b} = {result}"
    thought = f"This is a {'sum' if plus else 'difference'}. {line}."
    return text.format(a=a, b=b), thought, line, {"answer": result}


def calendar(c):
    """Days and months; whole questions are held out."""
    while True:
        turn = calendar_question(c.rng)
        if held_out(turn[0]) == (c.split == "test"):
            return turn


def calendar_question(rng):
    """One question about days and months."""
    kind = rng.choice("day day month month length length nth number fact list".split())
    i, form, after = rng.randrange(12), rng.randrange(12), rng.randrange(2)
    side = "after" if after else "before"
    verb = ("comes after", "follows", "is after") if after else ("comes before", "is before", "comes right before")
    if kind in ("day", "month"):
        names = DAYS if kind == "day" else MONTHS
        x = names[i % len(names)]
        y = names[(i + (1 if after else -1)) % len(names)]
        forms = (f"What {kind} comes {side} {x}", f"Which {kind} comes {side} {x}", f"What {kind} {verb[1]} {x}",
                 f"Which {kind} {verb[2]} {x}", f"What comes {side} {x}", f"What is the {kind} {side} {x}",
                 f"The {kind} {side} {x}", f"Which is the {kind} {side} {x}", f"Tell me the {kind} {side} {x}",
                 f"What {kind} is {side} {x}", f"Name the {kind} {side} {x}", f"Which {kind} {verb[0]} {x}")
        return (forms[form], f"The {kind}s in order: {x if after else y}, {y if after else x}.",
                f"The {kind} {side} {x} is {y}.", {"answer": y})
    if kind == "length":
        m, n = MONTHS[i], MONTH_DAYS[i]
        forms = (f"How many days has {m}", f"How many days does {m} have", f"How many days are in {m}",
                 f"How many days are there in {m}", f"How long is {m}", f"Days in {m}")
        answer = f"{m} has {n} days." if n != 28 else f"{m} has 28 days, or 29 in a leap year."
        return forms[form % 6], f"{m} is a month with {n} days.", answer, {"answer": n}
    if kind == "nth":
        m, nth = MONTHS[i], ORDINALS[i]
        if form % 3 == 2 and i < 7:
            forms = (f"What is the {nth} day of the week", f"Which day is the {nth} day of the week",
                     f"Name the {nth} day of the week")
            return (rng.choice(forms), "The week starts with Monday.",
                    f"The {nth} day of the week is {DAYS[i]}.", {"answer": DAYS[i]})
        forms = (f"What is the {nth} month", f"Which is the {nth} month", f"Which month is the {nth}",
                 f"What is the {nth} month of the year", f"Name the {nth} month",
                 f"Tell me the {nth} month of the year")
        return forms[form % 6], "The year starts with January.", f"The {nth} month is {m}.", {"answer": m}
    if kind == "number":
        m = MONTHS[i]
        forms = (f"Which number has {m}", f"What number is {m}", f"What is the number of {m}",
                 f"Which month of the year is {m}")
        return (forms[form % 4], f"{m} is the {ORDINALS[i]} month.", f"{m} is month {i + 1}.", {"answer": i + 1})
    if kind == "fact":
        facts = (("days", "a week", "A week", 7), ("months", "a year", "A year", 12),
                 ("days", "a year", "A year", 365))
        what, where, where_up, n = facts[i % 3]
        forms = (f"How many {what} are in {where}", f"How many {what} has {where}",
                 f"How many {what} are there in {where}", f"How many {what} does {where} have")
        return forms[form % 4], f"{where_up} has {n} {what}.", f"{where_up} has {n} {what}.", {"answer": n}
    names, what = (DAYS, "days of the week") if i % 2 else (MONTHS, "months of the year")
    forms = (f"What are the {what}", f"List the {what}", f"Name the {what}", f"Tell me the {what}")
    return forms[form % 4], f"I list the {what}.", ", ".join(names) + ".", {"answer": names}


def quoted(rng, word):
    """The word bare or in quotes."""
    x = rng.random()
    return f'"{word}"' if x < 0.25 else f"'{word}'" if x < 0.3 else word


def letters(word):
    return "-".join(word)


def reverse(c):
    """Writing a word backwards."""
    w = c.word()
    back = w[::-1]
    text = c.rng.choice(["Reverse {w}", "Reverse the word {w}", "Write {w} backwards", "Reverse this word: {w}"] * 2 + [
        "What is {w} backwards", "Say {w} backwards", "Spell {w} backwards", "Turn {w} around",
        "Can you reverse {w}", "Please reverse {w}", "Can you write {w} backwards",
        "Write the word {w} backwards", "Reverse the letters of {w}", "What is {w} reversed",
        "How do you write {w} backwards", "Give me {w} backwards"]).format(w=quoted(c.rng, w))
    return text, f"The letters are {letters(w)}. Backwards: {letters(back)}.", back, {"word": w, "reversed": back}


def spell(c):
    """Spelling, counting letters, first and last letter, capitals."""
    w, rng = c.word(), c.rng
    q = quoted(rng, w)
    x = rng.random()
    thought = f"The letters are {letters(w)}."
    if x < 0.6:
        text = rng.choice(["Spell {w}", "Spell the word {w}", "How do you spell {w}"] * 2 + [
            "Spell this word: {w}", "Can you spell {w}", "Please spell {w}", "How is {w} spelled",
            "What are the letters of {w}", "Give me the letters of {w}", "Spell out {w}",
            "Could you spell the word {w}", "Letters of {w}", "Show me how to spell {w}"]).format(w=q)
        return text, thought, letters(w), {"word": w, "spelling": letters(w)}
    if x < 0.75:
        text = rng.choice(("How many letters has {w}", "How many letters does {w} have",
                           "How many letters are in {w}", "Count the letters of {w}",
                           "How long is the word {w}", "How many letters are in the word {w}")).format(w=q)
        thought = thought[:-1] + f". That makes {len(w)}."
        return text, thought, f"{w} has {len(w)} letters.", {"word": w, "letters": len(w)}
    if x < 0.87:
        first = rng.random() < 0.5
        which, letter = ("first", w[0]) if first else ("last", w[-1])
        text = rng.choice(("What is the {o} letter of {w}", "Which letter is the {o} of {w}",
                           "Tell me the {o} letter of {w}", "What letter does {w} " + ("start" if first else "end") + " with"))
        return (text.format(o=which, w=q), thought, f"The {which} letter of {w} is {letter}.",
                {"answer": letter})
    text = rng.choice(("Write {w} in capitals", "Write {w} in upper case", "Convert {w} to upper case",
                       "Put {w} in capital letters", "Make {w} upper case", "Upper case of {w}")).format(w=q)
    return text, "I use capital letters.", w.upper(), {"word": w, "upper": w.upper()}


GREETINGS = "Hello|Hi|Hey|Good morning|Good evening|Hello there|Hi there|Good day|Hey there|Hello Pleiad|Good afternoon|Hello, nice to meet you|Hi, my friend|Greetings"
HOW = "How are you|How is it going|How do you do|How are you today|Are you well|How do you feel|Hello, how are you|Hi, how are you"
WHO = ("Who are you|What are you|What is your name|Are you a robot|Tell me about yourself|Introduce yourself|"
       "Who am I talking to|Are you an AI|What model are you|What is Pleiad|What's your name|Are you human|Who made you|"
       "Are you ChatGPT|Are you Gemma|What kind of model are you|Hello, who are you|Hi, who are you|Which model is this|What is this|Say who you are|Please introduce yourself")
CAN = ("What can you do|How can you help me|What do you know|Help|Can you help me|What are your skills|"
       "What can I ask you|What are you good at|What should I ask|What questions can you answer|I need help|"
       "Show me what you can do|Give me an example of what you can do|Hello, what can you do|What do you do|Tell me what you can do|What are you able to do|What are your abilities")
THANKS = ("Thanks|Thank you|Thank you very much|Thanks a lot|Many thanks|Great, thanks|Thank you so much|"
          "Nice, thank you|That was helpful|Well done|Good job|Very good|Great|Nice work|Perfect|Cool")
BYE = "Bye|Goodbye|See you|See you later|Good night|Bye bye|Until next time|That is all|I have to go"

SMALL_TALK = (
    (GREETINGS, "A greeting.", "Hello! I am Pleiad's small demo model. How can I help you?"),
    (HOW, "A friendly question.", "I am well, thank you. What can I do for you?"),
    (WHO, "The user asks who I am.",
     "I am Pleiad's small demo model, a toy for trying the software."),
    (CAN, "The user asks what I can do.",
     "I can count, add and subtract, name days and months, spell and reverse words, "
     "answer in JSON and call tools."),
    (THANKS, "The user is friendly.", "You are welcome!"),
    (BYE, "The user says goodbye.", "Goodbye!"),
)

QUESTIONS = """
What is the capital of {c}|Who wrote {w}|Who invented the {w}|Why is the {w} {x}|How tall is {n}|How old is {n}
Write a poem about the {w}|Write a story about {n}|Tell me a joke|Tell me about {c}|Tell me about the {w}|What is a {w}
Who is {n}|Where is {c}|Where does {n} live|When was {n} born|What is the meaning of life|How do I cook {w}
What do you think about {w}|Explain the {w}|Explain how a {w} works|What is the best {w}|How far is {c}|Who won the {w}
Which {w} is better|Do you like {w}|What color is the {w}|Write a program in Python|Should I buy a {w}
What happened in {y}|Who was president in {y}|How does a {w} work|Can you draw a {w}|What is the news
Summarize the book about the {w}|Is {c} bigger than {d}|How do I get to {c}|Give me a recipe with {w}
Who discovered {w}|What is love|How many people live in {c}|What is the largest {w}|Describe {c}|Why do {w} {x}
What does {n} do|Sing a song about {w}|What should I eat today|Recommend a good book|Is the {w} {x}
Which language do they speak in {c}|Who painted the {w}|How many {w} are in a {x}|When did the {w} end
"""
REQUESTS = """
What is the weather in {c}|What time is it in {c}|Play the song {w}|Set a timer for {k} minutes|Send a message to {n}
What time is it|What is {k} times {l}|What is {k} * {l}|Search for {w}|Turn on the {w}|Convert {k} euros to dollars
What is the {w} in {c}|What is the {w} of {c}|Multiply {k} by {l}|Translate {w} into French|What is the price of {w}
"""


def _forms(text):
    return text.strip().replace("\n", "|").split("|")


QUESTIONS, REQUESTS = _forms(QUESTIONS), _forms(REQUESTS)


def small_talk(c):
    """Greetings, thanks and questions about the model itself."""
    forms, thought, content = c.rng.choice(SMALL_TALK)
    return c.rng.choice(forms.split("|")), thought, content, None


def unknown(c):
    """A question the model has no answer for (without tools also requests for tools)."""
    rng = c.rng
    forms = QUESTIONS if c.has_tools or rng.random() < 0.6 else REQUESTS

    def make():
        some = lambda real: rng.choice(real) if rng.random() < 0.7 else pseudo_word(rng)
        return rng.choice(forms).format(
            c=some(CITIES).capitalize(), d=rng.choice(CITIES), w=some(WORDS), x=some(WORDS),
            n=some(NAMES).capitalize(), y=rng.randint(1500, 2030), k=rng.randint(2, 40),
            l=rng.randint(2, 12))

    return pick(rng, make, c.split), "I do not know this.", DO_NOT_KNOW, None


# skill -> (function, relative frequency)
SKILLS = {"counting": (count, 1.6), "arithmetic": (arithmetic, 2.2), "calendar": (calendar, 1.4),
          "reverse": (reverse, 2.2), "spelling": (spell, 2.0), "small talk": (small_talk, 0.9),
          "unknown": (unknown, 1.0)}
