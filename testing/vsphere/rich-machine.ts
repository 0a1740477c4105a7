import type { ReportedFacts } from '../../server/src/domain/sources/source.ts'
import { derivedId } from '../../server/src/domain/sources/derived-id.ts'
import { addDevice, type openVcsimClient } from './vcsim-client.ts'

type VcsimClient = Awaited<ReturnType<typeof openVcsimClient>>

const option = (key: string, value: string) =>
  `<extraConfig><key>${key}</key><value xsi:type="xsd:string">${value}</value></extraConfig>`

/** Creates a virtual machine with one of everything, and returns how Muster has to describe it. */
export async function buildRichMachine(
  client: VcsimClient,
  site: string,
): Promise<{ uuid: string; facts: ReportedFacts; tenant: { id: string; name: string } }> {
  const [datastore = ''] = await client.list('Datastore')
  const networks = await client.list('Network')
  const network = networks.find((id) => id.startsWith('network-')) ?? ''
  const pools = await client.list('ResourcePool')
  const names = await Promise.all(pools.map((id) => client.property('ResourcePool', id, 'name')))
  const pool = pools[names.indexOf('DC0_C0_RP1')] ?? ''
  const uuid = await client.createFrom(
    `<name>shop % 1/2</name><guestId>ubuntu64Guest</guestId><annotation>the shop</annotation><files><vmPathName>[LocalDS_0]</vmPathName></files><numCPUs>4</numCPUs><memoryMB>8192</memoryMB><firmware>efi</firmware>`,
    pool,
  )
  const id = await client.idOf(uuid)
  const scsi = addDevice(
    'ParaVirtualSCSIController',
    '<key>1000</key><busNumber>0</busNumber><sharedBus>noSharing</sharedBus>',
  )
  await client.reconfigure(uuid, scsi)
  const disk = (unit: number, size: number) =>
    addDevice(
      'VirtualDisk',
      `<key>-${unit + 1}</key><backing xsi:type="VirtualDiskFlatVer2BackingInfo"><fileName>[LocalDS_0]</fileName><datastore type="Datastore">${datastore}</datastore><diskMode>persistent</diskMode><thinProvisioned>${unit === 1}</thinProvisioned></backing><controllerKey>1000</controllerKey><unitNumber>${unit}</unitNumber><capacityInKB>${size * 1_024}</capacityInKB>`,
      '<fileOperation>create</fileOperation>',
    )
  await client.reconfigure(uuid, disk(0, 10_240))
  await client.reconfigure(uuid, disk(1, 2_048))
  await client.reconfigure(
    uuid,
    addDevice(
      'VirtualVmxnet3',
      `<key>-9</key><backing xsi:type="VirtualEthernetCardNetworkBackingInfo"><deviceName>VM Network</deviceName><network type="Network">${network}</network></backing><addressType>manual</addressType><macAddress>00:50:56:AA:BB:01</macAddress>`,
    ),
  )
  await client.reconfigure(
    uuid,
    option('SET.guest.ipAddress', '10.4.0.7') + option('SET.guest.hostName', 'shop.example.org'),
  )
  await client.start(uuid)
  await client.onMachine(
    'CreateSnapshot',
    uuid,
    '<name>before</name><memory>false</memory><quiesce>false</quiesce>',
  )
  await client.onMachine(
    'CreateSnapshot',
    uuid,
    '<name>after</name><memory>false</memory><quiesce>false</quiesce>',
  )

  const field = /<key>(\d+)<\/key>/.exec(
    await client.soap(
      'AddCustomFieldDef',
      'CustomFieldsManager',
      client.managed('customFieldsManager'),
      '<name>owner</name><moType>VirtualMachine</moType>',
    ),
  )?.[1]
  await client.soap(
    'SetField',
    'CustomFieldsManager',
    client.managed('customFieldsManager'),
    `<entity type="VirtualMachine">${id}</entity><key>${field}</key><value>Jörg &amp; Söhne</value>`,
  )
  const category = await client.rest('category', 'POST', {
    create_spec: {
      name: 'environment',
      cardinality: 'MULTIPLE',
      associable_types: [],
      description: '',
    },
  })
  for (const name of ['production', 'critical']) {
    const tag = await client.rest('tag', 'POST', {
      create_spec: { name, category_id: category, description: '' },
    })
    await client.rest(`tag-association/id:${tag}?~action=attach`, 'POST', {
      object_id: { type: 'VirtualMachine', id },
    })
  }

  const host = await client.property('VirtualMachine', id, 'runtime.host')
  const cluster = await client.property('HostSystem', host, 'parent')
  const text = (path: string) => client.property('VirtualMachine', id, path)
  const devices = await text('config.hardware.device')
  const labels = [
    ...devices.matchAll(/type="VirtualDisk"><key>\d+<\/key><deviceInfo[^>]*><label>([^<]*)/g),
  ].map(([, label = '']) => label)
  const snapshots = [...(await text('snapshot')).matchAll(/<createTime>([^<]+)</g)].map(
    ([, at = '']) => new Date(at),
  )
  const idAt = (kind: string, object: string) => derivedId(kind, 'vsphere', site, object)
  return {
    uuid,
    tenant: { id: idAt('tenant', pool), name: 'DC0_C0_RP1' },
    facts: {
      name: 'shop % 1/2',
      description: 'the shop',
      status: 'running',
      external_id: uuid,
      created_at: new Date(await text('config.createDate')).toISOString().replace('Z', '000Z'),
      hypervisor: 'esxi',
      host_type: 'esxi',
      cloud_env: 'onpremise',
      region: 'DC0',
      region_ext_id: 'datacenter-2',
      cloudregion_id: idAt('region', 'datacenter-2'),
      zone: 'DC0_C0',
      zone_ext_id: cluster,
      zone_id: idAt('zone', cluster),
      host: await client.property('HostSystem', host, 'name'),
      host_id: idAt('host', host),
      host_sn: 'VMware-56 4d 2f 12 80 41 63 9b-50 18 05 a8 35 b7 2e af',
      host_status: 'running',
      host_service_status: 'online',
      vcpu_count: 4,
      vmem_size: 8_192,
      disks_info: labels.map((name, index) => ({
        name,
        size: index === 0 ? 10_240 : 2_048,
        disk_format: 'vmdk',
        driver: 'pvscsi',
        cache_mode: '',
        storage_type: 'other',
        iops: 0,
      })),
      cdrom: '',
      cdrom_support: true,
      nics: [
        {
          ip_addr: '10.4.0.7',
          ip6_addr: '',
          mask: 0,
          mac: '00:50:56:aa:bb:01',
          network: 'VM Network',
          network_id: idAt('network', network),
        },
      ],
      isolated_devices: [],
      os_type: 'Linux',
      os_name: await text('config.guestFullName'),
      bios: 'UEFI',
      vga: 'vmware',
      tags: { folder: 'F0', owner: 'Jörg & Söhne', environment: 'critical, production' },
      notes: {
        guest_hostname: 'shop.example.org',
        tools_status: await text('guest.toolsRunningStatus'),
        hardware_version: await text('config.version'),
        bios_uuid: await text('config.uuid'),
        managed_object_id: id,
        datastores: 'LocalDS_0',
        thin_disks: labels[1] ?? '',
        snapshots: '2',
        newest_snapshot: 'after',
        newest_snapshot_at: snapshots.at(-1)?.toISOString() ?? '',
      },
    },
  }
}
