import type { Connection } from '../sources/vsphere/connection.ts'
import { createIdentities } from '../sources/vsphere/identities.ts'
import { createInventory } from '../sources/vsphere/inventory.ts'
import type { Api } from '../sources/vsphere/session.ts'
import { noTags } from '../sources/vsphere/tags.ts'

type Calls = Pick<Api, 'call'> & Partial<Pick<Api, 'create' | 'destroy'>>

/** A connection to a vCenter named `vc` without an inventory, which responds to these calls. */
export function fakeVSphereConnection(calls: Calls): Connection {
  const api: Api = {
    host: 'vc',
    isVCenter: true,
    find: (name) => ({ type: name, id: name }),
    manager: (name) => ({ type: name, id: name }),
    create: async (method) => ({ type: method, id: method }),
    destroy: async () => {},
    ...calls,
  }
  const inventory = createInventory([], new Map(), 'vc')
  return {
    session: {
      host: 'vc',
      isVCenter: true,
      title: 'fake',
      uuid: 'vc',
      http: { send: () => Promise.reject(new Error('no REST')), close: () => {} },
      id: 'one',
      end: () => {},
      ended: new Promise(() => {}),
      until: () => api,
      close: async () => {},
    },
    tags: { read: async () => () => noTags, close: async () => {} },
    identities: createIdentities('vc'),
    readInventory: async () => inventory,
    inventoryWith: async () => inventory,
    hasLostAccess: async () => false,
  }
}
