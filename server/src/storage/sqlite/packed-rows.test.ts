import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packRows, unpackRows } from './packed-rows.ts'

for (const count of [0, 1, 512, 513, 2_000]) {
  test(`${count} rows arrive unchanged and in order`, async () => {
    const rows = Array.from({ length: count }, (_, at) => ({
      id: at,
      name: `ä ${at}`,
      missing: null,
      bytes: new Uint8Array([at % 256]),
    }))
    assert.deepEqual(await unpackRows(structuredClone(packRows(rows))), rows)
  })
}
