import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { booleanOf, listOf, numberOf, objectOf, parseJson, requireList, textOf } from './json.ts'

describe('JSON of a source', () => {
  const invalid = { name: 'SourceError', kind: 'invalid-response' }

  test('must be an object', () => {
    assert.deepEqual(parseJson(Buffer.from('{"a": 1}'), 'h'), { a: 1 })
    for (const text of ['', '[]', 'null', '1', '{"a"', '<html>']) {
      assert.throws(() => parseJson(Buffer.from(text), 'h'), {
        ...invalid,
        message: /^h could not/,
      })
    }
  })

  test('is limited in depth and in values, before it is parsed', () => {
    const parse = (text: string) => parseJson(Buffer.from(text), 'h', 'list servers')
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    const wide = (count: number) => `{"a":[${Array.from({ length: count }, () => 1).join()}]}`
    for (const text of [nested(64), wide(299_000), JSON.stringify({ a: '[{,'.repeat(200_000) })]) {
      assert.ok(parse(text))
    }
    const endless = ['[', '{"a":', '[[],'].map((part) => part.repeat(500_000))
    for (const text of [nested(65), wide(300_001), ...endless]) {
      assert.throws(() => parse(text), {
        ...invalid,
        message: /^h could not list servers: the response (?:is nested more than 64|has more than)/,
      })
    }
  })

  test('must have its list', () => {
    assert.deepEqual(requireList({ servers: [] }, 'servers', 'servers'), [])
    for (const servers of [undefined, null, {}, '', [null], [[]]]) {
      const json = servers === undefined ? {} : { servers }
      assert.throws(() => requireList(json, 'servers', 'servers'), invalid)
    }
  })

  test('has defaults for absent fields and for other types', () => {
    const json = { text: 'a', number: 2, digits: '3', yes: true, object: { b: 1 }, list: [{}, 1] }
    assert.deepEqual(
      [textOf(json, 'text'), textOf(json, 'number'), textOf(undefined, 'x')],
      ['a', '', ''],
    )
    assert.deepEqual(
      ['number', 'digits', 'text', 'absent'].map((name) => numberOf(json, name)),
      [2, 3, 0, 0],
    )
    assert.deepEqual([booleanOf(json, 'yes'), booleanOf(json, 'text')], [true, false])
    assert.deepEqual([objectOf(json, 'object'), objectOf(json, 'list')], [{ b: 1 }, {}])
    assert.deepEqual([listOf(json, 'list'), listOf(json, 'object')], [[{}], []])
  })
})
