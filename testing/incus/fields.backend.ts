import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { derivedId } from '../../server/src/domain/sources/derived-id.ts'
import type { ReportedServer, SourceUpdate } from '../../server/src/domain/sources/source.ts'
import { incusKind } from '../../server/src/sources/incus/incus-kind.ts'
import {
  requireServer,
  scanAll,
  testReading,
  withSource,
} from '../../server/src/testing/inventory-world/source-conformance.ts'
import { localSettings, trustedClient } from './clients.ts'
import { startIncus, type TestIncus } from './start.ts'

for (const product of ['incus', 'lxd'] as const) {
  describe(`the fields of a real ${product}`, () => {
    let incus: TestIncus
    let bridge: { name: string; subnet: string }
    before(async () => {
      incus = await startIncus({ product })
      bridge = await incus.createBridge()
      await incus.launch('plain')
    })
    after(() => incus.stop())
    const settings = () => localSettings(incus)
    const find = async (name: string): Promise<ReportedServer> => {
      const servers = await withSource(incusKind, settings(), scanAll)
      const server = [...servers.values()].find(({ facts }) => facts.name === name)
      assert.ok(server)
      return server
    }

    test('reports every field of a container', async () => {
      const { run } = incus
      await run('storage', 'volume', 'create', 'default', 'archive')
      await run('init', 'busybox', 'rich', '--quiet', '--ephemeral')
      await run('network', 'attach', bridge.name, 'rich', 'eth0')
      const devices = [
        ['eth0', 'set', 'ipv4.address', `${bridge.subnet}.77`],
        ['eth0', 'set', 'hwaddr', '00:16:3e:aa:bb:cc'],
      ]
      for (const [device = '', verb = '', ...more] of devices) {
        await run('config', 'device', verb, 'rich', device, ...more)
      }
      await run('config', 'device', 'override', 'rich', 'root', 'size=3GiB')
      await run(
        'config',
        'device',
        'add',
        'rich',
        'data',
        'disk',
        'pool=default',
        'source=archive',
        'path=/data',
      )
      await run(
        'config',
        'device',
        'add',
        'rich',
        'host',
        'disk',
        'source=/usr/share',
        'path=/share',
      )
      await run(
        'config',
        'device',
        'add',
        'rich',
        'stick',
        'usb',
        'vendorid=1d6b',
        'productid=0002',
        'required=false',
      )
      const config = {
        'limits.cpu': '0-1',
        'limits.memory': '512MiB',
        'security.protection.delete': 'true',
        'boot.autostart': 'false',
        'user.team': 'web',
        'user.user-data': '#cloud-config password: secret',
      }
      for (const [name, value] of Object.entries(config))
        await run('config', 'set', 'rich', name, value)
      const uuid = await incus.uuidOf('rich')
      const image = (await run('config', 'get', 'rich', 'volatile.base_image')).trim()
      const { key, tenant, facts } = await find('rich')
      const { created_at, host, host_id, image_id, ...others } = facts
      assert.deepEqual([key, tenant], [['incus', uuid], { id: 'default', name: 'default' }])
      assert.match(created_at ?? '', /^2\d{3}-/)
      assert.ok(host !== '' && host_id !== '')
      assert.ok(image_id !== '' && image_id !== image, 'the fingerprint alone is no id')
      assert.deepEqual(others, {
        name: 'rich',
        description: '',
        status: 'ready',
        external_id: uuid,
        hypervisor: 'lxc',
        cloud_env: 'onpremise',
        host_sn: others.host_sn,
        host_type: 'incus',
        host_status: 'running',
        host_service_status: 'online',
        vcpu_count: 2,
        vmem_size: 512,
        disks_info: [
          {
            name: 'root',
            size: 3_072,
            storage_type: 'local',
            bps: 0,
            image: 'BusyBox 1.35',
            image_id,
          },
          { name: 'data', size: 0, storage_type: 'local', bps: 0 },
        ],
        image: 'BusyBox 1.35',
        cdrom: '',
        cdrom_support: false,
        nics: [
          {
            ip_addr: `${bridge.subnet}.77`,
            ip6_addr: '',
            mac: '00:16:3e:aa:bb:cc',
            mask: 24,
            network: bridge.name,
            network_id: derivedId('incus network', plainFingerprint(), 'default', bridge.name),
          },
        ],
        src_ip_check: false,
        src_mac_check: false,
        isolated_devices: [
          { name: 'stick', dev_type: 'USB', model: '', addr: '', vendor_device_id: '1d6b:0002' },
        ],
        bios: '',
        machine: '',
        os_type: 'Linux',
        os_name: 'BusyBox 1.35',
        shutdown_behavior: 'terminate',
        disable_delete: true,
        tags: { team: 'web' },
        notes: {
          boot_autostart: 'false',
          profiles: 'default',
          lost_on_stop: 'It is an ephemeral instance: it is deleted when it stops.',
        },
      })
      requireServer(await find('rich'), 'Incus')
      await run('config', 'set', 'rich', 'security.protection.delete=false')
    })
    const plainFingerprint = () => incus.fingerprint().replaceAll(':', '').toLowerCase()

    test('reports a virtual machine, which exists in the database only', async () => {
      const { run } = incus
      await run('init', 'busybox', 'machine', '--quiet')
      await incus.turnIntoVirtualMachine('machine')
      const { facts } = await find('machine')
      assert.deepEqual(
        [
          facts.hypervisor,
          facts.status,
          facts.vcpu_count,
          facts.vmem_size,
          facts.bios,
          facts.machine,
        ],
        ['kvm', 'ready', 1, 1_024, 'UEFI', 'q35'],
      )
      assert.deepEqual([facts.disks_info?.[0]?.driver, facts.cdrom_support], ['scsi', true])
    })

    if (product === 'lxd') {
      testReading(incusKind, () => ({ settings: settings(), breakOne: 'See cluster.backend.ts.' }))

      test('reports events', async () => {
        await withSource(incusKind, settings(), async (source) => {
          const end = new AbortController()
          const updates = source.watch?.(end.signal)[Symbol.asyncIterator]()
          assert.ok(updates)
          await updates.next()
          const next = async (isExpected: (update: SourceUpdate) => boolean) => {
            for (;;) {
              const { value, done } = await updates.next()
              assert.ok(!done)
              if (isExpected(value)) return
            }
          }
          const reports = (name: string, status: string) => (update: SourceUpdate) =>
            update.present.some(({ facts }) => facts.name === name && facts.status === status)
          const uuid = await incus.launch('brief')
          await next(reports('brief', 'running'))
          await incus.run('stop', '--force', 'brief')
          await next(reports('brief', 'ready'))
          await incus.run('move', 'brief', 'short')
          await next(reports('short', 'ready'))
          await incus.run('delete', 'short')
          await next(({ gone }) => gone.some((key) => key.join() === `incus,${uuid}`))
          end.abort()
          assert.ok((await updates.next()).done)
        })
      })

      test('reads the projects of a restricted certificate', async () => {
        await incus.run(
          'project',
          'create',
          'red',
          '--config',
          'features.images=false',
          '--config',
          'features.profiles=false',
        )
        await incus.launch('in-red', '--project', 'red')
        const limited = await trustedClient(incus, 'limited', ['red'])
        const servers = await withSource(incusKind, limited, scanAll)
        assert.deepEqual(
          [...servers.values()].map(({ facts, tenant }) => `${tenant?.id} ${facts.name}`),
          ['red in-red'],
        )
      })
    }
  })
}
