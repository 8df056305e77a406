#include "eval/code/runner.h"

namespace pleiad::eval {

// What the program prints goes to the errors, and the results to an output that it does not know
// of, so that no honest program disturbs them by accident. Tuples, sets and the like are no JSON:
// they are not turned into lists, which they do not equal.
const std::string_view kCodeRunner = R"(
import json, os, sys, types

def plain(value):
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f'a key of the result is of type {type(key).__name__}')
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f'the result is, or has in it, a {type(value).__name__}')

def main(task):
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    results = open(os.dup(1), 'w')
    os.dup2(2, 1)
    sys.tracebacklimit = 3
    module = types.ModuleType('__main__')
    sys.modules['__main__'] = module
    exec(compile(task['program'], '/program.py', 'exec'), module.__dict__)
    if task['function'] not in module.__dict__:
        raise NameError(f"name '{task['function']}' is not defined")
    function = module.__dict__[task['function']]
    answers = []
    for arguments in task['calls']:
        answer = {'value': plain(function(*arguments))}
        if task['keeps_arguments']:
            answer['arguments'] = plain(arguments)
        answers.append(answer)
    with results:
        json.dump(answers, results, allow_nan=False)
    os._exit(0)

main(json.loads(sys.stdin.buffer.read()))
)";

const std::string_view kNamesReader = R"(
import ast, json, sys

names = set()
program = sys.stdin.buffer.read().decode(errors='replace')  # whatever encoding it claims
for node in ast.walk(ast.parse(program)):
    for field in ('id', 'attr', 'name'):
        name = getattr(node, field, None)
        if isinstance(name, str) and not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(name)
print(json.dumps(sorted(names)))
)";

}  // namespace pleiad::eval
