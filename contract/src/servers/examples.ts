import { example, exampleTimestamp } from '../administration/examples.ts'
import { defaultValues } from '../resources/resource.ts'
import { servers, type Server } from '../resources/servers.ts'
import { metadataExample } from './metadata.ts'

const short = {
  id: '3d0f5b1e-7c2a-4e86-9f41-2b6a8c0d9e17',
  name: 'web-7',
  status: 'running',
  description: 'The shop window',
  created_at: exampleTimestamp,
  updated_at: exampleTimestamp,
  project_id: example.projectId,
  tenant_id: example.projectId,
  domain_id: example.domainId,
  provider: 'Aws',
  brand: 'Aws',
  hypervisor: 'aws',
  os_type: 'Linux',
  vcpu_count: 8,
  vmem_size: 16_384,
  disk: 102_400,
  ips: '10.4.2.17',
  zone: 'eu-central-1a',
  region: 'eu-central-1',
  cloudregion_id: '1f0e2d3c-4b5a-4968-8776-655443322110',
  zone_id: '2e1f0d3c-4b5a-4968-8776-655443322110',
  host_id: '',
  instance_type: 'c7g.2xlarge',
  billing_type: 'postpaid',
  external_id: 'i-0a1b2c3d4e5f60718',
  is_gpu: false,
  pending_deleted: false,
}

/** A page of one, short. */
export const serverListExample = { limit: 20, offset: 0, servers: [short], total: 1 }

/** The same server in full. */
export const serverExample: { readonly server: Server } = {
  server: {
    ...defaultValues(servers),
    ...short,
    project: 'genome',
    tenant: 'genome',
    project_domain: 'Research',
    account: 'research-aws',
    cloud_env: 'public',
    can_update: true,
    delete_fail_reason: 'Muster cannot delete servers',
    disk_count: 1,
    disks: 'disk0:102400M/raw/virtio/none/native/ext4',
    disks_info: [
      {
        id: '4a3b2c1d-0e9f-4876-9605-f4e3d2c1b0a9',
        name: 'vol-0f9e8d7c6b5a43210',
        index: 0,
        size: 102_400,
        disk_type: 'sys',
        disk_format: 'raw',
        driver: 'virtio',
        cache_mode: 'none',
        aio_mode: 'native',
        medium_type: 'ssd',
        storage_type: 'gp3',
        fs: 'ext4',
        image: 'debian-13',
        image_id: 'ami-0123456789abcdef0',
        iops: 3000,
        bps: 131_072_000,
      },
    ],
    isolated_devices: [],
    nics: [
      {
        ip_addr: '10.4.2.17',
        ip6_addr: '',
        mac: '02:1a:2b:3c:4d:5e',
        network_id: 'subnet-0123456789abcdef0',
        vpc_id: 'vpc-0123456789abcdef0',
        is_exit: false,
        team_with: '',
      },
    ],
    secgroups: [{ id: 'sg-0123456789abcdef0', name: 'web' }],
    secgroup: 'web',
    secgrp_id: 'sg-0123456789abcdef0',
    metadata: metadataExample.metadata,
  },
}
