"""What the demo model can do for certain, greedily."""
COUNT = [{"role": "user", "content": "Count from 1 to 10"}]
COUNTED = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10"
LONG = [{"role": "user", "content": "Count from 1 to 50"}]
WEATHER = "What is the weather in Paris?"
PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "The city"}},
    "required": ["city"],
}
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather of a city",
        "parameters": PARAMETERS,
    },
}
