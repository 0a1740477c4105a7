import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { PlatformError } from '../domain/error.ts'
import { parseStrictJson } from './strict-json.ts'

const parse = (text: string) => parseStrictJson(Buffer.from(text))

/** The error as the caller sees it. */
function refusal(body: string | Buffer): { class: string; path: string | undefined } {
  try {
    parseStrictJson(Buffer.from(body as string))
  } catch (error) {
    assert.ok(error instanceof PlatformError, `threw ${String(error)}`)
    return { class: error.class, path: error.fields?.[0]?.path }
  }
  return assert.fail(`accepted ${JSON.stringify(body.toString()).slice(0, 80)}`)
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const withKeys = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1])))

describe('parseStrictJson', () => {
  test('parses what JSON.parse parses', () => {
    const texts = ['null', '0', '-1.5e3', '"a"', '[]', '{}', ' {"a" : [1, {"b": null}], "c":"" }\n']
    for (const text of texts) assert.deepEqual(parse(text), JSON.parse(text))
  })

  test('parses every JSON value without a restriction', () => {
    const scalar = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !text.includes('\0')),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    )
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        scalar,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(
          fc.string({ maxLength: 8 }).filter((key) => key !== '__proto__' && !key.includes('\0')),
          tie('value'),
          { maxKeys: 4, noNullPrototype: true },
        ),
      ),
    }))
    fc.assert(
      fc.property(value, fc.constantFrom(0, 1, '\t'), (given, indent) => {
        const text = JSON.stringify(given, undefined, indent)
        assert.deepEqual(parse(text), JSON.parse(text))
      }),
      { numRuns: 500 },
    )
  })

  test('rejects what is not JSON', () => {
    const texts = [
      '',
      ' ',
      '{',
      '{"a":1,}',
      "{'a':1}",
      '{"a":1}{}',
      'NaN',
      '01',
      '"a',
      '[1,]',
      '//',
    ]
    for (const text of texts) assert.equal(refusal(text).class, 'InvalidFormatError')
  })

  test('rejects a byte order mark', () => {
    assert.equal(refusal('\uFEFF{}').class, 'InvalidFormatError')
    assert.equal(refusal(Buffer.from('\uFEFF{}', 'utf16le')).class, 'InvalidFormatError')
  })

  test('rejects bytes that are not UTF-8', () => {
    const quoted = (...bytes: number[]) => Buffer.from([0x22, ...bytes, 0x22])
    const broken = [
      quoted(0xff),
      quoted(0xc3), // cut short
      quoted(0xc0, 0xaf), // overlong
      quoted(0xed, 0xa0, 0x80), // half of a surrogate pair
      quoted(0xf4, 0x90, 0x80, 0x80), // past the last code point
    ]
    for (const bytes of broken) assert.equal(refusal(bytes).class, 'InvalidFormatError')
    assert.equal(parseStrictJson(quoted(0xf0, 0x9f, 0x98, 0x80)), '😀')
  })

  test('SEC-72 accepts 32 levels and rejects the 33rd', () => {
    assert.ok(parse(nested(32)))
    assert.equal(refusal(nested(33)).class, 'InvalidFormatError')
    assert.equal(refusal(nested(30_000)).class, 'InvalidFormatError')
    const objects = `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`
    assert.equal(refusal(objects).class, 'InvalidFormatError')
  })

  test('SEC-72 counts open levels, not brackets', () => {
    assert.ok(parse(`[${Array.from({ length: 100 }, () => '[]').join(',')}]`))
    assert.ok(parse(JSON.stringify('['.repeat(100))))
    assert.ok(parse(JSON.stringify(`\\"${'{'.repeat(100)}`)))
  })

  test('SEC-72 accepts 1,000 keys in total and rejects the next', () => {
    assert.ok(parse(withKeys(1_000)))
    assert.equal(refusal(withKeys(1_001)).class, 'InvalidFormatError')
    assert.equal(refusal(`[${withKeys(600)},${withKeys(600)}]`).class, 'InvalidFormatError')
  })

  test('SEC-72 accepts texts and keys of 8 KiB and rejects longer ones', () => {
    assert.ok(parse(JSON.stringify({ a: 'x'.repeat(8_192) })))
    assert.deepEqual(refusal(JSON.stringify({ a: 'x'.repeat(8_193) })), {
      class: 'InputParameterError',
      path: 'a',
    })
    refusal(JSON.stringify({ ['x'.repeat(8_193)]: 1 }))
  })

  test('SEC-72 rejects a duplicate key by name', () => {
    assert.deepEqual(refusal('{"a":1,"b":{"c":1,"c":1}}'), {
      class: 'InputParameterError',
      path: 'b.c',
    })
    assert.equal(refusal('[{"a":1},{"a":1,"a":2}]').path, '1.a')
    // The same key with an escape sequence.
    assert.equal(refusal(String.raw`{"id":1,"\u0069d":2}`).path, 'id')
    assert.deepEqual(parse('[{"a":1},{"a":2}]'), [{ a: 1 }, { a: 2 }])
    assert.deepEqual(parse('{"a":{"a":{"a":"a"}}}'), { a: { a: { a: 'a' } } })
  })

  test('rejects __proto__ in every spelling and changes no prototype', () => {
    const spellings = [
      '{"__proto__":{"admin":true}}',
      String.raw`{"a":[{"\u005f_proto__":1}]}`,
      '{"__proto__":null,"a":1}',
    ]
    for (const text of spellings) assert.equal(refusal(text).class, 'InputParameterError')
    assert.equal(({} as Record<string, unknown>)['admin'], undefined)
    assert.deepEqual(parse('"__proto__"'), '__proto__')
  })

  test('rejects NUL and lone surrogates in values and keys', () => {
    const bad = [
      String.raw`\u0000`,
      String.raw`a\ud800`,
      String.raw`\udc00b`,
      String.raw`\ude00\ud83d`,
    ]
    for (const text of bad) {
      assert.deepEqual(refusal(`{"a":{"b":"${text}"}}`), {
        class: 'InputParameterError',
        path: 'a.b',
      })
      assert.equal(refusal(`{"${text}":1}`).class, 'InputParameterError')
    }
    assert.equal(parse(String.raw`"\ud83d\ude00"`), '😀')
  })

  test('names the right key in an error', () => {
    const { path } = refusal(String.raw`{"first":1,"sec\u0000ond":2}`)
    assert.notEqual(path, 'first')
  })

  test('rejects numbers that would lose precision', () => {
    const bad = [
      '9007199254740993',
      '-9007199254740993',
      '9007199254740992',
      '1e400',
      '-1e400',
      '1e21',
      '9007199254740993.5',
    ]
    for (const number of bad) {
      assert.deepEqual(refusal(`{"n":[0,${number}]}`), {
        class: 'InputParameterError',
        path: 'n.1',
      })
    }
    const good = ['9007199254740991', '-9007199254740991', '0.5', '-0', '1e3', '1E-3']
    for (const number of good) assert.equal(parse(number), Number(number))
  })
})
