import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { metadataOf, tagsOf } from './metadata.ts'

describe('the metadata of a server', () => {
  const tags = {
    own: { env: 'prod', b: '2', 'ext:odd': 'x' },
    source: { env: 'test', Name: 'web' },
    notes: { source_status: 'RUNNING' },
  }

  test('has the keys of all origins with their prefixes, sorted', () => {
    assert.deepEqual(Object.entries(metadataOf(tags)), [
      ['ext:Name', 'web'],
      ['ext:env', 'test'],
      ['sys:source_status', 'RUNNING'],
      ['user:b', '2'],
      ['user:env', 'prod'],
      ['user:ext:odd', 'x'],
    ])
    const turned = { notes: tags.notes, source: { Name: 'web', env: 'test' }, own: tags.own }
    assert.equal(JSON.stringify(metadataOf(turned)), JSON.stringify(metadataOf(tags)))
  })

  test('is split by origin again', () => {
    const metadata = metadataOf(tags)
    for (const origin of ['own', 'source', 'notes'] as const) {
      assert.deepEqual(tagsOf(metadata, origin), tags[origin])
    }
  })

  test('may have keys such as __proto__', () => {
    const odd = JSON.parse('{"__proto__": "a", "constructor": "b", "1": "c", "": "d"}') as Record<
      string,
      string
    >
    const metadata = metadataOf({ own: odd, source: {}, notes: {} })
    assert.deepEqual(Object.keys(metadata), [
      'user:',
      'user:1',
      'user:__proto__',
      'user:constructor',
    ])
    const again = new Map(Object.entries(tagsOf(metadata, 'own')))
    assert.deepEqual(again, new Map(Object.entries(odd)))
    assert.equal(Object.getPrototypeOf(tagsOf(metadata, 'own')), Object.prototype)
  })
})
