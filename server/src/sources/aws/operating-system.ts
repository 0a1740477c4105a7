import type { Image, Instance } from '@aws-sdk/client-ec2'
import { osTypeOf } from '../shared/os-type.ts'

/** Patterns in the names or descriptions of images. */
const systems: readonly (readonly [RegExp, string])[] = [
  [/windows[ _-]server[ _-](\d{4})(?:[ _-](r2))?/i, 'Windows Server'],
  [/ubuntu\D{0,40}?(\d\d\.\d\d)/i, 'Ubuntu'],
  [/debian[ _-]?(\d{1,2})\b/i, 'Debian'],
  [/(?:rhel|red hat enterprise linux)[ _-]?(\d+(?:\.\d+)?)/i, 'Red Hat Enterprise Linux'],
  [/rocky[ _-]?(?:linux)?[ _-]?(\d+(?:\.\d+)?)/i, 'Rocky Linux'],
  [/almalinux[ _-](?:os[ _-])?(\d+(?:\.\d+)?)/i, 'AlmaLinux'],
  [/centos(?:[ _-](?:linux|stream))?[ _-](\d+(?:\.\d+)?)/i, 'CentOS'],
  [
    /suse[ _-](?:linux[ _-]enterprise[ _-]server|sles)[ _-]v?(\d+)/i,
    'SUSE Linux Enterprise Server',
  ],
  [/fedora\D{0,20}?[ _-](\d\d)\b/i, 'Fedora'],
  [/bottlerocket/i, 'Bottlerocket'],
  [/\bamzn2-|amazon linux 2 /i, 'Amazon Linux 2'],
  [/\bal(20\d\d)-|amazon linux (20\d\d)(?!\.)/i, 'Amazon Linux'],
  [/amzn-ami|amazon linux/i, 'Amazon Linux'],
  [/macos[ _-](\w+)/i, 'macOS'],
]

function read(text: string): [name: string, version: string] | undefined {
  for (const [pattern, name] of systems) {
    const found = pattern.exec(text)
    if (found) return [name, found.slice(1).filter(Boolean).join(' ')]
  }
}

/** The name and the version of the system in an image, if its name or its description has them. */
export const distributionOf = ({ Name = '', Description = '' }: Image) =>
  read(Name) ?? read(Description)

/** The operating system, from the image or the billing details. */
export function operatingSystemOf(
  instance: Pick<Instance, 'Platform' | 'PlatformDetails' | 'Architecture'>,
  image: Image | undefined,
): { os_type: string; os_name: string } {
  const { Platform, PlatformDetails = '', Architecture = '' } = instance
  const isMac = Architecture.endsWith('_mac')
  // EC2 bills every other system as "Linux/UNIX".
  const { Name = '', Description = '' } = image ?? {}
  const imageType = osTypeOf(Name) || osTypeOf(Description)
  const billed = osTypeOf(Platform ?? '') || osTypeOf(PlatformDetails)
  const isUnix = /linux|^$/i.test(billed)
  const os_type = isMac ? 'macOS' : (isUnix && imageType !== 'Windows' && imageType) || billed
  const fromImage = image && distributionOf(image)?.join(' ').trim()
  const fromBill = PlatformDetails === 'Linux/UNIX' ? '' : PlatformDetails
  return { os_type, os_name: fromImage ?? (fromBill === '' ? (image?.Name ?? '') : fromBill) }
}
