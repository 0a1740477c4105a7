import type { SourceKind } from '../../domain/sources/source.ts'
import { clientCertificate, tlsOptions } from '../shared/tls-settings.ts'
import { checkSettings, readAddress } from './address.ts'

/** KVM hosts through their libvirt daemons, one account per host. */
export const libvirtKind: SourceKind = {
  provider: 'OneCloud',
  title: 'libvirt / KVM',
  description:
    'One host with libvirt. Muster only reads. Change events apply immediately; everything else is updated at the sync interval.',
  address: {
    isRequired: true,
    description:
      'A local socket (default /var/run/libvirt/libvirt-sock), or a host with TLS (default port 16514)',
    example: 'qemu+tls://kvm-1.example.org/system',
  },
  credentials: clientCertificate,
  options: [
    tlsOptions.ca,
    tlsOptions.fingerprint,
    {
      name: 'group',
      type: 'text',
      isRequired: false,
      description:
        'Use the same group for hosts between which guests migrate. A migrated guest stays the same server.',
    },
  ],
  // libvirt has no events for DHCP leases and for changes that apply at the next boot.
  period: 10,
  requestsPerSecond: 2_000,
  hasEvents: true,
  isOnOneHost: true,
  check: checkSettings,
  hostOf({ address }) {
    const target = readAddress(address)
    return typeof target !== 'string' && target.transport === 'tls' ? target.host : undefined
  },
  async open(...given) {
    // Loaded only for accounts of this kind.
    const { openLibvirt } = await import('./open-libvirt.ts')
    return await openLibvirt(...given)
  },
}
