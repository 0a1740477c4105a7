import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { SourceError } from '../../domain/sources/source-error.ts'
import { createFrameSplitter, encodeFrame, type Frame } from './frame.ts'
import { readParameters } from './records.ts'
import { createXdrReader, createXdrWriter } from './xdr.ts'
import { runsInLane } from '../../testing/lanes.ts'

const isGarbled = (error: unknown) =>
  error instanceof SourceError && error.kind === 'invalid-response'
const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''))
const word = fc.integer({ min: 0, max: 0xffff_ffff })

describe('XDR', () => {
  test('reads what it wrote', () => {
    fc.assert(
      fc.property(
        fc.record(
          {
            uint: word,
            int: fc.integer(),
            hyper: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
            bytes: fc.uint8Array({ maxLength: 40 }),
            text,
            maybe: fc.option(text, { nil: undefined }),
            list: fc.array(text),
          },
          { noNullPrototype: true },
        ),
        (value) => {
          const writer = createXdrWriter()
          writer.uint(value.uint).int(value.int).hyper(value.hyper).fixed(value.bytes)
          writer.string(value.text).optional(value.maybe, (one) => writer.string(one))
          const bytes = writer.array(value.list, (one) => writer.string(one)).finish()
          assert.equal(bytes.length % 4, 0)
          const reader = createXdrReader(bytes)
          const read = {
            uint: reader.uint(),
            int: reader.int(),
            hyper: reader.hyper(),
            bytes: new Uint8Array(reader.fixed(value.bytes.length)),
            text: reader.string(),
            maybe: reader.optional(() => reader.string()),
            list: reader.array(1_000, () => reader.string()),
          }
          reader.end()
          assert.deepEqual(read, value)
        },
      ),
    )
  })

  test('is parsed or rejected, whatever the input', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const reader = createXdrReader(Buffer.from(bytes))
        try {
          readParameters(reader)
          reader.end()
        } catch (error) {
          assert.ok(isGarbled(error), String(error))
        }
      }),
      { numRuns: runsInLane(1_000) },
    )
  })

  test('is rejected if a length, a count or a flag is wrong', () => {
    const lies = {
      'a text longer than the message': createXdrWriter().uint(5).finish(),
      'a text of four gigabytes': createXdrWriter().uint(0xffff_ffff).finish(),
    }
    for (const [what, bytes] of Object.entries(lies)) {
      assert.throws(() => createXdrReader(bytes).string(), isGarbled, what)
    }
    const many = createXdrReader(createXdrWriter().uint(16_000).int(1).finish())
    assert.throws(() => many.array(16_384, () => many.int()), isGarbled)
    const tooMany = createXdrReader(createXdrWriter().uint(3).int(1).int(2).int(3).finish())
    assert.throws(() => tooMany.array(2, () => tooMany.int()), isGarbled)
    const maybe = createXdrReader(createXdrWriter().uint(2).finish())
    assert.throws(() => maybe.optional(() => 0), isGarbled)
    assert.throws(
      () => createXdrReader(createXdrWriter().string('a\0b').finish()).string(),
      isGarbled,
    )
    assert.throws(() => createXdrReader(Buffer.alloc(4)).end(), isGarbled)
  })
})

describe('frames', () => {
  const frame = fc.record(
    {
      program: word,
      procedure: word,
      type: word,
      serial: word,
      status: word,
      body: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
    },
    { noNullPrototype: true },
  )

  test('are the same however the stream is split', () => {
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (frames: Frame[], cuts) => {
          const bytes = Buffer.concat(frames.map(encodeFrame))
          const splitter = createFrameSplitter()
          const found: Frame[] = []
          for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
            const length = cuts[turn % cuts.length] as number
            found.push(...splitter.push(bytes.subarray(at, at + length)))
            at += length
          }
          assert.deepEqual(found, frames)
          assert.equal(splitter.isWaiting(), false)
        },
      ),
    )
  })

  test('of an impossible length or another version are rejected', () => {
    for (const hex of [
      '0000001b',
      '02000400',
      'ffffffff',
      '0000001c20008086000000020000000100000000',
    ]) {
      const bytes = Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(28)])
      assert.throws(() => [...createFrameSplitter().push(bytes)], isGarbled, hex)
    }
  })

  test('are returned when they are complete', () => {
    const splitter = createFrameSplitter()
    assert.deepEqual([...splitter.push(Buffer.from('020000', 'hex'))], [])
    assert.equal(splitter.isWaiting(), true)
  })
})
