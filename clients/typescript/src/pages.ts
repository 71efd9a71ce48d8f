/** A list that comes in pages. Iterating it gives the items of all pages, each page requested when it is reached. */
export class Pages<Page extends { nextCursor?: string | null }, Item> implements AsyncIterable<Item> {
  readonly #get: (cursor: { cursor?: string }) => Promise<Page>;
  readonly #itemsOf: (page: Page) => Item[];

  constructor(get: (cursor: { cursor?: string }) => Promise<Page>, itemsOf: (page: Page) => Item[]) {
    this.#get = get;
    this.#itemsOf = itemsOf;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const page of this.pages()) yield* this.#itemsOf(page);
  }

  /** The pages themselves, with the fields that some have beside their items. */
  async *pages(): AsyncGenerator<Page, void> {
    let cursor: string | null | undefined;
    do {
      const page: Page = await this.#get(cursor ? { cursor } : {});
      yield page;
      cursor = page.nextCursor;
    } while (cursor);
  }

  /** All items. */
  async all(): Promise<Item[]> {
    const items = [];
    for await (const item of this) items.push(item);
    return items;
  }
}
