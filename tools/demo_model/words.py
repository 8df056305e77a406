"""Word lists and the rule that separates training items from held-out items."""

import random
import zlib

WORDS = """
apple banana cherry lemon orange grape melon peach plum berry bread butter cheese sugar
salt pepper honey water coffee juice milk soup rice pasta potato tomato onion carrot
garden flower tree forest river lake ocean island mountain valley desert beach sand stone
rock cloud rain snow storm wind thunder sun moon star planet comet rocket space light
shadow night morning evening winter summer spring autumn season weather cat dog horse cow
sheep goat pig duck goose chicken rabbit mouse tiger lion bear wolf fox monkey zebra
elephant giraffe snake lizard frog fish whale shark dolphin eagle owl parrot penguin house
window door kitchen table chair lamp candle mirror carpet pillow blanket bottle glass plate
spoon fork knife basket bucket hammer nail ladder bridge tower castle church market school
library museum station airport street road train plane boat ship bicycle engine wheel
paper pencil book letter picture camera music piano guitar violin drum song dance theatre
doctor teacher farmer baker painter writer sailor soldier king queen prince friend family
mother father sister brother child baby neighbor village city country world map compass
clock watch calendar holiday party present gift ticket money coin silver gold iron copper
metal wood plastic cotton wool silk leather button pocket jacket shirt dress shoe glove hat
scarf umbrella ring jewel crown computer keyboard screen robot button cable battery program
number circle square triangle line point corner center color red green blue yellow purple
brown black white pink grey happy quick quiet brave clever gentle simple strong bright dark
cold warm sweet sour fresh empty heavy round sharp smooth rough tiny giant ancient modern
jump walk swim climb dream sleep laugh smile whisper shout listen wonder travel discover
build paint plant harvest gather follow answer question story poem riddle puzzle secret
dragon wizard magic treasure pirate ghost fairy giant knight sword shield arrow banner
""".split()

CITIES = """
Paris London Berlin Madrid Rome Vienna Oslo Lisbon Dublin Prague Warsaw Athens Tokyo Kyoto
Osaka Seoul Delhi Mumbai Cairo Lagos Nairobi Lima Bogota Quito Santiago Toronto Montreal
Boston Chicago Denver Seattle Austin Miami Dallas Sydney Melbourne Perth Helsinki Zurich
Geneva Munich Hamburg Cologne Milan Turin Naples Venice Lyon Nice Porto Seville Valencia
Krakow Budapest Belgrade Sofia Riga Tallinn Vilnius Bergen Stockholm Malmo Copenhagen
Istanbul Ankara Dubai Doha Bangkok Hanoi Manila Jakarta Singapore Beijing Shanghai Tunis
""".split()

NAMES = """
Anna Ben Clara David Emma Felix Greta Henry Ida Jonas Karin Leo Maria Nina Oscar Paula
Quentin Rosa Simon Tina Ursula Victor Wanda Xaver Yara Zoe Tom Lucy Peter Sara Mike Julia
""".split()

DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = ("January February March April May June July August September October "
          "November December").split()
MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
ORDINALS = ("first second third fourth fifth sixth seventh eighth ninth tenth "
            "eleventh twelfth").split()

_ONSETS = ("b c d f g h j k l m n p qu r s t v w x y z bl br ch cl cr dr fl fr gl gr kl pl "
           "pr sc sh sk sl sm sn sp st th tr tw wh").split()
_NUCLEI = "a e i o u a e i o ai ea ee oa oo ou y".split()
_CODAS = ["", "", "", ""] + "b ck d f g k l ll m n nd ng nk nt p r rd rk s ss st t th x z".split()


def held_out(key):
    """True for the tenth of all items that training never sees."""
    return zlib.crc32(str(key).encode()) % 10 == 3


def pick(rng, make, split, tries=200):
    """Draw items from make() until one belongs to the split ("train" or "test")."""
    for _ in range(tries):
        item = make()
        if held_out(item) == (split == "test"):
            return item
    return item


def pseudo_word(rng, longest=10):
    """A made-up word from syllables."""
    text = ""
    for _ in range(rng.choice((1, 2, 2, 3, 3))):
        onset = "" if not text and rng.random() < 0.12 else rng.choice(_ONSETS)
        text += onset + rng.choice(_NUCLEI) + rng.choice(_CODAS)
    return text[:longest]


def random_letters(rng):
    """A string of letters without any structure."""
    return "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randint(2, 8)))


class WordSource:
    """Draws words: real, made-up, random letters, or starting like a vocabulary piece."""

    def __init__(self, prefixes=()):
        self.prefixes = [p for p in prefixes if p.isalpha()]

    def draw(self, rng):
        """One lower-case (now and then capitalised) word."""
        x = rng.random()
        if x < 0.3:
            word = rng.choice(WORDS)
        elif x < 0.52:
            word = pseudo_word(rng)
        elif x < 0.62 or not self.prefixes:
            word = random_letters(rng)
        else:                                        # pieces of the vocabulary, mostly short ones
            word = min(rng.choice(self.prefixes), rng.choice(self.prefixes), key=len)
            word += rng.choice(("", pseudo_word(rng, 5), pseudo_word(rng, 6), random_letters(rng)[:4]))
        if rng.random() < 0.06:
            word = rng.choice(CITIES + NAMES)
        return word[:12] if len(word) > 1 else word + "o"

    def word(self, rng, split):
        """A word of the split; test words are real or made-up ones."""
        if split == "test":
            return pick(rng, lambda: rng.choice((rng.choice(WORDS), pseudo_word(rng))), split)
        return pick(rng, lambda: self.draw(rng), split)
