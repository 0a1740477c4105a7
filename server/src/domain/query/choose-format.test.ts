import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chooseFormat } from './choose-format.ts'

describe('the format that an Accept header chooses', () => {
  const accepts: [string, string][] = [
    ['', 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'json'],
    ['image/png', 'json'],
    ['nonsense', 'json'],
    ['text/csv', 'csv'],
    ['TEXT/CSV; charset=utf-8', 'csv'],
    ['text/csv, */*;q=0.1', 'csv'],
    ['text/csv;q=0.5, application/json', 'json'],
    ['application/json;q=0.5, text/csv;q=0.9, application/x-ndjson;q=0.7', 'csv'],
    ['application/x-ndjson', 'ndjson'],
    ['text/csv, application/json', 'json'],
    ['text/csv;q=0', 'json'],
    ['text/csv;q=x', 'csv'],
    ['text/*', 'json'],
    [',;,;q=1'.repeat(2000), 'json'],
  ]
  for (const [accept, format] of accepts) {
    test(`of "${accept.slice(0, 60)}" is ${format}`, () =>
      assert.equal(chooseFormat(accept), format))
  }
})
