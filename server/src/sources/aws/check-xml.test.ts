import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findExcess } from './check-xml.ts'

const document = (inside: string) => `<?xml version="1.0"?>\n<r xmlns="http://x">${inside}</r>`

describe('a document of EC2', () => {
  test('is accepted within the limits', () => {
    for (const inside of [
      '',
      '<a/>'.repeat(100_000),
      '<a>'.repeat(63) + '</a>'.repeat(63),
      `<a>${'x'.repeat(30_000)}</a>`,
      '<!-- <a> --><![CDATA[<a></b>]]>',
      `<a b='"' /><a nil="true"/>`.slice(10),
    ]) {
      assert.equal(findExcess(document(inside)), undefined, inside.slice(0, 40))
    }
  })

  const excesses: Readonly<Record<string, readonly [inside: string, excess: RegExp]>> = {
    elements: ['<a/>'.repeat(310_000), /150,000 elements/],
    'nested elements': ['<a>'.repeat(64), /64 levels/],
    'elements nested behind text': ['<a><![CDATA[</a>]]>'.repeat(64), /64 levels/],
    'elements nested behind comments': ['<a><!-- </a> -->'.repeat(64), /64 levels/],
    'elements nested behind attributes': [`<a b="></a>">`.repeat(64), /attribute/],
    'elements nested behind two quotes': [`<a b="'" c='>"</a>'>`.repeat(64), /attribute/],
    text: ['x'.repeat(33_000), /text/],
    'text in a section': [`<![CDATA[${'x'.repeat(33_000)}]]>`, /text/],
    attributes: [`<a ${'b="1" '.repeat(1_000)}/>`, /tag/],
    'a comment': [`<!--${'x'.repeat(5_000)}-->`, /tag/],
    'a document type': ['<!DOCTYPE a>', /document type/],
  }
  for (const [what, [inside, excess]] of Object.entries(excesses)) {
    test(`is not parsed with too many or too long: ${what}`, () =>
      assert.match(findExcess(document(inside)) ?? '', excess))
  }
})
