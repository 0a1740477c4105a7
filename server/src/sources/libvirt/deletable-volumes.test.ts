import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseXml } from '../shared/parse-xml.ts'
import type { Calls } from './calls.ts'
import { findDeletableVolumes } from './deletable-volumes.ts'
import { errorCodes, xmlFlags } from './protocol.ts'
import { LibvirtError, type DomainHandle, type VolumeHandle } from './records.ts'

interface World {
  /** The type of a pool by its name. */
  readonly pools: Readonly<Record<string, string>>
  /** The paths of volumes by `pool/name`, and what they are based on. */
  readonly volumes: Readonly<Record<string, readonly [path: string, base?: string]>>
  /** The disks of domains by name: now, and in the configuration if it differs. */
  readonly domains: Readonly<Record<string, readonly [current: string, configured?: string]>>
  /** The domains that run. */
  readonly running?: readonly string[]
}

const uuid = '00000000-0000-4000-8000-000000000000'
const fileDisk = (path: string, format = 'raw', more = '') =>
  `<disk type='file'><driver type='${format}'/><source file='${path}'/>${more}</disk>`

/** The volumes that are deleted with the domain `own`. */
async function deletedFrom(
  { pools, volumes, domains, running = [] }: World,
  failing: Partial<Calls> = {},
) {
  const handleOf = (name: string): DomainHandle => ({
    name,
    uuid: `${name}-${uuid}`,
    id: running.includes(name) ? 1 : -1,
  })
  const volumeHandles = Object.keys(volumes).map((key): VolumeHandle => {
    const [pool = '', name = ''] = key.split('/')
    return { pool, name, key }
  })
  const calls: Partial<Calls> = {
    domains: async () => Object.keys(domains).map(handleOf),
    async domainXml({ name }, flags) {
      const [current = '', configured = current] = domains[name] ?? []
      const devices = flags === xmlFlags.inactive ? configured : current
      return `<domain><devices>${devices}</devices></domain>`
    },
    pools: async () => Object.keys(pools).map((name) => ({ name, uuid })),
    poolXml: async ({ name }) => parseXml(`<pool type='${pools[name]}'/>`),
    volumes: async ({ name }) => volumeHandles.filter(({ pool }) => pool === name),
    async volumeXml({ key }) {
      const [path, base] = volumes[key] ?? ['']
      const backing = base === undefined ? '' : `<backingStore><path>${base}</path></backingStore>`
      return `<volume><target><path>${path}</path></target>${backing}</volume>`
    },
    ...failing,
  }
  const found = await findDeletableVolumes(calls as Calls, handleOf('own'))
  return found.map(({ key }) => key)
}

const pools = { local: 'dir', vg: 'logical', share: 'netfs', ceph: 'rbd' }

describe('volumes that are deleted with a domain', () => {
  test('are those of pools that belong to the host', async () => {
    const volumes = {
      'local/a': ['/a'],
      'vg/b': ['/dev/vg/b'],
      'share/c': ['/c'],
      'ceph/d': ['ceph/d'],
    } as const
    const disks = [
      fileDisk('/a'),
      `<disk type='block'><source dev='/dev/vg/b'/></disk>`,
      fileDisk('/c'),
      `<disk type='volume'><source pool='ceph' volume='d'/></disk>`,
      fileDisk('/in-no-pool'),
    ]
    const deleted = await deletedFrom({ pools, volumes, domains: { own: [disks.join('')] } })
    assert.deepEqual(deleted, ['local/a', 'vg/b'])
  })

  const volumes = { 'local/a': ['/a'] } as const
  const own = [fileDisk('/a')] as const

  test('are none that another domain uses or will use', async () => {
    const byName = `<disk type='volume'><source pool='local' volume='a'/></disk>`
    const chain = `<backingStore type='file'><source file='/a'/><backingStore/></backingStore>`
    const others = [
      [fileDisk('/a')],
      ['', fileDisk('/a')],
      [byName],
      [fileDisk('/overlay', 'qcow2', chain), ''],
      [`<disk type='file' device='cdrom'><source file='/a'/></disk>`],
    ] as const
    for (const other of others) {
      const domains = { own, other }
      assert.deepEqual(await deletedFrom({ pools, volumes, domains, running: ['other'] }), [])
    }
    assert.deepEqual(
      await deletedFrom({ pools, volumes, domains: { own, other: [fileDisk('/b')] } }),
      ['local/a'],
    )
  })

  test('are none that another volume is based on', async () => {
    const based = { ...volumes, 'share/overlay': ['/overlay', '/a'] } as const
    assert.deepEqual(await deletedFrom({ pools, volumes: based, domains: { own } }), [])
  })

  test('are none while the base of an image is unknown', async () => {
    const domains = { own, other: [fileDisk('/elsewhere', 'qcow2')] } as const
    assert.deepEqual(await deletedFrom({ pools, volumes, domains }), [])
    assert.deepEqual(await deletedFrom({ pools, volumes, domains, running: ['other'] }), [
      'local/a',
    ])
    const listed = { ...volumes, 'local/elsewhere': ['/elsewhere'] } as const
    assert.deepEqual(await deletedFrom({ pools, volumes: listed, domains }), ['local/a'])
  })

  test('are none that the domain only reads or shares', async () => {
    for (const more of ['<readonly/>', '<shareable/>']) {
      const domains = { own: [fileDisk('/a', 'raw', more)] } as const
      assert.deepEqual(await deletedFrom({ pools, volumes, domains }), [])
    }
    for (const device of ['cdrom', 'floppy']) {
      const disk = `<disk type='file' device='${device}'><source file='/a'/></disk>`
      assert.deepEqual(await deletedFrom({ pools, volumes, domains: { own: [disk] } }), [])
    }
  })

  test('are only unknown if libvirt has no storage pools', async () => {
    const world = { pools, volumes, domains: { own } }
    const answering = (code: number) => ({
      pools: () => Promise.reject(new LibvirtError(code, 0, 'no pools')),
    })
    const { noSupport, accessDenied, operationDenied } = errorCodes
    assert.deepEqual(await deletedFrom(world, answering(noSupport)), [])
    for (const code of [1, accessDenied, operationDenied]) {
      await assert.rejects(deletedFrom(world, answering(code)), /no pools/, String(code))
    }
  })
})
