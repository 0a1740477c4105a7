import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ReportedServer, Source } from '../../domain/sources/source.ts'
import {
  domain,
  openAt,
  passTimeLimit,
  soon,
  uuidOf,
} from '../../testing/fake-libvirt-connection.ts'
import type { FakeHost } from '../../testing/fake-libvirt-responses.ts'
import { startFakeLibvirt, type FakeFault } from '../../testing/fake-libvirt.ts'
import { referTo } from '../../testing/inventory-world/server-reference.ts'
import { errorCodes, nameOfProcedure, procedures } from './protocol.ts'

const mac = '52:54:00:00:00:01'
const host: Omit<FakeHost, 'uuid'> = {
  networks: [
    {
      name: 'lan',
      uuid: uuidOf(50),
      xml: "<network><ip address='10.1.0.1' prefix='16'/></network>",
      leases: [{ mac, address: '10.1.0.5', expiry: 1 }],
    },
  ],
  pools: [
    {
      name: 'fast',
      uuid: uuidOf(60),
      xml: "<pool type='netfs'><target><path>/fast</path></target></pool>",
    },
  ],
  filters: [
    {
      name: 'web',
      uuid: uuidOf(70),
      xml: "<filter name='web'><rule action='accept' direction='in'><tcp dstportstart='80'/></rule></filter>",
    },
  ],
}
const guest = domain(1, {
  inside: `<devices>
    <disk type='file' device='disk'><source file='/fast/a.img'/><target dev='vda'/></disk>
    <interface type='network'><mac address='${mac}'/><source network='lan'/><filterref filter='web'/></interface>
  </devices>`,
})
/** It has a disk at the network, and a NIC of a bridge. */
const plain = domain(2, {
  inside: `<devices>
    <disk type='network' device='disk'><source protocol='rbd' name='a'/><target dev='vda'/></disk>
    <interface type='bridge'><mac address='52:54:00:00:00:02'/><source bridge='br0'/></interface>
  </devices>`,
})

async function scan(source: Source) {
  const pages = await Array.fromAsync(source.scan(soon()))
  return {
    servers: pages.flatMap(({ present }) => present),
    resources: pages.flatMap(({ resources = [] }) => resources),
    failed: pages.flatMap(({ failed = [] }) => failed),
  }
}

const ofFilters = ['secgroups', 'security_rules', 'src_ip_check', 'src_mac_check']
/** What is not known of a guest without a call. */
const fieldsOf = {
  [procedures.connectListAllNetworks]: ['nics'],
  [procedures.networkGetXmlDesc]: ['nics'],
  [procedures.networkGetDhcpLeases]: ['nics'],
  [procedures.connectListAllStoragePools]: ['disks_info'],
  [procedures.storagePoolGetXmlDesc]: ['disks_info'],
  [procedures.connectListAllNwfilters]: ofFilters,
  [procedures.nwfilterGetXmlDesc]: ofFilters,
}
const calls = Object.keys(fieldsOf).map(Number) as (keyof typeof fieldsOf)[]
const passing: Readonly<Record<string, FakeFault>> = {
  'an internal error': { error: 1 },
  'an error of the system': { error: 38 },
  'an error of another daemon': { error: errorCodes.rpc },
  'an error of the login': { error: errorCodes.authFailed },
  'that it is busy': { error: errorCodes.resourceBusy },
  'an invalid response': { body: Buffer.alloc(3) },
  nothing: 'silence',
}

/** What a server says without the fields that could not be read. */
const readOf = ({ facts, unread = [] }: ReportedServer, whole: ReportedServer) => {
  const isRead = ([field]: readonly [string, unknown]) => !unread.some((one) => one === field)
  return [facts, whole.facts].map((all) => Object.fromEntries(Object.entries(all).filter(isRead)))
}

describe('networks, pools and filters of libvirt', () => {
  for (const call of calls) {
    for (const [what, fault] of Object.entries(passing)) {
      test(`fields are unread if ${nameOfProcedure(call)} is answered with ${what}`, async (context) => {
        const fake = await startFakeLibvirt(context, { domains: [guest, plain], host })
        const source = await openAt(context, fake)
        const before = await scan(source)
        const [whole = assert.fail(), other] = before.servers
        assert.deepEqual([before.failed, whole.unread], [[], undefined])
        const { nics, disks_info, secgroups } = whole.facts
        assert.deepEqual(
          [nics?.[0]?.ip_addr, disks_info?.[0]?.storage_type, secgroups?.[0]?.name],
          ['10.1.0.5', 'nfs', 'web'],
        )
        fake.faults.set(call, fault)
        const during =
          fault === 'silence'
            ? await passTimeLimit(context, fake, call, () => scan(source))
            : await scan(source)
        const [server = assert.fail(), ...others] = during.servers
        assert.deepEqual(server.unread, fieldsOf[call])
        assert.deepEqual(...(readOf(server, whole) as [unknown, unknown]))
        // It refers to nothing that failed.
        assert.deepEqual(others, [other])
        const { networks: stored = [] } = before.resources[0] ?? {}
        for (const network of during.resources.flatMap(({ networks = [] }) => networks)) {
          assert.deepEqual([network], stored)
        }
        assert.ok(during.failed.length > 0)
        for (const { region, error, hasServers } of during.failed) {
          assert.deepEqual([region, error.call, hasServers], ['', nameOfProcedure(call), true])
        }
        if (fault !== 'silence') {
          assert.deepEqual(await source.get(referTo(guest.uuid), soon()), server)
        }
        fake.faults.clear()
        assert.deepEqual(await scan(source), before)
      })
    }

    test(`nothing fails if ${nameOfProcedure(call)} is not supported or not allowed`, async (context) => {
      const { noSupport, operationDenied, accessDenied, operationUnsupported } = errorCodes
      for (const error of [noSupport, operationDenied, accessDenied, operationUnsupported]) {
        const faults = { [call]: { error } }
        const fake = await startFakeLibvirt(context, { domains: [guest], host, faults })
        const { servers, failed } = await scan(await openAt(context, fake))
        assert.deepEqual([servers.length, failed], [1, []])
      }
    })
  }
})

test('one oversized or invalid description is left out, with an error', async (context) => {
  const { networks = [], pools = [], filters = [] } = host
  const odd = { name: 'odd', uuid: uuidOf(90), leases: [] }
  for (const xml of [`<x>${' '.repeat(600_000)}</x>`, '<x/>'.repeat(60_000), '<x']) {
    const fake = await startFakeLibvirt(context, {
      domains: [guest, plain],
      host: {
        networks: [{ ...odd, xml }, ...networks],
        pools: [{ ...odd, xml }, ...pools],
        filters: [{ ...odd, xml }, ...filters],
      },
    })
    const { servers, failed, resources } = await scan(await openAt(context, fake))
    assert.deepEqual(
      servers.map(({ unread }) => unread),
      [undefined, undefined],
    )
    assert.deepEqual(failed.map(({ error }) => error.call).sort(), [
      'networkGetXmlDesc',
      'nwfilterGetXmlDesc',
      'storagePoolGetXmlDesc',
    ])
    assert.deepEqual(
      resources.flatMap((reported) => reported.networks?.map(({ name }) => name)),
      ['lan'],
    )
  }
})

test('filters may include each other in any number', async (context) => {
  const count = 3_000
  const filters = Array.from({ length: count }, (_, at) => ({
    name: `f${at}`,
    uuid: uuidOf(1_000 + at),
    xml: `<filter name='f${at}'><filterref filter='f${(at + 1) % count}'/></filter>`,
  }))
  const guarded = domain(1, {
    inside: `<devices><interface type='network'><filterref filter='f0'/></interface></devices>`,
  })
  const fake = await startFakeLibvirt(context, { domains: [guarded], host: { ...host, filters } })
  const { servers, failed } = await scan(await openAt(context, fake))
  assert.deepEqual([servers[0]?.facts.secgroups?.length, failed], [1, []])
})
