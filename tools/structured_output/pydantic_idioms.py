#!/usr/bin/env python3
"""Idioms of Pydantic: the schemas that it writes of them, values of each, and values of none.

    tools/structured_output/pydantic_idioms.py > src/constrain/schema/idioms/pydantic.json

The tests read that file. What is invalid here is so by the schema, not only by Pydantic. Needs pydantic and jsonschema of requirements.txt.
"""
import datetime
import decimal
import enum
import ipaddress
import json
import sys
import typing
import uuid
from typing import Annotated, Any, Generic, Literal, Optional, TypeVar, Union

import idioms_file
import typing_extensions
from pydantic import UUID4, AnyUrl, Base64Bytes, BaseModel, ConfigDict, Field, IPvAnyAddress, RootModel, SecretStr
from pydantic import StringConstraints, TypeAdapter, conlist, constr


class Person(BaseModel):
    name: str
    age: int


class Scalars(BaseModel):
    text: str
    whole: int
    number: float
    yes: bool


class Perhaps(BaseModel):
    note: Optional[str] = None
    count: int | None


class Lists(BaseModel):
    tags: list[str]
    grid: list[list[int]]


class Counts(BaseModel):
    counts: dict[str, int]


class Choice(BaseModel):
    size: Literal["small", "large"]
    fixed: Literal["always"]


class Color(enum.Enum):
    red = "red"
    green = "green"


class Painted(BaseModel):
    color: Color


class Level(enum.IntEnum):
    low = 1
    high = 2


class Leveled(BaseModel):
    level: Level = Level.low


class Team(BaseModel):
    lead: Person
    members: list[Person] = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str]


class Pet(BaseModel):
    pet: Union[Cat, Dog]


class Told(BaseModel):
    pet: Annotated[Union[Cat, Dog], Field(discriminator="kind")]


class Tree(BaseModel):
    value: int
    children: list["Tree"] = []


class Bounded(BaseModel):
    age: int = Field(ge=0, lt=150)
    share: float = Field(gt=0, le=1)


class Worded(BaseModel):
    code: str = Field(min_length=2, max_length=4)
    plate: constr(pattern=r"^[A-Z]{2}-\d{1,4}$")


class Few(BaseModel):
    few: conlist(int, min_length=1, max_length=2)


class Pair(BaseModel):
    pair: tuple[int, str]
    many: tuple[int, ...]


class Distinct(BaseModel):
    names: set[str]


class Times(BaseModel):
    day: datetime.date
    at: datetime.datetime
    clock: datetime.time


class Lasting(BaseModel):
    lasts: datetime.timedelta


class Named(BaseModel):
    id: uuid.UUID
    link: AnyUrl


class Priced(BaseModel):
    price: decimal.Decimal


class Looking(BaseModel):
    model_config = ConfigDict(regex_engine="python-re")
    price: str = Field(pattern=r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$")


class Raw(BaseModel):
    data: bytes
    key: SecretStr


class Loose(BaseModel):
    any: Any
    some: dict[str, Any]


class Renamed(BaseModel):
    user_name: str = Field(alias="userName", description="as it is shown", examples=["ann"])


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    a: int


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


class Names(RootModel[list[str]]):
    pass


class Phonebook(BaseModel):
    people: dict[str, Person]


class Mixed(BaseModel):
    value: Literal["auto", 1, None]
    other: bool | int | str


class Keyed(BaseModel):
    scores: dict[Literal["math", "art"], int]


class Patterned(BaseModel):
    shelves: dict[Annotated[str, StringConstraints(pattern=r"^k\d$")], float] = Field(min_length=1)


class Addressed(BaseModel):
    id: UUID4
    host: IPvAnyAddress
    net: ipaddress.IPv4Network
    data: Base64Bytes


Item = TypeVar("Item")


class Box(BaseModel, Generic[Item]):
    content: Item


class Boxes(BaseModel):
    first: Box[int]
    second: Box[str]


class Stepped(BaseModel):
    cents: int = Field(multiple_of=5)
    half: float = Field(multiple_of=0.5)


class Point(typing.NamedTuple):
    x: int
    y: int


class Placed(BaseModel):
    at: Point


class Patch(typing_extensions.TypedDict, total=False):
    name: str
    age: int


class Base(BaseModel):
    id: int


class Derived(Base):
    title: str = Field(title="The Title", deprecated=True)


UUID = "123e4567-e89b-12d3-a456-426614174000"
CAT = {"kind": "cat", "lives": 9}

# Title, type, valid values, invalid ones.
IDIOMS = [
    ("fields of the plain types", Scalars, [{"text": "a", "whole": 1, "number": 0.5, "yes": True}],
     [{"text": 1, "whole": 1, "number": 0.5, "yes": True}, {"text": "a", "whole": 1.5, "number": 0, "yes": True}, {}]),
    ("Optional, with a default and without", Perhaps, [{"note": "x", "count": 1}, {"note": None, "count": None}, {"count": 2}],
     [{"note": "x"}, {"note": 1, "count": 1}]),
    ("lists, and lists of them", Lists, [{"tags": [], "grid": [[1], []]}], [{"tags": [1], "grid": []}, {"tags": [], "grid": [1]}]),
    ("dict[str, int]", Counts, [{"counts": {}}, {"counts": {"a": 1, "é": 2}}], [{"counts": {"a": "1"}}, {"counts": []}]),
    ("Literal of several texts and of one", Choice, [{"size": "small", "fixed": "always"}],
     [{"size": "medium", "fixed": "always"}, {"size": "small", "fixed": "never"}]),
    ("an Enum of texts", Painted, [{"color": "red"}], [{"color": "blue"}, {"color": 1}]),
    ("an IntEnum, with a default", Leveled, [{"level": 2}, {}], [{"level": 3}, {"level": "low"}]),
    ("a model in a model", Team, [{"lead": {"name": "A", "age": 1}}, {"lead": {"name": "A", "age": 1}, "members": [{"name": "B", "age": 2}]}],
     [{"lead": {"name": "A"}}, {"lead": {"name": "A", "age": 1}, "members": [{}]}]),
    ("a union of models", Pet, [{"pet": CAT}, {"pet": {"kind": "dog", "tricks": []}}],
     [{"pet": {"kind": "cat", "tricks": []}}, {"pet": {"kind": "cow"}}]),
    ("a union told apart by a discriminator", Told, [{"pet": CAT}, {"pet": {"kind": "dog", "tricks": ["sit"]}}],
     [{"pet": {"kind": "dog", "lives": 9}}, {"pet": {}}]),
    ("a model that holds itself", Tree, [{"value": 1}, {"value": 1, "children": [{"value": 2, "children": [{"value": 3}]}]}],
     [{"value": 1, "children": [{}]}]),
    ("bounds", Bounded, [{"age": 0, "share": 1}, {"age": 149, "share": 0.01}],
     [{"age": 150, "share": 1}, {"age": 1, "share": 0}, {"age": -1, "share": 1}]),
    ("lengths, a pattern", Worded, [{"code": "ab", "plate": "AB-12"}],
     [{"code": "a", "plate": "AB-12"}, {"code": "abcde", "plate": "AB-12"}, {"code": "ab", "plate": "ab-12"}]),
    ("conlist", Few, [{"few": [1]}, {"few": [1, 2]}], [{"few": []}, {"few": [1, 2, 3]}]),
    ("tuples of fixed and of any length", Pair, [{"pair": [1, "a"], "many": []}, {"pair": [1, "a"], "many": [1, 2]}],
     [{"pair": [1], "many": []}, {"pair": [1, "a", 2], "many": []}, {"pair": [1, "a"], "many": ["a"]}]),
    ("set", Distinct, [{"names": ["a", "b"]}], [{"names": ["a", "a"]}]),
    ("date, datetime and time", Times, [{"day": "2024-02-29", "at": "2024-02-29T23:59:59Z", "clock": "23:59:59Z"}],
     [{"day": "2023-02-29", "at": "2024-02-29T23:59:59Z", "clock": "23:59:59Z"}]),
    ("timedelta", Lasting, [{"lasts": "P1DT2H"}], [{"lasts": "a day"}]),
    ("UUID and AnyUrl", Named, [{"id": UUID, "link": "https://example.org/a?b=c"}],
     [{"id": "123", "link": "https://example.org"}, {"id": UUID, "link": ""}]),
    ("Decimal", Priced, [{"price": 1.5}, {"price": "12.50"}, {"price": "-3"}], [{"price": None}, {}]),
    ("a pattern that looks ahead", Looking, [{"price": "12.50"}, {"price": "-3"}], [{"price": "."}, {"price": "a"}, {"price": "+-"}]),
    ("bytes and SecretStr", Raw, [{"data": "abc", "key": "k"}], [{"data": 1, "key": "k"}]),
    ("Any, and dict[str, Any]", Loose, [{"any": None, "some": {}}, {"any": [1, {"a": "b"}], "some": {"x": 1, "y": []}}],
     [{"any": 1, "some": []}, {"some": {}}]),
    ("an alias, a description, examples", Renamed, [{"userName": "ann"}], [{"user_name": "ann"}, {}]),
    ("extra='forbid'", Closed, [{"a": 1}], [{"a": 1, "b": 2}]),
    ("extra='allow'", Open, [{"a": 1}, {"a": 1, "b": [2]}], [{"b": 2}]),
    ("a RootModel of a list", Names, [[], ["a"]], [[1], {}]),
    ("dict of models", Phonebook, [{"people": {"x": {"name": "A", "age": 1}}}], [{"people": {"x": {"name": "A"}}}]),
    ("Literal of several types, a union of plain ones", Mixed, [{"value": "auto", "other": True}, {"value": None, "other": "a"}, {"value": 1, "other": 2}],
     [{"value": 2, "other": 1}, {"value": "auto", "other": None}]),
    ("dict of Literal keys", Keyed, [{"scores": {"math": 1}}, {"scores": {}}, {"scores": {"art": 1, "math": 2}}],
     [{"scores": {"music": 1}}, {"scores": {"math": "1"}}]),
    ("dict of keys with a pattern", Patterned, [{"shelves": {"k1": 1}}, {"shelves": {"k1": 1, "k2": 0.5}}],
     [{"shelves": {"k1": "1"}}, {"shelves": {}}]),
    ("UUID4, addresses and networks, base64", Addressed,
     [{"id": "123e4567-e89b-42d3-a456-426614174000", "host": "::1", "net": "10.0.0.0/8", "data": "YWI="}],
     [{"id": 1, "host": "::1", "net": "10.0.0.0/8", "data": "YWI="}, {"id": "123e4567-e89b-42d3-a456-426614174000"}]),
    ("generic models", Boxes, [{"first": {"content": 1}, "second": {"content": "a"}}], [{"first": {"content": "a"}, "second": {"content": "a"}}]),
    ("multiple_of", Stepped, [{"cents": 15, "half": 2.5}, {"cents": 0, "half": -1}], [{"cents": 7, "half": 1}, {"cents": 5, "half": 0.3}]),
    ("a NamedTuple", Placed, [{"at": [1, 2]}], [{"at": [1]}, {"at": [1, 2, 3]}]),
    ("a TypedDict without required keys", Patch, [{}, {"name": "a"}, {"name": "a", "age": 1}], [{"age": "1"}]),
    ("an inherited model, a deprecated field", Derived, [{"id": 1, "title": "t"}], [{"id": 1}]),
]


def main():
    out = []
    for title, kind, valid, invalid in IDIOMS:
        schema = TypeAdapter(kind).json_schema()
        out.append({"idiom": title, "schema": schema, "valid": valid, "invalid": invalid})
    idioms_file.write(out, sys.stdout)


if __name__ == "__main__":
    main()
