// The command line: `mediakit VERB …`.

import Glibc

exit(Program.run(arguments: Program.systemArguments()))
