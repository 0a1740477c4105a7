/** Parses CSV by RFC 4180 into lines of cells. Throws if it is invalid. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    const { cell, end } = readCell(text, at)
    row.push(cell)
    if (text[end] === ',') {
      at = end + 1
      continue
    }
    if (!text.startsWith('\r\n', end)) throw new Error(`a line ends at ${end} by itself`)
    rows.push(row)
    row = []
    at = end + 2
  }
  if (row.length > 0) throw new Error('the last line has no end')
  return rows
}

function readCell(text: string, start: number): { cell: string; end: number } {
  if (text[start] !== '"') {
    const [cell = ''] = /^[^",\r\n]*/.exec(text.slice(start, start + 100_000)) ?? []
    return { cell, end: start + cell.length }
  }
  let at = start + 1
  for (;;) {
    at = text.indexOf('"', at)
    if (at === -1) throw new Error(`a quote at ${start} has no end`)
    if (text[at + 1] !== '"') break
    at += 2
  }
  return { cell: text.slice(start + 1, at).replaceAll('""', '"'), end: at + 1 }
}
