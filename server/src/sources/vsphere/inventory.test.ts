import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fakeVSphereConnection } from '../../testing/fake-vsphere-connection.ts'
import { parseXml } from '../shared/parse-xml.ts'
import { datacenter, readInventory } from './inventory.ts'
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
