"""Grammars as users write them, each with texts that it takes: for mask_times.py."""
import json
import random


def words(n):
    """Made-up words of two to four syllables, each once."""
    draw = random.Random(7)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    out = {}
    while len(out) < n:
        out["".join(draw.choice(syllables) for _ in range(draw.randint(2, 4)))] = None
    return list(out)


JSON_GBNF = r'''root ::= object
value ::= object | array | string | number | ("true" | "false" | "null") ws
object ::= "{" ws ( string ":" ws value ("," ws string ":" ws value)* )? "}" ws
array ::= "[" ws ( value ("," ws value)* )? "]" ws
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) )* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
ws ::= | " " | "\n" [ \t]{0,20}
'''

ARITHMETIC = r'''start: sum
sum: product | sum "+" product | sum "-" product
product: atom | product "*" atom | product "/" atom
atom: NUMBER | "-" atom | NAME | "(" sum ")"
NUMBER: /[0-9]+(\.[0-9]+)?/
NAME: /[a-z_]\w*/
%ignore /[ \t]+/
'''

SQL = r'''start: "SELECT" columns "FROM" NAME where? order? ";"
columns: "*" | column ("," column)*
column: expression ("AS" NAME)?
where: "WHERE" condition
condition: condition "AND" condition | condition "OR" condition | "NOT" condition
         | "(" condition ")" | expression COMPARED expression | expression "IN" "(" list ")"
list: expression ("," expression)*
order: "ORDER" "BY" NAME ("ASC" | "DESC")?
expression: NAME | NUMBER | STRING | NAME "(" list? ")" | expression OPERATOR expression
COMPARED: "=" | "<>" | "<=" | ">=" | "<" | ">" | "LIKE"
OPERATOR: "+" | "-" | "*" | "/" | "||"
NAME: /[a-zA-Z_][a-zA-Z0-9_]*(\.[a-zA-Z_][a-zA-Z0-9_]*)?/
NUMBER: /[0-9]+(\.[0-9]+)?/
STRING: /'([^'\n]|'')*'/
%ignore /[ \n\t]+/
'''

PROGRAM = r'''%llguidance {"allow_initial_skip": true}
start: statement+
statement: "let" NAME "=" expression ";" | "if" "(" expression ")" block ("else" block)?
         | "while" "(" expression ")" block | "return" expression ";" | expression ";"
         | "fn" NAME "(" (NAME ("," NAME)*)? ")" block
block: "{" statement* "}"
expression: expression BINARY expression | UNARY expression | call | NAME | NUMBER | STRING
          | "(" expression ")" | "[" (expression ("," expression)*)? "]"
call: NAME "(" (expression ("," expression)*)? ")"
BINARY: "+" | "-" | "*" | "/" | "==" | "!=" | "<=" | ">=" | "<" | ">" | "&&" | "||"
UNARY: "-" | "!"
NAME: /[A-Za-z_][A-Za-z0-9_]*/
NUMBER: /0x[0-9a-fA-F]+|[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?/
STRING: /"([^"\\\n]|\\[nrt"\\]|\\u[0-9a-f]{4})*"/
COMMENT: /\/\/[^\n]*/
%ignore /[ \n\t]+/
%ignore COMMENT
'''

MARKDOWN = r'''start: heading (block)*
heading: /#{1,6} [^\n]+/ "\n\n"
block: (paragraph | bullets | code) "\n"
paragraph: (/[^#\-`\n][^\n]*/ "\n")+
bullets: ("- " /[^\n]+/ "\n")+
code: "```" /[a-z]*/ "\n" (/[^`\n][^\n]*/ "\n")* "```\n"
'''

XML = r'''root ::= element
element ::= "<" name attribute* ("/>" | ">" content* "</" name ">")
attribute ::= " " name "=\"" [^"<&]* "\""
content ::= element | [^<&]+ | "&" ("lt" | "gt" | "amp" | "quot") ";" | "<!--" ([^-] | "-" [^-])* "-->"
name ::= [a-zA-Z_] [a-zA-Z0-9_.-]*
'''

CSV = r'''root ::= row+
row ::= field ("," field){2,5} "\n"
field ::= [^",\n]* | "\"" ([^"] | "\"\"")* "\""
'''

CHESS = r'''root ::= ("1. " move " " move "\n") ([1-9] [0-9]? ". " move " " move "\n")*
move ::= (pawn | piece | "O-O" "-O"?) [+#]?
piece ::= [NBKQR] [a-h]? [1-8]? "x"? [a-h] [1-8]
pawn ::= ([a-h] "x")? [a-h] [1-8] ("=" [NBQR])?
'''

# (name, syntax, definition, texts)
CASES = [
    ("json", "gbnf", JSON_GBNF, [json.dumps({"name": "Ann Müller", "tags": ["a b", "c\\d"], "n": [1, -2.5e3, None]}),
                                 json.dumps({"long": "It was a bright cold day in April. " * 4, "日本": "語"}, ensure_ascii=False)]),
    ("arithmetic", "lark", ARITHMETIC, ["(1 + width) * 3.14 - -height / (2 * (a - b))"]),
    ("sql", "lark", SQL, ["SELECT name, COUNT(id) AS n FROM orders WHERE price * 1.2 >= 100 AND NOT (city = 'San José' "
                          "OR state IN ('NY', 'CA')) ORDER BY name DESC;"]),
    ("program", "lark", PROGRAM, ['// adds\nfn add(a, b) { return a + b; }\nlet total = add(0x1F, 2.5e-3);\n'
                                  'if (total >= 10 && !done) { print("big: \\u00e9 number\\n", [1, 2]); } else { total; }\n']),
    ("markdown", "lark", MARKDOWN, ["# A heading\n\nSome text with `code` in it.\nMore of it.\n\n- one\n- two points\n\n"
                                    "```python\nx = 1\n```\n\n"]),
    ("xml", "gbnf", XML, ['<note id="7" lang="en"><to>Ann &amp; Bob</to><!-- why not --><body>See you - soon</body><br/></note>']),
    ("csv", "gbnf", CSV, ['name,age,city\n"Smith, ""Joe""",42,New York\nAnn,7,Köln\n']),
    ("chess", "gbnf", CHESS, ["1. e4 e5\n2. Nf3 Nc6\n3. Bb5 a6\n4. O-O Nxe4\n"]),
    ("choice of 5", "choice", ["positive", "negative", "neutral", "mixed", "not sure"], ["neutral", "not sure"]),
    ("choice of 5,000", "choice", words(5000), words(5000)[4321:4324]),
    ("email", "regex", r"[a-z0-9._%+-]+@[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}", ["ann.lee+news@mail.example.org"]),
    ("date and time", "regex", r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?Z",
     ["2024-02-29T23:59:59.125Z"]),
    ("url", "regex", r"https?://[a-zA-Z0-9.-]+(:\d{1,5})?(/[^\s?#]*)?(\?[^\s#]*)?(#\S*)?",
     ["https://www.example.com:8080/a/b.html?q=two+words&x=1#top"]),
    ("any text", "regex", r"(.|\n)*", ["Any text at all, with\nlines and signs: {}[]()<>!"]),
    ("a word in it", "regex", r".*(error|warning|failure).*", ["There was no error in the first of the tests."]),
    ("two words in it", "regex", r".*(first|second).*(third|fourth).*", ["the second one of them and the fourth as well"]),
    ("at most 200", "regex", r"[^\n]{1,200}", ["One line of some words that is not too long for what may come."]),
    ("sentences", "regex", r"([A-Z][^.!?\n]{3,80}[.!?] ){1,5}", ["The cat sat on the mat. It did not say why! "]),
    ("no digit", "regex", r"[^0-9]+", ["This text has no digit in it, not one of them."]),
    ("words", "regex", r"[a-z]+( [a-z]+){3,12}", ["only small words are allowed here and no others"]),
    ("capitals", "regex", r"(?i)(yes|no)[,;] because [a-z ,']+\.", ["Yes, because that's what the model says, always."]),
]
