/** The session in the pictures: an agent works on a small program, goes back once, and tries two alternatives. */

import type { Session, Snapshotter } from "../../clients/typescript/src/index.ts";

export const SESSION = "invoice-totals";

const FIRST = `"""Totals of invoices, in any currency."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Line:
    text: str
    quantity: int
    price: Decimal


def total(lines: list[Line]) -> Decimal:
    """The sum of all lines, rounded to cents."""
    return sum((line.quantity * line.price for line in lines), Decimal(0)).quantize(Decimal("0.01"))
`;
const TESTS = `from decimal import Decimal
from invoices.totals import Line, total


def test_total():
    lines = [Line("paper", 3, Decimal("2.50")), Line("ink", 1, Decimal("17.99"))]
    assert total(lines) == Decimal("25.49")
`;
const RATES = `"""Exchange rates, as of one day."""

from decimal import Decimal

RATES = {"EUR": Decimal(1), "USD": Decimal("1.0842"), "CHF": Decimal("0.9377")}


def convert(amount: Decimal, source: str, target: str = "EUR") -> Decimal:
    return amount / RATES[source] * RATES[target]
`;
const CONVERTED = FIRST
  .replace("from decimal import Decimal\n", "from decimal import Decimal\n\nfrom invoices.rates import convert\n")
  .replace("    price: Decimal\n", '    price: Decimal\n    currency: str = "EUR"\n')
  .replace("(line.quantity * line.price for", "(line.quantity * convert(line.price, line.currency) for");
const BROKEN = CONVERTED.replace("from dataclasses import dataclass\n", "from dataclasses import dataclass\nfrom functools import cache\n").replace("def total(lines", "@cache\ndef total(lines");

/** This test passes until the function is made faster. */
const TEST = ["python3", "-Bc", "from tests.test_totals import test_total; test_total(); print('1 passed')"];

export async function make(client: Snapshotter): Promise<{ session: Session; attempt: string }> {
  const session = client.session(SESSION);
  await session.open();
  const write = (path: string, content: string, workspace?: string) => session.writeFile(path, content, { ...(workspace !== undefined && { workspace }) });
  await session.run("git init --quiet --initial-branch main && mkdir -p invoices tests docs && touch invoices/__init__.py");
  await write("README.md", "# Invoices\n\nTotals of invoices, in any currency.\n");
  await write("invoices/totals.py", FIRST);
  await write("tests/test_totals.py", TESTS);
  await session.run(TEST);
  await session.saveTurn({ label: "Add up an invoice", cursor: { message: 4 } });
  await write("invoices/rates.py", RATES);
  await write("invoices/totals.py", CONVERTED);
  await session.run(TEST);
  await session.saveTurn({ label: "Other currencies", cursor: { message: 11 } });
  const works = await session.snapshot({ name: "tests-pass", description: "Before anything is made faster", labels: { tests: "pass" } });
  await session.update(works.snapshot.id, { pinned: true });
  await write("invoices/totals.py", BROKEN);
  await session.run(TEST);
  await session.saveTurn({ label: "Keep totals in memory", cursor: { message: 17 } });
  await session.rewind("tests-pass");
  const { workspaces } = await session.fork({ count: 1 });
  const made = workspaces[0]!;
  if (!("ref" in made)) throw new Error("the fork was not made");
  const attempt = made.ref.ref.id;
  await write("invoices/totals.py", CONVERTED.replace('"""The sum of all lines, rounded to cents."""', '"""The sum of all lines, in euros, rounded to cents."""'), attempt);
  await write("docs/currencies.md", "Amounts are converted to euros, line by line, before they are summed.\n");
  await write("invoices/totals.py", CONVERTED.replace("rounded to cents.", "in euros, rounded half to even."));
  return { session, attempt };
}
