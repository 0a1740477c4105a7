import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { defaultServer } from '../../domain/inventory/build-server.ts'
import { renderServer } from '../../domain/inventory/render-server.ts'
import { documentDictionary } from './document-dictionary.ts'
import { packDocuments, unpackDocuments } from './packed-documents.ts'

const render = (name: string) =>
  renderServer({ ...defaultServer, name, metadata: { 'user:note': `of ${name}` } })

describe('packed documents', () => {
  test('are the rendered texts, also of several servers at once', () => {
    const servers = ['größte', 'line\nfeed', '\u2028', '', 'x'.repeat(200_000)].map(render)
    for (const some of [servers, servers.slice(0, 1), []]) {
      const unpacked = unpackDocuments(some.map(packDocuments))
      assert.deepEqual(
        unpacked.map(({ document, shortLength, metadata }) => [
          document.toString(),
          document.subarray(0, shortLength).toString(),
          metadata.toString(),
        ]),
        some.map(({ short, rest, metadata }) => [`${short},${rest}`, short, metadata]),
      )
    }
  })

  test('of an earlier version have a whole document after the short form', () => {
    const { short, rest, metadata } = render('web')
    const bytes = Buffer.from(`${short}\n${short},${rest}\n${metadata}\n`)
    const [earlier] = unpackDocuments([zstdCompressSync(bytes, { dictionary: documentDictionary })])
    assert.equal(earlier?.document.toString(), `${short},${rest}`)
    assert.equal(earlier.metadata.toString(), metadata)
  })

  test('are less than a third as long', () => {
    const rendered = render('web')
    const { short, rest, metadata } = rendered
    const length = Buffer.byteLength(short + rest + metadata)
    assert.ok(packDocuments(rendered).length * 3 < length)
  })

  test('stay readable: their dictionary never changes', () => {
    assert.equal(
      hash('sha256', documentDictionary, 'base64url'),
      'PUGYGL8XpEHaf4UO-kQmFXp4c_O1kRCnVLeK0VIjtx0',
    )
  })
})
