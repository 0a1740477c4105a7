import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { csvHeader, csvRow } from './csv.ts'

const cellOf = (name: string) => csvRow(['name'], { name }).slice(0, -2)

describe('a table of servers', () => {
  test('has lines as in RFC 4180', () => {
    assert.equal(csvHeader(['id', 'name']), 'id,name\r\n')
    assert.equal(csvRow(['id', 'name', 'vcpu_count'], { id: 'a', vcpu_count: 0 }), 'a,,0\r\n')
  })

  test('quotes separators, quotes and line breaks', () => {
    assert.equal(cellOf('a,b'), '"a,b"')
    assert.equal(cellOf('say "no"'), '"say ""no"""')
    assert.equal(cellOf('two\nlines'), '"two\nlines"')
    assert.equal(cellOf('two\rlines'), '"two\rlines"')
    assert.equal(cellOf(' plain; text '), ' plain; text ')
    assert.equal(cellOf("'"), "'")
  })

  for (const start of ['=', '+', '-', '@', '\t', '\r']) {
    test(`lets no spreadsheet run what begins with ${JSON.stringify(start)}`, () => {
      const text = `${start}cmd|' /C calc'!A0`
      const cell = cellOf(text)
      assert.ok(cell.startsWith("'") || cell.startsWith('"\''), cell)
      assert.ok(cell.includes(text))
      assert.equal(cellOf(`x${start}1`).includes("'"), false)
    })
  }

  test('quotes a formula that also has to be quoted', () => {
    assert.equal(cellOf('=HYPERLINK("http://x","y")'), '"\'=HYPERLINK(""http://x"",""y"")"')
  })

  test('writes other values as JSON', () => {
    const columns = ['deleted', 'deleted_at', 'disk', 'nics', 'metadata'] as const
    const server = { deleted: false, deleted_at: null, disk: 7, nics: [], metadata: { a: '=1' } }
    assert.equal(csvRow(columns, server), 'false,,7,[],"{""a"":""=1""}"\r\n')
  })
})
