"""The tools of the training text: declarations, requests, calls, responses and answers.

A Use is one way to ask for one tool: the declaration, the user's request, the arguments of
the call, a response and the sentence that reports it.
"""

import dataclasses
import json

from words import CITIES, NAMES, WORDS, pick, pseudo_word


@dataclasses.dataclass
class Use:
    """One tool with one request for it."""

    topic: str          # uses of the same topic are never declared together
    tool: dict
    request: str
    arguments: dict
    response: object
    answer: str
    value: object       # what a JSON answer holds
    maker: object = None


def declare(name, description, /, **params):
    """A tool in the OpenAI form; params: key="type: description"."""
    props = {}
    for key, spec in params.items():
        kind, _, text = spec.partition(":")
        props[key.strip("_")] = {"type": kind, **({"description": text.strip()} if text else {})}
    return {"type": "function", "function": {
        "name": name, "description": description,
        "parameters": {"type": "object", "properties": props, "required": list(props)}}}


def either(rng, *options):
    return rng.choice(options)


def wrapped(rng, value, *keys):
    """A response that holds the value: plain, or an object, as JSON text or as a map."""
    x = rng.random()
    if x < 0.4:
        return str(value) if x < 0.3 else value
    data = {either(rng, "value", "result", *keys): value}
    return json.dumps(data) if x < 0.75 else data


def status(rng):
    """A response that only says that it worked."""
    return either(rng, "ok", "done", "success", '{"status": "ok"}', '{"success": true}', {"status": "ok"},
                  '{"status": "done"}', "true")


def some_words(rng, low, high):
    return " ".join(rng.choice(WORDS) if rng.random() < 0.75 else pseudo_word(rng)
                    for _ in range(rng.randint(low, high)))


def city(rng, split):
    make = lambda: rng.choice(CITIES) if rng.random() < 0.45 else pseudo_word(rng).capitalize()
    return pick(rng, make, split)


CONDITIONS = "sunny cloudy rainy windy foggy snowy stormy clear".split()
FACTS = "population temperature mayor altitude area language currency humidity traffic news tide pollen sunrise sunset".split()


def weather(rng, split):
    c = city(rng, split)
    key = either(rng, "city", "city", "location", "place")
    tool = declare(either(rng, "get_weather", "get_weather", "weather", "get_current_weather", "weather_lookup", "fetch_weather"),
                   either(rng, "Get the weather of a city.", "Get the current weather for a city", "Returns the weather.",
                          "Get the current weather in a given location", "Get current weather",
                          "Current weather in a given place", "Get the current weather"),
                   **{key: either(rng, "string", "string: The city", "string: City name", "string: Name of the city", "string: The name of the city",
                                  "string: The city, e.g. " + rng.choice(CITIES))})
    arguments = {key: c}
    request = either(rng, "What is the weather in {c}", "How is the weather in {c}", "What's the weather like in {c}",
                     "Weather in {c}", "Tell me the weather in {c}", "What is the weather like in {c}",
                     "Is it raining in {c}", "How is the weather in {c} today", "Check the weather in {c}").format(c=c)
    t, cond = rng.randint(-9, 39), rng.choice(CONDITIONS)
    if rng.random() < 0.12:                          # an optional argument
        units = either(rng, ["celsius", "fahrenheit"], ["C", "F"], ["metric", "imperial"])
        option = either(rng, "unit", "units", "scale")
        tool["function"]["parameters"]["properties"][option] = {"type": "string", "enum": units}
        if rng.random() < 0.4:
            arguments[option] = rng.choice(units)
            request += " in " + arguments[option]
    x = rng.random()
    if x < 0.5:
        data = {either(rng, "temperature", "temperature", "temp", "degrees", "temp_c"): t, either(rng, "condition", "conditions", "sky"): cond}
        if rng.random() < 0.3:
            data = {key: c, **data}
        response, value = json.dumps(data) if x < 0.35 else data, f"{cond}, {t} degrees"
    elif x < 0.75:
        value = either(rng, f"{cond}, {t} degrees", f"{cond}, {t} C", f"{t} degrees, {cond}", f"{cond} and {t} degrees")
        response = value
    else:
        value = cond
        response = wrapped(rng, cond, "weather")
    return Use("weather", tool, request, arguments, response, f"The weather in {c} is {value}.", value)


def clock(rng, split):
    c = city(rng, split)
    key = either(rng, "city", "city", "location", "place", "zone")
    tool = declare(either(rng, "get_time", "get_time", "time_in", "current_time", "clock", "get_current_time"),
                   either(rng, "Get the time in a city.", "Get the current time of a city", "Current local time",
                          "Returns the time in a place."),
                   **{key: either(rng, "string", "string: The city", "string: City name")})
    request = either(rng, "What time is it in {c}", "What is the time in {c}", "Tell me the time in {c}",
                     "Time in {c}", "How late is it in {c}", "What time is it now in {c}").format(c=c)
    t = f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}"
    return Use("time", tool, request, {key: c}, wrapped(rng, t, "time"), f"It is {t} in {c}.", t)


def forecast(rng, split):
    """Two arguments of different types."""
    c, n = city(rng, split), rng.randint(2, 14)
    key, days = either(rng, "city", "place", "location"), either(rng, "days", "days", "day_count")
    tool = declare(either(rng, "get_forecast", "forecast", "weather_forecast"),
                   either(rng, "Get the forecast of a city.", "Weather forecast for some days", "Returns the forecast."),
                   **{key: either(rng, "string", "string: The city"), days: either(rng, "integer", "integer: Number of days")})
    request = either(rng, "What is the forecast for {c} for {n} days", "Give me the forecast for {c} for {n} days",
                     "Forecast for {c}, {n} days", "Show me a {n} day forecast for {c}").format(c=c, n=n)
    value = rng.choice(CONDITIONS)
    return Use("forecast", tool, request, {key: c, days: n}, wrapped(rng, value, "forecast"),
               f"The forecast for {c} is {value}.", value)


def fact(rng, split):
    """get_NOUN(city): the noun is matched between request and declaration."""
    noun = pick(rng, lambda: either(rng, rng.choice(FACTS), rng.choice(WORDS), pseudo_word(rng)), split)
    c = city(rng, split)
    key = either(rng, "city", "country", "place", "location", "name")
    tool = declare(either(rng, "get_{n}", "get_{n}", "{n}_lookup", "fetch_{n}", "find_{n}", "{n}_of", "get_city_{n}").format(n=noun),
                   either(rng, "Get the {n} of a {k}.", "Returns the {n}.", "Find the {n} of a {k}", "The {n} of a {k}").format(n=noun, k=key),
                   **{key: either(rng, "string", f"string: The {key}")})
    request = either(rng, "What is the {n} of {c}", "Tell me the {n} of {c}", "What is the {n} in {c}", "Get the {n} of {c}",
                     "Find the {n} of {c}", "Give me the {n} of {c}", "I need the {n} of {c}").format(n=noun, c=c)
    value = either(rng, rng.randint(0, 999), rng.randint(0, 99999), rng.choice(WORDS), pseudo_word(rng), some_words(rng, 1, 2))
    return Use("fact " + noun, tool, request, {key: c}, wrapped(rng, value, noun), f"The {noun} of {c} is {value}.", value)


def calculate(rng, split):
    op = either(rng, "add", "subtract", "multiply", "divide")
    a, b = pick(rng, lambda: (rng.randint(0, either(rng, 20, 200, 3000)), rng.randint(1, either(rng, 12, 100, 900))), split)
    ka, kb = either(rng, ("a", "b"), ("a", "b"), ("x", "y"), ("first", "second"), ("left", "right"), ("n1", "n2"))
    names = {"add": ("add", "add_numbers", "sum", "plus"), "subtract": ("subtract", "minus", "subtract_numbers"),
             "multiply": ("multiply", "times", "multiply_numbers", "product"), "divide": ("divide", "divide_numbers")}
    about = {"add": ("Add two numbers.", "Adds two numbers", "The sum of two numbers"),
             "subtract": ("Subtract two numbers.", "Subtracts the second number from the first"),
             "multiply": ("Multiply two numbers.", "Multiplies two numbers", "The product of two numbers"),
             "divide": ("Divide two numbers.", "Divides the first number by the second")}
    forms = {"add": ("What is {a} + {b}", "Add {a} and {b}", "What is {a} plus {b}", "{a} + {b}", "Calculate {a} + {b}", "How much is {a} + {b}"),
             "subtract": ("What is {a} - {b}", "Subtract {b} from {a}", "What is {a} minus {b}", "{a} - {b}", "Calculate {a} - {b}"),
             "multiply": ("What is {a} * {b}", "Multiply {a} by {b}", "What is {a} times {b}", "{a} * {b}", "Multiply {a} and {b}", "Calculate {a} * {b}"),
             "divide": ("What is {a} / {b}", "Divide {a} by {b}", "{a} / {b}", "Calculate {a} / {b}")}
    kind = either(rng, "integer", "number", "integer")
    about_arg = either(rng, "", ": A number", ": Number")
    tool = declare(rng.choice(names[op]), rng.choice(about[op]), **{ka: kind + about_arg, kb: kind + about_arg})
    result = {"add": a + b, "subtract": a - b, "multiply": a * b, "divide": a // b}[op]
    return Use("calc " + op, tool, rng.choice(forms[op]).format(a=a, b=b), {ka: a, kb: b},
               wrapped(rng, result, "answer"), f"The result is {result}.", result)


def search(rng, split):
    q = pick(rng, lambda: some_words(rng, 1, 4), split)
    key = either(rng, "query", "query", "q", "text", "term")
    tool = declare(either(rng, "search", "web_search", "search_web", "google", "lookup", "search_internet"),
                   either(rng, "Search the web.", "Search the internet for information", "Web search", "Find information on the web."),
                   **{key: either(rng, "string", "string: What to search for", "string: The search text")})
    request = either(rng, "Search for {q}", "Search the web for {q}", "Find information about {q}", "Look up {q}",
                     "Please search for {q}", "Search {q}", "Can you search for {q}", "Look for {q} on the web").format(q=q)
    r = some_words(rng, 2, 5)
    return Use("search", tool, request, {key: q}, wrapped(rng, r, "text"), f"I found this: {r}.", r)


def timer(rng, split):
    n = pick(rng, lambda: rng.randint(1, 120), split)
    unit = either(rng, "minutes", "minutes", "seconds", "hours")
    tool = declare(either(rng, "set_timer", "set_timer", "start_timer", "timer", "create_timer"),
                   either(rng, "Set a timer.", "Start a timer", "Sets a kitchen timer", f"Start a timer for some {unit}"),
                   **{unit: either(rng, "integer", f"integer: Number of {unit}", f"integer: The {unit}")})
    request = either(rng, "Set a timer for {n} {u}", "Start a timer for {n} {u}", "Timer for {n} {u}", "Set a {n} {u} timer",
                     "Wake me in {n} {u}", "Please set a timer for {n} {u}", "I need a timer for {n} {u}").format(n=n, u=unit)
    return Use("timer", tool, request, {unit: n}, status(rng), f"The timer is set for {n} {unit}.", "ok")


def convert(rng, split):
    units = rng.sample(["euros", "dollars", "pounds", "yen", "francs", "meters", "feet", "miles", "kilometers", "grams",
                        "ounces", "liters", "cups", "inches", pseudo_word(rng) + "s", rng.choice(WORDS) + "s"], 2)
    n = pick(rng, lambda: rng.randint(1, 500), split)
    ka, kf, kt = either(rng, ("amount", "from", "to"), ("amount", "from", "to"), ("value", "from_unit", "to_unit"))
    kind = either(rng, "number", "integer")
    tool = declare(either(rng, "convert", "convert_units", "unit_converter", "convert_currency", "exchange"),
                   either(rng, "Convert an amount from one unit to another.", "Convert units", "Converts amounts"),
                   **{ka: kind, kf: "string" + either(rng, "", ": The unit to convert from"), kt: "string" + either(rng, "", ": The unit to convert to")})
    request = either(rng, "Convert {n} {f} to {t}", "How many {t} are {n} {f}", "What is {n} {f} in {t}", "{n} {f} in {t}",
                     "Convert {n} {f} into {t}", "Change {n} {f} to {t}").format(n=n, f=units[0], t=units[1])
    result = either(rng, rng.randint(1, 900), round(rng.random() * 100, 1), round(rng.random() * 300, 2))
    return Use("convert", tool, request, {ka: n, kf: units[0], kt: units[1]}, wrapped(rng, result, ka),
               f"{n} {units[0]} is {result} {units[1]}.", result)


def message(rng, split):
    who = pick(rng, lambda: rng.choice(NAMES) if rng.random() < 0.5 else pseudo_word(rng).capitalize(), split)
    text = some_words(rng, 1, 4)
    kw, kt = either(rng, ("to", "text"), ("to", "message"), ("recipient", "text"), ("name", "body"))
    thing = either(rng, "message", "message", "mail")
    tool = declare(f"send_{thing}", either(rng, f"Send a {thing}.", f"Send a {thing} to a person", f"Sends a {thing} to someone."),
                   **{kw: "string" + either(rng, "", ": The name"), kt: "string" + either(rng, "", ": The text")})
    request = either(rng, "Send a {m} to {w}: {t}", "Send {w} a {m}: {t}", "Send {w} the {m} {t}", "Write a {m} to {w}: {t}",
                     "Send a {m} to {w} saying {t}").format(m=thing, w=who, t=text)
    return Use("message", tool, request, {kw: who, kt: text}, status(rng), f"The {thing} to {who} is sent.", "ok")


def one_text(rng, split):
    """Tools with one text argument and a fixed wording."""
    kind = either(rng, "song", "note", "list", "translate", "on", "off", "stock", "open", "define")
    x = pick(rng, lambda: some_words(rng, 1, either(rng, 1, 3)), split)
    w = x.split()[0]
    if kind == "song":
        return Use(kind, declare(either(rng, "play_song", "play_music", "play"), either(rng, "Play a song.", "Play music"), title="string"),
                   either(rng, f"Play {x}", f"Play the song {x}", f"I want to hear {x}"), {"title": x}, status(rng), f"Playing {x}.", "ok")
    if kind == "note":
        return Use(kind, declare(either(rng, "create_note", "save_note", "add_note"), either(rng, "Save a note.", "Write down a note"), text="string"),
                   either(rng, f"Make a note: {x}", f"Save a note: {x}", f"Note this: {x}", f"Write down {x}"), {"text": x}, status(rng), "The note is saved.", "ok")
    if kind == "list":
        return Use(kind, declare(either(rng, "add_item", "add_to_list", "shopping_list"), either(rng, "Add an item to the shopping list.", "Put something on the list"), item="string"),
                   either(rng, f"Add {x} to my list", f"Put {x} on the shopping list", f"Add {x} to the shopping list"), {"item": x}, status(rng), f"{x} is on the list.", "ok")
    if kind == "translate":
        lang, back = either(rng, "French", "German", "Spanish", "Italian", "Dutch"), pseudo_word(rng)
        return Use(kind, declare(either(rng, "translate", "translate_text"), either(rng, "Translate a text.", "Translate text into a language"), language="string", text="string"),
                   either(rng, f"Translate {x} to {lang}", f"Translate {x} into {lang}", f"What is {x} in {lang}"),
                   {"language": lang, "text": x}, wrapped(rng, back, "translation"), f"The translation is {back}.", back)
    if kind in ("on", "off"):
        return Use(kind, declare(f"turn_{kind}", either(rng, f"Turn a device {kind}.", f"Switch {kind} a device"), device="string"),
                   either(rng, f"Turn {kind} the {w}", f"Turn the {w} {kind}", f"Switch {kind} the {w}"), {"device": w}, status(rng), f"The {w} is {kind}.", "ok")
    if kind == "stock":
        sym, price = "".join(rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(rng.randint(2, 4))), either(rng, rng.randint(1, 900), round(rng.random() * 300, 2))
        return Use(kind, declare(either(rng, "get_stock_price", "stock_price", "get_stock"), either(rng, "Get the price of a stock.", "Current stock price"), symbol="string"),
                   either(rng, f"What is the stock price of {sym}", f"Stock price of {sym}", f"How much is the stock {sym}"), {"symbol": sym}, wrapped(rng, price, "price"), f"The price of {sym} is {price}.", price)
    if kind == "open":
        return Use(kind, declare(either(rng, "open_app", "start_app", "launch_app"), either(rng, "Open an app.", "Start an app on the device"), app="string"),
                   either(rng, f"Open {w}", f"Open the app {w}", f"Start the app {w}"), {"app": w}, status(rng), f"The app {w} is open.", "ok")
    r = some_words(rng, 2, 4)
    return Use(kind, declare(either(rng, "define", "define_word", "dictionary"), either(rng, "Look up a word in the dictionary.", "Get the definition of a word"), word="string"),
               either(rng, f"Define {w}", f"What is the definition of {w}", f"What does {w} mean"), {"word": w}, wrapped(rng, r, "definition"), f"{w} means {r}.", r)


def made_up(rng, split):
    """A tool with an unheard-of name, found by its words."""
    verb = pick(rng, lambda: either(rng, pseudo_word(rng, 7), rng.choice(WORDS)), split)
    noun = pick(rng, lambda: either(rng, pseudo_word(rng, 7), rng.choice(WORDS)), split)
    name = either(rng, f"{verb}_{noun}", f"{verb}_{noun}", verb)
    number = rng.random() < 0.4
    value = rng.randint(0, 999) if number else some_words(rng, 1, 2)
    key = either(rng, "value", "color", "size", "name", "level", "mode", "speed", "number", "id", rng.choice(WORDS), pseudo_word(rng, 6))
    thing = noun if "_" in name else "thing"
    tool = declare(name, either(rng, f"{verb.capitalize()} the {thing}.", f"{verb} a {thing}", f"{verb.capitalize()} a {thing} with a {key}."),
                   **{key: ("integer" if number else "string") + either(rng, "", f": The {key}")})
    request = either(rng, f"{verb} the {thing} with {key} {value}", f"{verb.capitalize()} the {thing} with {key} {value}",
                     f"Call {name} with {key} {value}", f"Use {name} with {key} {value}", f"Use the tool {name} with {key} {value}",
                     f"Please call {name} with {key} {value}", f"Run {name} with {key} {value}")
    if rng.random() < 0.5:
        result = either(rng, rng.randint(0, 999), some_words(rng, 1, 2), pseudo_word(rng))
        return Use("made up " + name, tool, request, {key: value}, wrapped(rng, result, "output"), f"The result is {result}.", result)
    return Use("made up " + name, tool, request, {key: value}, status(rng), "Done.", "ok")


MAKERS = [weather, weather, clock, forecast, fact, fact, calculate, calculate, search, timer, convert, message, one_text, one_text, made_up, made_up, made_up]


def draw(rng, split):
    """Any use of any tool."""
    maker = rng.choice(MAKERS)
    use = maker(rng, split)
    use.maker = maker
    if rng.random() < 0.05:
        reason = either(rng, "not found", "no connection", "time out", "not available", some_words(rng, 1, 2))
        use.response = either(rng, f"error: {reason}", json.dumps({"error": reason}), {"error": reason})
        use.answer, use.value = f"The tool failed: {reason}.", "error"
    return use


def again(use, rng, split):
    """Another request for the tool of a use, or None."""
    for _ in range(30):
        new = use.maker(rng, split)
        if new.topic == use.topic and len(new.arguments) == len(use.arguments) and (
                new.topic != "timer" or new.arguments.keys() == use.arguments.keys()):
            new.arguments = dict(zip(use.arguments, new.arguments.values()))
            new.tool, new.maker = use.tool, use.maker
            return new
    return None
