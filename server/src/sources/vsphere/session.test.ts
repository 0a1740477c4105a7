import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { conformanceContext } from '../../testing/inventory-world/source-conformance.ts'
import { listRefs } from './property-collector.ts'
import { openSession } from './session.ts'

const content = ['rootFolder', 'viewManager', 'propertyCollector', 'sessionManager']
  .map((name) => `<${name} type="${name}">${name}</${name}>`)
  .join('')
const results: Readonly<Record<string, string>> = {
  RetrieveServiceContent: `<returnval>${content}<about><apiType>HostAgent</apiType></about></returnval>`,
  Login: '<returnval><key>one</key></returnval>',
  CreateContainerView: '<returnval type="ContainerView">view-1</returnval>',
}

test('an aborted list leaves no view in the session', async (context) => {
  const called: string[] = []
  const stop = new AbortController()
  const server = createServer(async (request, response) => {
    const [, method = ''] = /<e:Body><(\w+)/.exec(await text(request)) ?? []
    called.push(method)
    // The list itself is never sent.
    if (method === 'RetrievePropertiesEx') return stop.abort()
    response.setHeader('set-cookie', 'vmware_soap_session=one')
    response.end(
      `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><${method}Response>${results[method] ?? ''}</${method}Response></e:Body></e:Envelope>`,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const sdk = new URL(`http://127.0.0.1:${port}/sdk`)
  const settings = { sdk, user: 'user', password: 'password', group: '', tls: {} }
  const session = await openSession(settings, conformanceContext, AbortSignal.timeout(5_000))
  context.after(() => session.close())
  await assert.rejects(listRefs(session.until(stop.signal), ['VirtualMachine']))
  assert.deepEqual(called.slice(-3), ['CreateContainerView', 'RetrievePropertiesEx', 'DestroyView'])
})
