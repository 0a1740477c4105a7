import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, test, type TestContext } from 'node:test'
import {
  ActionError,
  type ActionSupport,
  type SourceRequest,
} from '../domain/sources/action-port.ts'
import { SourceError } from '../domain/sources/source-error.ts'
import { conformanceContext, testTimeout } from '../testing/inventory-world/scan-source.ts'
import { referTo } from '../testing/inventory-world/server-reference.ts'
import { awsActing } from './aws/aws-acting.ts'
import { incusActing } from './incus/incus-acting.ts'
import { openstackActing } from './openstack/openstack-acting.ts'
import { vsphereActing } from './vsphere/vsphere-acting.ts'

interface Received {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly token: string
}
interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | string
}

/** A source that only answers what an action reads, and accepts every change. */
interface StandIn {
  readonly acting: ActionSupport
  readonly credentials: Readonly<Record<string, string>>
  readonly id: string
  readonly requests: readonly SourceRequest[]
  isChange(received: Received): boolean
  isLogin?(received: Received): boolean
  answer(received: Received, url: string): Answer
}

const soap = (method: string, content: string) =>
  `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><${method}Response>${content}</${method}Response></e:Body></e:Envelope>`
const methodOf = (body: string) => /<e:Body><(\w+)/.exec(body)?.[1] ?? ''
const managers = ['rootFolder', 'searchIndex', 'propertyCollector', 'sessionManager']
  .map((name) => `<${name} type="${name}">${name}</${name}>`)
  .join('')
const soapResults: Readonly<Record<string, string>> = {
  RetrieveServiceContent: `<returnval>${managers}<about><apiType>HostAgent</apiType></about></returnval>`,
  Login: '<returnval><key>one</key></returnval>',
  FindAllByUuid: '<returnval type="VirtualMachine">vm-1</returnval>',
}
const uuid = '00000000-0000-4000-8000-000000000001'
const instance = { name: 'one', config: {}, expanded_config: { 'volatile.uuid': uuid } }
const incusReads: Readonly<Record<string, unknown>> = {
  '/1.0': { api_version: '1.0', auth: 'trusted', environment: { server: 'incus' } },
  '/1.0/projects': [{ name: 'default' }],
  '/1.0/instances': [instance],
}

const life = { issued_at: '2026-01-01T00:00:00Z', expires_at: '2026-01-02T00:00:00Z' }

const standIns: Readonly<Record<string, StandIn>> = {
  EC2: {
    acting: awsActing,
    credentials: { access_key_id: 'AKIAFAKE', secret_access_key: 'the-secret' },
    id: 'i-1',
    requests: [
      { name: 'StopInstances', data: { Force: false } },
      { name: 'CreateTags', data: { Name: 'new' } },
      { name: 'TerminateInstances' },
    ],
    isChange: () => true,
    answer({ body }) {
      const action = new URLSearchParams(body).get('Action')
      return { body: `<${action}Response></${action}Response>` }
    },
  },
  Nova: {
    acting: openstackActing,
    credentials: { username: 'muster', password: 'the-secret' },
    id: 'server-1',
    requests: [{ name: 'os-stop' }, { name: 'rename', data: { name: 'new' } }, { name: 'delete' }],
    isChange: ({ method, path }) => method !== 'GET' && path.startsWith('/nova'),
    isLogin: ({ path }) => path === '/v3/auth/tokens',
    answer({ method, path }, url) {
      if (path === '/v3/auth/tokens') {
        const endpoints = [{ interface: 'public', region_id: 'eu-west-1', url: `${url}/nova` }]
        const catalog = [{ id: 'nova', type: 'compute', endpoints }]
        const headers = { 'x-subject-token': `token-${Math.random()}` }
        return { status: 201, headers, body: { token: { ...life, project: { id: 'p' }, catalog } } }
      }
      if (method === 'GET' && path.startsWith('/nova/servers/detail'))
        return { body: { servers: [] } }
      if (method === 'GET')
        return {
          body: {
            version: {},
            server: { id: 'server-1', name: 'one', addresses: {} },
          },
        }
      const status = { POST: 202, PUT: 200, DELETE: 204 }[method]
      return { ...(status && { status }), body: method === 'DELETE' ? '' : { server: {} } }
    },
  },
  vSphere: {
    acting: vsphereActing,
    credentials: { username: 'muster', password: 'the-secret' },
    id: uuid,
    requests: [
      { name: 'PowerOffVM_Task' },
      { name: 'Rename_Task', data: { newName: 'new' } },
      { name: 'UnregisterVM' },
    ],
    isChange: ({ body }) => /<(?:PowerOffVM_Task|Rename_Task|UnregisterVM) /.test(body),
    isLogin: ({ body }) => methodOf(body) === 'Login',
    answer: ({ body }) => ({
      headers: { 'set-cookie': `vmware_soap_session=${Math.random()}` },
      body: soap(methodOf(body), soapResults[methodOf(body)] ?? ''),
    }),
  },
  Incus: {
    acting: incusActing,
    credentials: {},
    id: uuid,
    requests: [
      { name: 'stop', data: { force: true } },
      { name: 'rename', data: { name: 'new' } },
      { name: 'delete' },
    ],
    isChange: ({ method }) => method !== 'GET',
    answer: ({ path }) => ({
      body: { type: 'sync', metadata: incusReads[path.replace(/\?.*/, '')] ?? instance },
    }),
  },
}

type Fault = 'close' | 'cut' | 'garbage' | 'hang' | Answer

function misbehave(fault: Fault, response: ServerResponse): void {
  const { socket } = response
  if (fault === 'hang') return
  if (fault === 'close') return void socket?.destroy()
  if (fault === 'garbage') return void socket?.end('\u0001\u0002 no HTTP at all\r\n\r\n')
  if (fault === 'cut') {
    response.writeHead(200, { 'content-length': '1000' })
    return void response.write('<', () => socket?.destroy())
  }
  const { status = 200, headers = {}, body = '' } = fault
  response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
}

async function start(context: TestContext, standIn: StandIn) {
  const received: Received[] = []
  const world: { fault: Fault | undefined; onChange: () => void } = {
    fault: undefined,
    onChange: () => {},
  }
  const server = createServer(async (message: IncomingMessage, response) => {
    const { method = '', url: path = '', headers } = message
    const token = String(headers['x-auth-token'] ?? headers.cookie ?? '')
    const request = { method, path, body: await text(message), token }
    received.push(request)
    if (standIn.isChange(request)) world.onChange()
    if (world.fault !== undefined && standIn.isChange(request)) misbehave(world.fault, response)
    else misbehave(standIn.answer(request, url), response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const settings = {
    address: url,
    credentials: standIn.credentials,
    options: { project: 'p', regions: ['eu-west-1'] },
  }
  const actor = await standIn.acting.open(settings, conformanceContext, testTimeout())
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  context.after(async () => {
    stop()
    await actor.close()
  })
  const reference = { ...referTo(standIn.id, 'eu-west-1'), tenantId: '' }
  const send = (request: SourceRequest, signal = testTimeout()) =>
    actor.send(request, reference, signal).then(
      () => undefined,
      (error: unknown) => error,
    )
  const changes = () => received.filter((request) => standIn.isChange(request))
  return { world, send, stop, changes, received }
}

const statuses = [400, 401, 403, 404, 409, 429, 500, 501, 502, 503, 504]
const pages = ['<html>Sorry</html>', '{"error": {"message": "Sorry"}}']
const faults: readonly Fault[] = [
  'close',
  'cut',
  'garbage',
  'hang',
  ...statuses.flatMap((status) => pages.map((body) => ({ status, body }))),
  // No source answers a change like this.
  { status: 200, body: '<html>Welcome</html>' },
  { status: 302, headers: { location: '/elsewhere' } },
]

const isDefinite = (status: number) => status >= 400 && status < 500

for (const [name, standIn] of Object.entries(standIns)) {
  describe(`a change at ${name}`, () => {
    test('is sent once whatever the answer is, and only 401 and 429 say that nothing was done', async (context) => {
      const { world, send, changes } = await start(context, standIn)
      for (const request of standIn.requests) {
        for (const fault of faults) {
          const what = `${request.name}: ${JSON.stringify(fault)}`
          world.fault = fault
          const before = changes().length
          const end = new AbortController()
          world.onChange = () => fault === 'hang' && end.abort()
          const error = await send(request, end.signal)
          assert.ok(error instanceof ActionError, `${what}: ${String(error)}`)
          assert.equal(changes().length, before + 1, `${what} was sent again`)
          const { status = 0 } = typeof fault === 'object' ? fault : {}
          const isNotDone = status === 401 || status === 429
          assert.equal(error.mayRetry, isNotDone, what)
          if (!isDefinite(status) && status !== 501)
            assert.equal(error.kind, 'outcome-unknown', what)
          // A proxy does not know whether the server exists.
          assert.notEqual(error.kind, 'not-found', what)
          if (status >= 500) assert.match(error.message, new RegExp(`\\b${status}\\b`), what)
          for (const secret of Object.values(standIn.credentials))
            if (secret.startsWith('the-')) assert.ok(!error.stack?.includes(secret), error.message)
        }
      }
    })

    test('can be sent again after a 401, with another login', async (context) => {
      const { world, send, changes, received } = await start(context, standIn)
      const request = standIn.requests.at(-1)
      assert.ok(request)
      world.fault = { status: 401 }
      assert.ok((await send(request)) instanceof ActionError)
      world.fault = undefined
      assert.equal(await send(request), undefined)
      const [first, second] = changes()
      if (standIn.isLogin) {
        assert.notEqual(first?.token, second?.token)
        assert.equal(received.filter((one) => standIn.isLogin?.(one)).length, 2)
      }
    })

    test('is not sent if nothing listens', async (context) => {
      const { send, stop, changes } = await start(context, standIn)
      stop()
      for (const request of standIn.requests)
        assert.ok((await send(request)) instanceof SourceError, request.name)
      assert.equal(changes().length, 0)
    })
  })
}
