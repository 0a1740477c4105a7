import { osTypeOf } from '../shared/os-type.ts'
import type { XmlElement } from '../shared/parse-xml.ts'

const libosinfo = /^http:\/\/libosinfo\.org\/xmlns\/libvirt\/domain\//

/** Official product names. Others are shown as in the id. */
const names: ReadonlyMap<string, string> = new Map(
  Object.entries({
    almalinux: 'AlmaLinux',
    alpinelinux: 'Alpine Linux',
    archlinux: 'Arch Linux',
    centos: 'CentOS',
    'centos-stream': 'CentOS Stream',
    debian: 'Debian',
    fedora: 'Fedora',
    freebsd: 'FreeBSD',
    openbsd: 'OpenBSD',
    netbsd: 'NetBSD',
    ol: 'Oracle Linux',
    opensuse: 'openSUSE',
    rhel: 'Red Hat Enterprise Linux',
    rocky: 'Rocky Linux',
    sle: 'SUSE Linux Enterprise',
    ubuntu: 'Ubuntu',
    win: 'Windows',
  }),
)
const editions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '2k8': 'Server 2008',
    '2k8r2': 'Server 2008 R2',
    '2k12': 'Server 2012',
    '2k12r2': 'Server 2012 R2',
    '2k16': 'Server 2016',
    '2k19': 'Server 2019',
    '2k22': 'Server 2022',
    '2k25': 'Server 2025',
  }),
)
/** Ids without a specific operating system. */
const unspecific = /unknown|^generic$/

export interface OperatingSystem {
  readonly os_type: string
  readonly os_name: string
}

/** From the id that tools such as virt-install write, for example `http://debian.org/debian/12`. */
export function operatingSystemOf(metadata: XmlElement | undefined): OperatingSystem {
  const element = metadata?.children.find(({ uri }) => libosinfo.test(uri))
  const id = element?.children.find(({ name }) => name === 'os')?.attributes.get('id') ?? ''
  const [, maker = '', product = '', version = ''] =
    /^https?:\/\/([^/]+)\/([^/]+)(?:\/([^/]+))?/.exec(id) ?? []
  if (maker === '') return { os_type: '', os_name: '' }
  const os_type = osTypeOf(`${maker}/${product}`)
  if (unspecific.test(product) || unspecific.test(maker)) return { os_type, os_name: '' }
  const name = names.get(product) ?? product
  return { os_type, os_name: [name, editions.get(version) ?? version].join(' ').trim() }
}
