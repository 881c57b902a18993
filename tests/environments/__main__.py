import sys

from tests.environments import environment

for name in sys.argv[1:]:
    print(environment(name))
