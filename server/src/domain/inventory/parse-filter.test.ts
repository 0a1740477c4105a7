import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callerFields } from '@muster/contract'
import fc from 'fast-check'
import { PlatformError } from '../error.ts'
import { comparisons } from '../query/condition.ts'
import { parseFilter as parse } from '../query/parse-filter.ts'
import { fields, serverFields } from './fields.ts'

const parseFilter = (text: string, path?: string) => parse(serverFields, text, path)

const refusal = (text: string): string => {
  try {
    parseFilter(text)
  } catch (error) {
    assert.ok(error instanceof PlatformError, String(error))
    assert.equal(error.class, 'InputParameterError')
    assert.equal(error.fields?.[0]?.path, 'filter')
    return error.message
  }
  assert.fail(`"${text.slice(0, 80)}" was taken`)
}

describe('a filter', () => {
  const good: [string, string, string, unknown[]][] = [
    ["name.contains('web')", 'name', 'contains', ['web']],
    ['name.contains("web")', 'name', 'contains', ['web']],
    ['name.contains(web)', 'name', 'contains', ['web']],
    ["status.in('running','ready')", 'status', 'in', ['running', 'ready']],
    ['status.in(ready, running)', 'status', 'in', ['ready', 'running']],
    [' status.in( "ready" ,\'running\' ) ', 'status', 'in', ['ready', 'running']],
    ['vcpu_count.ge(8)', 'vcpu_count', 'ge', [8]],
    ["vcpu_count.ge('8')", 'vcpu_count', 'ge', [8]],
    ['vcpu_count.between(2, 8)', 'vcpu_count', 'between', [2, 8]],
    ['is_gpu.equals(true)', 'is_gpu', 'equals', [true]],
    ['is_gpu.in(0)', 'is_gpu', 'in', [false]],
    ['expired_at.isnull()', 'expired_at', 'isnull', []],
    ['disk.isempty( )', 'disk', 'isempty', []],
    ["created_at.ge('2026-05-04')", 'created_at', 'ge', [Date.UTC(2026, 4, 4) * 1000]],
    ["name.equals('')", 'name', 'equals', ['']],
    ["name.in('', '')", 'name', 'in', ['', '']],
    [String.raw`name.equals('it\'s')`, 'name', 'equals', ["it's"]],
    ["name.equals('it''s')", 'name', 'equals', ["it's"]],
    [String.raw`name.equals("a\\b\c")`, 'name', 'equals', [String.raw`a\b\c`]],
    ["name.equals('a),(b')", 'name', 'equals', ['a),(b']],
    ["name.in('a,b', c d )", 'name', 'in', ['a,b', 'c d']],
    ["name.equals('ü😀')", 'name', 'equals', ['ü😀']],
  ]
  for (const [text, field, comparison, values] of good) {
    test(`${text} is read`, () =>
      assert.deepEqual(parseFilter(text), { kind: 'field', field, comparison, values }))
  }

  const bad: [string, RegExp][] = [
    ['', /form/],
    ['name', /form/],
    ['name.contains', /form/],
    ["name.contains('web'", /form/],
    ["contains('web')", /form/],
    ["guests.name.contains('web')", /form/],
    ["nmae.contains('web')", /"nmae".*did you mean "name"\?/],
    ["Name.contains('web')", /did you mean "name"\?/],
    ["name.contain('web')", /"contain".*did you mean "contains"\?/],
    ["name.toString('web')", /"toString"/],
    ["__proto__.equals('web')", /"__proto__"/],
    ["nics.equals('web')", /"nics"/],
    ["metadata.equals('web')", /"metadata"/],
    ['vcpu_count.contains(8)', /contains on vcpu_count, which is a number/],
    ['created_at.like(2026)', /like on created_at, which is a timestamp/],
    ['is_gpu.startswith(t)', /startswith on is_gpu/],
    ['is_gpu.ge(true)', /ge on is_gpu/],
    ['vcpu_count.ge(many)', /"many", which must be an integer/],
    ['vcpu_count.ge(1.5)', /integer/],
    ['is_gpu.equals(yes)', /true or false/],
    ['created_at.ge(yesterday)', /a time such as/],
    ['created_at.ge(2026-02-30)', /a time such as/],
    ['name.equals()', /0 values for \w+, which takes 1/],
    ['name.equals(a, b)', /2 values for \w+, which takes 1/],
    ['vcpu_count.between(1)', /takes 2/],
    ['name.in()', /at least 1/],
    ['name.isnull(a)', /takes 0/],
    ['name.in(a,)', /missing/],
    ['name.in(,a)', /missing/],
    ["name.equals('a)", /unclosed quote/],
    ["name.equals('a'b)", /comma/],
  ]
  for (const [text, problem] of bad) {
    test(`${text || 'nothing'} is refused`, () => assert.match(refusal(text), problem))
  }

  test('accepts every comparison that fits the type of a field', () => {
    const values = { boolean: 'true', timestamp: '2026-05-04', number: '1', text: 'a' }
    let taken = 0
    for (const [field, kind] of Object.entries(fields)) {
      for (const comparison of comparisons) {
        const count = comparison.startsWith('is') ? 0 : comparison === 'between' ? 2 : 1
        const text = `${field}.${comparison}(${Array(count).fill(values[kind]).join(',')})`
        const isForText = /^(like|contains|startswith|endswith)$/.test(comparison)
        const isOrder = /^(between|ge|gt|le|lt)$/.test(comparison)
        if ((isForText && kind !== 'text') || (isOrder && kind === 'boolean')) refusal(text)
        else {
          parseFilter(text)
          taken += 1
        }
      }
    }
    assert.ok(taken > 1000, String(taken))
  })

  test('SEC-62: fields that depend on the caller are rejected like unknown fields', () => {
    const never = refusal('qqqqqqqqqqqq.equals(1)').replace('qqqqqqqqqqqq', 'X')
    for (const field of callerFields) {
      const said = refusal(`${field}.equals(1)`)
        .replace(field, 'X')
        .replace(/: did you.*/, '')
      assert.equal(said, never)
    }
  })

  test('parses any quoted text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }),
        fc.constantFrom("'", '"'),
        (texts, quote) => {
          const quoted = texts.map(
            (text) =>
              quote + text.replaceAll('\\', '\\\\').replaceAll(quote, quote + quote) + quote,
          )
          const { values } = parseFilter(`name.in(${quoted.join(' , ')})`) as { values: unknown }
          assert.deepEqual(values, texts)
        },
      ),
    )
  })

  test('never crashes, whatever the input', () => {
    fc.assert(
      fc.property(fc.string(), (inner) => {
        for (const text of [inner, `name.in(${inner})`]) {
          try {
            parseFilter(text)
          } catch (error) {
            assert.ok(error instanceof PlatformError)
          }
        }
      }),
    )
  })

  test('handles very long input', () => {
    const many = 8192
    for (const part of ["'", '\\', '(', ')', ') ', ' ', ',', "'',", '.', "\\'", '""']) {
      for (const text of [part.repeat(many), `name.in(${part.repeat(many)})`]) {
        try {
          parseFilter(text)
        } catch (error) {
          assert.ok(error instanceof PlatformError)
          assert.ok(error.message.length < 400, error.message.slice(0, 100))
        }
      }
    }
  })
})
