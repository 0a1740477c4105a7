import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpClient } from '../shared/http-client.ts'
import type { Session } from './session.ts'
import { createTagReader } from './tags.ts'

const settings = { sdk: new URL('https://vc/sdk'), user: 'u', password: 'p', group: '', tls: {} }

test('concurrent reads of tags share each login', async () => {
  let logins = 0
  let hasEnded = false
  const late = Promise.withResolvers<void>()
  const http: HttpClient = {
    async send({ url, headers }) {
      const response = (status: number, value: unknown) => ({
        status,
        headers: {},
        body: Buffer.from(JSON.stringify({ value })),
      })
      if (url.pathname.endsWith('/session')) return response(200, `session-${(logins += 1)}`)
      if (headers?.['vmware-api-session-id'] !== 'session-1' || !hasEnded) return response(200, [])
      // The second request that fails learns it after the first one has logged in again.
      if (isFirst) isFirst = false
      else await late.promise
      return response(401, null)
    },
    close: () => {},
  }
  let isFirst = true
  const session = { http, host: 'vc', isVCenter: true } as unknown as Session
  const tags = createTagReader(session, settings, () => 0)
  const read = () => tags.read([{ type: 'VirtualMachine', id: 'vm-1' }], AbortSignal.timeout(5_000))

  await Promise.all([read(), read()])
  assert.equal(logins, 1)
  hasEnded = true
  const first = read()
  const second = read()
  await first
  late.resolve()
  await second
  assert.equal(logins, 2)
})

test('tags that the vCenter denies are unread, not absent', async () => {
  const paths = ['/session', '/tag-association', '/tag/id:tag-1', '/category/id:category-1']
  for (const denied of [undefined, ...paths]) {
    for (const status of [403, 404]) {
      const http: HttpClient = {
        async send({ url }) {
          const path = paths.find((one) => url.pathname.endsWith(one))
          const isDenied = path === denied
          const values: Readonly<Record<string, unknown>> = {
            '/session': 'session',
            '/tag-association': [{ object_id: { id: 'vm-1' }, tag_ids: ['tag-1'] }],
            '/tag/id:tag-1': { name: 'gold', category_id: 'category-1' },
            '/category/id:category-1': { name: 'class' },
          }
          const body = Buffer.from(JSON.stringify({ value: values[path ?? ''] }))
          return { status: isDenied ? status : 200, headers: {}, body }
        },
        close: () => {},
      }
      const session = { http, host: 'vc', isVCenter: true } as unknown as Session
      const tagsOf = await createTagReader(session, settings, () => 0).read(
        [{ type: 'VirtualMachine', id: 'vm-1' }],
        AbortSignal.timeout(5_000),
      )
      const { byCategory, areUnread } = tagsOf('vm-1')
      const label = `${denied} ${status}`
      assert.equal(areUnread, denied !== undefined, label)
      assert.deepEqual([...byCategory], denied === undefined ? [['class', 'gold']] : [], label)
    }
  }
})
