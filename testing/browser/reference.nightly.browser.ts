import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { startConsole, type TestConsole } from './start-console.ts'

const readStorage = `indexedDB.databases().then((databases) =>
  JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, databases]))`

describe('the API reference at /docs', () => {
  const lifetime = suiteLifetime()
  let testConsole: TestConsole
  before(async () => {
    testConsole = await startConsole(lifetime)
  })

  test('finds an operation, runs it with a token, stores no token and calls no other origin', async (t) => {
    const context = await testConsole.browser.newContext({ baseURL: testConsole.url })
    t.after(() => context.close())
    const foreignRequests: string[] = []
    context.on('request', (request) => {
      const isOwn =
        request.url().startsWith(`${testConsole.url}/`) || request.url().startsWith('data:')
      if (!isOwn) foreignRequests.push(request.url())
    })
    const page = await context.newPage()
    // Scalar reads a document of 800 kB: on a busy machine that takes a while.
    page.setDefaultTimeout(60_000)
    await page.goto('/docs')
    const { token } = testConsole.admin

    await page.getByLabel('Value').first().fill(token)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Enter search query' }).fill('list servers')
    await page
      .getByRole('option', { name: /List servers/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Test Request (get /servers)', exact: true }).click()
    const [response] = await Promise.all([
      page.waitForResponse((answer) => new URL(answer.url()).pathname === '/servers'),
      page.getByRole('button', { name: /^Send/ }).first().click(),
    ])
    assert.equal(response.status(), 200)
    assert.equal(response.url(), `${testConsole.url}/servers`, 'no parameter that nobody chose')
    await page.getByText('200 OK').first().waitFor()

    const stored = await page.evaluate<string>(readStorage)
    assert.ok(!stored.includes(token), stored)
    assert.deepEqual(foreignRequests, [])
  })
})
