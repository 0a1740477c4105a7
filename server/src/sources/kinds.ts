import type { SourceKinds } from '../domain/sources/source.ts'

/** Every kind of source that an account can be of. A kind is loaded when an account needs it. */
export const kinds: SourceKinds = new Map([
  ['OneCloud', async () => (await import('./libvirt/libvirt-kind.ts')).libvirtKind],
  ['Aws', async () => (await import('./aws/aws-kind.ts')).awsKind],
  ['Incus', async () => (await import('./incus/incus-kind.ts')).incusKind],
  ['VMware', async () => (await import('./vsphere/vsphere-kind.ts')).vsphereKind],
  ['OpenStack', async () => (await import('./openstack/openstack-kind.ts')).openstackKind],
  // oxlint-disable-next-line no-restricted-imports -- loaded for accounts of this kind only
  ['Simulator', async () => (await import('@muster/simulator/kind')).simulatorKind],
])
