import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Source } from '../../domain/sources/source.ts'
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

async function scan(source: Source) {
  const pages = await Array.fromAsync(source.scan(soon()))
  return {
    servers: pages.flatMap(({ present }) => present),
    resources: pages.flatMap(({ resources = [] }) => resources),
    failed: pages.flatMap(({ failed = [] }) => failed),
  }
}

const calls = [
  procedures.connectListAllNetworks,
  procedures.networkGetXmlDesc,
  procedures.networkGetDhcpLeases,
  procedures.connectListAllStoragePools,
  procedures.storagePoolGetXmlDesc,
  procedures.connectListAllNwfilters,
  procedures.nwfilterGetXmlDesc,
] as const
const passing: Readonly<Record<string, FakeFault>> = {
  'an internal error': { error: 1 },
  'an error of the system': { error: 38 },
  'an error of another daemon': { error: errorCodes.rpc },
  'an error of the login': { error: errorCodes.authFailed },
  'that it is busy': { error: errorCodes.resourceBusy },
  'an invalid response': { body: Buffer.alloc(3) },
  nothing: 'silence',
}

describe('networks, pools and filters of libvirt', () => {
  for (const call of calls) {
    for (const [what, fault] of Object.entries(passing)) {
      test(`servers stay as they are if ${nameOfProcedure(call)} is answered with ${what}`, async (context) => {
        const fake = await startFakeLibvirt(context, { domains: [guest], host })
        const first = await openAt(context, fake)
        const before = await scan(first)
        assert.deepEqual(before.failed, [])
        const { nics, disks_info, secgroups } = before.servers[0]?.facts ?? {}
        assert.deepEqual(
          [nics?.[0]?.ip_addr, disks_info?.[0]?.storage_type, secgroups?.[0]?.name],
          ['10.1.0.5', 'nfs', 'web'],
        )
        await first.close()
        const source = await openAt(context, fake)
        fake.faults.set(call, fault)
        const during =
          fault === 'silence'
            ? await passTimeLimit(context, fake, call, () => scan(source))
            : await scan(source)
        assert.deepEqual([during.servers, during.resources], [before.servers, before.resources])
        assert.ok(during.failed.length > 0)
        for (const { region, error, hasServers } of during.failed) {
          assert.deepEqual([region, error.call, hasServers], ['', nameOfProcedure(call), true])
        }
        if (fault !== 'silence') {
          const got = await source.get(referTo(guest.uuid), soon())
          assert.deepEqual(got, before.servers[0])
        }
        fake.faults.clear()
        assert.deepEqual(await scan(source), before)
      })
    }

    test(`the first scan fails if ${nameOfProcedure(call)} fails, and later ones go on`, async (context) => {
      const faults = { [call]: { error: 1 } }
      const fake = await startFakeLibvirt(context, { domains: [guest], host, faults })
      const source = await openAt(context, fake)
      await assert.rejects(scan(source), { kind: 'failed', call: nameOfProcedure(call) })
      const { servers, failed } = await scan(source)
      assert.deepEqual([servers.length, failed.length > 0], [1, true])
    })

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
