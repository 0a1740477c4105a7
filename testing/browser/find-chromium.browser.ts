import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startChromium } from './find-chromium.ts'

describe('finding Chromium', () => {
  test('uses the requested browser without a fallback', async (t) => {
    const { MUSTER_CHROMIUM: usual } = process.env
    t.after(() => {
      if (usual === undefined) delete process.env['MUSTER_CHROMIUM']
      else process.env['MUSTER_CHROMIUM'] = usual
    })
    process.env['MUSTER_CHROMIUM'] = '/no/such/chromium'
    assert.equal(await startChromium(), undefined)
  })

  test('finds a browser automatically, and its process ends on close', async () => {
    const server = await startChromium()
    assert.ok(server)
    const gone = new Promise((resolve) => server.process().once('exit', resolve))
    await server.close()
    await gone
  })
})
