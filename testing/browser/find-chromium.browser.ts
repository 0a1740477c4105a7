import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startChromium } from './find-chromium.ts'

describe('the Chromium of a run', () => {
  test('is the one that is asked for, and no other in its place', async (t) => {
    const { MUSTER_CHROMIUM: usual } = process.env
    t.after(() => {
      if (usual === undefined) delete process.env['MUSTER_CHROMIUM']
      else process.env['MUSTER_CHROMIUM'] = usual
    })
    process.env['MUSTER_CHROMIUM'] = '/no/such/chromium'
    assert.equal(await startChromium(), undefined)
  })

  test('is found by itself, and is gone when it is closed', async () => {
    const server = await startChromium()
    assert.ok(server)
    const gone = new Promise((resolve) => server.process().once('exit', resolve))
    await server.close()
    await gone
  })
})
