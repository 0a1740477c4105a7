import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chooseCoding, codedTag, contentCodings, findKnownTag } from './content-coding.ts'

describe('the coding of an answer', () => {
  const cases: readonly (readonly [string | undefined, string | undefined])[] = [
    [undefined, undefined],
    ['', undefined],
    ['*', undefined],
    ['*;q=1', undefined],
    ['identity', undefined],
    ['deflate', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZip', 'gzip'],
    ['br', 'br'],
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip, *;q=0.1', 'gzip'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip; q=0.8 , br ; q=0.9', 'br'],
    ['gzip;Q=0.5', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000, br;q=0', undefined],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['gzip;q=0.5, identity;q=1', undefined],
    ['gzip;q=0.5, identity;q=0.5', 'gzip'],
    ['gzip, identity;q=0', 'gzip'],
    ['gzip;q=2', undefined],
    ['gzip;q=none', undefined],
    [',,gzip,', 'gzip'],
  ]
  for (const [header, coding] of cases) {
    test(`is ${coding} for ${header}`, () => assert.equal(chooseCoding(header), coding))
  }

  test('is one of those that there are', () => {
    assert.equal(chooseCoding('gzip, br, zstd', ['br', 'gzip']), 'br')
    assert.equal(chooseCoding('zstd', ['br', 'gzip']), undefined)
    assert.equal(chooseCoding('gzip', []), undefined)
  })
})

describe('the ETag', () => {
  test('is another one in each coding', () => {
    const tags = contentCodings.map((coding) => codedTag('"abc"', coding))
    assert.deepEqual(tags, ['"abc-zstd"', '"abc-br"', '"abc-gzip"'])
  })

  test('is known to who has the content in any coding, and only to them', () => {
    const known = ['"abc"', '"abc-gzip"', '"abc-br"', '"abc-zstd"']
    for (const tag of known) {
      for (const sent of [tag, `W/${tag}`, `"x", ${tag}`, ` ${tag} ,"x"`]) {
        assert.equal(findKnownTag('"abc"', sent), tag)
      }
    }
    assert.equal(findKnownTag('"abc"', '*'), '"abc"')
    for (const other of [undefined, '', '"ab"', '"abc-deflate"', 'abc', '"*"', '"abc-"']) {
      assert.equal(findKnownTag('"abc"', other), undefined)
    }
    assert.equal(findKnownTag('"abc-gzip"', '"abc"'), undefined)
  })
})
