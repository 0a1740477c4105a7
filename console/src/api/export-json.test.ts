import assert from 'node:assert/strict'
import { it } from 'node:test'
import { toJsonArray } from './save-export.ts'

const streamOf = (...texts: string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text))
      controller.close()
    },
  })

it('converts lines to one array, wherever chunks end', async () => {
  const blob = await toJsonArray(streamOf('{"a":1}\n{"a"', ':2}\n{"a":3}', '\n'))
  assert.deepEqual(JSON.parse(await blob.text()), [{ a: 1 }, { a: 2 }, { a: 3 }])
})

it('converts empty input to an empty array', async () => {
  assert.deepEqual(JSON.parse(await (await toJsonArray(streamOf())).text()), [])
})
