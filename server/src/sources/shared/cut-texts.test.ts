import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createTextCutter } from './cut-texts.ts'
import { parseXml } from './parse-xml.ts'

const maxLength = 64

/** Passes a document through the cutter in chunks of this size. */
function cutAll(text: string, size: number): string {
  const cut = createTextCutter(maxLength)
  const bytes = Buffer.from(text)
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) parts.push(...cut(bytes.subarray(at, at + size)))
  return Buffer.concat(parts).toString()
}

const anyText = fc
  .array(
    fc.constantFrom('x', 'ü', '日', '🚀', '"', '\\', '\n', '\u0001', '&', '<', '>', ';', "'"),
    {
      maxLength: 200,
    },
  )
  .map((characters) => characters.join(''))
const sizes = fc.constantFrom(1, 3, 7, 1_000)

const bytesOf = (text: string) => Buffer.byteLength(text)
const isCutOf = (cut: string, whole: string) =>
  cut === whole || (whole.startsWith(cut) && bytesOf(cut) >= maxLength / 6)

describe('texts that are cut as they arrive', () => {
  test('leave JSON well formed, and short texts as they are', () => {
    fc.assert(
      fc.property(fc.array(anyText), sizes, fc.boolean(), (texts, size, escapes) => {
        const json = JSON.stringify({ texts, end: 1 })
        const sent = escapes
          ? json.replaceAll(
              /[\u0080-\uffff]/g,
              (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
            )
          : json
        const read = JSON.parse(cutAll(sent, size)) as { texts: string[]; end: number }
        assert.equal(read.end, 1)
        assert.equal(read.texts.length, texts.length)
        for (const [index, text] of texts.entries()) {
          const cut = read.texts[index] as string
          assert.ok(isCutOf(cut, text), JSON.stringify([cut, text]))
          assert.ok(bytesOf(cut) <= maxLength + 8)
          if (JSON.stringify(text).length * 6 < maxLength) assert.equal(cut, text)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('leave XML well formed, and short texts as they are', () => {
    const escape = (text: string) =>
      text
        .replaceAll('\u0001', '')
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('\n', '&#10;')
    fc.assert(
      fc.property(fc.array(anyText), sizes, (texts, size) => {
        const xml = `<?xml version="1.0"?>\n<a>${texts.map((text) => `<b>${escape(text)}</b>`).join('')}<c/></a>`
        const { children } = parseXml(cutAll(xml, size))
        assert.deepEqual(
          children.map(({ name }) => name),
          [...texts.map(() => 'b'), 'c'],
        )
        for (const [index, text] of texts.entries()) {
          const cut = children[index]?.text ?? ''
          const whole = text.replaceAll('\u0001', '')
          assert.ok(isCutOf(cut, whole), JSON.stringify([cut, whole]))
          assert.ok(bytesOf(cut) <= maxLength + 8)
          if (bytesOf(escape(whole)) < maxLength) assert.equal(cut, whole)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('may be endless', () => {
    const cut = createTextCutter(maxLength)
    const chunk = Buffer.alloc(65_536, 'x')
    let kept = cut(Buffer.from('{"a":"')).length
    for (let count = 0; count < 100; count += 1) for (const { length } of cut(chunk)) kept += length
    assert.ok(kept < 100)
    assert.equal(Buffer.concat(cut(Buffer.from('"}'))).toString(), '"}')
  })
})
