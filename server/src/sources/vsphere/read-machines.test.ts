import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fakeVSphereConnection } from '../../testing/fake-vsphere-connection.ts'
import { parseXml } from '../shared/parse-xml.ts'
import type { Connection } from './connection.ts'
import { getMachines } from './open-vsphere.ts'
import { listRefs } from './property-collector.ts'
import { checkAllMissing, readMachines } from './read-machines.ts'
import { scanMachines } from './scan.ts'
import { SoapFault, UnparsableResponse } from './soap.ts'

const refs = (...numbers: readonly number[]) =>
  numbers.map((number) => ({ type: 'VirtualMachine', id: `vm-${number}` }))
const uuidOf = (id: string) => `00000000-0000-4000-8000-${id.replace('vm-', '').padStart(12, '0')}`
const keyOf = (id: string) => ['vsphere', 'vc', uuidOf(id)]

const property = (name: string, value: string) =>
  `<propSet><name>${name}</name><val>${value}</val></propSet>`
const machine = (id: string, ...more: readonly string[]) =>
  `<objects><obj type="VirtualMachine">${id}</obj>${property('name', `name of ${id}`)}${more.join('')}</objects>`
const readable = (id: string) =>
  machine(
    id,
    property('config.instanceUuid', uuidOf(id)),
    property('runtime.connectionState', 'connected'),
    property('runtime.powerState', 'poweredOn'),
  )
const notFound = () => {
  throw new SoapFault('ManagedObjectNotFound', 'vc', 'RetrievePropertiesEx')
}
const denied = () => {
  throw new SoapFault('NoPermission', 'vc', 'RetrievePropertiesEx')
}

/** A connection to a vCenter that responds with these objects, for the requested ids. */
const connect = (response: (ids: readonly string[], parameters: string) => string): Connection =>
  fakeVSphereConnection({
    async call(_method, _self, parameters = '') {
      const requested = [...parameters.matchAll(/<obj type="VirtualMachine">([^<]+)/g)]
      const ids = requested.map(([, id = '']) => id)
      const objects = response(ids, parameters)
      const list = objects === '' ? '' : `<returnval>${objects}</returnval>`
      return parseXml(`<RetrievePropertiesExResponse>${list}</RetrievePropertiesExResponse>`)
    },
    create: async (method) => ({ type: 'ContainerView', id: method }),
  })
const signal = () => AbortSignal.timeout(5_000)

describe('virtual machines that are not listed any more', () => {
  const root = '<objects><obj type="rootFolder">rootFolder</obj></objects>'
  const response = (ids: readonly string[]) => {
    if (ids.length === 0) return root
    if (ids[0] === 'vm-1') return notFound()
    if (ids[0] === 'vm-2') return denied()
    return ids.map(readable).join('')
  }

  test('are gone only if vSphere says that they do not exist', async () => {
    const connection = connect(response)
    for (const { id } of refs(1, 2, 3)) connection.identities.add(id, uuidOf(id), `name of ${id}`)
    const { present, gone, unreadable } = await checkAllMissing(connection, refs(1, 2, 3), signal())
    assert.deepEqual([present, gone], [[], [keyOf('vm-1')]])
    assert.deepEqual(
      unreadable.map(({ key, name }) => [key, name]),
      [
        [keyOf('vm-2'), 'name of vm-2'],
        [keyOf('vm-3'), 'name of vm-3'],
      ],
    )
    // An event may report the same deletion once more.
    const again = await checkAllMissing(connection, refs(1), signal())
    assert.deepEqual(again.gone, [keyOf('vm-1')])
  })

  test('keep their identity in a scan if they are registered again', async () => {
    const connection = connect((ids, parameters) => {
      if (parameters.includes('ContainerView')) {
        const ref = '<ManagedObjectReference type="VirtualMachine">vm-8</ManagedObjectReference>'
        return `<objects><obj type="ContainerView">CreateContainerView</obj>${property('view', ref)}</objects>`
      }
      if (ids.length === 0) return root
      if (ids[0] === 'vm-1') return notFound()
      return ids.map((id) => readable(id).replace(uuidOf(id), uuidOf('vm-1'))).join('')
    })
    connection.identities.add('vm-1', uuidOf('vm-1'), 'name of vm-1')
    const pages = await Array.fromAsync(scanMachines(connection, signal()))
    assert.deepEqual(
      pages.flatMap(({ present }) => present.map(({ key }) => key)),
      [keyOf('vm-1')],
    )
  })

  test('fail if vSphere has no root folder either', async () => {
    await assert.rejects(checkAllMissing(connect(notFound), refs(1), signal()), {
      kind: 'incomplete',
    })
  })

  test('fail if vSphere neither returns nor denies them', async () => {
    const connection = connect(() => '')
    await assert.rejects(checkAllMissing(connection, refs(1), signal()), { kind: 'incomplete' })
    await assert.rejects(readMachines(connection, refs(1, 2), signal()), { kind: 'incomplete' })
  })
})

describe('a virtual machine that is read by its server', () => {
  const inaccessible = (id: string) =>
    machine(id, property('runtime.connectionState', 'inaccessible'))
  /** What vSphere finds by the UUID of `vm-1`, and has under its id. */
  const states = {
    visible: { found: ['vm-1'], read: readable },
    'registered again': {
      found: ['vm-8'],
      read: (id: string) =>
        id === 'vm-1' ? notFound() : readable(id).replace(uuidOf(id), uuidOf('vm-1')),
    },
    deleted: { found: [], read: notFound },
    hidden: { found: [], read: denied },
    inaccessible: { found: ['vm-1'], read: inaccessible },
    'replaced by another': {
      found: [],
      read: (id: string) => readable(id).replace(uuidOf(id), uuidOf('vm-9')),
    },
  }
  type State = keyof typeof states
  const expected: Readonly<Record<State, string>> = {
    visible: 'present',
    'registered again': 'present',
    deleted: 'gone',
    hidden: 'unreadable',
    inaccessible: 'unreadable',
    'replaced by another': 'gone',
  }

  for (const state of Object.keys(states) as State[]) {
    for (const isReadBefore of [false, true]) {
      for (const hasNote of [false, true]) {
        test(`and is ${state}: ${isReadBefore ? '' : 'not '}read in this login, its id is ${hasNote ? '' : 'not '}stored`, async () => {
          const { found, read } = states[state]
          const connection = fakeVSphereConnection({
            async call(method, _self, parameters = '') {
              if (method === 'FindAllByUuid') {
                const values = found.map(
                  (id) => `<returnval type="VirtualMachine">${id}</returnval>`,
                )
                return parseXml(`<Response>${values.join('')}</Response>`)
              }
              const ids = [...parameters.matchAll(/<obj type="VirtualMachine">([^<]+)/g)]
              const objects = ids.map(([, id = '']) => {
                try {
                  return read(id)
                } catch (error) {
                  if (parameters.includes('reportMissing')) return ''
                  throw error
                }
              })
              const root = '<objects><obj type="rootFolder">rootFolder</obj></objects>'
              return parseXml(
                `<Response><returnval>${ids.length === 0 ? root : objects.join('')}</returnval></Response>`,
              )
            },
          })
          if (isReadBefore) connection.identities.add('vm-1', uuidOf('vm-1'), 'name')
          const reference = {
            externalId: uuidOf('vm-1'),
            name: 'name',
            notes: hasNote ? { managed_object_id: 'vm-1' } : {},
          }
          const reading = getMachines(connection, [reference], signal())
          const isFound = expected[state] === 'present'
          const canTell = hasNote || isFound || (isReadBefore && state !== 'replaced by another')
          if (!canTell) return await assert.rejects(reading, { name: 'UnconfirmedAbsence' })
          const [server] = await reading
          if (expected[state] === 'gone') return assert.equal(server, undefined)
          assert.ok(server)
          assert.deepEqual(server.key, keyOf('vm-1'))
          assert.equal('facts' in server, isFound)
        })
      }
    }
  }
})

test('a list that is missing differs from an empty one', async () => {
  const list = (response: string) =>
    listRefs(connect(() => response).session.until(signal()), ['VirtualMachine'])
  const view = (...parts: readonly string[]) =>
    `<objects><obj type="ContainerView">CreateContainerView</obj>${parts.join('')}</objects>`
  assert.deepEqual(await list(view(property('view', ''))), [])
  for (const response of ['', view(), readable('vm-1'), view(property('view', '<ref/>'))])
    await assert.rejects(list(response), { kind: 'invalid-response' })
})

describe('virtual machines that cannot be read', () => {
  const read = (connection: Connection, ...numbers: readonly number[]) =>
    readMachines(connection, refs(...numbers), signal())

  test('are found among others that can', async () => {
    const connection = connect((ids, parameters) => {
      if (ids.includes('vm-3') && parameters.includes('<pathSet>name<'))
        throw new UnparsableResponse('invalid-response', 'vc: not well formed')
      return ids.map(readable).join('')
    })
    const { present, gone, unreadable } = await read(connection, 1, 2, 3, 4, 5)
    assert.deepEqual(
      present.map(({ key }) => key),
      ['vm-1', 'vm-2', 'vm-4', 'vm-5'].map(keyOf),
    )
    assert.deepEqual([gone, unreadable.map(({ key }) => key)], [[], [keyOf('vm-3')]])
  })

  test('fail the scan if there are no others', async () => {
    const connection = connect(() => {
      throw new UnparsableResponse('invalid-response', 'vc: not well formed')
    })
    await assert.rejects(read(connection, 1, 2, 3), { kind: 'invalid-response' })
  })

  test('keep the key of the time when their files could be read', async () => {
    let isAccessible = true
    const connection = connect((ids) =>
      ids
        .map((id) =>
          isAccessible
            ? readable(id)
            : machine(id, property('runtime.connectionState', 'inaccessible')),
        )
        .join(''),
    )
    await read(connection, 1)
    isAccessible = false
    const { unreadable } = await read(connection, 1, 2)
    assert.deepEqual(
      unreadable.map(({ key }) => key),
      [keyOf('vm-1'), ['vsphere', 'vc', 'vm-2']],
    )
    assert.match(unreadable[0]?.reason ?? '', /inaccessible/)
  })

  test('do not include unrequested ones', async () => {
    const connection = connect(() => readable('vm-9'))
    await assert.rejects(read(connection, 1), { kind: 'invalid-response' })
  })

  test('are unreadable if the user may not read a property', async () => {
    const missing =
      '<missingSet><path>config</path><fault><fault xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="NoPermission"/></fault></missingSet>'
    const connection = connect((ids) =>
      ids.map((id) => machine(id, property('config.instanceUuid', uuidOf(id)), missing)).join(''),
    )
    const { present, unreadable } = await read(connection, 1)
    assert.deepEqual([present, unreadable.map(({ key }) => key)], [[], [keyOf('vm-1')]])
  })
})
