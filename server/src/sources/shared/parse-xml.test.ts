import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { SourceError } from '../../domain/sources/source-error.ts'
import { childOf, numberOf, parseXml, textOf } from './parse-xml.ts'

const isInvalid = (error: unknown) =>
  error instanceof SourceError && error.kind === 'invalid-response'

describe('XML of a source', () => {
  test('is parsed with text, attributes and namespaces', () => {
    const root = parseXml(
      `<?xml version='1.0'?><a x='1 &amp; 2'><!-- no --><b> one<c/>two </b><n:d xmlns:n='urn:n'><![CDATA[<e>]]></n:d></a>`,
    )
    assert.equal(root.attributes.get('x'), '1 & 2')
    assert.equal(textOf(root, 'b'), 'onetwo')
    assert.ok(childOf(root, 'b', 'c'))
    assert.equal(childOf(root, 'd'), undefined, 'it is in another namespace')
    assert.deepEqual(
      root.children.map(({ name, prefix, uri, text }) => [name, prefix, uri, text]),
      [
        ['b', '', '', ' onetwo '],
        ['d', 'n', 'urn:n', '<e>'],
      ],
    )
  })

  const hostile: Readonly<Record<string, string>> = {
    'a document type': '<!DOCTYPE a><a/>',
    'nested entities': `<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>`,
    'an external entity': `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>`,
    'an unknown entity': '<a>&b;</a>',
    'an unknown prefix': '<a><n:b/></a>',
    'two roots': '<a/><b/>',
    'no root': ' ',
    'empty input': '',
    'an unclosed element': '<a><b></b>',
    'a NUL character': '<a>\0</a>',
    'deep nesting': `${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}`,
    'too many elements': `<a>${'<b/>'.repeat(60_000)}</a>`,
    'an excessive length': `<a>${'b'.repeat(17_000_000)}</a>`,
  }
  for (const [what, xml] of Object.entries(hostile)) {
    test(`is rejected for ${what}`, () => assert.throws(() => parseXml(xml), isInvalid))
  }

  test('is parsed or rejected, whatever the input', () => {
    const parts = [
      '<a>',
      '</a>',
      '<b c="',
      '"/>',
      '&amp;',
      '&#0;',
      '<!--',
      '-->',
      ']]>',
      '<?x ?>',
      'text',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 12 }), (pieces) => {
        try {
          parseXml(pieces.join(''))
        } catch (error) {
          assert.ok(isInvalid(error), String(error))
        }
      }),
    )
  })

  test('has non-negative integers, or 0', () => {
    assert.deepEqual(
      ['12', '0x1f', '', '-3', '1e400', 'x', '1.5', '99999999999999999999'].map(numberOf),
      [12, 31, 0, 0, 0, 0, 0, 0],
    )
  })
})
