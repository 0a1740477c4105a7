import assert from 'node:assert/strict'
import { it } from 'node:test'
import { toJsonArray } from './export-json.ts'

const streamOf = (...texts: string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text))
      controller.close()
    },
  })

it('makes one array of lines, wherever the pieces end', async () => {
  const blob = await toJsonArray(streamOf('{"a":1}\n{"a"', ':2}\n{"a":3}', '\n'))
  assert.deepEqual(JSON.parse(await blob.text()), [{ a: 1 }, { a: 2 }, { a: 3 }])
})

it('makes an empty array of nothing', async () => {
  assert.deepEqual(JSON.parse(await (await toJsonArray(streamOf())).text()), [])
})
