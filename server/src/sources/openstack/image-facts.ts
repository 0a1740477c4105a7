import type { ReportedFacts } from '../../domain/sources/source.ts'
import { textOf, type Json } from '../shared/json.ts'
import { osTypeOf } from '../shared/os-type.ts'
import type { BootImage } from './disks.ts'

/** How distributions write their names, by the words of `os_distro`. */
const distributions: ReadonlyMap<string, string> = new Map([
  ['almalinux', 'AlmaLinux'],
  ['centos', 'CentOS'],
  ['debian', 'Debian'],
  ['fedora', 'Fedora'],
  ['opensuse', 'openSUSE'],
  ['rhel', 'Red Hat Enterprise Linux'],
  ['rocky', 'Rocky Linux'],
  ['sles', 'SUSE Linux Enterprise Server'],
  ['ubuntu', 'Ubuntu'],
  ['windows', 'Windows'],
])

function systemOf(image: Json): { os_type: string; os_name: string } {
  const [distro, version] = [textOf(image, 'os_distro').toLowerCase(), textOf(image, 'os_version')]
  const name = textOf(image, 'name') || textOf(image, 'image_name')
  const type = textOf(image, 'os_type').toLowerCase()
  // Nova knows only "linux" and "windows", so the distribution tells more.
  const os_type = osTypeOf(distro) || osTypeOf(type) || (distro + type === '' ? osTypeOf(name) : '')
  if (distro === '') return { os_type, os_name: name }
  return { os_type, os_name: `${distributions.get(distro) ?? distro} ${version}`.trim() }
}

const machineOf = (type: string) =>
  ['q35', 'virt', 'pc'].find((name) => type === name || type.includes(`${name}-`)) ?? ''

/** Facts that come from the properties of the image. */
export function imageFactsOf({ properties }: BootImage): Partial<ReportedFacts> {
  const firmware = textOf(properties, 'hw_firmware_type')
  return {
    ...systemOf(properties),
    bios: firmware === 'uefi' ? 'UEFI' : firmware === 'bios' ? 'BIOS' : '',
    machine: machineOf(textOf(properties, 'hw_machine_type')),
    vga: textOf(properties, 'hw_video_model'),
  }
}
