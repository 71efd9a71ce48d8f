"""A template claimed by many: one session prepares and publishes a snapshot, and others begin with its files."""

import asyncio
import time

from snapshotter_client import AsyncSnapshotter

PREPARE = """
git init --quiet project && cd project
echo 'print("ready")' > app.py
git add . && git -c user.name=template -c user.email=template@example.com commit --quiet --message=template
"""


async def main() -> None:
    async with AsyncSnapshotter() as snapshotter:
        name = f"template-{time.time_ns()}"
        template = snapshotter.session(name)
        await template.open(destroyOnClose=True)
        await template.run(PREPARE)
        snapshot = (await template.snapshot(name="v1", ttlSeconds=3600))["snapshot"]
        # Whoever knows its id may start from it, and nobody else can change it.
        await template.update("v1", published=True)
        await template.close()

        async def claim(number: int) -> str:
            session = snapshotter.session(f"{name}-{number}")
            await session.open(from_=snapshot["id"], destroyOnClose=True)
            # The first command wakes the workspace with the template's files.
            ran = await session.run(f"python3 app.py; echo {number} > mine; git status --short", cwd="project")
            await session.close()
            return ran["stdout"]

        for number, output in enumerate(await asyncio.gather(*(claim(number) for number in range(3)))):
            print(f"session {number}: {' '.join(output.split())}")


asyncio.run(main())
