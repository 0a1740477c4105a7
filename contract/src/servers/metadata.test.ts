import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { MetadataChange } from './metadata.ts'

const ajv = new Ajv({ strict: false, validateFormats: false })

test('tags are texts or null, at most 64 of them, with keys of 128 and values of 1,024 characters', () => {
  const accepts = ajv.compile(MetadataChange)
  const tags = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag ${index}`, 'x']))
  const good = [{}, { env: 'prod', old: null }, tags(64), { ['ü'.repeat(128)]: 'x'.repeat(1024) }]
  for (const metadata of good) assert.ok(accepts({ metadata }), ajv.errorsText(accepts.errors))
  const bad = [
    null,
    [],
    'env',
    { env: 1 },
    { env: {} },
    ...['\n', '\r', '\u2028', '\u2029'].map((end) => ({ [`e${end}v`]: {} })),
    { '': 'x' },
    { ['k'.repeat('user:'.length + 129)]: 'x' },
    { env: 'x'.repeat(1025) },
    tags(65),
  ]
  for (const metadata of bad) assert.ok(!accepts({ metadata }), JSON.stringify(metadata))
  assert.ok(!accepts({}))
  assert.ok(!accepts({ metadata: {}, more: 1 }))
})
