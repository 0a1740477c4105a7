import type { SourceKind } from '../../domain/sources/source.ts'
import { checkSettings, readAddress } from './address.ts'

/** KVM hosts through their libvirt daemons, one account per host. */
export const libvirtKind: SourceKind = {
  provider: 'OneCloud',
  title: 'libvirt / KVM',
  description:
    'One host with libvirt, accessed read-only. Events of libvirt are applied immediately; changes without an event within the period.',
  address: {
    isRequired: true,
    description:
      'A socket on this machine (socket= is /var/run/libvirt/libvirt-sock where it is left out), or a host that speaks TLS, on port 16514 where none is given',
    example: 'qemu+tls://kvm-1.example.org/system',
  },
  credentials: [
    {
      name: 'client_certificate',
      type: 'text',
      isRequired: false,
      isLong: true,
      description: 'Certificate that Muster shows to libvirt, in PEM; libvirt wants one over TLS',
    },
    {
      name: 'client_key',
      type: 'text',
      isRequired: false,
      isLong: true,
      description: 'Private key of that certificate, in PEM',
    },
  ],
  options: [
    {
      name: 'ca',
      type: 'text',
      isRequired: false,
      isLong: true,
      description: "Authority that signed the host's certificate, in PEM",
    },
    {
      name: 'fingerprint',
      type: 'text',
      isRequired: false,
      description: "SHA-256 of the host's certificate, which then counts alone",
    },
    {
      name: 'group',
      type: 'text',
      isRequired: false,
      description:
        'Hosts between which guests move bear the same group: a guest stays one server there',
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
