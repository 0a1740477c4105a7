import type { SourceKind } from '../../domain/sources/source.ts'
import { hostOfAddress } from '../shared/http-address.ts'
import { tlsOptions } from '../shared/tls-settings.ts'
import { vsphereActing } from './vsphere-acting.ts'
import { checkVSphereSettings } from './vsphere-settings.ts'

const govc = `govc sso.user.create -p 'PASSWORD' muster
govc permissions.set -principal muster@vsphere.local -role ReadOnly -propagate=true /`

const powerCli =
  "New-VIPermission -Entity (Get-Folder -NoRecursion) -Principal 'VSPHERE.LOCAL\\muster' -Role ReadOnly -Propagate $true"

export const vsphereKind: SourceKind = {
  provider: 'VMware',
  title: 'VMware vSphere',
  description:
    'Virtual machines of a vCenter, or of one ESXi host without a vCenter. Changes of virtual machines apply immediately; everything else is updated at the sync interval.',
  address: {
    isRequired: true,
    description: 'The address of the vCenter or the ESXi host, with or without /sdk',
    example: 'https://vcenter.example.org',
  },
  credentials: [
    {
      name: 'username',
      type: 'text',
      isRequired: true,
      isSecret: false,
      description: 'User name, such as muster@vsphere.local',
    },
    { name: 'password', type: 'text', isRequired: true, description: 'Password' },
  ],
  options: [
    tlsOptions.ca,
    tlsOptions.fingerprint,
    {
      name: 'group',
      type: 'text',
      isRequired: false,
      description:
        'Use the same group for vCenters between which virtual machines migrate: a migrated virtual machine stays the same server. Use different groups for copies of one vCenter.',
    },
  ],
  rights: [
    { title: 'User and role Read-only, with govc', text: govc },
    { title: 'Role Read-only for an existing user, with PowerCLI', text: powerCli },
  ],
  // Tags, hosts, networks and folders have no events.
  period: 30,
  requestsPerSecond: 100,
  hasEvents: true,
  check: checkVSphereSettings,
  hostOf: ({ address }) => hostOfAddress(address),
  async open(...given) {
    // Loaded only for accounts of this kind.
    const { openVSphere } = await import('./open-vsphere.ts')
    return await openVSphere(...given)
  },
  acting: vsphereActing,
}
