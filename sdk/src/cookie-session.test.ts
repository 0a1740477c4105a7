import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createBrowser } from '../../gateway/src/testing/browser.ts'
import {
  adminPassword,
  startPlatform,
  type TestPlatform,
} from '../../server/src/testing/start-platform.ts'
import { cookieSession, createClient, isApiError } from './index.ts'

describe('in a browser', () => {
  let platform: TestPlatform
  before(async () => {
    platform = await startPlatform()
  })
  after(() => platform.close())

  /** A page of the console: its requests have relative URLs and the browser's cookies. */
  function openPage(browser = createBrowser(platform.url)) {
    const calls: string[] = []
    const client = createClient({
      auth: cookieSession(),
      fetch: async (address, { method, headers, body }) => {
        calls.push(`${method} ${address}`)
        return await browser.fetchRaw(address, {
          method,
          headers,
          ...(body !== undefined && { body: JSON.parse(body) as unknown }),
        })
      },
    })
    return { browser, client, calls }
  }
  const login = { body: { name: 'sysadmin', password: adminPassword } }

  test('a page logs in, reads and changes, and sends the CSRF token by itself', async () => {
    const { client, calls } = openPage()
    await assert.rejects(client.getSession(), (error) => isApiError(error, 'UnauthorizedError'))
    const { session } = await client.createSession(login)
    assert.equal(session.user.name, 'sysadmin')
    await client.listServers({ query: { limit: 1 } })
    const { project } = await client.createProject({ body: { project: { name: 'from a page' } } })
    assert.equal(project.name, 'from a page')
    assert.deepEqual(calls.slice(1), [
      'POST /api/session',
      'GET /api/servers?limit=1',
      'POST /api/v3/projects',
    ])
  })

  test('a page that was opened later reads the session once', async () => {
    const first = openPage()
    await first.client.createSession(login)
    const { client, calls } = openPage(first.browser)
    const create = (name: string) => client.createProject({ body: { project: { name } } })
    await Promise.all([create('one'), create('two')])
    assert.deepEqual(calls, ['GET /api/session', 'POST /api/v3/projects', 'POST /api/v3/projects'])
  })

  test('after a switch, changes by other pages are refused until they reload the session', async () => {
    const { client, browser } = openPage()
    const { session } = await client.createSession(login)
    const other = openPage(browser).client
    await other.logIn()
    const { project } = await client.createProject({ body: { project: { name: 'next' } } })
    const { roles } = await client.listRoles({ query: { name: 'project_owner' } })
    await client.grantProjectUserRole({
      parameters: { id: project.id, user_id: session.user.id, role_id: roles[0]?.id ?? '' },
    })
    const moved = await client.switchScope({ body: { scope: { project_id: project.id } } })
    assert.equal(moved.session.scope.name, 'next')
    await client.updateProject({
      parameters: { id: project.id },
      body: { project: { description: 'changed' } },
    })
    // The page showed another project, so the change must not be made in this one.
    const late = other.updateProject({
      parameters: { id: project.id },
      body: { project: { description: 'by mistake' } },
    })
    await assert.rejects(late, (error) => isApiError(error, 'ForbiddenError'))
    assert.equal((await other.logIn()).scope.name, 'next')
  })

  test('logging out ends the session for every page', async () => {
    const { client, browser } = openPage()
    await client.createSession(login)
    const other = openPage(browser).client
    await client.logOut()
    for (const page of [client, other]) {
      await assert.rejects(page.listServers(), (error) => isApiError(error, 'UnauthorizedError'))
    }
    const all = client.all('listServers', { query: { limit: 1 } })
    await assert.rejects(all.next(), (error) => isApiError(error, 'UnauthorizedError'))
  })
})
