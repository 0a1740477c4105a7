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

/** A volume has its image's name as `image_name`. */
export const imageNameOf = (image: Json): string =>
  textOf(image, 'name') || textOf(image, 'image_name')

/** The operating system of an image. */
export function systemOf(image: Json) {
  const [distro, version] = [textOf(image, 'os_distro').toLowerCase(), textOf(image, 'os_version')]
  const name = imageNameOf(image)
  const type = textOf(image, 'os_type').toLowerCase()
  // Nova knows only "linux" and "windows", so the distribution tells more.
  const os_type = osTypeOf(distro) || osTypeOf(type) || (distro + type === '' ? osTypeOf(name) : '')
  const os_distribution = distributions.get(distro) ?? distro
  return {
    os_type,
    os_distribution,
    os_name: distro === '' ? name : `${os_distribution} ${version}`.trim(),
  }
}

const machineOf = (type: string) =>
  ['q35', 'virt', 'pc'].find((name) => type === name || type.includes(`${name}-`)) ?? ''

/** Facts that come from the properties of the image. */
export function imageFactsOf({ id, properties }: BootImage): Partial<ReportedFacts> {
  const { os_type, os_name } = systemOf(properties)
  const firmware = textOf(properties, 'hw_firmware_type')
  return {
    os_type,
    os_name,
    image: imageNameOf(properties),
    image_id: id,
    bios: firmware === 'uefi' ? 'UEFI' : firmware === 'bios' ? 'BIOS' : '',
    machine: machineOf(textOf(properties, 'hw_machine_type')),
    vga: textOf(properties, 'hw_video_model'),
  }
}
