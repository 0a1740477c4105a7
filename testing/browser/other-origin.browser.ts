import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { suiteLifetime, type Lifetime } from '../../server/src/testing/spawn-muster.ts'
import { enterAs } from './enter-as.ts'
import { createSmallFleet, type SmallFleet } from './small-fleet.ts'
import { startConsole, type TestConsole } from './start-console.ts'

const page = '<!doctype html><title>elsewhere</title><form method="post"></form><iframe></iframe>'

/** A foreign page at another port of the same host: same site, another origin. */
async function startOther(lifetime: Lifetime): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  lifetime.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as { port: number }
  return `http://127.0.0.1:${port}/`
}

const fetchFrom = (page: Page, url: string, options: object): Promise<string> =>
  page.evaluate(
    `fetch('${url}', ${JSON.stringify({ credentials: 'include', ...options })})
      .then((answer) => answer.type === 'opaque' ? 'opaque' : answer.text(), () => 'refused')`,
  )

describe('SEC-52 a page of another origin', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  let fleet: SmallFleet
  before(async () => {
    testConsole = await startConsole(lifetime)
    fleet = await createSmallFleet(testConsole)
  })

  /** A page in a logged-in browser. Not a `Visit`, because errors are expected here. */
  async function lureOwner(t: Lifetime) {
    const context = await testConsole.browser.newContext()
    t.after(() => context.close())
    await enterAs(context, testConsole.url, fleet.owner)
    const foreign = await context.newPage()
    const elsewhere = await startOther(t)
    await foreign.goto(elsewhere)
    const isStillIn = async () => {
      const own = await context.newPage()
      await own.goto(`${testConsole.url}/api/session`)
      const text = await own.locator('body').innerText()
      await own.close()
      const { session } = JSON.parse(text) as { session: { scope: { id: string } } }
      return session.scope.id === fleet.web
    }
    return { foreign, elsewhere, isStillIn }
  }

  test('cannot read or change anything with fetch, even with the cookie', async (t) => {
    const { foreign, isStillIn } = await lureOwner(t)
    const scope = JSON.stringify({ scope: { project_id: fleet.db } })
    assert.equal(await fetchFrom(foreign, `${testConsole.url}/api/session`, {}), 'refused')
    assert.equal(await fetchFrom(foreign, `${testConsole.url}/api/servers`, {}), 'refused')
    for (const method of ['DELETE', 'PUT', 'PATCH', 'POST']) {
      const headers = { 'content-type': 'application/json' }
      const body = method === 'DELETE' ? {} : { body: scope, headers }
      const url = `${testConsole.url}/api/session${method === 'DELETE' ? '' : '/scope'}`
      assert.equal(await fetchFrom(foreign, url, { method, ...body }), 'refused', method)
    }
    for (const path of ['/api/session', '/api/session/scope']) {
      const url = testConsole.url + path
      const blind = { method: 'POST', mode: 'no-cors', body: scope }
      assert.equal(await fetchFrom(foreign, url, blind), 'opaque', path)
    }
    assert.ok(await isStillIn())
  })

  test('cannot change anything with a form', async (t) => {
    const { foreign, elsewhere, isStillIn } = await lureOwner(t)
    for (const path of ['/api/session', '/api/session/scope']) {
      await foreign.goto(elsewhere)
      const answering = foreign.waitForResponse((answer) => answer.url() === testConsole.url + path)
      await foreign.evaluate(
        `document.forms[0].action = '${testConsole.url}${path}'; document.forms[0].submit()`,
      )
      assert.ok((await answering).status() >= 400, path)
      await foreign.waitForURL(testConsole.url + path)
    }
    assert.ok(await isStillIn())
  })

  test('cannot show the console in a frame', async (t) => {
    const { foreign } = await lureOwner(t)
    await foreign.evaluate(`document.querySelector('iframe').src = '${testConsole.url}/console/'`)
    await foreign.waitForTimeout(300)
    const inside = foreign.frames().at(-1)
    assert.ok(inside && inside !== foreign.mainFrame())
    assert.equal(await inside.locator('#root').count(), 0)
  })
})
