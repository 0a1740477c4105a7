import { byWeight } from './random-hash.ts'

export interface OperatingSystem {
  readonly type: string
  readonly name: string
  readonly image: string
  readonly fs: string
}

const linux = (name: string, image: string, fs = 'ext4'): OperatingSystem => ({
  type: 'Linux',
  name,
  image,
  fs,
})
const windows = (name: string, image: string): OperatingSystem => ({
  type: 'Windows',
  name,
  image,
  fs: 'ntfs',
})

export const linuxes = byWeight([
  [linux('Ubuntu 24.04 LTS', 'ubuntu-24.04-server-amd64'), 6],
  [linux('Ubuntu 22.04 LTS', 'ubuntu-22.04-server-amd64'), 7],
  [linux('Debian 12', 'debian-12-generic-amd64'), 5],
  [linux('Rocky Linux 9.4', 'rocky-9.4-x86_64', 'xfs'), 4],
  [linux('CentOS 7.9', 'centos-7.9-2009-x86_64', 'xfs'), 4],
  [linux('Red Hat Enterprise Linux 8.10', 'rhel-8.10-x86_64', 'xfs'), 3],
  [linux('openEuler 22.03 LTS', 'openeuler-22.03-lts-x86_64'), 2],
  [linux('SUSE Linux Enterprise Server 15 SP5', 'sles-15-sp5', 'btrfs'), 1],
  [linux('Amazon Linux 2023', 'al2023-ami-2023.4', 'xfs'), 1],
])

export const windowses = byWeight([
  [windows('Windows Server 2022 Datacenter', 'windows-server-2022-datacenter'), 4],
  [windows('Windows Server 2019 Standard', 'windows-server-2019-standard'), 3],
  [windows('Windows 11 Enterprise', 'windows-11-enterprise-23h2'), 1],
])
