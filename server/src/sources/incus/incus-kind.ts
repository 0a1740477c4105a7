import type { SourceKind } from '../../domain/sources/source.ts'
import { hostOfAddress } from '../shared/http-address.ts'
import { clientCertificate, tlsOptions } from '../shared/tls-settings.ts'
import { checkSettings, readAddress } from './address.ts'
import { incusActing } from './incus-acting.ts'

const socketRights = `# On the host, for the user that runs Muster. The group may do everything.
usermod --append --groups incus-admin muster   # LXD: the group is lxd
`

const certificateRights = `# On any computer: a key pair for Muster.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 \\
  -subj '/CN=muster' -keyout muster.key -out muster.crt

# On the host of the daemon, or on one cluster member, for some projects:
incus config trust add-certificate muster.crt --restricted --projects default,web
# or for all projects:
incus config trust add-certificate muster.crt
# With LXD: "lxc config trust add muster.crt" and the same options.

# The fingerprint of the daemon, for the option of this name:
openssl s_client -connect 127.0.0.1:8443 </dev/null 2>/dev/null |
  openssl x509 -noout -fingerprint -sha256
`

/** Single hosts and clusters with Incus or LXD, by their REST API. */
export const incusKind: SourceKind = {
  provider: 'Incus',
  title: 'Incus / LXD',
  description:
    'One host or one cluster with Incus or LXD: containers and virtual machines of all projects. Change events apply immediately; everything else is updated at the sync interval.',
  address: {
    isRequired: true,
    description:
      'https://host:8443 of the daemon or of any cluster member, or a local socket: unix:///var/lib/incus/unix.socket (Incus), unix:///var/lib/lxd/unix.socket (LXD from Debian), unix:///var/snap/lxd/common/lxd/unix.socket (LXD from snap)',
    example: 'https://incus-1.example.org:8443',
  },
  credentials: clientCertificate,
  options: [
    tlsOptions.ca,
    tlsOptions.fingerprint,
    {
      name: 'projects',
      type: 'list',
      isRequired: false,
      description: 'Only these projects. Default: all that the certificate may see.',
    },
  ],
  rights: [
    { title: 'Client certificate', text: certificateRights },
    { title: 'Access to the local socket', text: socketRights },
  ],
  // There are no events for addresses, and for changes of profiles, networks and members.
  period: 30,
  requestsPerSecond: 200,
  hasEvents: true,
  check: checkSettings,
  hostOf({ address }) {
    const target = readAddress(address)
    return typeof target === 'string' || target.socketPath !== undefined
      ? undefined
      : hostOfAddress(target.url.href)
  },
  async open(...given) {
    // Loaded only for accounts of this kind.
    const { openIncus } = await import('./open-incus.ts')
    return await openIncus(...given)
  },
  acting: incusActing,
}
