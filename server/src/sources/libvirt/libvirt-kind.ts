import type { SourceKind } from '../../domain/sources/source.ts'
import { clientCertificate, tlsOptions } from '../shared/tls-settings.ts'
import { checkSettings, readAddress } from './address.ts'
import { libvirtActing } from './libvirt-acting.ts'

const socketRights = `# On the host, for the user that runs Muster:
usermod --append --groups libvirt muster
`

const certificateRights = `# On the host of the CA. libvirt accepts every client certificate of its CA, unless
# tls_allowed_dn_list in libvirtd.conf limits them.
openssl req -newkey rsa:3072 -nodes -keyout muster.key -out muster.csr -subj '/CN=muster'
printf 'extendedKeyUsage=clientAuth' > muster.ext
openssl x509 -req -in muster.csr -CA cacert.pem -CAkey cakey.pem -CAcreateserial \\
  -days 365 -extfile muster.ext -out muster.crt

# In libvirtd.conf of the hypervisor:
tls_allowed_dn_list = ["CN=muster"]
`

/** KVM hosts through their libvirt daemons, one account per host. */
export const libvirtKind: SourceKind = {
  provider: 'OneCloud',
  title: 'libvirt / KVM',
  description:
    'One host with libvirt. Change events apply immediately; everything else is updated at the sync interval.',
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
  rights: [
    { title: 'Access to the local socket', text: socketRights },
    { title: 'Client certificate for TLS', text: certificateRights },
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
  acting: libvirtActing,
}
