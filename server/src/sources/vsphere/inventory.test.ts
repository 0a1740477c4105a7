import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fakeVSphereConnection } from '../../testing/fake-vsphere-connection.ts'
import { parseXml } from '../shared/parse-xml.ts'
import { renewInventory } from './connection.ts'
import { datacenter, host, readInventory } from './inventory.ts'
import { SoapFault } from './soap.ts'

/** Each is in the one before it. */
const chain = [
  ['Folder', 'rootFolder'],
  ['Datacenter', 'datacenter-2'],
  ['Folder', 'group-h4'],
  ['ClusterComputeResource', 'domain-c8'],
  ['HostSystem', 'host-9'],
] as const

interface Answers {
  /** The object that is left out. */
  readonly id: string
  readonly from: 'list' | 'answer'
  /** What vSphere answers if it is asked for this object alone. */
  readonly alone: 'present' | 'silent' | 'NoPermission' | 'ManagedObjectNotFound'
}

/** Reads the inventory of a vCenter that leaves an object out. */
function readWithout({ id: left, from, alone }: Answers) {
  const objectOf = (id: string) => {
    const at = chain.findIndex(([, one]) => one === id)
    const [type, parent] = [chain[at]?.[0], chain[at - 1]]
    const value = parent ? `<val type="${parent[0]}">${parent[1]}</val>` : ''
    return `<objects><obj type="${type}">${id}</obj><propSet><name>name</name><val>${id}</val></propSet>
      <propSet><name>parent</name>${value}</propSet></objects>`
  }
  const list = chain
    .slice(1)
    .filter(([, id]) => from !== 'list' || id !== left)
    .map(([type, id]) => `<ManagedObjectReference type="${type}">${id}</ManagedObjectReference>`)
  const { session } = fakeVSphereConnection({
    async call(_method, _self, parameters = '') {
      const ids = [...parameters.matchAll(/<obj type="\w+">([^<]+)/g)].map(([, id = '']) => id)
      const answer = (objects: string) =>
        parseXml(`<Response><returnval>${objects}</returnval></Response>`)
      if (ids[0] === 'view') {
        return answer(
          `<objects><obj type="ContainerView">view</obj><propSet><name>view</name><val>${list.join('')}</val></propSet></objects>`,
        )
      }
      if (ids.length > 1)
        return answer(
          ids
            .filter((id) => id !== left)
            .map(objectOf)
            .join(''),
        )
      if (ids[0] === left && alone === 'silent') return answer('')
      if (ids[0] === left && alone !== 'present') throw new SoapFault(alone, 'vc', 'Retrieve')
      return answer(ids.map(objectOf).join(''))
    },
    create: async () => ({ type: 'ContainerView', id: 'view' }),
  })
  return readInventory(session, '', AbortSignal.timeout(5_000))
}

describe('an inventory of which vSphere leaves a part out', () => {
  const inner = ['group-h4', 'domain-c8']

  test('is incomplete if the part exists', async () => {
    for (const id of ['datacenter-2', ...inner]) {
      for (const from of ['list', 'answer'] as const) {
        for (const alone of ['present', 'silent'] as const) {
          const about = `${id} ${from} ${alone}`
          await assert.rejects(readWithout({ id, from, alone }), { kind: 'incomplete' }, about)
        }
      }
    }
  })

  test('is complete if the part is gone, or the user may not see it', async () => {
    for (const id of inner) {
      for (const from of ['list', 'answer'] as const) {
        for (const alone of ['NoPermission', 'ManagedObjectNotFound'] as const) {
          const inventory = await readWithout({ id, from, alone })
          assert.equal(inventory.get(id), undefined)
          assert.equal(inventory.all(datacenter).length, 1, `${id} ${from} ${alone}`)
        }
      }
    }
  })
})

describe('an inventory with many hosts', () => {
  const signal = () => AbortSignal.timeout(10_000)
  const property = (name: string, value: string) =>
    `<propSet><name>${name}</name><val>${value}</val></propSet>`
  const identifiers = Array.from(
    { length: 8 },
    (_, number) =>
      `<otherIdentifyingInfo><identifierValue>value ${number}</identifierValue><identifierType><label>Asset</label><key>AssetTag</key></identifierType></otherIdentifyingInfo>`,
  ).join('')
  const hardware = `<uuid>u</uuid>${identifiers}<memorySize>1</memorySize><cpuModel>Xeon</cpuModel>`

  /** A session of a vCenter with so many hosts, and how often its objects were listed. */
  function connect(hosts: number, name: string) {
    const refs = [
      '<ManagedObjectReference type="Datacenter">datacenter-2</ManagedObjectReference>',
      ...Array.from(
        { length: hosts },
        (_, number) =>
          `<ManagedObjectReference type="HostSystem">host-${number}</ManagedObjectReference>`,
      ),
    ]
    const lists = { count: 0 }
    const { session } = fakeVSphereConnection({
      async call(_method, _self, parameters = '') {
        const asked = [...parameters.matchAll(/<obj type="(\w+)">([^<]+)/g)]
        const isList = asked[0]?.[2] === 'view'
        if (isList) lists.count += 1
        const objects = isList
          ? [
              `<objects><obj type="ContainerView">view</obj>${property('view', refs.join(''))}</objects>`,
            ]
          : asked.map(
              ([, type, id]) =>
                `<objects><obj type="${type}">${id}</obj>${property('name', name)}${property('summary.hardware', hardware)}${property('hardware.systemInfo', hardware)}</objects>`,
            )
        return parseXml(`<Response><returnval>${objects.join('')}</returnval></Response>`)
      },
      create: async () => ({ type: 'ContainerView', id: 'view' }),
    })
    return { session, lists }
  }

  test('is not cut', async () => {
    const { session } = connect(1_000, 'esx.example.com')
    const inventory = await readInventory(session, '', signal())
    assert.deepEqual([inventory.errors, inventory.all(host).length], [[], 1_000])
  })

  test('is not read again for hosts that were cut', async () => {
    const { session, lists } = connect(60, 'x'.repeat(400_000))
    const first = await readInventory(session, '', signal())
    assert.equal(first.errors.length, 1)
    const { inventoryWith } = renewInventory(session, '', first)
    assert.equal(first.get('host-59'), undefined)
    const missing = [{ type: 'HostSystem', id: 'host-59' }]
    assert.equal(await inventoryWith(missing, [], signal()), first)
    assert.equal(lists.count, 1)
  })
})
