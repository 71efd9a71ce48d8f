/**
 * The trees that the benchmark works on. Each command makes a tree in the current directory, with the same bytes each
 * time.
 */

import { size } from "./times.ts";

const FILE_BYTES = 50_000;
export const RANDOM_FILES = size(1_000, 100);
export const RANDOM_TREE = `${(RANDOM_FILES * FILE_BYTES) / 1e6} MB in ${RANDOM_FILES.toLocaleString("en-US")} files`;
/** Files `000`, `001`, …, with random data. */
export const MAKE_RANDOM = `python3 -c "
import random
bytes = random.Random(1)
for n in range(${RANDOM_FILES}): open(f'{n:03}', 'wb').write(bytes.randbytes(${FILE_BYTES}))"`;

/** Number of directories. Each has 100 files. */
export const DIRECTORIES = size(250, 5);
export const SMALL_TREE = `${(DIRECTORIES * 100).toLocaleString("en-US")} files`;
/** Files `000/00.py`, …, `000/99.py`, `001/00.py`, …, with a few lines each. */
export const MAKE_SMALL = `python3 -c "
import os
for d in range(${DIRECTORIES}):
    os.mkdir(f'{d:03}')
    for f in range(100): open(f'{d:03}/{f:02}.py', 'w').write(f'def f{d}_{f}():\\n    return {d * f}\\n' * (1 + f % 10))"`;
