import { inTurns } from '../next-turn.ts'

/** A JSON object with a list in it. Other requests run between the chunks of a long list. */
export async function renderList<Item>(
  key: string,
  items: readonly Item[],
  render: (item: Item) => object,
  others: object,
): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  let text = `{${JSON.stringify(key)}:[`
  let separator = ''
  for await (const some of inTurns(items)) {
    if (separator !== '') {
      pieces.push(Buffer.from(text))
      text = ''
    }
    text += separator + some.map((item) => JSON.stringify(render(item))).join(',')
    separator = ','
  }
  return [...pieces, Buffer.from(`${text}],${JSON.stringify(others).slice(1)}`)]
}
