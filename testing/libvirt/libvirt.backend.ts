import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type {
  ReportedServer,
  SourceUpdate,
  SourceSettings,
} from '../../server/src/domain/sources/source.ts'
import { libvirtKind } from '../../server/src/sources/libvirt/libvirt-kind.ts'
import {
  conformanceContext,
  describeConformance,
  withSource,
  type SourceBackEnd,
  getReadable,
} from '../../server/src/testing/inventory-world/source-conformance.ts'
import { startLibvirt, type TestLibvirt } from './start.ts'
import { referTo } from '../../server/src/testing/inventory-world/server-reference.ts'

const settingsFor = (address: string): SourceSettings => ({ address, credentials: {}, options: {} })

/** A domain of libvirt's test driver. */
const describeMany = (number: number) =>
  `<domain type='test'><name>many-${number}</name><uuid>${randomUUID()}</uuid>
    <memory unit='MiB'>${256 + number}</memory><vcpu>2</vcpu><os><type>hvm</type></os>
    <devices><disk type='file' device='disk'><source file='/guest/${number}'/>
    <target dev='vda' bus='virtio'/></disk>
    <interface type='network'><source network='default'/></interface></devices></domain>`

/** A guest that does not run. */
const idle = randomUUID()
const describeIdle = (metadata = '') =>
  `<domain type='qemu'><name>idle</name><uuid>${idle}</uuid><memory>1024</memory>
    <metadata>${metadata}</metadata><os><type>hvm</type></os></domain>`

describe('a real libvirtd with QEMU', () => {
  let libvirt: TestLibvirt
  before(async () => {
    libvirt = await startLibvirt()
  })
  after(() => libvirt.stop())

  const look = (
    externalId: string,
    address = libvirt.address,
  ): Promise<ReportedServer | undefined> =>
    withSource(libvirtKind, settingsFor(address), (source) =>
      getReadable(source, referTo(externalId)),
    )

  async function requireFound(externalId: string): Promise<ReportedServer> {
    const server = await look(externalId)
    assert.ok(server)
    return server
  }

  const backEnd = (): SourceBackEnd => {
    const { certificates } = libvirt
    return {
      settings: settingsFor(libvirt.address),
      wrongSettings: {
        address: libvirt.tlsAddress,
        credentials: {
          client_certificate: certificates.stranger.certificate,
          client_key: certificates.stranger.key,
        },
        options: { ca: certificates.ca },
      },
      unreachableSettings: settingsFor(`qemu+unix:///session?socket=${libvirt.folder}/nobody`),
      create: (name) => libvirt.boot({ name }),
      async stop(id) {
        await libvirt.virsh('destroy', id)
      },
      async start(id) {
        await libvirt.virsh('start', id)
      },
      async remove(id) {
        await libvirt.virsh('destroy', id).catch(() => {})
        await libvirt.virsh('undefine', id)
      },
      async rename(id, name) {
        await libvirt.virsh('domrename', id, name)
      },
      // A large document is valid for libvirt, and too large for Muster.
      breakOne: async () => {
        const large = `<x:x xmlns:x='urn:x'>${'<x:e/>'.repeat(60_000)}</x:x>`
        await libvirt.define(describeIdle(large))
        return { repair: () => libvirt.define(describeIdle()) }
      },
      createOdd: async () => {
        const bare = randomUUID()
        await libvirt.define(
          `<domain type='qemu'><name>bare</name><uuid>${bare}</uuid><memory>1024</memory>
            <os><type>hvm</type></os><devices/></domain>`,
        )
        const tags = Array.from({ length: 200 }, (_, n) => `<m:tag name='k${n}'>${n}</m:tag>`)
        const elements = `<title>${'ä'.repeat(1_000)}</title>
          <description>${'long '.repeat(10_000)}</description><metadata>
          <m:tags xmlns:m='urn:muster:tags:1'>${tags.join('')}</m:tags></metadata>`
        return [bare, await libvirt.boot({ name: 'tagged', elements })]
      },
      createMany: async (count) => {
        const commands = Array.from({ length: count }, (_, number) => {
          const file = join(libvirt.folder, `many-${number}.xml`)
          writeFileSync(file, describeMany(number))
          return `define ${file}`
        })
        // It ends with the daemon.
        await libvirt.openTestDriver(commands)
        // The driver has one domain from the start.
        return { settings: settingsFor(libvirt.testAddress), count: count + 1 }
      },
    }
  }

  /** Through TLS, because a proxy has a port. */
  const socket = () => {
    const { tlsAddress, certificates } = libvirt
    return {
      target: `tcp://127.0.0.1:${new URL(tlsAddress).port}`,
      settingsAt: (port: number): SourceSettings => ({
        address: tlsAddress.replace(/:\d+/, `:${port}`),
        credentials: {
          client_certificate: certificates.client.certificate,
          client_key: certificates.client.key,
        },
        options: { ca: certificates.ca },
      }),
    }
  }

  describe('with guests', () => {
    let resident: string
    before(async () => {
      resident = await libvirt.boot({ name: 'resident' })
      await libvirt.define(describeIdle())
    })

    describeConformance(libvirtKind, backEnd, { socket })

    test('has a running guest', async () => {
      const end = Date.now() + 60_000
      while (!libvirt.consoleOf('resident').includes('muster guest is up')) {
        assert.ok(Date.now() < end, libvirt.consoleOf('resident'))
        await pause(200)
      }
      assert.equal((await requireFound(resident)).facts.status, 'running')
    })

    test('reports each state of a guest', async () => {
      await libvirt.virsh('suspend', resident)
      assert.equal((await requireFound(resident)).facts.status, 'suspend')
      await libvirt.virsh('resume', resident)
      assert.equal((await requireFound(resident)).facts.status, 'running')
    })

    test('reports changes of tags, disks and transient guests', async () => {
      const source = await libvirtKind.open(
        settingsFor(libvirt.address),
        conformanceContext,
        AbortSignal.timeout(30_000),
      )
      const end = new AbortController()
      const news = source.watch?.(end.signal)[Symbol.asyncIterator]()
      assert.ok(news)
      await news.next()
      /** Reads events about a guest until the condition holds. */
      const until = async (id: string, isSo: (server: ReportedServer | undefined) => boolean) => {
        for (;;) {
          const next = await news.next()
          assert.ok(!next.done)
          const value: SourceUpdate = next.value
          const server = value.present.find(({ facts }) => facts.external_id === id)
          const isGone = value.gone.some((key) => key[2] === id)
          if ((server || isGone) && isSo(server)) return
        }
      }
      const tags = "<tags><tag name='team'>web</tag></tags>"
      const annotate = ['--uri', 'urn:muster:tags:1', '--key', 'muster', '--set', tags, '--live']
      await libvirt.virsh('metadata', resident, ...annotate)
      await until(resident, (server) => server?.facts.tags?.['team'] === 'web')

      const image = join(libvirt.folder, 'plugged.img')
      execFileSync('qemu-img', ['create', '-q', '-f', 'raw', image, '64M'])
      execFileSync('chmod', ['666', image])
      await libvirt.virsh('attach-disk', resident, image, 'sdb', '--targetbus', 'usb', '--live')
      await until(resident, (server) => server?.facts.disks_info?.[0]?.size === 64)

      const passing = randomUUID()
      const file = join(libvirt.folder, 'passing.xml')
      const xml = await libvirt.virsh('dumpxml', resident, '--inactive')
      writeFileSync(file, xml.replaceAll(resident, passing).replace('>resident<', '>passing<'))
      await libvirt.virsh('create', file)
      await until(passing, (server) => server?.facts.shutdown_behavior === 'terminate')
      await libvirt.virsh('destroy', passing)
      await until(passing, (server) => server === undefined)
      end.abort()
      assert.equal((await news.next()).done, true)
      await source.close()
    })
  })
})
